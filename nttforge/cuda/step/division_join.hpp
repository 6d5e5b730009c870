// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/cuda/product/modulus.hpp"
#include "nttforge/cuda/step/image_words.hpp"
#include "nttforge/cuda/step/rns_step.hpp"

namespace nttforge::cuda {

/// The end of a division in values: words [polynomials][limbs][n], forward() of what the dropped primes give,
/// become own_j x + words + addend. Polynomial b is part b % parts of object b / parts, and the first
/// addend_parts parts of an object have an addend.
template <class Word>
struct DivisionJoin {
  static constexpr std::uint8_t kNoRow = 255;
  const Word* x = nullptr;
  std::size_t x_stride = 0;  ///< words between polynomials
  const Word* addend = nullptr;
  std::size_t addend_stride = 0;         ///< words between objects
  const std::uint32_t* image = nullptr;  ///< null, or the addend's words are those of its image by this index
  std::uint32_t addend_parts = 0, parts = 1;
  std::uint8_t row_of[kMostLimbs] = {};  ///< of each limb in x, or kNoRow
  Word own[kMostLimbs] = {};
  Word quotient[kMostLimbs] = {};  ///< of 32-bit words: floor(own 2^32 / q)

  NTTF_HD bool has_x(std::uint32_t limb) const { return row_of[limb] != kNoRow; }
  NTTF_HD bool has_addend(std::uint32_t member) const { return member % parts < addend_parts; }
  /// The row of x that is joined with a row of the results, and the row that is added; null: there is none.
  NTTF_HD const Word* row_of_x(std::uint32_t member, std::uint32_t limb, std::uint32_t log_n) const {
    if (!has_x(limb)) return nullptr;
    return x + member * x_stride + (std::size_t{row_of[limb]} << log_n);
  }
  NTTF_HD const Word* row_of_addend(std::uint32_t member, std::uint32_t limb, std::uint32_t limbs,
                                    std::uint32_t log_n) const {
    const std::uint32_t object = member / parts, part = member - object * parts;
    if (part >= addend_parts) return nullptr;
    return addend + object * addend_stride + ((std::size_t{part} * limbs + limb) << log_n);
  }
  /// Neighbouring words of a row of limb `limb`, where there are such words of x and of the addend.
  template <unsigned kCount>
  NTTF_HD void add_to(Word* words, std::uint32_t limb, const WideModulus<Word>& m, bool joins,
                      const NeighbouringWords<Word, kCount>& more, bool adds,
                      const NeighbouringWords<Word, kCount>& added) const {
    using Sum = typename WideSum<Word>::Sum;
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kCount; ++k) {
      if (joins) words[k] = reduce_wide(Sum{more.words[k]} * own[limb] + words[k], m);
      if (adds) words[k] = sum_mod(words[k], added.words[k], static_cast<Word>(m.q));
    }
  }
  /// word + x own modulo q < 2^30, of a word below 2q, below 2q again.
  static NTTF_HD Word plus_product(Word word, Word x, Word own_factor, Word own_quotient, Word q) {
    word += x * own_factor - high_product(x, own_quotient) * q;
    return smaller(word, word - 2 * q);
  }
  /// Words `first` ... first + kCount - 1 of a row; `first` is a multiple of kCount.
  template <unsigned kCount>
  NTTF_HD void add_to(Word* words, std::uint32_t member, std::uint32_t limb, std::uint32_t limbs,
                      std::uint32_t log_n, std::uint32_t first, const WideModulus<Word>& m) const {
    using Words = NeighbouringWords<Word, kCount>;
    const Word *const more = row_of_x(member, limb, log_n), *const row =
                                                                row_of_addend(member, limb, limbs, log_n);
    Words x_words{}, added{};
    if (more != nullptr) x_words = *reinterpret_cast<const Words*>(more + first);
    if (row != nullptr)
      added = image == nullptr ? *reinterpret_cast<const Words*>(row + first)
                               : ImageWords<kCount>(image, first / kCount).of(row);
    add_to<kCount>(words, limb, m, more != nullptr, x_words, row != nullptr, added);
  }
};

}  // namespace nttforge::cuda
