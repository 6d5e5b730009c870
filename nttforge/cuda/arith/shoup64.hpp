// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "nttforge/arith/shoup.hpp"
#include "nttforge/base/macros.hpp"
#include "nttforge/cuda/arith/shoup.hpp"

namespace nttforge::cuda {

/// 64-bit words, twiddles with floor(w 2^64 / q). Values of a transform stay below kLimit q < 2^64.
///   kLimit 16, q < 2^60: the high product leaves out one of four partial products; products in [0, 3q)
///   kLimit  4, q < 2^62: exact high product; products in [0, 2q)
/// docs/bounds/gpu_butterflies.md
template <unsigned kLimitOfRange>
struct Shoup64
    : ShoupButterflies<Shoup64<kLimitOfRange>, std::uint64_t, kLimitOfRange, kLimitOfRange == 16 ? 3 : 2> {
  static_assert(kLimitOfRange == 16 || kLimitOfRange == 4);
  using Base =
      ShoupButterflies<Shoup64<kLimitOfRange>, std::uint64_t, kLimitOfRange, kLimitOfRange == 16 ? 3 : 2>;
  using Word = typename Base::Word;
  using Value = typename Base::Value;
  using Twiddle = typename Base::Twiddle;
  struct Constants {
    Word q, negated, growth, half;
    std::uint32_t reciprocal, shift, reciprocal_shift;
  };

  static constexpr bool kApproximate = kLimitOfRange == 16;
  static constexpr unsigned kSlack = kApproximate ? 4 : 2;  ///< log2(kLimit)
  static constexpr Arithmetic kArithmetic = Arithmetic::shoup64;
  static constexpr Word kQLimit = Word{1} << (kApproximate ? 60 : 62);

  static NTTF_HD Constants constants(const CudaLimb<Word>& limb) {
    return {limb.q,
            limb.negated,
            limb.constants[0],
            limb.constants[1],
            static_cast<std::uint32_t>(limb.constants[2]),
            static_cast<std::uint32_t>(limb.constants[3]) & 63,
            static_cast<std::uint32_t>(limb.constants[3]) >> 6};
  }
  static void fill_constants(CudaLimb<Word>& limb) {
    limb.constants[0] = Base::kGrowth * limb.q;
    limb.constants[1] = Base::kHalf * limb.q;
    // x < 16q: `shift` leaves 32 bits of x; 2^31 < reciprocal = 2^(reciprocal_shift + 32 + shift) / q <= 2^32
    // - 1.
    const auto bits = static_cast<unsigned>(std::bit_width(limb.q));
    const unsigned shift = bits > 28 ? bits - 28 : 0, reciprocal_shift = bits - 1 - shift;
    limb.constants[2] = static_cast<Word>((u128{1} << (reciprocal_shift + 32 + shift)) / limb.q);
    limb.constants[3] = shift | reciprocal_shift << 6;
  }

  static void entry(std::uint64_t w, std::uint64_t q, Word* entry) {
    entry[0] = w;
    entry[1] = shoup_quotient(w, q);
  }
  static NTTF_HD Word growth(const Constants& c) { return c.growth; }
  static NTTF_HD Word half(const Constants& c) { return c.half; }

  /// Any b -> b w mod q in [0, kGrowth q).
  static NTTF_HD Value multiply(Value b, Twiddle w, const Constants& c) {
    return low_sum(b, w.value, quotient(b, w.quotient), c.negated);
  }
  /// [0, kBound q) -> [0, q). Many multiples of q are taken off at once: x / q is estimated from 32 bits of
  /// x, at most 1 too small.
  template <unsigned kBound>
  static NTTF_HD Word to_word(Value x, const Constants& c) {
    if constexpr (kBound > 4) {
      const auto top = static_cast<std::uint32_t>(x >> c.shift);
      x = x + (multiply_high(top, c.reciprocal) >> c.reciprocal_shift) * c.negated;
    } else if constexpr (kBound > 2) {
      x = subtract_if(x, c.q * 2);
    }
    return kBound > 1 ? subtract_if(x, c.q) : x;
  }
  static NTTF_HD Word subtract_if(Word x, Word m) { return x >= m ? x - m : x; }

 private:
  static NTTF_HD std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
    return __umulhi(a, b);
#else
    return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32);
#endif
  }
  /// Computes a b + c d modulo 2^64, on the device as one chain of six multiply-adds.
  static NTTF_HD Word low_sum(Word a, Word b, Word c, Word d) {
#ifdef __CUDA_ARCH__
    Word result;
    asm("{\n\t.reg .u32 a0, a1, b0, b1, c0, c1, d0, d1, low, high;\n\t.reg .u64 sum;\n\t"
        "mov.b64 {a0, a1}, %1;\n\tmov.b64 {b0, b1}, %2;\n\t"
        "mov.b64 {c0, c1}, %3;\n\tmov.b64 {d0, d1}, %4;\n\t"
        "mul.wide.u32 sum, a0, b0;\n\tmad.wide.u32 sum, c0, d0, sum;\n\tmov.b64 {low, high}, sum;\n\t"
        "mad.lo.u32 high, a0, b1, high;\n\tmad.lo.u32 high, a1, b0, high;\n\t"
        "mad.lo.u32 high, c0, d1, high;\n\tmad.lo.u32 high, c1, d0, high;\n\t"
        "mov.b64 %0, {low, high};\n\t}"
        : "=l"(result)
        : "l"(a), "l"(b), "l"(c), "l"(d));
    return result;
#else
    return a * b + c * d;
#endif
  }
  /// floor(x w / 2^64), or, approximate, without the product of the lower halves: in
  /// (x w / 2^64 - 2, x w / 2^64].
  static NTTF_HD Word quotient(Word x, Word w) {
#ifdef __CUDA_ARCH__
    if constexpr (!kApproximate) return __umul64hi(x, w);
    Word result;
    asm("{\n\t.reg .u32 xl, xh, wl, wh, y0, y1, carry, q0, q1;\n\t"
        "mov.b64 {xl, xh}, %1;\n\tmov.b64 {wl, wh}, %2;\n\t"
        "mul.lo.u32 y0, xl, wh;\n\tmul.hi.u32 y1, xl, wh;\n\t"
        "mad.lo.cc.u32 y0, xh, wl, y0;\n\tmadc.hi.cc.u32 y1, xh, wl, y1;\n\taddc.u32 carry, 0, 0;\n\t"
        "mad.lo.cc.u32 q0, xh, wh, y1;\n\tmadc.hi.u32 q1, xh, wh, carry;\n\t"
        "mov.b64 %0, {q0, q1};\n\t}"
        : "=l"(result)
        : "l"(x), "l"(w));
    return result;
#else
    if constexpr (!kApproximate) return static_cast<Word>((static_cast<u128>(x) * w) >> 64);
    const Word xl = x & 0xFFFFFFFFu, xh = x >> 32, wl = w & 0xFFFFFFFFu, wh = w >> 32;
    return xh * wh + static_cast<Word>((static_cast<u128>(xl * wh) + xh * wl) >> 32);
#endif
  }
};

}  // namespace nttforge::cuda
