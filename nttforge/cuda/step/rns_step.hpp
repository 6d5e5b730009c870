// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/arith/barrett.hpp"
#include "nttforge/base/macros.hpp"
#include "nttforge/cuda/block/block.hpp"

// A step between RNS bases, coefficient by coefficient, for kernels: modulo q of the limb
//
//   x own + sum_i y_i factors[i] + r excess,   r = sum_i y_i weights[i] modulo p, centred
//
// with x the limb's own word and y_i the words of `count` sources. rns_steps.hpp says which steps of BFV have
// this form. It runs where a transform loads its coefficients or stores them (pass_memory.hpp), or alone
// (elementwise.hpp).

namespace nttforge::cuda {

/// Sums of products of two words below 2^kWordBits, kUnits of them at once.
template <class Word>
struct WideSum;
template <>
struct WideSum<std::uint64_t> {
  using Sum = u128;
  static constexpr unsigned kWordBits = 62, kUnits = 16;
};
template <>
struct WideSum<std::uint32_t> {
  using Sum = std::uint64_t;
  static constexpr unsigned kWordBits = 31, kUnits = 4;
};

/// A modulus for such sums: 2 <= q < 2^kWordBits; or 2^32, with ratio 0.
template <class Word>
struct WideModulus {
  using Sum = typename WideSum<Word>::Sum;
  std::uint64_t q = 0;
  Sum ratio = 0;  ///< floor(2^128 / q); 32 bits: floor(2^64 / q)
};

template <class Word>
WideModulus<Word> make_wide_modulus(std::uint64_t q) {
  using Sum = typename WideSum<Word>::Sum;
  if (q == std::uint64_t{1} << 32) return {q, 0};
  return {q, static_cast<Sum>(~Sum{0} / q + (~Sum{0} % q == q - 1))};
}

/// Any x modulo q. The quotient by `ratio` without the product of the low halves is at most 3 short, so the
/// rest is below 4q < 2^64. docs/bounds/gpu_butterflies.md
NTTF_HD std::uint64_t reduce_wide(u128 x, const WideModulus<std::uint64_t>& m) {
  const auto x0 = static_cast<std::uint64_t>(x), x1 = static_cast<std::uint64_t>(x >> 64);
  const auto r0 = static_cast<std::uint64_t>(m.ratio), r1 = static_cast<std::uint64_t>(m.ratio >> 64);
  const std::uint64_t quotient = x1 * r1 + static_cast<std::uint64_t>((static_cast<u128>(x1) * r0) >> 64) +
                                 static_cast<std::uint64_t>((static_cast<u128>(x0) * r1) >> 64);
  std::uint64_t r = x0 - quotient * m.q;
  r = r >= 2 * m.q ? r - 2 * m.q : r;
  return r >= m.q ? r - m.q : r;
}
/// Any x modulo q in 32-bit words.
NTTF_HD std::uint32_t reduce_wide(std::uint64_t x, const WideModulus<std::uint32_t>& m) {
  return static_cast<std::uint32_t>(barrett_reduce(x, m.q, m.ratio));
}

NTTF_HD std::uint32_t high_product(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32);
}
NTTF_HD std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }

/// Any x modulo q < 2^30, ratio = floor(2^64 / q): Shoup's products of the high half by 2^32 mod q and of the
/// low half by 1 are below 2q each ([Har14]; the halves of `ratio` are their quotients).
NTTF_HD std::uint32_t reduce_below_30_bits(std::uint64_t x, std::uint32_t q, std::uint64_t ratio) {
  const auto high = static_cast<std::uint32_t>(x >> 32), low = static_cast<std::uint32_t>(x);
  const auto unit = static_cast<std::uint32_t>(ratio >> 32), quotient = static_cast<std::uint32_t>(ratio);
  const std::uint32_t power = 0u - unit * q;  // 2^32 mod q
  std::uint32_t r = high * power - high_product(high, quotient) * q + low - high_product(low, unit) * q;
  r = smaller(r, r - 2 * q);
  return smaller(r, r - q);
}

/// A target of a step.
template <class Word>
struct RnsStepLimb {
  WideModulus<Word> modulus;
  Word own = 0, excess = 0;       ///< in [0, q)
  const Word* factors = nullptr;  ///< [count], in [0, q)
};

template <class Word>
struct RnsStepArgs {
  const Word* sources = nullptr;             ///< [batch][count][n]
  const RnsStepLimb<Word>* limbs = nullptr;  ///< of the array
  const Word* weights = nullptr;             ///< [count]
  WideModulus<Word> correction{};            ///< p; q = 0: r = 0
  std::uint32_t count = 0;
  std::uint32_t used = 0;  ///< count, or 0 if all factors are 0: only r depends on the sources
  bool takes_own = false;
};

template <class Word>
NTTF_HD Word load_constant(const Word* at) {
#ifdef __CUDA_ARCH__
  return __ldg(at);
#else
  return *at;
#endif
}

/// A word of source i at point k is load(i, k). Adds load(i, k) factor(i, k) to sum[k], with `units` of
/// products in it already, and reduces where it must.
template <unsigned kPoints, class Word, class Load, class Factor, class ModulusOf>
NTTF_HD void add_products(typename WideSum<Word>::Sum* sum, unsigned units, std::uint32_t count,
                          const Load& load, const Factor& factor, const ModulusOf& modulus) {
  using Sum = typename WideSum<Word>::Sum;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (units == WideSum<Word>::kUnits) {
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kPoints; ++k) sum[k] = reduce_wide(sum[k], modulus(k));
      units = 1;
    }
    ++units;
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kPoints; ++k) sum[k] += Sum{load(i, k)} * factor(i, k);
  }
}

/// r of kPoints points, in [0, p).
template <unsigned kPoints, class Word, class Load>
NTTF_HD void corrections(const RnsStepArgs<Word>& step, const Load& load, Word* r) {
  using Sum = typename WideSum<Word>::Sum;
  if (step.correction.ratio == 0) {  // 2^32
    std::uint32_t sum[kPoints] = {};
    for (std::uint32_t i = 0; i < step.count; ++i) {
      const auto weight = static_cast<std::uint32_t>(load_constant(step.weights + i));
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kPoints; ++k) sum[k] += static_cast<std::uint32_t>(load(i, k)) * weight;
    }
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kPoints; ++k) r[k] = sum[k];
    return;
  }
  Sum sum[kPoints] = {};
  add_products<kPoints, Word>(
      sum, 0, step.count, load, [&](std::uint32_t i, unsigned) { return load_constant(step.weights + i); },
      [&](unsigned) -> const WideModulus<Word>& { return step.correction; });
  NTTF_GPU_UNROLL
  for (unsigned k = 0; k < kPoints; ++k) r[k] = reduce_wide(sum[k], step.correction);
}

/// The two products that a step begins with: own word, and centred correction (r > (p - 1) / 2 is negative).
template <class Word>
NTTF_HD typename WideSum<Word>::Sum first_products(Word x, Word r, const RnsStepArgs<Word>& step,
                                                   const RnsStepLimb<Word>& limb) {
  using Sum = typename WideSum<Word>::Sum;
  Sum sum = 0;
  if (step.takes_own) sum = Sum{x} * limb.own;
  if (const std::uint64_t p = step.correction.q; p != 0) {
    const bool negative = r > (p - 1) / 2;
    const std::uint64_t size = negative ? p - r : r;
    const std::uint64_t excess = negative ? limb.modulus.q - limb.excess : limb.excess;
    sum += Sum{size} * excess;
  }
  return sum;
}

/// kPoints points of one limb: x, own words in [0, q) -> the step's, in [0, q). load(i, k): as above.
template <unsigned kPoints, class Word, class Load>
NTTF_HD void apply_step(const RnsStepArgs<Word>& step, const RnsStepLimb<Word>& limb, const Load& load,
                        Word* x) {
  typename WideSum<Word>::Sum sum[kPoints];
  Word r[kPoints] = {};
  if (step.correction.q != 0) corrections<kPoints>(step, load, r);
  NTTF_GPU_UNROLL
  for (unsigned k = 0; k < kPoints; ++k) sum[k] = first_products(x[k], r[k], step, limb);
  add_products<kPoints, Word>(
      sum, 2, step.used, load, [&](std::uint32_t i, unsigned) { return load_constant(limb.factors + i); },
      [&](unsigned) -> const WideModulus<Word>& { return limb.modulus; });
  NTTF_GPU_UNROLL
  for (unsigned k = 0; k < kPoints; ++k) x[k] = reduce_wide(sum[k], limb.modulus);
}

}  // namespace nttforge::cuda
