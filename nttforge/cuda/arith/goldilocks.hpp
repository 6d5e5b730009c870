// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/base/macros.hpp"
#include "nttforge/cuda/arith/strict.hpp"
#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/table/kernels.hpp"

namespace nttforge::cuda {

/// Modulo 2^64 - 2^32 + 1: products reduced with shifts and additions ([Bad18a]), values always in [0, p), a
/// table of plain words. docs/bounds/goldilocks.md
struct GoldilocksField : StrictArith<GoldilocksField, std::uint64_t> {
  struct alignas(8) Twiddle {
    Word value;
  };
  struct Constants {};

  static constexpr Arithmetic kArithmetic = Arithmetic::goldilocks;
  static constexpr Multiplication kMultiplication = Multiplication::goldilocks;
  static constexpr std::uint64_t kQLimit = 0;  ///< this one modulus only

  static NTTF_HD Constants constants(const CudaLimb<Word>&) { return {}; }
  static void fill_constants(CudaLimb<Word>&) {}
  static void entry(std::uint64_t w, std::uint64_t, Word* entry) { entry[0] = w; }
  static NTTF_HD Twiddle load(const Word* table, std::uint32_t entry) {
#ifdef __CUDA_ARCH__
    return {static_cast<Word>(__ldg(reinterpret_cast<const unsigned long long*>(table) + entry))};
#else
    return {table[entry]};
#endif
  }
  static NTTF_HD Value add(Value a, Value b, const Constants&) { return goldilocks::add(a, b); }
  static NTTF_HD Value subtract(Value a, Value b, const Constants&) { return goldilocks::sub(a, b); }
  static NTTF_HD Value multiply(Value a, Twiddle w, const Constants&) { return goldilocks::mul(a, w.value); }
};

}  // namespace nttforge::cuda
