// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums of products of two changing rows (the inner product of key switching), and what conversion_rows.hpp
// shares.

#include "nttforge/cpu/conversion/conversion_lanes_scalar.hpp"
#include "nttforge/cpu/lanes/unrolled.hpp"

namespace nttforge {
namespace {

template <class Word>
struct DotCall {
  std::size_t terms;
  std::size_t chunk;
  const std::uint64_t* a;
  std::size_t a_stride;
  const Word* b;
  std::size_t b_stride;
  std::size_t b_part;
  std::uint64_t* out;
  std::size_t out_part;
  bool accumulate;
  const std::uint32_t* index = nullptr;  ///< of the words of a, as gather_blocks takes it; null: in order
};

// Rows of a and b lie whole powers of two apart and compete for the same cache sets, so only a few are read
// side by side: kDigits terms at a time run over a block whose sums stay in L1.
template <class Lanes>
struct DotSums {
  static constexpr std::size_t kVectors = 128 / Lanes::kWidth;
  typename Lanes::Sum rows[2][kVectors];
};

/// Adds terms [i, i + kDigits) to `vectors` vectors from coefficient c on.
template <class Lanes, std::size_t kDigits, bool kPicked, class Word>
NTTF_INLINE void add_digits(const DotCall<Word>& call, std::size_t i, std::size_t c, std::size_t vectors,
                            DotSums<Lanes>& sums) {
  // The key comes from far away, or the factors of a map, which are `a`: the next terms of this block, or the
  // first of the next block.
  const bool more = i + kDigits < call.terms;
  const std::size_t next = more ? i + kDigits : 0, next_c = more ? c : c + vectors * Lanes::kWidth;
  for (std::size_t v = 0; v < vectors; ++v) {
    unrolled<kDigits>([&](std::size_t d) NTTF_BODY {
      const std::size_t row = next + d < call.terms ? next + d : next;
      const Word* b = call.b + row * call.b_stride + next_c + v * Lanes::kWidth;
      __builtin_prefetch(b);
      __builtin_prefetch(b + call.b_part);
      __builtin_prefetch(call.a + row * call.a_stride + next_c + v * Lanes::kWidth);
    });
    typename Lanes::Sum first = sums.rows[0][v], second = sums.rows[1][v];
    const std::size_t at = c + v * Lanes::kWidth;
    std::size_t from = at;
    if constexpr (kPicked) from = call.index[at] / kGatherBlock * kGatherBlock;
    unrolled<kDigits>([&](std::size_t d) NTTF_BODY {
      const std::uint64_t* a = call.a + (i + d) * call.a_stride + from;
      const auto load = [&]() NTTF_LAMBDA_INLINE {
        if constexpr (kPicked)
          return Lanes::pick(a, call.index + at);
        else
          return Lanes::load(a);
      };
      const typename Lanes::Factor y = Lanes::factor(load());
      const Word* b = call.b + (i + d) * call.b_stride + at;
      Lanes::add_product(first, y, Lanes::factor(Lanes::load(b)));
      Lanes::add_product(second, y, Lanes::factor(Lanes::load(b + call.b_part)));
    });
    sums.rows[0][v] = first;
    sums.rows[1][v] = second;
  }
}

template <class Lanes, bool kPicked, class Word>
NTTF_INLINE void dot_block(const DotCall<Word>& call, const typename Lanes::Constants& m, std::size_t c,
                           std::size_t vectors) {
  DotSums<Lanes> sums;
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t v = 0; v < vectors; ++v)
      sums.rows[p][v] =
          Lanes::start(call.accumulate ? Lanes::load(call.out + p * call.out_part + c + v * Lanes::kWidth)
                                       : Lanes::broadcast(0));
  std::size_t pending = 0;
  for (std::size_t i = 0; i < call.terms;) {
    const std::size_t most = Lanes::kDigits < call.chunk ? Lanes::kDigits : 1;
    const std::size_t digits = call.terms - i < most ? 1 : most;
    if (pending + digits > call.chunk) {
      pending = 0;
      for (std::size_t p = 0; p < 2; ++p)
        for (std::size_t v = 0; v < vectors; ++v)
          sums.rows[p][v] = Lanes::start(Lanes::reduce(sums.rows[p][v], m));
    }
    if (digits == 1)
      add_digits<Lanes, 1, kPicked>(call, i, c, vectors, sums);
    else
      add_digits<Lanes, Lanes::kDigits, kPicked>(call, i, c, vectors, sums);
    pending += digits;
    i += digits;
  }
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t v = 0; v < vectors; ++v)
      Lanes::store(call.out + p * call.out_part + c + v * Lanes::kWidth, Lanes::reduce(sums.rows[p][v], m));
}

template <class Lanes, bool kPicked, class Word>
NTTF_INLINE std::size_t dot_blocks(const DotCall<Word>& call, const RowModulus& modulus, std::size_t c,
                                   std::size_t count) {
  const typename Lanes::Constants m = Lanes::constants(modulus);
  while (count - c >= Lanes::kWidth) {
    const std::size_t left = (count - c) / Lanes::kWidth;
    const std::size_t vectors = left < DotSums<Lanes>::kVectors ? left : DotSums<Lanes>::kVectors;
    dot_block<Lanes, kPicked>(call, m, c, vectors);
    c += vectors * Lanes::kWidth;
  }
  return c;
}

template <class Lanes, class Word>
void dot_pair(const RowModulus& modulus, std::size_t terms, std::size_t chunk, const std::uint64_t* a,
              std::size_t a_stride, const Word* b, std::size_t b_stride, std::size_t b_part,
              std::uint64_t* out, std::size_t out_part, bool accumulate, std::size_t count) {
  const DotCall<Word> call{terms, chunk, a, a_stride, b, b_stride, b_part, out, out_part, accumulate};
  std::size_t c = 0;
  if constexpr (Lanes::kWidth > 1) c = dot_blocks<Lanes, false>(call, modulus, c, count);
  dot_blocks<ScalarLanes, false>(call, modulus, c, count);
}

/// Lanes of eight words that can pick from eight words.
template <class Lanes, class Word>
void dot_pair_picked(const RowModulus& modulus, std::size_t terms, std::size_t chunk, const std::uint64_t* a,
                     std::size_t a_stride, const std::uint32_t* index, const Word* b, std::size_t b_stride,
                     std::size_t b_part, std::uint64_t* out, std::size_t out_part, std::size_t count) {
  static_assert(Lanes::kWidth == kGatherBlock);
  const DotCall<Word> call{terms, chunk, a, a_stride, b, b_stride, b_part, out, out_part, false, index};
  dot_blocks<Lanes, true>(call, modulus, 0, count);
}

}  // namespace
}  // namespace nttforge
