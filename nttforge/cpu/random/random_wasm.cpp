// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/lanes/sums_wasm.hpp"
#include "nttforge/cpu/random/random_kernels.hpp"
#include "nttforge/cpu/random/random_tables.hpp"

namespace nttforge::cpu {
namespace {

// ChaCha20 in four blocks side by side, samples in vectors of two words.
using Kernels = RandomKernelsOf<Lanes32Wasm, LanesWasm>;

/// Short moduli: four words at a time, as sums of products are reduced, since SIMD128 has no products of 64
/// bits.
void reduce(const std::uint64_t* words, std::uint64_t q, std::uint64_t ratio, std::uint64_t* out,
            std::size_t count) {
  std::size_t i = 0;
  if (q >> 30 == 0) {
    const SumsWasm::Constants c = SumsWasm::constants(q, ratio);
    for (; i + PackedWords::kWidth <= count; i += PackedWords::kWidth)
      PackedWords::store(out + i,
                         SumsWasm::reduce({wasm_v128_load(words + i), wasm_v128_load(words + i + 2)}, c));
  }
  Kernels::reduce(words + i, q, ratio, out + i, count - i);
}

constexpr RandomKernels table() {
  RandomKernels kernels = Kernels::table();
  kernels.reduce = &reduce;
  return kernels;
}

}  // namespace

constinit const RandomKernels kRandomWasm = table();

}  // namespace nttforge::cpu
