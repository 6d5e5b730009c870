#pragma once

#include <cstdint>

#include "nttforge/cuda/block.hpp"
#include "nttforge/cuda/kernels.hpp"

namespace nttforge::cuda {

/// 32-bit words, q < 2^30, twiddles with floor(w 2^32 / q). Values stay below 4q < 2^32, products below 2q:
/// [Har14] Alg. 4 and 5. docs/bounds/gpu_butterflies.md
struct Shoup32 {
  using Word = std::uint32_t;
  using Value = std::uint32_t;
  struct alignas(8) Twiddle {
    Word value, quotient;
  };
  struct Constants {
    Word q, negated, twice;
  };

  static constexpr unsigned kLimit = 4;
  static constexpr unsigned kGrowth = 2;
  static constexpr unsigned kHalf = 2;
  static constexpr unsigned kMost = kHalf;  ///< q, before an inverse butterfly
  static constexpr bool kModular = false;
  static constexpr unsigned kSlack = 2;  ///< log2(kLimit)
  static constexpr Arithmetic kArithmetic = Arithmetic::shoup32;
  static constexpr Multiplication kMultiplication = Multiplication::shoup;
  static constexpr unsigned kEntryWords = 2;
  static constexpr std::uint64_t kQLimit = std::uint64_t{1} << 30;

  static NTTF_HD Constants constants(const CudaLimb<Word>& limb) {
    return {limb.q, limb.negated, limb.constants[0]};
  }
  static void fill_constants(CudaLimb<Word>& limb) { limb.constants[0] = 2 * limb.q; }

  static void entry(std::uint64_t w, std::uint64_t q, Word* entry) {
    entry[0] = static_cast<Word>(w);
    entry[1] = static_cast<Word>((w << 32) / q);
  }
  static NTTF_HD Twiddle load(const Word* table, std::uint32_t entry) {
#ifdef __CUDA_ARCH__
    const uint2 v = __ldg(reinterpret_cast<const uint2*>(table) + entry);
    return {v.x, v.y};
#else
    return {table[2 * std::size_t{entry}], table[2 * std::size_t{entry} + 1]};
#endif
  }
  static NTTF_HD Value from_word(Word x, const Constants&) { return x; }
  /// Between the passes of a transform.
  static NTTF_HD Value from_lazy_word(Word x) { return x; }
  static NTTF_HD Word to_lazy_word(Value x) { return x; }

  /// Any b -> b w mod q in [0, 2q).
  static NTTF_HD Value multiply(Value b, Twiddle w, const Constants& c) {
#ifdef __CUDA_ARCH__
    return b * w.value + __umulhi(b, w.quotient) * c.negated;
#else
    return b * w.value + static_cast<Word>((std::uint64_t{b} * w.quotient) >> 32) * c.negated;
#endif
  }
  /// [0, 4q) -> [0, 2q).
  static NTTF_HD Value halve(Value a, const Constants& c) { return subtract_if(a, c.twice); }
  /// a < 2q, any b -> both in [0, 4q).
  static NTTF_HD void forward(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Value t = multiply(b, w, c);
    b = a + c.twice - t;
    a = a + t;
  }
  /// a, b < 2q -> a + b in [0, 4q), the product of the difference in [0, 2q).
  static NTTF_HD void inverse(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Value difference = a + c.twice - b;
    a = a + b;
    b = multiply(difference, w, c);
  }
  /// [0, kBound q) -> [0, q).
  template <unsigned kBound>
  static NTTF_HD Word to_word(Value x, const Constants& c) {
    if constexpr (kBound > 2) x = subtract_if(x, c.twice);
    if constexpr (kBound > 1) x = subtract_if(x, c.q);
    return x;
  }

 private:
  /// The smaller of x and x - m as unsigned numbers: x >= m or the difference wraps.
  static NTTF_HD Word subtract_if(Word x, Word m) {
    const Word difference = x - m;
    return difference < x ? difference : x;
  }
};

}  // namespace nttforge::cuda
