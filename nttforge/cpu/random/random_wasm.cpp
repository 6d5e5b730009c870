// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/lanes/sums_wasm.hpp"
#include "nttforge/cpu/random/random_kernels.hpp"
#include "nttforge/cpu/random/random_tables.hpp"

namespace nttforge::cpu {
namespace {

// Samples in vectors of two words; ChaCha20 as below.
using Kernels = RandomKernelsOf<Lanes32Wasm, LanesWasm>;

/// A row of the states of several blocks: four 32-bit words of each.
template <std::size_t kBlocks>
struct RowOfStates {
  v128_t block[kBlocks];

  NTTF_INLINE void add(const RowOfStates& y) {
    for (std::size_t i = 0; i < kBlocks; ++i) block[i] = Lanes32Wasm::add(block[i], y.block[i]);
  }
  template <unsigned kCount>
  NTTF_INLINE void xor_rotate(const RowOfStates& y) {
    for (std::size_t i = 0; i < kBlocks; ++i)
      block[i] = Lanes32Wasm::rotate_left<kCount>(Lanes32Wasm::bit_xor(block[i], y.block[i]));
  }
  /// Word w becomes word w + kBy.
  template <int kBy>
  NTTF_INLINE void turn() {
    for (std::size_t i = 0; i < kBlocks; ++i)
      block[i] = wasm_i32x4_shuffle(block[i], block[i], kBy % 4, (kBy + 1) % 4, (kBy + 2) % 4, (kBy + 3) % 4);
  }
};

template <std::size_t kBlocks>
NTTF_INLINE void quarter_rounds(RowOfStates<kBlocks> (&row)[4]) {
  row[0].add(row[1]), row[3].template xor_rotate<16>(row[0]);
  row[2].add(row[3]), row[1].template xor_rotate<12>(row[2]);
  row[0].add(row[1]), row[3].template xor_rotate<8>(row[0]);
  row[2].add(row[3]), row[1].template xor_rotate<7>(row[2]);
}

/// A register holds a row of one block, whose columns its quarter rounds go down; for the diagonals rows
/// turn, but not the second one, which a round ends with. Engines keep sixteen registers at most, which a
/// word of every state would fill: three blocks of four rows leave some, and take half of the time
/// (docs/lab/wasm-figures.md).
template <std::size_t kBlocks>
NTTF_INLINE void key_blocks(const ChaChaInput& input, std::uint32_t counter, std::uint64_t* out) {
  RowOfStates<kBlocks> first[4], row[4];
  for (std::size_t i = 0; i < kBlocks; ++i) {
    first[0].block[i] = wasm_u32x4_const(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);
    first[1].block[i] = wasm_v128_load(input.key);
    first[2].block[i] = wasm_v128_load(input.key + 4);
    first[3].block[i] = wasm_u32x4_make(counter + static_cast<std::uint32_t>(i), input.nonce[0],
                                        input.nonce[1], input.nonce[2]);
  }
  for (std::size_t r = 0; r < 4; ++r) row[r] = first[r];
  for (int double_round = 0; double_round < 10; ++double_round) {
    quarter_rounds(row);
    row[0].template turn<3>(), row[2].template turn<1>(), row[3].template turn<2>();
    quarter_rounds(row);
    row[0].template turn<1>(), row[2].template turn<3>(), row[3].template turn<2>();
  }
  for (std::size_t r = 0; r < 4; ++r) {
    row[r].add(first[r]);
    for (std::size_t i = 0; i < kBlocks; ++i)
      wasm_v128_store(out + kChaChaWordsPerBlock * i + 2 * r, row[r].block[i]);
  }
}

void key_stream(const ChaChaInput& input, std::uint32_t counter, std::uint64_t* out, std::size_t blocks) {
  constexpr std::size_t kBlocks = 3;
  for (; blocks >= kBlocks; blocks -= kBlocks, counter += kBlocks, out += kBlocks * kChaChaWordsPerBlock)
    key_blocks<kBlocks>(input, counter, out);
  for (; blocks != 0; --blocks, ++counter, out += kChaChaWordsPerBlock) key_blocks<1>(input, counter, out);
}

/// Words are rejected that are as large as multiples of q past 2^64 - q: of short moduli, one in 2^34. The
/// largest upper half tells of many words at once that there is none.
bool any_above(const std::uint64_t* words, std::uint64_t last, std::size_t count) {
  constexpr std::uint32_t kMost = 0xFFFFFFFFu;
  if (last >> 32 == kMost) {
    v128_t largest[2] = {wasm_u64x2_splat(0), wasm_u64x2_splat(0)};
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
      largest[0] = wasm_u32x4_max(largest[0], wasm_v128_load(words + i));
      largest[1] = wasm_u32x4_max(largest[1], wasm_v128_load(words + i + 2));
    }
    const v128_t most = wasm_u32x4_max(largest[0], largest[1]);
    if (wasm_u32x4_extract_lane(most, 1) != kMost && wasm_u32x4_extract_lane(most, 3) != kMost)
      return Kernels::any_above(words + i, last, count - i);
  }
  return Kernels::any_above(words, last, count);
}

/// Short moduli: four words at a time, as sums of products are reduced, since SIMD128 has no products of 64
/// bits.
template <class Packed>
NTTF_INLINE std::size_t reduce_short(const std::uint64_t* words, std::uint64_t q, std::uint64_t ratio,
                                     typename Packed::Word* out, std::size_t count) {
  const SumsWasm::Constants c = SumsWasm::constants(q, ratio);
  std::size_t i = 0;
  for (; i + Packed::kWidth <= count; i += Packed::kWidth)
    Packed::store(out + i, SumsWasm::reduce({wasm_v128_load(words + i), wasm_v128_load(words + i + 2)}, c));
  return i;
}

void reduce(const std::uint64_t* words, std::uint64_t q, std::uint64_t ratio, std::uint64_t* out,
            std::size_t count) {
  const std::size_t done = q >> 30 == 0 ? reduce_short<PackedWords>(words, q, ratio, out, count) : 0;
  Kernels::reduce(words + done, q, ratio, out + done, count - done);
}

void reduce32(const std::uint64_t* words, std::uint64_t q, std::uint64_t ratio, std::uint32_t* out,
              std::size_t count) {
  const std::size_t done = q >> 30 == 0 ? reduce_short<Lanes32Wasm>(words, q, ratio, out, count) : 0;
  Kernels::reduce32(words + done, q, ratio, out + done, count - done);
}

constexpr RandomKernels table() {
  RandomKernels kernels = Kernels::table();
  kernels.key_stream = &key_stream;
  kernels.any_above = &any_above;
  kernels.reduce = &reduce;
  kernels.reduce32 = &reduce32;
  return kernels;
}

}  // namespace

constinit const RandomKernels kRandomWasm = table();

}  // namespace nttforge::cpu
