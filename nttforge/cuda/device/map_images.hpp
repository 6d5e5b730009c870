// SPDX-License-Identifier: Apache-2.0
#pragma once

// The baby steps of a linear map, of one limb in one kernel: a thread has the sums of kGroups giant steps at
// four neighbouring words in registers, and adds, for each baby step, the image of the digits times its key,
// times the factors. The images are nowhere in memory.
//
//   digits, permuted by image j -> times key j, summed -> + parts, permuted -> times factor (g, j) -> sum g

#include <cstddef>
#include <cstdint>

#include "nttforge/cuda/device/operations.hpp"
#include "nttforge/cuda/step/image_words.hpp"

namespace nttforge::cuda {

inline constexpr std::uint32_t kMostImages = 32;

/// Words of 32 bits, primes below 2^30. shape: rows are limbs, columns fours of words. Sums are [group][2],
/// groups `group_stride` words apart.
template <unsigned kGroups>
struct MapImages {
  static constexpr unsigned kThreads = 128, kWords = 4, kAhead = 4;
  using Words = NeighbouringWords<std::uint32_t, kWords>;
  struct Term {
    const std::uint32_t* index = nullptr;  ///< null: not permuted, and there is no key
    const std::uint32_t* key = nullptr;
    std::uint32_t key_limbs = 0, special = 0, key_first = 0;  ///< as KeyRows
  };

  Grid shape;
  RingRows ring;
  const std::uint32_t *digits, *parts, *factors;
  std::uint32_t* out;
  std::uint32_t count, own_limbs, terms;
  std::uint32_t products;  ///< that a sum takes beside a residue
  Term term[kMostImages];

  NTTF_HD static Words words_at(const std::uint32_t* row, std::uint32_t column) {
    return reinterpret_cast<const Words*>(row)[column];
  }

  /// The image of the digits times the key, and of the parts: [2] residues.
  NTTF_HD void image_of(const Term& t, std::uint32_t limb, std::uint32_t column, std::uint32_t q,
                        std::uint64_t ratio, Words (&y)[2]) const {
    const std::size_t row = std::size_t{limb} << (shape.log_n + 2), n = std::size_t{4} << shape.log_n;
    if (t.index == nullptr) {
      NTTF_GPU_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        y[h] = Words{};
        if (limb < own_limbs) y[h] = words_at(parts + h * own_limbs * n + row, column);
      }
      return;
    }
    const std::uint32_t key_row =
        limb + t.special < ring.limbs ? limb + t.key_first : limb + t.key_limbs - ring.limbs;
    const std::uint32_t* const key = t.key + key_row * n;
    const ImageWords<kWords> image(t.index, column);
    std::uint64_t sums[2][kWords] = {};
    if (limb < own_limbs) {
      const Words part = image.of(parts + row);
      NTTF_GPU_UNROLL
      for (unsigned w = 0; w < kWords; ++w) sums[0][w] = part.words[w];
    }
    std::uint32_t left = products;
    for (std::uint32_t first = 0; first < count; first += kAhead) {
      Words k[kAhead][2], x[kAhead];
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i) {
        if (first + i >= count) continue;
        NTTF_GPU_UNROLL
        for (unsigned h = 0; h < 2; ++h)
          k[i][h] = load_once<Words>(key + (std::size_t{2} * (first + i) + h) * t.key_limbs * n + 4 * column);
      }
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i)
        if (first + i < count)
          x[i] = words_at(digits + (first + i) * std::size_t{ring.limbs} * n + row, image.group);
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i) {
        if (first + i >= count) continue;
        const Words turned = image.ordered(x[i]);
        if (left == 0) reduce(sums, q, ratio), left = products;
        --left;
        NTTF_GPU_UNROLL
        for (unsigned s = 0; s < 2 * kWords; ++s)
          sums[s / kWords][s % kWords] +=
              std::uint64_t{turned.words[s % kWords]} * k[i][s / kWords].words[s % kWords];
      }
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

  NTTF_HD void operator()(std::uint32_t limb, std::uint32_t column) const {
    const auto m = ring.limb<std::uint32_t>(limb);
    const auto q = static_cast<std::uint32_t>(m.q);
    const std::size_t n = std::size_t{4} << shape.log_n, row = limb * n, polynomial = ring.limbs * n;
    std::uint64_t sums[kGroups][2][kWords] = {};
    std::uint32_t left = products;
    for (std::uint32_t j = 0; j < terms; ++j) {
      Words factor[kGroups], y[2];
      NTTF_GPU_UNROLL
      for (unsigned g = 0; g < kGroups; ++g)
        factor[g] = load_once<Words>(factors + (std::size_t{g} * terms + j) * polynomial + row + 4 * column);
      image_of(term[j], limb, column, q, m.ratio, y);
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
      reduce(sums[g], q, m.ratio);
      NTTF_GPU_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        Words words;
        NTTF_GPU_UNROLL
        for (unsigned w = 0; w < kWords; ++w) words.words[w] = static_cast<std::uint32_t>(sums[g][h][w]);
        reinterpret_cast<Words*>(out + (std::size_t{2} * g + h) * polynomial + row)[column] = words;
      }
    }
  }
};

#define NTTF_MAP_IMAGES(apply) apply(MapImages<1>) apply(MapImages<2>) apply(MapImages<4>)

}  // namespace nttforge::cuda
