// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/arith/shoup.hpp"

namespace nttforge::cuda {

/// 32-bit words, q < 2^30, twiddles with floor(w 2^32 / q). Values stay below 4q < 2^32, products below 2q.
/// docs/bounds/gpu_butterflies.md
struct Shoup32 : ShoupButterflies<Shoup32, std::uint32_t, 4, 2> {
  struct Constants {
    Word q, negated, twice;
  };

  static constexpr unsigned kSlack = 2;  ///< log2(kLimit)
  static constexpr Arithmetic kArithmetic = Arithmetic::shoup32;
  static constexpr std::uint64_t kQLimit = std::uint64_t{1} << 30;

  static NTTF_HD Constants constants(const CudaLimb<Word>& limb) {
    return {limb.q, limb.negated, limb.constants[0]};
  }
  static void fill_constants(CudaLimb<Word>& limb) { limb.constants[0] = 2 * limb.q; }
  static NTTF_HD Word growth(const Constants& c) { return c.twice; }
  static NTTF_HD Word half(const Constants& c) { return c.twice; }

  static void entry(std::uint64_t w, std::uint64_t q, Word* entry) {
    entry[0] = static_cast<Word>(w);
    entry[1] = static_cast<Word>((w << 32) / q);
  }
  /// Any b -> b w mod q in [0, 2q).
  static NTTF_HD Value multiply(Value b, Twiddle w, const Constants& c) {
#ifdef __CUDA_ARCH__
    return b * w.value + __umulhi(b, w.quotient) * c.negated;
#else
    return b * w.value + static_cast<Word>((std::uint64_t{b} * w.quotient) >> 32) * c.negated;
#endif
  }
  /// [0, kBound q) -> [0, q).
  template <unsigned kBound>
  static NTTF_HD Word to_word(Value x, const Constants& c) {
    if constexpr (kBound > 2) x = subtract_if(x, c.twice);
    if constexpr (kBound > 1) x = subtract_if(x, c.q);
    return x;
  }

  /// The smaller of x and x - m as unsigned numbers: x >= m or the difference wraps.
  static NTTF_HD Word subtract_if(Word x, Word m) {
    const Word difference = x - m;
    return difference < x ? difference : x;
  }
};

}  // namespace nttforge::cuda
