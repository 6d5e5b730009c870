// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/arith/row_modulus.hpp"
#include "nttforge/arith/shoup.hpp"
#include "nttforge/base/target.hpp"

namespace nttforge {

/// Every RNS conversion of this library is a chain of two kinds of steps on rows of residues:
///   scale    y_i = x_i w_i mod q_i                            (the digits of fast base conversion)
///   affine   out_j = offset_j + sum_i c_ji y_i mod m_j        (the sum, with whatever follows it folded into
///   the constants)
/// Centred values (the Montgomery residue, Shenoy-Kumaresan's alpha, Alg. 2's s_gamma) become non-negative
/// ones by a shift that the offsets undo, so no step compares or branches. How each operation is folded:
/// docs/bounds/conversion52.md.

/// The class of 52-bit kernels: moduli, and all values they meet, below 2^50.
inline constexpr unsigned kNarrowBits = 50;
inline bool is_narrow(std::uint64_t q) { return q >> kNarrowBits == 0; }
/// The class of 32-bit kernels: moduli below 2^30, and values below 2^32. They take no fractions.
inline bool is_short(std::uint64_t q) { return q >> 30 == 0; }

struct ScaleRow {
  ShoupConstant w;
  RowModulus modulus;
};

struct AffineMap {
  RowModulus modulus;
  std::uint64_t offset = 0;  ///< in [0, m)
  /// [terms], then the one of the extra row if there is one; in [0, m).
  const std::uint64_t* coefficients = nullptr;
};

/// Row operations of RNS conversion; `count` coefficients, any alignment; residues in and out are fully
/// reduced. All moduli and input values are below 2^62, in a narrow table below 2^50. Time does not depend on
/// values. Row r of an array is at array + r * stride. `chunk` (from longest_sum with the table's sum_bits)
/// bounds the products between two reductions.
inline constexpr std::size_t kGatherBlock = 8;  ///< words that gather_blocks moves at a time
inline constexpr std::size_t kFixedPointTerms = 512;

struct ConversionKernels {
  unsigned sum_bits;  ///< sums below 2^sum_bits can be reduced
  /// out_i = in_i w_i mod q_i for `rows` rows; out may be in.
  void (*scale)(const ScaleRow* rows, std::size_t row_count, const std::uint64_t* in, std::size_t in_stride,
                std::uint64_t* out, std::size_t out_stride, std::size_t count);
  /// out_j = offset_j + sum_i c_ji in_i (+ c_j,terms extra_j) mod m_j for each map. extra: null, or row j for
  /// map j. A row of out may be a row of in only if there is one map; out may be extra.
  void (*affine)(const AffineMap* maps, std::size_t map_count, std::size_t terms, std::size_t chunk,
                 const std::uint64_t* in, std::size_t in_stride, const std::uint64_t* extra,
                 std::size_t extra_stride, std::uint64_t* out, std::size_t out_stride, std::size_t count);
  /// out = offset + sum_i c_i in_i mod 2^32.
  void (*affine_mod_2_32)(const std::uint32_t* coefficients, std::uint32_t offset, std::size_t terms,
                          const std::uint64_t* in, std::size_t in_stride, std::uint64_t* out,
                          std::size_t count);
  /// Fixed point needs more bits after the point than this, and if this is not 0, at most 63 more.
  unsigned fixed_point_bits;
  /// out = floor((sum_i fractions_i in_i + half) / 2^bits), half = 2^(bits - 1) if nearest, else 0: for at
  /// most kFixedPointTerms terms, fractions of the class of the input values, sums below 2^128, results below
  /// 2^62. out may be a row of in.
  void (*fixed_point)(const std::uint64_t* fractions, unsigned bits, bool nearest, std::size_t terms,
                      const std::uint64_t* in, std::size_t in_stride, std::uint64_t* out, std::size_t count);
  /// out_p = sum_i a_i b_p,i mod m for p = 0, 1, added to out_p if accumulate; b_p,i at b + i * b_stride + p
  /// * b_part; out_p at out + p * out_part.
  void (*dot_pair)(const RowModulus& m, std::size_t terms, std::size_t chunk, const std::uint64_t* a,
                   std::size_t a_stride, const std::uint64_t* b, std::size_t b_stride, std::size_t b_part,
                   std::uint64_t* out, std::size_t out_part, bool accumulate, std::size_t count);
  /// out_0, out_1, out_2 (at stride out_part) = a0 b0, a0 b1 + a1 b0, a1 b1 mod m, added to out if
  /// accumulate.
  void (*tensor)(const RowModulus& m, const std::uint64_t* a, std::size_t a_part, const std::uint64_t* b,
                 std::size_t b_part, std::uint64_t* out, std::size_t out_part, bool accumulate,
                 std::size_t count);
  /// out = x mod m for any x below 2^62 (2^52 in a narrow table); out may be x.
  void (*reduce)(const RowModulus& m, const std::uint64_t* x, std::uint64_t* out, std::size_t count);
  /// out = in(X^element) modulo X^n + 1, n a power of two: out_j = in_i where i = j inverse mod 2n, minus
  /// in_(i-n) from n on; inverse = element^-1 mod 2n. out is not in.
  void (*automorphism)(std::uint64_t q, std::size_t n, std::uint64_t inverse, const std::uint64_t* in,
                       std::uint64_t* out);
  /// out = addend + small mod q for small in (-q, q); addend: residues, or null for zero; out may be addend.
  void (*add_signed)(std::uint64_t q, const std::int64_t* small, const std::uint64_t* addend,
                     std::uint64_t* out, std::size_t count);
  /// out_i = in_index[i] for a permutation that takes aligned blocks of kGatherBlock words to such blocks, as
  /// automorphisms of transformed rows do; count is a multiple of kGatherBlock. out is not in.
  void (*gather_blocks)(const std::uint32_t* index, const std::uint64_t* in, std::uint64_t* out,
                        std::size_t count);
  /// dot_pair with words of 32 bits in b.
  void (*dot_pair32)(const RowModulus& m, std::size_t terms, std::size_t chunk, const std::uint64_t* a,
                     std::size_t a_stride, const std::uint32_t* b, std::size_t b_stride, std::size_t b_part,
                     std::uint64_t* out, std::size_t out_part, bool accumulate, std::size_t count);
  /// dot_pair of gather_blocks of every a_i by the same index, without accumulation; and with words of 32
  /// bits in b. Null where a target has no use for them.
  void (*dot_pair_picked)(const RowModulus& m, std::size_t terms, std::size_t chunk, const std::uint64_t* a,
                          std::size_t a_stride, const std::uint32_t* index, const std::uint64_t* b,
                          std::size_t b_stride, std::size_t b_part, std::uint64_t* out, std::size_t out_part,
                          std::size_t count) = nullptr;
  void (*dot_pair_picked32)(const RowModulus& m, std::size_t terms, std::size_t chunk, const std::uint64_t* a,
                            std::size_t a_stride, const std::uint32_t* index, const std::uint32_t* b,
                            std::size_t b_stride, std::size_t b_part, std::uint64_t* out,
                            std::size_t out_part, std::size_t count) = nullptr;
};

/// The kernels of a target; narrow: every modulus and value is below 2^50. Implemented by cpu/. All tables
/// give the same words. throws UnsupportedError if the target cannot run here.
const ConversionKernels& conversion_kernels(Target target, bool narrow);
/// The same for the short class; those of the narrow one where a target has no others.
const ConversionKernels& short_conversion_kernels(Target target);
/// Those of the class of one modulus.
inline const ConversionKernels& conversion_kernels_of(Target target, std::uint64_t q) {
  return is_short(q) ? short_conversion_kernels(target) : conversion_kernels(target, is_narrow(q));
}

}  // namespace nttforge
