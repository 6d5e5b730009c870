// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums of digits times a key-switching key: a thread loads every digit word once for both polynomials of the
// key, 16 bytes at a time where the arrays allow it, and reduces once for as many digits as a sum takes. The
// digits of an image are those of the polynomial, read in the image's order.

#include <cstddef>
#include <cstdint>

#include "nttforge/cuda/device/operations.hpp"
#include "nttforge/cuda/step/image_words.hpp"

namespace nttforge::cuda {

/// [batch][digits][limbs][n] and a key as KeyRows has it to [batch][2][limbs][n]. shape: rows are limbs times
/// batch, whose elements find the key in the cache one after the other; columns kWords neighbouring words
/// each. kImage: of the digits' image by `index`, which takes aligned groups of kWords words to such groups.
template <class Word, unsigned kWords, bool kImage>
struct InnerProduct {
  using Sum = typename WideSum<Word>::Sum;
  using Pack = NeighbouringWords<Word, kWords>;
  static constexpr unsigned kThreads = 128, kAhead = 4;  ///< digits whose words are on their way together

  Grid shape;
  RingRows ring;
  const Word* digits;
  const Word* key;
  Word* out;
  std::uint32_t count, key_limbs, special, key_first;  ///< the last three as KeyRows
  std::uint32_t products;                              ///< that a sum takes beside a residue
  bool accumulate = false;
  const std::uint32_t* index = nullptr;
  const Word* addend = nullptr;  ///< [limbs][n] of each element, whose image is added to part 0; or null
  std::size_t addend_stride = 0;
  std::uint32_t batch = 1;

  /// Words that stay where they are.
  struct InPlace {
    std::uint32_t group;
    NTTF_HD const Pack& ordered(const Pack& words) const { return words; }
  };

  static NTTF_HD Word reduced(Sum sum, const Wide& m) {
    if constexpr (sizeof(Word) == 4)
      return static_cast<Word>(barrett_reduce(sum, m.q, static_cast<std::uint64_t>(m.ratio >> 64)));
    else
      return reduce_wide(sum, m);
  }

  NTTF_HD void add_products(const Pack& x, const Pack (&y)[2], std::uint32_t& left, const Wide& m,
                            Sum (&sums)[2][kWords]) const {
    if (left == 0) {
      left = products;
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < 2 * kWords; ++k) {
        Sum& sum = sums[k / kWords][k % kWords];
        sum = reduced(sum, m);
      }
    }
    --left;
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < 2 * kWords; ++k)
      sums[k / kWords][k % kWords] += Sum{x.words[k % kWords]} * y[k / kWords].words[k % kWords];
  }

  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t limb = row / batch, member = row - limb * batch;
    const Wide m = ring.moduli[limb];
    const std::uint32_t key_row =
        limb + special < ring.limbs ? limb + key_first : limb + key_limbs - ring.limbs;
    const std::size_t part = std::size_t{ring.limbs} << shape.log_n;
    const std::size_t key_part = std::size_t{key_limbs} << shape.log_n;
    const auto source = [&] {
      if constexpr (kImage)
        return ImageWords<kWords>(index, column);
      else
        return InPlace{column};
    }();
    const Pack* const digit = reinterpret_cast<const Pack*>(digits) + member * count * part +
                              (std::size_t{limb} << shape.log_n) + source.group;
    const Pack* const factor =
        reinterpret_cast<const Pack*>(key) + (std::size_t{key_row} << shape.log_n) + column;
    Pack* const to =
        reinterpret_cast<Pack*>(out) + 2 * member * part + (std::size_t{limb} << shape.log_n) + column;
    Sum sums[2][kWords] = {};
    if (accumulate) {
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < 2 * kWords; ++k)
        sums[k / kWords][k % kWords] = to[k / kWords * part].words[k % kWords];
    }
    if (kImage && addend != nullptr) {
      const Pack* const rows =
          reinterpret_cast<const Pack*>(addend + member * addend_stride) + (std::size_t{limb} << shape.log_n);
      const Pack more = source.ordered(rows[source.group]);
      NTTF_GPU_UNROLL
      for (unsigned w = 0; w < kWords; ++w)
        sums[0][w] = sum_mod(static_cast<Word>(sums[0][w]), more.words[w], static_cast<Word>(m.q));
    }
    std::uint32_t left = products;
    for (std::uint32_t first = 0; first < count; first += kAhead) {
      Pack x[kAhead], y[kAhead][2];
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i) {
        if (first + i >= count) continue;
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < 2; ++k)
          y[i][k] = load_once<Pack>(factor + (std::size_t{2} * (first + i) + k) * key_part);
      }
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i)
        if (first + i < count) x[i] = digit[(first + i) * part];
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i)
        if (first + i < count) add_products(source.ordered(x[i]), y[i], left, m, sums);
    }
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < 2; ++k) {
      Pack result;
      NTTF_GPU_UNROLL
      for (unsigned w = 0; w < kWords; ++w) result.words[w] = reduced(sums[k][w], m);
      to[k * part] = result;
    }
  }
};

/// Products of residues below q that a sum takes beside one residue.
template <class Word>
std::uint32_t products_in_sum(std::uint64_t q) {
  using Sum = typename WideSum<Word>::Sum;
  const Sum product = Sum{q - 1} * (q - 1), fit = (~Sum{0} - (q - 1)) / product;
  return fit < 1024 ? static_cast<std::uint32_t>(fit) : 1024u;
}

#define NTTF_INNER_PRODUCTS_OF(apply, image)                                                \
  apply(InnerProduct<std::uint32_t, 1, image>) apply(InnerProduct<std::uint32_t, 4, image>) \
      apply(InnerProduct<std::uint64_t, 1, image>) apply(InnerProduct<std::uint64_t, 2, image>)
#define NTTF_INNER_PRODUCTS(apply) NTTF_INNER_PRODUCTS_OF(apply, false) NTTF_INNER_PRODUCTS_OF(apply, true)

}  // namespace nttforge::cuda
