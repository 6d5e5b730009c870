// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/table/kernels.hpp"

namespace nttforge::cuda {

/// q < 2^50 in doubles with fused multiply-add: the FP64 pipes, as fast as the integer ones on data-centre
/// cards, do all of the butterfly. Values are integers in (-kLimit q, kLimit q), twiddles w in (-q/2, q/2)
/// with w / q rounded. docs/bounds/gpu_butterflies.md
struct Fp64 {
  using Word = std::uint64_t;
  using Value = double;
  struct alignas(16) Twiddle {
    double value, fraction;
  };
  struct Constants {
    double q, reciprocal;
  };

  static constexpr unsigned kLimit = 4;
  static constexpr unsigned kGrowth = 1;
  static constexpr unsigned kHalf = 1;
  static constexpr unsigned kMost = 2;  ///< before an inverse butterfly
  static constexpr bool kModular = false;
  static constexpr unsigned kSlack = 2;
  static constexpr Arithmetic kArithmetic = Arithmetic::fp64;
  static constexpr Multiplication kMultiplication = Multiplication::fp64;
  static constexpr unsigned kEntryWords = 2;
  static constexpr std::uint64_t kQLimit = std::uint64_t{1} << 50;

  static NTTF_HD Constants constants(const CudaLimb<Word>& limb) {
    return {as_double(limb.constants[0]), as_double(limb.constants[1])};
  }
  static void fill_constants(CudaLimb<Word>& limb) {
    limb.constants[0] = as_word(static_cast<double>(limb.q));
    limb.constants[1] = as_word(1.0 / static_cast<double>(limb.q));
  }
  static void entry(std::uint64_t w, std::uint64_t q, Word* entry) {
    const double value = w > q / 2 ? -static_cast<double>(q - w) : static_cast<double>(w);
    entry[0] = as_word(value);
    entry[1] = as_word(value / static_cast<double>(q));
  }
  static NTTF_HD Twiddle load(const Word* table, std::uint32_t entry) {
#ifdef __CUDA_ARCH__
    const double2 v = __ldg(reinterpret_cast<const double2*>(table) + entry);
    return {v.x, v.y};
#else
    return {as_double(table[2 * std::size_t{entry}]), as_double(table[2 * std::size_t{entry} + 1])};
#endif
  }

  /// x < 2^52 stands in the last bits of 2^52 + x.
  static NTTF_HD Value from_word(Word x, const Constants&) { return as_double(x | kTwo52Bits) - kTwo52; }
  static NTTF_HD Value from_lazy_word(Word x) { return as_double(x); }
  static NTTF_HD Word to_lazy_word(Value x) { return as_word(x); }
  template <unsigned kBound>
  static NTTF_HD Word to_word(Value x, const Constants& c) {
    x = halve(x, c);
    return as_word((x < 0 ? x + c.q : x) + kTwo52) & ~kTwo52Bits;
  }

  /// |x| < kLimit q -> x modulo q, below q in absolute value.
  static NTTF_HD Value halve(Value x, const Constants& c) {
    return multiply_add(-nearest(x, c.reciprocal), c.q, x);
  }
  /// |b| < kLimit q -> b w modulo q, below q in absolute value.
  static NTTF_HD Value multiply(Value b, Twiddle w, const Constants& c) {
    const double high = product(b, w.value), low = multiply_add(b, w.value, -high);
    return multiply_add(-nearest(b, w.fraction), c.q, high) + low;
  }
  static NTTF_HD void forward(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Value t = multiply(b, w, c);
    b = a - t;
    a = a + t;
  }
  static NTTF_HD void inverse(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Value difference = a - b;
    a = a + b;
    b = multiply(difference, w, c);
  }

 private:
  static constexpr double kTwo52 = 4503599627370496.0, kRound = 6755399441055744.0;  // 2^52, 1.5 2^52
  static constexpr Word kTwo52Bits = Word{0x433} << 52;

  static NTTF_HD double as_double(Word x) {
    double value;
    memcpy(&value, &x, 8);
    return value;
  }
  static NTTF_HD Word as_word(double x) {
    Word value;
    memcpy(&value, &x, 8);
    return value;
  }
  // Both compilers may fuse a product and a sum of their own accord; these functions keep them apart.
  static NTTF_HD double product(double a, double b) {
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    volatile double p = a * b;
    return p;
#endif
  }
  static NTTF_HD double multiply_add(double a, double b, double c) {
#ifdef __CUDA_ARCH__
    return __fma_rn(a, b, c);
#else
    return std::fma(a, b, c);
#endif
  }
  /// The integer nearest to a b, for |a b| < 2^51.
  static NTTF_HD double nearest(double a, double b) { return multiply_add(a, b, kRound) - kRound; }
};

}  // namespace nttforge::cuda
