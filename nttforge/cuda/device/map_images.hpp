// SPDX-License-Identifier: Apache-2.0
#pragma once

// The baby steps of a linear map, of one limb in one kernel: a thread has the sums of kGroups giant steps at
// four neighbouring words in registers, and adds, for each baby step, the image of the digits times its key,
// times the factors. The images are nowhere in memory.
//
//   digits, permuted by image j -> times key j, summed -> + P parts, permuted -> times factor (g, j) -> sum g
//
// Several elements, or quads of giant steps, share keys: the warps of a block have the same columns, each of
// one element and four giant steps, and what one of them reads the others find in the multiprocessor's cache.

#include <cstddef>
#include <cstdint>

#include "nttforge/cuda/device/operations.hpp"
#include "nttforge/cuda/step/image_words.hpp"

namespace nttforge::cuda {

inline constexpr std::uint32_t kMostImages = 32;
inline constexpr std::size_t kSharedImages = 4;  ///< warps that share keys

/// Words of 32 bits, primes below 2^30. shape: rows are limbs, columns fours of words of each element. Sums
/// are [group][elements][2]. kRepeats: the four words of a column have one factor. kShares: warps do.
template <unsigned kGroups, bool kRepeats, bool kShares>
struct MapImages {
  static constexpr unsigned kThreads = 128, kBlocks = kGroups == 4 ? 3 : 4, kWords = 4, kAhead = 4;
  static constexpr unsigned kLogWarp = 5, kWarp = 1u << kLogWarp;
  using Words = NeighbouringWords<std::uint32_t, kWords>;
  struct Term {
    const std::uint32_t* image = nullptr;  ///< GpuPermutation::packed(); null: not permuted, without a key
    const std::uint32_t* key = nullptr;
    std::uint32_t key_limbs = 0, special = 0, key_first = 0;  ///< as KeyRows
  };

  Grid shape;
  RingRows ring;
  const std::uint32_t *digits, *parts, *factors;
  std::uint32_t* out;
  std::size_t parts_stride, group_stride;  ///< words between the parts of elements, between groups of sums
  std::uint32_t log_n;                     ///< of fours of words in a row
  std::uint32_t groups;
  std::uint32_t log_elements, log_quads;  ///< quads: of groups; both 0 unless kShares
  std::uint32_t count, own_limbs, terms;
  std::uint32_t shift;                   ///< of rows of factors: they have n >> shift words
  std::uint32_t products;                ///< that a sum takes beside a residue, more than `count`
  std::uint32_t scale[kMostLimbs] = {};  ///< P modulo each of the level's primes
  Term term[kMostImages];

  NTTF_HD static Words words_at(const std::uint32_t* row, std::uint32_t column) {
    return reinterpret_cast<const Words*>(row)[column];
  }
  /// Words of a key or a factor.
  NTTF_HD static Words shared_words(const std::uint32_t* at) {
    if constexpr (kShares)
      return *reinterpret_cast<const Words*>(at);
    else
      return load_once<Words>(at);
  }

  /// P times the parts as they are, [2] residues.
  NTTF_HD void parts_of(std::uint32_t element, std::uint32_t limb, std::uint32_t column, std::uint32_t q,
                        std::uint64_t ratio, Words (&y)[2]) const {
    const std::size_t n = std::size_t{4} << log_n;
    NTTF_GPU_UNROLL
    for (unsigned h = 0; h < 2; ++h) {
      y[h] = Words{};
      if (limb >= own_limbs) continue;
      const Words x = words_at(parts + element * parts_stride + (h * own_limbs + limb) * n, column);
      NTTF_GPU_UNROLL
      for (unsigned w = 0; w < kWords; ++w)
        y[h].words[w] = reduce_below_30_bits(std::uint64_t{x.words[w]} * scale[limb], q, ratio);
    }
  }

  /// The image of the digits times the key, and P times that of the parts: [2] residues.
  NTTF_HD void image_of(const Term& t, std::uint32_t element, std::uint32_t place, std::uint32_t limb,
                        std::uint32_t column, std::uint32_t q, std::uint64_t ratio, Words (&y)[2]) const {
    const std::size_t row = std::size_t{limb} << (log_n + 2), n = std::size_t{4} << log_n;
    const std::uint32_t key_row =
        limb + t.special < ring.limbs ? limb + t.key_first : limb + t.key_limbs - ring.limbs;
    const std::uint32_t* const key = t.key + key_row * n + kWords * column;
    const auto image = ImageWords<kWords>::unpacked(place);
    std::uint64_t sums[2][kWords] = {};
    Words part{};
    if (limb < own_limbs) part = words_at(parts + element * parts_stride + row, image.group);
    const std::uint32_t* const digit = digits + element * count * std::size_t{ring.limbs} * n + row;
    for (std::uint32_t first = 0; first < count; first += kAhead) {
      Words k[kAhead][2], x[kAhead];
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i) {
        if (first + i >= count) continue;
        NTTF_GPU_UNROLL
        for (unsigned h = 0; h < 2; ++h)
          k[i][h] = shared_words(key + (std::size_t{2} * (first + i) + h) * t.key_limbs * n);
      }
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i)
        if (first + i < count)
          x[i] = words_at(digit + (first + i) * std::size_t{ring.limbs} * n, image.group);
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i) {
        if (first + i >= count) continue;
        const Words turned = image.ordered(x[i]);
        NTTF_GPU_UNROLL
        for (unsigned s = 0; s < 2 * kWords; ++s)
          sums[s / kWords][s % kWords] +=
              std::uint64_t{turned.words[s % kWords]} * k[i][s / kWords].words[s % kWords];
      }
    }
    if (limb < own_limbs) {
      part = image.ordered(part);
      NTTF_GPU_UNROLL
      for (unsigned w = 0; w < kWords; ++w) sums[0][w] += std::uint64_t{part.words[w]} * scale[limb];
    }
    NTTF_GPU_UNROLL
    for (unsigned s = 0; s < 2 * kWords; ++s)
      y[s / kWords].words[s % kWords] = reduce_below_30_bits(sums[s / kWords][s % kWords], q, ratio);
  }
  template <class Sums>
  NTTF_HD static void reduce(Sums& sums, std::uint32_t q, std::uint64_t ratio) {
    NTTF_GPU_UNROLL
    for (unsigned h = 0; h < 2; ++h) {
      NTTF_GPU_UNROLL
      for (unsigned w = 0; w < kWords; ++w) sums[h][w] = reduce_below_30_bits(sums[h][w], q, ratio);
    }
  }
  NTTF_HD Words factor_of(std::uint32_t group, std::uint32_t j, std::uint32_t limb,
                          std::uint32_t column) const {
    const std::size_t n = std::size_t{4} << log_n, at = std::size_t{limb} * n + kWords * column;
    const std::uint32_t* const row = factors + (std::size_t{group} * terms + j) * ring.limbs * (n >> shift);
    if constexpr (!kRepeats) {
      return shared_words(row + at);
    } else {
      Words words;
      NTTF_GPU_UNROLL
      for (unsigned w = 0; w < kWords; ++w) words.words[w] = row[at >> shift];
      return words;
    }
  }

  NTTF_HD void operator()(std::uint32_t limb, std::uint32_t column) const {
    std::uint32_t element = 0, first_group = 0;
    if constexpr (kShares) {
      const std::uint32_t warp = column >> kLogWarp, log_warps = log_elements + log_quads;
      element = warp & ((1u << log_elements) - 1);
      first_group = kGroups * (warp >> log_elements & ((1u << log_quads) - 1));
      column = warp >> log_warps << kLogWarp | (column & (kWarp - 1));
      if (first_group >= groups) return;
    }
    // The last group stands for those that are missing in a quad, which are not written.
    const auto factor_in = [&](std::uint32_t g, std::uint32_t j) {
      if constexpr (kShares)
        return factor_of(first_group + g < groups ? first_group + g : groups - 1, j, limb, column);
      else
        return factor_of(g, j, limb, column);
    };
    const auto m = ring.limb<std::uint32_t>(limb);
    const auto q = static_cast<std::uint32_t>(m.q);
    const std::size_t n = std::size_t{4} << log_n, row = limb * n, polynomial = ring.limbs * n;
    std::uint64_t sums[kGroups][2][kWords] = {};
    std::uint32_t left = products;
    std::uint32_t next = term[0].image == nullptr ? 0 : term[0].image[column];
    for (std::uint32_t j = 0; j < terms; ++j) {
      Words factor[kGroups], y[2];
      NTTF_GPU_UNROLL
      for (unsigned g = 0; g < kGroups; ++g) factor[g] = factor_in(g, j);
      const std::uint32_t place = next;
      if (j + 1 < terms && term[j + 1].image != nullptr) next = term[j + 1].image[column];
      if (term[j].image == nullptr)
        parts_of(element, limb, column, q, m.ratio, y);
      else
        image_of(term[j], element, place, limb, column, q, m.ratio, y);
      if (left == 0) {
        left = products;
        NTTF_GPU_UNROLL
        for (unsigned g = 0; g < kGroups; ++g) reduce(sums[g], q, m.ratio);
      }
      --left;
      NTTF_GPU_UNROLL
      for (unsigned g = 0; g < kGroups; ++g) {
        NTTF_GPU_UNROLL
        for (unsigned s = 0; s < 2 * kWords; ++s)
          sums[g][s / kWords][s % kWords] +=
              std::uint64_t{factor[g].words[s % kWords]} * y[s / kWords].words[s % kWords];
      }
    }
    NTTF_GPU_UNROLL
    for (unsigned g = 0; g < kGroups; ++g) {
      if (kShares && first_group + g >= groups) continue;
      reduce(sums[g], q, m.ratio);
      NTTF_GPU_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        Words words;
        NTTF_GPU_UNROLL
        for (unsigned w = 0; w < kWords; ++w) words.words[w] = static_cast<std::uint32_t>(sums[g][h][w]);
        std::uint32_t* const to =
            out + (first_group + g) * group_stride + (std::size_t{2} * element + h) * polynomial;
        reinterpret_cast<Words*>(to + row)[column] = words;
      }
    }
  }
};

#define NTTF_MAP_IMAGES_OF(apply, ...) \
  apply(MapImages<1, __VA_ARGS__>) apply(MapImages<2, __VA_ARGS__>) apply(MapImages<4, __VA_ARGS__>)
#define NTTF_MAP_IMAGES(apply)            \
  NTTF_MAP_IMAGES_OF(apply, false, false) \
  NTTF_MAP_IMAGES_OF(apply, true, false)  \
  NTTF_MAP_IMAGES_OF(apply, false, true) NTTF_MAP_IMAGES_OF(apply, true, true)

}  // namespace nttforge::cuda
