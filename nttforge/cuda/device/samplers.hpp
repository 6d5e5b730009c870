// SPDX-License-Identifier: Apache-2.0
#pragma once

// Samples of ChaCha20 streams, a thread each, with the words of random/samplers.hpp. A rejection depends on
// words that are independent of the one accepted.

#include <array>

#include "nttforge/cuda/device/operations.hpp"
#include "nttforge/random/gaussian_tables.hpp"
#include "nttforge/random/stream.hpp"

namespace nttforge::cuda {

/// A stream's name as kernels take it.
struct StreamKey {
  std::uint32_t key[8];
  std::uint32_t domain, index;
};

NTTF_HD std::uint32_t rotated(std::uint32_t x, unsigned bits) { return x << bits | x >> (32 - bits); }

NTTF_HD void quarter_round(std::uint32_t* x, unsigned a, unsigned b, unsigned c, unsigned d) {
  x[a] += x[b], x[d] = rotated(x[d] ^ x[a], 16);
  x[c] += x[d], x[b] = rotated(x[b] ^ x[c], 12);
  x[a] += x[b], x[d] = rotated(x[d] ^ x[a], 8);
  x[c] += x[d], x[b] = rotated(x[b] ^ x[c], 7);
}

/// Word i of a lane [RFC 8439, section 2.3].
NTTF_HD std::uint64_t stream_word(const StreamKey& name, std::uint32_t lane, std::uint32_t i) {
  std::uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (unsigned k = 0; k < 8; ++k) state[4 + k] = name.key[k];
  state[12] = i / 8, state[13] = name.domain, state[14] = name.index, state[15] = lane;
  std::uint32_t x[16];
  for (unsigned k = 0; k < 16; ++k) x[k] = state[k];
  for (unsigned round = 0; round < 10; ++round) {
    NTTF_UNROLL
    for (unsigned k = 0; k < 4; ++k) quarter_round(x, k, 4 + k, 8 + k, 12 + k);
    NTTF_UNROLL
    for (unsigned k = 0; k < 4; ++k) quarter_round(x, k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4);
  }
  std::uint64_t word = 0;
  NTTF_UNROLL
  for (unsigned k = 0; k < 8; ++k) {  // constant indices keep the state in registers
    if (k == i % 8) {
      const std::uint32_t low = x[2 * k] + state[2 * k], high = x[2 * k + 1] + state[2 * k + 1];
      word = std::uint64_t{high} << 32 | low;
    }
  }
  return word;
}

/// Sample i uniform in [0, q) of a limb; multiples: floor(2^64 / q).
NTTF_HD std::uint64_t stream_uniform(const StreamKey& name, std::uint32_t limb, std::uint64_t q,
                                     std::uint64_t multiples, std::uint32_t i) {
  for (std::uint32_t round = 0;; ++round) {
    const std::uint64_t word = stream_word(name, limb << 8 | round, i);
    if (word < q * multiples) return word % q;
  }
}

struct SampleUniform {
  Grid shape;  ///< rows: limbs
  RingRows ring;
  StreamKey name;
  WriteWords out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const Wide& m = ring.of(row);
    const std::uint64_t sample =
        stream_uniform(name, row, m.q, static_cast<std::uint64_t>(m.ratio >> 64), column);
    out.set((std::size_t{row} << shape.log_n) + column, sample);
  }
};

/// Small samples, lifted to every limb.
struct SampleSmall {
  enum class Kind : std::uint8_t { ternary, binary, error };
  Grid shape;  ///< rows: limbs
  RingRows ring;
  StreamKey name;
  Kind kind;
  std::uint32_t entries;       ///< of the table
  const std::uint64_t* table;  ///< kind error: in the device's memory
  WriteWords out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    std::uint64_t size = 0;
    bool negative = false;
    if (kind == Kind::ternary) {
      const std::uint64_t sample = stream_uniform(name, 0, 3, ~std::uint64_t{0} / 3, column);
      negative = sample == 0;
      size = sample == 1 ? 0 : 1;
    } else {
      const std::uint64_t word = stream_word(name, 0, column);
      if (kind == Kind::binary) {
        size = word & 1;
      } else {
        for (std::uint32_t k = 0; k < entries; ++k) size += table[k] <= word >> 1;
        negative = (word & 1) != 0;
      }
    }
    const std::uint64_t q = ring.of(row).q;
    out.set((std::size_t{row} << shape.log_n) + column, negative ? opposite_mod(size, q) : size);
  }
};

}  // namespace nttforge::cuda
