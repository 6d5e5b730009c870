// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/cuda/block/block.hpp"

namespace nttforge::cuda {

/// Neighbouring words of a row, loaded together.
template <class Word, unsigned kCount>
struct alignas(kCount * sizeof(Word)) NeighbouringWords {
  Word words[kCount];
};

/// Where neighbouring words of a row's image come from: an index takes aligned groups of kCount words to such
/// groups, whose words may change places.
template <unsigned kCount>
struct ImageWords {
  std::uint32_t group;
  std::uint32_t order[kCount];

  NTTF_HD ImageWords(const std::uint32_t* index, std::uint32_t column) {
    const auto from = reinterpret_cast<const NeighbouringWords<std::uint32_t, kCount>*>(index)[column];
    group = from.words[0] / kCount;
    NTTF_GPU_UNROLL
    for (unsigned w = 0; w < kCount; ++w) order[w] = from.words[w] % kCount;
  }
  static constexpr std::size_t kMostPacked = std::size_t{1} << 18;
  /// From packed(), for fours of words in rows of at most kMostPacked.
  static NTTF_HD ImageWords unpacked(std::uint32_t packed) {
    ImageWords image;
    image.group = packed & 0xFFFF;
    NTTF_GPU_UNROLL
    for (unsigned w = 0; w < kCount; ++w) image.order[w] = packed >> (16 + 2 * w) & 3;
    return image;
  }
  NTTF_HD std::uint32_t packed() const {
    static_assert(kCount <= 4);
    std::uint32_t packed = group;
    NTTF_GPU_UNROLL
    for (unsigned w = 0; w < kCount; ++w) packed |= order[w] << (16 + 2 * w);
    return packed;
  }
  template <class Words>
  NTTF_HD Words ordered(const Words& words) const {
    Words result;
    NTTF_GPU_UNROLL
    for (unsigned w = 0; w < kCount; ++w) {
      Words left = words;  // of which halves are left out, by the bits of the place
      NTTF_GPU_UNROLL
      for (unsigned half = kCount / 2; half != 0; half /= 2) {
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < half; ++k)
          left.words[k] = (order[w] & half) != 0 ? left.words[k + half] : left.words[k];
      }
      result.words[w] = left.words[0];
    }
    return result;
  }
  /// The image's words of a row.
  template <class Word>
  NTTF_HD NeighbouringWords<Word, kCount> of(const Word* row) const {
    return ordered(reinterpret_cast<const NeighbouringWords<Word, kCount>*>(row)[group]);
  }

 private:
  ImageWords() = default;
};

}  // namespace nttforge::cuda
