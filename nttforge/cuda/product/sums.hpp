// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/cuda/product/modulus.hpp"
#include "nttforge/cuda/step/rns_step.hpp"

// Sums of products of transformed polynomials, word by word: what an inverse transform begins with where a
// ciphertext's product or its key switching ends. They are computed where the transform loads
// (pass/memory.hpp).

namespace nttforge::cuda {

/// Output polynomials are [batch][parts][limbs][n]; each is the sum over some terms of x times y.
template <class Word>
struct ProductSums {
  enum class Kind : std::uint8_t {
    tensor,  ///< x, y [batch][2][limbs][n], parts 3: x0 y0, x0 y1 + x1 y0, x1 y1
    key,     ///< x [batch][terms][limbs][n], y [terms][key_parts][key_limbs][n], parts 1 or 2: sum_i x_i y_i
  };
  Kind kind = Kind::tensor;
  const Word* x = nullptr;
  const Word* y = nullptr;
  const WideModulus<std::uint64_t>* moduli = nullptr;  ///< of the limbs; not read in 32-bit words
  std::uint32_t terms = 0;                             ///< 1 ... 2^31 (kind key)
  std::uint32_t key_limbs = 0, special = 0;            ///< as KeyRows
  std::uint32_t key_parts = 2;
  std::ptrdiff_t term_step = 0;  ///< words between the y of two terms, if they are not contiguous

  std::uint32_t parts() const { return kind == Kind::tensor ? 3 : key_parts; }
};

/// Where the factors of one polynomial of the sums begin, and how many words lie between two terms' factors.
template <class Word>
struct SumTerms {
  const Word *x, *y;
  std::ptrdiff_t x_step, y_step;
  std::uint32_t count;
};

template <class Word>
NTTF_HD SumTerms<Word> terms_of(const ProductSums<Word>& sums, std::uint32_t member, std::uint32_t limb,
                                std::uint32_t limbs, unsigned log_n) {
  const auto row = [log_n](std::size_t rows) { return rows << log_n; };
  const auto step = static_cast<std::ptrdiff_t>(row(limbs));
  if (sums.kind == ProductSums<Word>::Kind::tensor) {
    const std::uint32_t element = member / 3, part = member - 3 * element;
    const std::size_t x = std::size_t{2} * element + (part == 2), y = std::size_t{2} * element + (part != 0);
    return {sums.x + row(x * limbs + limb), sums.y + row(y * limbs + limb), step, -step, part == 1 ? 2u : 1u};
  }
  const std::uint32_t element = member >> (sums.key_parts - 1), part = member & (sums.key_parts - 1);
  const std::uint32_t key_row = limb + sums.special < limbs ? limb : limb + sums.key_limbs - limbs;
  return {sums.x + row(std::size_t{element} * sums.terms * limbs + limb),
          sums.y + row(std::size_t{part} * sums.key_limbs + key_row), step,
          sums.term_step != 0
              ? sums.term_step
              : static_cast<std::ptrdiff_t>(row(std::size_t{sums.key_parts} * sums.key_limbs)),
          sums.terms};
}

/// Reduces sums of products modulo a limb.
template <class Word>
struct SumModulus;
template <>
struct SumModulus<std::uint64_t> {
  WideModulus<std::uint64_t> wide;
  NTTF_HD SumModulus(const ProductSums<std::uint64_t>& sums, std::uint32_t limb,
                     const ProductModulus<std::uint64_t>&)
      : wide(sums.moduli[limb]) {}
  NTTF_HD std::uint64_t operator()(u128 sum) const { return reduce_wide(sum, wide); }
};
template <>
struct SumModulus<std::uint32_t> {
  ProductModulus<std::uint32_t> product;
  NTTF_HD SumModulus(const ProductSums<std::uint32_t>&, std::uint32_t, const ProductModulus<std::uint32_t>& m)
      : product(m) {}
  NTTF_HD std::uint32_t operator()(std::uint64_t sum) const {
    return static_cast<std::uint32_t>(barrett_reduce(sum, product.q, product.ratio));
  }
};

/// kPack neighbouring words of a row.
template <class Word, unsigned kPack>
struct alignas(kPack * sizeof(Word)) WordPack {
  Word words[kPack];
};

/// The sums at kPoints words of a row: at(k) is where the words k ... k + kPack - 1 begin, k a multiple of
/// kPack, aligned as WordPack. All words of a term are on their way before the first is used.
template <unsigned kPoints, unsigned kPack, class Word, class At>
NTTF_HD void sums_at(const SumTerms<Word>& terms, const SumModulus<Word>& modulus, const At& at, Word* out) {
  using Sum = typename WideSum<Word>::Sum;
  using Pack = WordPack<Word, kPack>;
  constexpr unsigned kPacks = kPoints / kPack;
  Sum sum[kPoints] = {};
  unsigned units = 0;
  const Word *from_x = terms.x, *from_y = terms.y;
  for (std::uint32_t i = 0; i < terms.count; ++i) {
    Pack x[kPacks], y[kPacks];
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kPacks; ++k) {
      x[k] = *reinterpret_cast<const Pack*>(from_x + at(k * kPack));
      y[k] = *reinterpret_cast<const Pack*>(from_y + at(k * kPack));
    }
    if (units == WideSum<Word>::kUnits) {
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kPoints; ++k) sum[k] = modulus(sum[k]);
      units = 1;
    }
    ++units;
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kPoints; ++k)
      sum[k] += Sum{x[k / kPack].words[k % kPack]} * y[k / kPack].words[k % kPack];
    from_x += terms.x_step;
    from_y += terms.y_step;
  }
  NTTF_GPU_UNROLL
  for (unsigned k = 0; k < kPoints; ++k) out[k] = static_cast<Word>(modulus(sum[k]));
}

}  // namespace nttforge::cuda
