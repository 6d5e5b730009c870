// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "nttforge/base/memory/secret.hpp"
#include "nttforge/random/kernels.hpp"

// Stream and sampler loops, written once over lanes L32 (32-bit words) and L (64-bit words).

namespace nttforge::cpu {
namespace {

template <class L32, class L>
struct RandomKernelsOf {
  static constexpr std::size_t kWidth = L32::kWidth;  // blocks computed side by side
  static constexpr std::size_t kStateWords = 16;      // 32-bit words of a block

  /// kWidth blocks at once: vector w holds word w of every block, so the rounds need no shuffles; the
  /// transposition at the end puts each block's words next to each other.
  static NTTF_INLINE void wide_block(const ChaChaInput& input, std::uint32_t counter, std::uint32_t* out) {
    using Vec = typename L32::Vec;
    constexpr std::uint32_t kConstants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    Vec initial[kStateWords];
    for (std::size_t i = 0; i < 4; ++i) initial[i] = L32::broadcast(kConstants[i]);
    for (std::size_t i = 0; i < 8; ++i) initial[4 + i] = L32::broadcast(input.key[i]);
    initial[12] = L32::add(L32::broadcast(counter), L32::iota());
    for (std::size_t i = 0; i < 3; ++i) initial[13 + i] = L32::broadcast(input.nonce[i]);
    Vec x[kStateWords];
    for (std::size_t i = 0; i < kStateWords; ++i) x[i] = initial[i];
    for (int double_round = 0; double_round < 10; ++double_round) {
      for (std::size_t i = 0; i < 4; ++i) chacha_quarter_round<L32>(x[i], x[4 + i], x[8 + i], x[12 + i]);
      for (std::size_t i = 0; i < 4; ++i)
        chacha_quarter_round<L32>(x[i], x[4 + (i + 1) % 4], x[8 + (i + 2) % 4], x[12 + (i + 3) % 4]);
    }
    for (std::size_t i = 0; i < kStateWords; ++i) x[i] = L32::add(x[i], initial[i]);
    for (std::size_t part = 0; part < kStateWords; part += kWidth) {
      Vec square[kWidth];
      for (std::size_t i = 0; i < kWidth; ++i) square[i] = x[part + i];
      L32::transpose(square);
      for (std::size_t block = 0; block < kWidth; ++block)
        L32::store(out + kStateWords * block + part, square[block]);
    }
  }

  static NTTF_INLINE void pack(const std::uint32_t* halves, std::uint64_t* out, std::size_t words) {
    if constexpr (std::endian::native == std::endian::little) {
      __builtin_memcpy(out, halves, 8 * words);
    } else {
      for (std::size_t i = 0; i < words; ++i) out[i] = halves[2 * i] | std::uint64_t{halves[2 * i + 1]} << 32;
    }
  }

  static void key_stream(const ChaChaInput& input, std::uint32_t counter, std::uint64_t* out,
                         std::size_t blocks) {
    constexpr std::size_t kWide = kWidth * kChaChaWordsPerBlock;
    std::uint32_t buffer[kWidth * kStateWords];
    for (; blocks >= kWidth; blocks -= kWidth, counter += static_cast<std::uint32_t>(kWidth), out += kWide) {
      wide_block(input, counter, buffer);
      pack(buffer, out, kWide);
    }
    if (blocks != 0) {
      wide_block(input, counter, buffer);
      pack(buffer, out, blocks * kChaChaWordsPerBlock);
    }
    secure_zero(buffer, sizeof(buffer));
  }

  static bool any_above(const std::uint64_t* words, std::uint64_t last, std::size_t count) {
    const typename L::Vec limit = L::broadcast(last);
    bool any = false;
    std::size_t i = 0;
    for (; i + L::kWidth <= count; i += L::kWidth) any |= L::any_greater(L::load(words + i), limit);
    if (i < count) any |= L::any_greater(L::load_part(words + i, count - i), limit);
    return any;
  }

  static NTTF_INLINE typename L::Vec reduce_vector(typename L::Vec x, typename L::Vec q, typename L::Vec q2,
                                                   typename L::Vec ratio) {
    // The quotient is at most two too small: r in [0, 3q) (docs/bounds/barrett.md).
    const typename L::Vec r = L::sub(x, L::mul_lo(L::mul_hi_lower(x, ratio), q));
    return L::reduce_once(L::reduce_once(r, q2), q);
  }

  static void reduce(const std::uint64_t* words, std::uint64_t q, std::uint64_t ratio, std::uint64_t* out,
                     std::size_t count) {
    const typename L::Vec vq = L::broadcast(q), vq2 = L::broadcast(2 * q), vratio = L::broadcast(ratio);
    std::size_t i = 0;
    for (; i + L::kWidth <= count; i += L::kWidth)
      L::store(out + i, reduce_vector(L::load(words + i), vq, vq2, vratio));
    if (i < count)
      L::store_part(out + i, reduce_vector(L::load_part(words + i, count - i), vq, vq2, vratio), count - i);
  }

  /// By blocks that stay in the first-level cache until they are narrowed.
  static void reduce32(const std::uint64_t* words, std::uint64_t q, std::uint64_t ratio, std::uint32_t* out,
                       std::size_t count) {
    constexpr std::size_t kBlock = 64;
    std::uint64_t residues[kBlock];
    for (std::size_t begin = 0; begin < count; begin += kBlock) {
      const std::size_t size = count - begin < kBlock ? count - begin : kBlock;
      reduce(words + begin, q, ratio, residues, size);
      for (std::size_t i = 0; i < size; ++i) out[begin + i] = static_cast<std::uint32_t>(residues[i]);
    }
    secure_zero(residues, sizeof residues);
  }

  /// kCount vectors side by side, so that one table entry read serves them all. Entries from `last` on are
  /// equal and compared once.
  template <std::size_t kCount>
  static NTTF_INLINE void error_vectors(typename L::Vec (&x)[kCount], const std::uint64_t* table,
                                        std::size_t table_size, std::size_t last) {
    using Vec = typename L::Vec;
    Vec u[kCount], magnitude[kCount];
    for (std::size_t i = 0; i < kCount; ++i) {
      u[i] = L::template shift_right<1>(x[i]);
      magnitude[i] = L::broadcast(table_size);
    }
    for (std::size_t k = 0; k < last; ++k) {
      const Vec entry = L::broadcast(table[k]);
      for (std::size_t i = 0; i < kCount; ++i)
        magnitude[i] = L::decrement_if_greater(magnitude[i], entry, u[i]);
    }
    const Vec entry = L::broadcast(table[last]), equal = L::broadcast(table_size - last);
    for (std::size_t i = 0; i < kCount; ++i) {
      const Vec below = L::decrement_if_greater(L::broadcast(0), entry, u[i]);  // 0 or all ones
      magnitude[i] = L::sub(magnitude[i], L::bit_and(below, equal));
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      const Vec negative = L::sub(L::broadcast(0), L::bit_and(x[i], L::broadcast(1)));  // 0 or all ones
      x[i] = L::sub(L::bit_xor(magnitude[i], negative), negative);
    }
  }

  static void error(const std::uint64_t* words, const std::uint64_t* table, std::size_t table_size,
                    std::int64_t* out, std::size_t count) {
    constexpr std::size_t kVectors = 4;
    std::size_t last = table_size - 1;
    while (last != 0 && table[last - 1] == table[last]) --last;
    auto* unsigned_out = reinterpret_cast<std::uint64_t*>(out);  // two's complement
    std::size_t i = 0;
    for (; i + kVectors * L::kWidth <= count; i += kVectors * L::kWidth) {
      typename L::Vec x[kVectors];
      for (std::size_t j = 0; j < kVectors; ++j) x[j] = L::load(words + i + j * L::kWidth);
      error_vectors(x, table, table_size, last);
      for (std::size_t j = 0; j < kVectors; ++j) L::store(unsigned_out + i + j * L::kWidth, x[j]);
    }
    while (i < count) {
      const std::size_t size = count - i < L::kWidth ? count - i : L::kWidth;
      typename L::Vec x[1] = {L::load_part(words + i, size)};
      error_vectors(x, table, table_size, last);
      L::store_part(unsigned_out + i, x[0], size);
      i += size;
    }
  }

  static constexpr RandomKernels table() { return {&key_stream, &any_above, &reduce, &reduce32, &error}; }
};

}  // namespace
}  // namespace nttforge::cpu
