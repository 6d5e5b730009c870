// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/arith/odd_inverse.hpp"
#include "nttforge/cuda/arith/strict.hpp"
#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/table/kernels.hpp"

namespace nttforge::cuda {

/// 32-bit words, odd q < 2^32, values always in [0, q), a table of w 2^32 mod q: [Mon85], with residues as
/// they are.
struct Montgomery32 : StrictArith<Montgomery32, std::uint32_t> {
  struct Twiddle {
    Word value;
  };
  struct Constants {
    Word q, inverse;  ///< q^-1 mod 2^32
  };

  static constexpr Arithmetic kArithmetic = Arithmetic::shoup32;
  static constexpr Multiplication kMultiplication = Multiplication::montgomery;
  static constexpr std::uint64_t kQLimit = std::uint64_t{1} << 32;

  static NTTF_HD Constants constants(const CudaLimb<Word>& limb) { return {limb.q, limb.constants[0]}; }
  static void fill_constants(CudaLimb<Word>& limb) { limb.constants[0] = inverse_of_odd(limb.q); }
  static void entry(std::uint64_t w, std::uint64_t q, Word* entry) {
    entry[0] = static_cast<Word>((w << 32) % q);
  }
  static NTTF_HD Twiddle load(const Word* table, std::uint32_t entry) {
#ifdef __CUDA_ARCH__
    return {__ldg(table + entry)};
#else
    return {table[entry]};
#endif
  }
  static NTTF_HD Value add(Value a, Value b, const Constants& c) { return sum_mod(a, b, c.q); }
  static NTTF_HD Value subtract(Value a, Value b, const Constants& c) { return difference_mod(a, b, c.q); }
  /// Any b, w < q: b w = high 2^32 + low, low inverse q = back 2^32 + low, and high, back < q.
  static NTTF_HD Value multiply(Value b, Twiddle w, const Constants& c) {
    const std::uint64_t product = std::uint64_t{b} * w.value;
    const Word factor = static_cast<Word>(product) * c.inverse;
    const auto back = static_cast<Word>((std::uint64_t{factor} * c.q) >> 32);
    return subtract(static_cast<Word>(product >> 32), back, c);
  }
};

}  // namespace nttforge::cuda
