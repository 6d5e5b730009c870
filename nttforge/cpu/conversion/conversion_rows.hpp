// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loops of rns/kernels.hpp, written once over lanes: Lanes is an instruction set's arithmetic on kWidth
// coefficients, a loop takes its vectors first and hands the rest to ScalarLanes. Sums grow without reduction
// for at most `chunk` products. The sums of kOutputs rows times kVectors vectors stay in registers, so an
// input is loaded once for kOutputs rows:
//
//      in_0 ---c_00--> sum_0      one pass over i for a strip of kVectors * kWidth coefficients;
//      in_1 ---c_01--> sum_0      rows of `in` are blocks of a few hundred coefficients, so they stay in L1
//       ...  \-c_11--> sum_1

#include "nttforge/cpu/conversion/conversion_dot.hpp"

namespace nttforge {
namespace {

struct AffineCall {
  const AffineMap* maps;
  std::size_t map_count;
  std::size_t terms;
  std::size_t chunk;
  const std::uint64_t* in;
  std::size_t in_stride;
  const std::uint64_t* extra;
  std::size_t extra_stride;
  std::uint64_t* out;
  std::size_t out_stride;
};

/// The factors of a strip's rows, prepared once for all maps where that pays (Lanes::kPrepares) and they fit.
template <class Lanes, std::size_t kVectors>
struct PreparedStrip {
  static constexpr std::size_t kRows = Lanes::kPrepares ? 32 : 1;
  typename Lanes::Factor rows[kRows][kVectors];
};

template <class Lanes, std::size_t kOutputs, std::size_t kVectors>
using Sums = typename Lanes::Sum[kOutputs][kVectors];

template <class Lanes, std::size_t kOutputs, std::size_t kVectors>
NTTF_INLINE void restart(const AffineCall& call, std::size_t first, Sums<Lanes, kOutputs, kVectors>& sums) {
  unrolled<kOutputs>([&](std::size_t o) NTTF_BODY {
    const typename Lanes::Constants m = Lanes::constants(call.maps[first + o].modulus);
    unrolled<kVectors>([&](std::size_t v)
                           NTTF_BODY { sums[o][v] = Lanes::start(Lanes::reduce(sums[o][v], m)); });
  });
}

/// Adds rows [i, end).
template <class Lanes, std::size_t kOutputs, std::size_t kVectors, bool kPrepared>
NTTF_INLINE void add_rows(const AffineCall& call, const PreparedStrip<Lanes, kVectors>& prepared,
                          std::size_t first, std::size_t c, std::size_t i, std::size_t end,
                          Sums<Lanes, kOutputs, kVectors>& sums) {
  for (; i < end; ++i) {
    if constexpr (kPrepared) {
      unrolled<kOutputs>([&](std::size_t o) NTTF_BODY {
        const typename Lanes::Factor w = Lanes::factor_of(call.maps[first + o].coefficients[i]);
        unrolled<kVectors>([&](std::size_t v)
                               NTTF_BODY { Lanes::add_product(sums[o][v], prepared.rows[i][v], w); });
      });
    } else {
      typename Lanes::Factor y[kVectors];
      unrolled<kVectors>([&](std::size_t v) NTTF_BODY {
        y[v] = Lanes::factor(Lanes::load(call.in + i * call.in_stride + c + v * Lanes::kWidth));
      });
      unrolled<kOutputs>([&](std::size_t o) NTTF_BODY {
        const typename Lanes::Factor w = Lanes::factor_of(call.maps[first + o].coefficients[i]);
        unrolled<kVectors>([&](std::size_t v) NTTF_BODY { Lanes::add_product(sums[o][v], y[v], w); });
      });
    }
  }
}

/// kOutputs maps from `first` on, kVectors vectors from coefficient c on.
template <class Lanes, std::size_t kOutputs, std::size_t kVectors, bool kPrepared>
NTTF_INLINE void affine_sums(const AffineCall& call, const PreparedStrip<Lanes, kVectors>& prepared,
                             std::size_t first, std::size_t c) {
  Sums<Lanes, kOutputs, kVectors> sums;
  unrolled<kOutputs>([&](std::size_t o) NTTF_BODY {
    const auto start = Lanes::start(Lanes::broadcast(call.maps[first + o].offset));
    unrolled<kVectors>([&](std::size_t v) NTTF_BODY { sums[o][v] = start; });
  });
  std::size_t i = 0;
  while (call.terms - i > call.chunk) {
    add_rows<Lanes, kOutputs, kVectors, kPrepared>(call, prepared, first, c, i, i + call.chunk, sums);
    restart<Lanes, kOutputs, kVectors>(call, first, sums);
    i += call.chunk;
  }
  add_rows<Lanes, kOutputs, kVectors, kPrepared>(call, prepared, first, c, i, call.terms, sums);
  if (call.extra != nullptr) {
    if (call.terms - i == call.chunk) restart<Lanes, kOutputs, kVectors>(call, first, sums);
    unrolled<kOutputs>([&](std::size_t o) NTTF_BODY {
      const typename Lanes::Factor w = Lanes::factor_of(call.maps[first + o].coefficients[call.terms]);
      const std::uint64_t* row = call.extra + (first + o) * call.extra_stride + c;
      unrolled<kVectors>([&](std::size_t v) NTTF_BODY {
        Lanes::add_product(sums[o][v], Lanes::factor(Lanes::load(row + v * Lanes::kWidth)), w);
      });
    });
  }
  unrolled<kOutputs>([&](std::size_t o) NTTF_BODY {
    const typename Lanes::Constants m = Lanes::constants(call.maps[first + o].modulus);
    std::uint64_t* out = call.out + (first + o) * call.out_stride + c;
    unrolled<kVectors>([&](std::size_t v) NTTF_BODY {
      Lanes::store(out + v * Lanes::kWidth, Lanes::reduce(sums[o][v], m));
    });
  });
}

template <class Lanes, std::size_t kVectors, bool kPrepared>
NTTF_INLINE void affine_strip(const AffineCall& call, std::size_t c) {
  PreparedStrip<Lanes, kVectors> prepared;
  if constexpr (kPrepared) {
    for (std::size_t i = 0; i < call.terms; ++i)
      for (std::size_t v = 0; v < kVectors; ++v)
        prepared.rows[i][v] =
            Lanes::factor(Lanes::load(call.in + i * call.in_stride + c + v * Lanes::kWidth));
  }
  std::size_t j = 0;
  for (; j + Lanes::kOutputs <= call.map_count; j += Lanes::kOutputs)
    affine_sums<Lanes, Lanes::kOutputs, kVectors, kPrepared>(call, prepared, j, c);
  for (; j < call.map_count; ++j) affine_sums<Lanes, 1, kVectors, kPrepared>(call, prepared, j, c);
}

template <class Lanes, bool kPrepared>
NTTF_INLINE void affine_strips(const AffineCall& call, std::size_t count) {
  std::size_t c = 0;
  constexpr std::size_t kStrip = Lanes::kWidth * Lanes::kVectors;
  for (; c + kStrip <= count; c += kStrip) affine_strip<Lanes, Lanes::kVectors, kPrepared>(call, c);
  for (; c + Lanes::kWidth <= count; c += Lanes::kWidth) affine_strip<Lanes, 1, kPrepared>(call, c);
  for (; c < count; ++c) affine_strip<ScalarLanes, 1, false>(call, c);
}

template <class Lanes>
void affine(const AffineMap* maps, std::size_t map_count, std::size_t terms, std::size_t chunk,
            const std::uint64_t* in, std::size_t in_stride, const std::uint64_t* extra,
            std::size_t extra_stride, std::uint64_t* out, std::size_t out_stride, std::size_t count) {
  const AffineCall call{maps, map_count, terms, chunk, in, in_stride, extra, extra_stride, out, out_stride};
  if constexpr (Lanes::kPrepares) {
    if (terms <= PreparedStrip<Lanes, 1>::kRows) return affine_strips<Lanes, true>(call, count);
  }
  affine_strips<Lanes, false>(call, count);
}

template <class Lanes>
void scale(const ScaleRow* rows, std::size_t row_count, const std::uint64_t* in, std::size_t in_stride,
           std::uint64_t* out, std::size_t out_stride, std::size_t count) {
  for (std::size_t r = 0; r < row_count; ++r, in += in_stride, out += out_stride) {
    const typename Lanes::Scale s = Lanes::scale(rows[r]);
    std::size_t c = 0;
    for (; c + Lanes::kWidth <= count; c += Lanes::kWidth)
      Lanes::store(out + c, Lanes::multiply(Lanes::load(in + c), s));
    for (; c < count; ++c) out[c] = ScalarLanes::multiply(in[c], ScalarLanes::scale(rows[r]));
  }
}

template <class Lanes>
NTTF_INLINE void affine_mod_2_32_at(const std::uint32_t* coefficients, std::uint32_t offset,
                                    std::size_t terms, const std::uint64_t* in, std::size_t in_stride,
                                    std::uint64_t* out) {
  // Products of 32-bit halves; the sum may wrap modulo 2^64, which 2^32 divides.
  typename Lanes::Vector sum = Lanes::broadcast(offset);
  for (std::size_t i = 0; i < terms; ++i)
    sum = Lanes::add(sum, Lanes::multiply_low32(Lanes::load(in + i * in_stride), coefficients[i]));
  Lanes::store(out, Lanes::low32(sum));
}

template <class Lanes>
void affine_mod_2_32(const std::uint32_t* coefficients, std::uint32_t offset, std::size_t terms,
                     const std::uint64_t* in, std::size_t in_stride, std::uint64_t* out, std::size_t count) {
  std::size_t c = 0;
  for (; c + Lanes::kWidth <= count; c += Lanes::kWidth)
    affine_mod_2_32_at<Lanes>(coefficients, offset, terms, in + c, in_stride, out + c);
  for (; c < count; ++c)
    affine_mod_2_32_at<ScalarLanes>(coefficients, offset, terms, in + c, in_stride, out + c);
}

/// A fixed-point sum in 128 bits, or its part above 2^kUpperBits, to which the half and the shift are moved:
/// the floor of a floor.
template <class Lanes, std::size_t kVectors>
NTTF_INLINE void fixed_point_at(const std::uint64_t* fractions, unsigned bits, bool nearest,
                                std::size_t terms, const std::uint64_t* in, std::size_t in_stride,
                                std::uint64_t* out) {
  typename Lanes::Sum sums[kVectors];
  unrolled<kVectors>([&](std::size_t v) NTTF_BODY { sums[v] = Lanes::start(Lanes::broadcast(0)); });
  for (std::size_t i = 0; i < terms; ++i) {
    const typename Lanes::Factor w = Lanes::factor_of(fractions[i]);
    unrolled<kVectors>([&](std::size_t v) NTTF_BODY {
      Lanes::add_product(sums[v], Lanes::factor(Lanes::load(in + i * in_stride + v * Lanes::kWidth)), w);
    });
  }
  if constexpr (Lanes::kUpperBits == 0) {
    const u128 half = nearest ? static_cast<u128>(1) << (bits - 1) : 0;
    unrolled<kVectors>([&](std::size_t v)
                           NTTF_BODY { out[v] = static_cast<std::uint64_t>((sums[v] + half) >> bits); });
  } else {
    const unsigned shift = bits - Lanes::kUpperBits;
    const auto half = Lanes::broadcast(nearest ? std::uint64_t{1} << (shift - 1) : 0);
    unrolled<kVectors>([&](std::size_t v) NTTF_BODY {
      Lanes::store(out + v * Lanes::kWidth,
                   Lanes::shift_right_by(Lanes::add(Lanes::upper(sums[v]), half), Lanes::broadcast(shift)));
    });
  }
}

template <class Lanes>
void fixed_point(const std::uint64_t* fractions, unsigned bits, bool nearest, std::size_t terms,
                 const std::uint64_t* in, std::size_t in_stride, std::uint64_t* out, std::size_t count) {
  constexpr std::size_t kStrip = Lanes::kVectors * Lanes::kWidth;
  std::size_t c = 0;
  for (; c + kStrip <= count; c += kStrip)
    fixed_point_at<Lanes, Lanes::kVectors>(fractions, bits, nearest, terms, in + c, in_stride, out + c);
  for (; c + Lanes::kWidth <= count; c += Lanes::kWidth)
    fixed_point_at<Lanes, 1>(fractions, bits, nearest, terms, in + c, in_stride, out + c);
  for (; c < count; ++c)
    fixed_point_at<ScalarLanes, 1>(fractions, bits, nearest, terms, in + c, in_stride, out + c);
}

template <class Lanes>
NTTF_INLINE void tensor_at(const typename Lanes::Constants& m, const std::uint64_t* a, std::size_t a_part,
                           const std::uint64_t* b, std::size_t b_part, std::uint64_t* out,
                           std::size_t out_part, bool accumulate) {
  const typename Lanes::Factor a0 = Lanes::factor(Lanes::load(a)),
                               a1 = Lanes::factor(Lanes::load(a + a_part));
  const typename Lanes::Factor b0 = Lanes::factor(Lanes::load(b)),
                               b1 = Lanes::factor(Lanes::load(b + b_part));
  typename Lanes::Sum sums[3];
  for (std::size_t p = 0; p < 3; ++p)
    sums[p] = Lanes::start(accumulate ? Lanes::load(out + p * out_part) : Lanes::broadcast(0));
  Lanes::add_product(sums[0], a0, b0);
  Lanes::add_product(sums[1], a0, b1);
  Lanes::add_product(sums[1], a1, b0);
  Lanes::add_product(sums[2], a1, b1);
  for (std::size_t p = 0; p < 3; ++p) Lanes::store(out + p * out_part, Lanes::reduce(sums[p], m));
}

template <class Lanes>
void tensor(const RowModulus& modulus, const std::uint64_t* a, std::size_t a_part, const std::uint64_t* b,
            std::size_t b_part, std::uint64_t* out, std::size_t out_part, bool accumulate,
            std::size_t count) {
  const typename Lanes::Constants m = Lanes::constants(modulus);
  std::size_t c = 0;
  for (; c + Lanes::kWidth <= count; c += Lanes::kWidth)
    tensor_at<Lanes>(m, a + c, a_part, b + c, b_part, out + c, out_part, accumulate);
  for (; c < count; ++c)
    tensor_at<ScalarLanes>(ScalarLanes::constants(modulus), a + c, a_part, b + c, b_part, out + c, out_part,
                           accumulate);
}

template <class Lanes>
void reduce(const RowModulus& modulus, const std::uint64_t* x, std::uint64_t* out, std::size_t count) {
  const typename Lanes::Constants m = Lanes::constants(modulus);
  std::size_t c = 0;
  for (; c + Lanes::kWidth <= count; c += Lanes::kWidth)
    Lanes::store(out + c, Lanes::reduce_word(Lanes::load(x + c), m));
  for (; c < count; ++c) out[c] = ScalarLanes::reduce_word(x[c], ScalarLanes::constants(modulus));
}

/// Words move one by one; signs change in vectors: bit log2 n of the index counts the wraps, each a minus.
template <class Lanes>
NTTF_INLINE void images(std::uint64_t q, std::size_t n, std::uint64_t inverse, const std::uint64_t* in,
                        std::uint64_t* out) {
  constexpr std::size_t kBlock = 512;  // still in L1 when its signs change
  std::uint64_t first[Lanes::kWidth];
  for (std::size_t lane = 0; lane < Lanes::kWidth; ++lane) first[lane] = lane * inverse;
  typename Lanes::Vector index = Lanes::load(first);
  const auto step = Lanes::broadcast(Lanes::kWidth * inverse), modulus = Lanes::broadcast(q);
  const auto log_n = Lanes::broadcast(static_cast<std::uint64_t>(__builtin_ctzll(n)));
  std::uint64_t source = 0;
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t end = n - begin < kBlock ? n : begin + kBlock;
    for (std::size_t j = begin; j < end; ++j, source += inverse) out[j] = in[source & (n - 1)];
    for (std::size_t j = begin; j < end; j += Lanes::kWidth, index = Lanes::add(index, step))
      Lanes::store(out + j, Lanes::negate_if_bit(Lanes::load(out + j), index, log_n, modulus));
  }
}

template <class Lanes>
void automorphism(std::uint64_t q, std::size_t n, std::uint64_t inverse, const std::uint64_t* in,
                  std::uint64_t* out) {
  if (n >= Lanes::kWidth)
    images<Lanes>(q, n, inverse, in, out);
  else
    images<ScalarLanes>(q, n, inverse, in, out);
}

template <class Lanes>
void add_signed(std::uint64_t q, const std::int64_t* small, const std::uint64_t* addend, std::uint64_t* out,
                std::size_t count) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(small);  // two's complement
  const typename Lanes::Vector modulus = Lanes::broadcast(q);
  std::size_t c = 0;
  for (; c + Lanes::kWidth <= count; c += Lanes::kWidth) {
    const auto x = addend == nullptr ? Lanes::broadcast(0) : Lanes::load(addend + c);
    Lanes::store(out + c, Lanes::add_signed(x, Lanes::load(words + c), modulus));
  }
  for (; c < count; ++c) out[c] = ScalarLanes::add_signed(addend == nullptr ? 0 : addend[c], words[c], q);
}

/// Lanes of eight words that can pick from eight words move such a block at a time.
template <class Lanes>
void gather_blocks(const std::uint32_t* index, const std::uint64_t* in, std::uint64_t* out,
                   std::size_t count) {
  if constexpr (requires { Lanes::pick(in, index); }) {
    static_assert(Lanes::kWidth == kGatherBlock);
    for (std::size_t i = 0; i < count; i += kGatherBlock)
      Lanes::store(out + i, Lanes::pick(in + index[i] / kGatherBlock * kGatherBlock, index + i));
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i] = in[index[i]];
  }
}

template <class Lanes>
constexpr ConversionKernels kernels_of() {
  ConversionKernels result{Lanes::kSumBits,
                           &scale<Lanes>,
                           &affine<Lanes>,
                           &affine_mod_2_32<Lanes>,
                           Lanes::kUpperBits,
                           &fixed_point<Lanes>,
                           &dot_pair<Lanes, std::uint64_t>,
                           &tensor<Lanes>,
                           &reduce<Lanes>,
                           &automorphism<Lanes>,
                           &add_signed<Lanes>,
                           &gather_blocks<Lanes>,
                           &dot_pair<Lanes, std::uint32_t>};
  if constexpr (requires(const std::uint64_t* in, const std::uint32_t* index) { Lanes::pick(in, index); }) {
    result.dot_pair_picked = &dot_pair_picked<Lanes, std::uint64_t>;
    result.dot_pair_picked32 = &dot_pair_picked<Lanes, std::uint32_t>;
  }
  return result;
}

}  // namespace
}  // namespace nttforge
