// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operations residue by residue in words of a ring's size. A thread has 16 bytes of neighbouring words of a
// row, or one word where rows are shorter or not aligned.

#include <cstddef>
#include <cstdint>

#include "nttforge/cuda/device/operations.hpp"
#include "nttforge/cuda/table/kernels.hpp"

namespace nttforge::cuda {

/// Neighbouring words of a row, kCount of them.
template <unsigned kCount, class Word>
struct alignas(kCount * sizeof(Word)) Few {
  Word words[kCount];
};
/// `count` words, kCount or 1; with kCount the place is aligned for all of them.
template <unsigned kCount, class Word>
NTTF_HD void load_few(const Word* at, std::uint32_t count, Word* words) {
  if (count == kCount) {
    const auto few = *reinterpret_cast<const Few<kCount, Word>*>(at);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kCount; ++k) words[k] = few.words[k];
  } else {
    NTTF_GPU_UNROLL
    for (unsigned k = 1; k < kCount; ++k) words[k] = 0;
    words[0] = *at;
  }
}
template <unsigned kCount, class Word>
NTTF_HD void store_few(Word* at, std::uint32_t count, const Word* words) {
  if (count == kCount) {
    Few<kCount, Word> few;
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kCount; ++k) few.words[k] = words[k];
    *reinterpret_cast<Few<kCount, Word>*>(at) = few;
  } else {
    *at = words[0];
  }
}
template <unsigned kCount, class Word>
NTTF_HD void zero_few(Word* at, std::uint32_t count) {
  const Word zeros[kCount] = {};
  store_few<kCount>(at, count, zeros);
}

enum class Combination : std::uint8_t { add, sub, negate, multiply, multiply_accumulate };

/// Residue by residue; negate reads no b. period: rows of b, which repeat.
template <Combination kWhat, class Word>
struct Combine {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;
  const Word *a, *b;
  Word* out;
  std::uint32_t period;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const WideModulus<Word> m = ring.limb<Word>(row % ring.limbs);
    const auto q = static_cast<Word>(m.q);
    const std::size_t first = std::size_t{column} * step, at = (std::size_t{row} << log_n) + first;
    Word x[kWords], y[kWords] = {}, z[kWords] = {};
    load_few<kWords>(a + at, step, x);
    if constexpr (kWhat != Combination::negate)
      load_few<kWords>(b + (std::size_t{row % period} << log_n) + first, step, y);
    if constexpr (kWhat == Combination::multiply_accumulate) load_few<kWords>(out + at, step, z);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k) {
      if constexpr (kWhat == Combination::add) x[k] = sum_mod(x[k], y[k], q);
      if constexpr (kWhat == Combination::sub) x[k] = difference_mod(x[k], y[k], q);
      if constexpr (kWhat == Combination::negate) x[k] = opposite_mod(x[k], q);
      if constexpr (kWhat == Combination::multiply || kWhat == Combination::multiply_accumulate)
        x[k] = product_of(x[k], y[k], m, z[k]);
    }
    store_few<kWords>(out + at, step, x);
  }
};

template <class Word>
struct ScaleLimbs {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;
  const Word* a;
  Word* out;
  std::uint64_t scalars[kMostLimbs];
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t limb = row % ring.limbs;
    const WideModulus<Word> m = ring.limb<Word>(limb);
    const std::size_t at = (std::size_t{row} << log_n) + std::size_t{column} * step;
    Word x[kWords];
    load_few<kWords>(a + at, step, x);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k) x[k] = product_of(x[k], static_cast<Word>(scalars[limb]), m);
    store_few<kWords>(out + at, step, x);
  }
};

/// Sums of rows times scalars, and a constant in each first part. Rows: elements * parts * limbs.
template <class Word>
struct CombineTerms {
  using Sum = typename WideSum<Word>::Sum;
  static constexpr unsigned kWords = Pack<Word>::kWords;
  static constexpr unsigned kTerms = 32 / sizeof(Word), kAhead = 4;  ///< words of so many are on their way
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;
  Word* out;
  std::uint32_t terms, parts;
  std::uint32_t products;    ///< that a sum takes beside a residue
  std::uint32_t accumulate;  ///< out is a term too
  const Word* words[kTerms];
  std::size_t stride[kTerms];  ///< from a polynomial of a term to the next
  std::uint32_t term_parts[kTerms];
  Word scalars[kTerms][kMostLimbs];
  Word constants[kMostLimbs];
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t polynomial = row / ring.limbs, limb = row - polynomial * ring.limbs;
    const std::uint32_t element = polynomial / parts, part = polynomial - element * parts;
    const WideModulus<Word> m = ring.limb<Word>(limb);
    const std::size_t inside = (std::size_t{limb} << log_n) + std::size_t{column} * step;
    const std::size_t at = (std::size_t{row} << log_n) + std::size_t{column} * step;
    Word result[kWords] = {};
    if (accumulate != 0) load_few<kWords>(out + at, step, result);
    const Word constant = part == 0 ? constants[limb] : 0;
    Sum sums[kWords];
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k) sums[k] = sum_mod(result[k], constant, static_cast<Word>(m.q));
    std::uint32_t left = products;
    for (std::uint32_t first = 0; first < terms; first += kAhead) {
      Word x[kAhead][kWords];
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i)
        if (first + i < terms && part < term_parts[first + i])
          load_few<kWords>(
              words[first + i] + (element * term_parts[first + i] + part) * stride[first + i] + inside, step,
              x[i]);
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i) {
        if (first + i >= terms || part >= term_parts[first + i]) continue;
        if (left == 0) {
          left = products;
          NTTF_GPU_UNROLL
          for (unsigned k = 0; k < kWords; ++k) sums[k] = reduce_wide(sums[k], m);
        }
        --left;
        const Word scalar = scalars[first + i][limb];
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < kWords; ++k) sums[k] += Sum{x[i][k]} * scalar;
      }
    }
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k) result[k] = reduce_wide(sums[k], m);
    store_few<kWords>(out + at, step, result);
  }
};

/// Sums of rows times the rows of one factor for all parts, each factor word read once: up to two parts of
/// `parts`, from `first_part` on. Rows: elements * limbs.
template <class Word>
struct SumOfTerms {
  using Sum = typename WideSum<Word>::Sum;
  static constexpr unsigned kWords = Pack<Word>::kWords, kParts = 2;
  static constexpr unsigned kTerms = 32, kAhead = 4;  ///< words of so many are on their way
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;
  Word* out;
  std::uint32_t terms, parts, first_part;
  std::uint32_t products;    ///< that a sum takes beside a residue
  std::uint32_t accumulate;  ///< out is a term too
  const Word *factors[kTerms], *words[kTerms];
  std::size_t factor_stride[kTerms], stride[kTerms];  ///< from an element to the next
  std::uint32_t term_parts[kTerms];
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t element = row / ring.limbs, limb = row - element * ring.limbs;
    const WideModulus<Word> m = ring.limb<Word>(limb);
    const std::size_t part = std::size_t{ring.limbs} << log_n;
    const std::size_t inside = (std::size_t{limb} << log_n) + std::size_t{column} * step;
    const std::uint32_t here = parts - first_part < kParts ? parts - first_part : kParts;
    Word* const to = out + (std::size_t{element} * parts + first_part) * part + inside;
    Word result[kWords];
    Sum sums[kParts][kWords] = {};
    NTTF_GPU_UNROLL
    for (unsigned p = 0; p < kParts; ++p) {
      if (accumulate == 0 || p >= here) continue;
      load_few<kWords>(to + p * part, step, result);
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kWords; ++k) sums[p][k] = result[k];
    }
    std::uint32_t left = products;
    for (std::uint32_t first = 0; first < terms; first += kAhead) {
      Word y[kAhead][kWords] = {}, x[kAhead][kParts][kWords] = {};
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i) {
        const std::uint32_t t = first + i;
        if (t >= terms) continue;
        load_few<kWords>(factors[t] + element * factor_stride[t] + inside, step, y[i]);
        NTTF_GPU_UNROLL
        for (unsigned p = 0; p < kParts; ++p)
          if (first_part + p < term_parts[t])
            load_few<kWords>(words[t] + element * stride[t] + (first_part + p) * part + inside, step,
                             x[i][p]);
      }
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kAhead; ++i) {
        if (left == 0) {
          left = products;
          NTTF_GPU_UNROLL
          for (unsigned k = 0; k < kParts * kWords; ++k) {
            Sum& sum = sums[k / kWords][k % kWords];
            sum = reduce_wide(sum, m);
          }
        }
        --left;
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < kParts * kWords; ++k)
          sums[k / kWords][k % kWords] += Sum{x[i][k / kWords][k % kWords]} * y[i][k % kWords];
      }
    }
    NTTF_GPU_UNROLL
    for (unsigned p = 0; p < kParts; ++p) {
      if (p >= here) continue;
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kWords; ++k) result[k] = reduce_wide(sums[p][k], m);
      store_few<kWords>(to + p * part, step, result);
    }
  }
};

/// a0 b0, a0 b1 + a1 b0, a1 b1 of [batch][2][limbs][n]; shape.rows = batch * limbs.
template <class Word>
struct TensorOfPairs {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;
  const Word *a, *b;
  Word* out;
  bool accumulate;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    using Sum = typename WideSum<Word>::Sum;
    const std::uint32_t member = row / ring.limbs, limb = row - member * ring.limbs;
    const WideModulus<Word> m = ring.limb<Word>(limb);
    const std::size_t part = std::size_t{ring.limbs} << log_n;
    const std::size_t inside = (std::size_t{limb} << log_n) + std::size_t{column} * step;
    const std::size_t in = 2 * member * part + inside, to = 3 * member * part + inside;
    Word a0[kWords], a1[kWords], b0[kWords], b1[kWords], sums[3][kWords] = {};
    load_few<kWords>(a + in, step, a0);
    load_few<kWords>(a + in + part, step, a1);
    load_few<kWords>(b + in, step, b0);
    load_few<kWords>(b + in + part, step, b1);
    if (accumulate) {
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < 3; ++i) load_few<kWords>(out + to + i * part, step, sums[i]);
    }
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k) {
      sums[0][k] = product_of(a0[k], b0[k], m, sums[0][k]);
      // Beside a product of two residues of 32 bits there is room for two residues: (q - 1)^2 + 2 (q - 1) is
      // below 2^64.
      const Sum other = Sum{a1[k]} * b0[k];
      const Sum first = sizeof(Word) == 8 ? other : static_cast<Sum>(reduce_wide(other, m));
      sums[1][k] = reduce_wide(Sum{a0[k]} * b1[k] + first + sums[1][k], m);
      sums[2][k] = product_of(a1[k], b1[k], m, sums[2][k]);
    }
    NTTF_GPU_UNROLL
    for (unsigned i = 0; i < 3; ++i) store_few<kWords>(out + to + i * part, step, sums[i]);
  }
};

/// Products as TensorOfPairs' so many times over, terms and constants beside them as CombineTerms has them,
/// of up to three parts. sum.shape.rows = batch * limbs; a first product counts among those that a sum takes.
template <class Word>
struct TensorAndTerms {
  using Sum = typename WideSum<Word>::Sum;
  static constexpr unsigned kWords = Pack<Word>::kWords, kParts = 3;
  Grid shape;
  CombineTerms<Word> sum;
  const Word *a, *b;
  Word times[kMostLimbs];
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t step = sum.step, log_n = sum.log_n, limbs = sum.ring.limbs;
    const std::uint32_t member = row / limbs, limb = row - member * limbs;
    const WideModulus<Word> m = sum.ring.template limb<Word>(limb);
    const std::size_t part = std::size_t{limbs} << log_n;
    const std::size_t inside = (std::size_t{limb} << log_n) + std::size_t{column} * step;
    Word x[kParts][kWords], sums_of[kParts][kWords];
    {
      const std::size_t in = 2 * member * part + inside;
      Word a0[kWords], a1[kWords], b0[kWords], b1[kWords];
      load_few<kWords>(a + in, step, a0);
      load_few<kWords>(a + in + part, step, a1);
      load_few<kWords>(b + in, step, b0);
      load_few<kWords>(b + in + part, step, b1);
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kWords; ++k) {
        sums_of[0][k] = reduce_wide(Sum{a0[k]} * b0[k], m);
        const Sum other = Sum{a1[k]} * b0[k];
        const Sum first = sizeof(Word) == 8 ? other : static_cast<Sum>(reduce_wide(other, m));
        sums_of[1][k] = reduce_wide(Sum{a0[k]} * b1[k] + first, m);
        sums_of[2][k] = reduce_wide(Sum{a1[k]} * b1[k], m);
      }
    }
    Sum sums[kParts][kWords];
    NTTF_GPU_UNROLL
    for (unsigned i = 0; i < kParts; ++i) {
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kWords; ++k) sums[i][k] = Sum{sums_of[i][k]} * times[limb];
    }
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k) sums[0][k] += sum.constants[limb];
    std::uint32_t left = sum.products - 1;
    for (std::uint32_t t = 0; t < sum.terms; ++t) {
      const std::uint32_t parts = sum.term_parts[t];
      const Word* const from = sum.words[t] + member * parts * sum.stride[t] + inside;
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kParts; ++i)
        if (i < parts) load_few<kWords>(from + i * sum.stride[t], step, x[i]);
      if (left == 0) {
        left = sum.products;
        NTTF_GPU_UNROLL
        for (unsigned i = 0; i < kParts; ++i) {
          NTTF_GPU_UNROLL
          for (unsigned k = 0; k < kWords; ++k) sums[i][k] = reduce_wide(sums[i][k], m);
        }
      }
      --left;
      const Word scalar = sum.scalars[t][limb];
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kParts; ++i) {
        if (i >= parts) continue;
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < kWords; ++k) sums[i][k] += Sum{x[i][k]} * scalar;
      }
    }
    NTTF_GPU_UNROLL
    for (unsigned i = 0; i < kParts; ++i) {
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kWords; ++k) sums_of[i][k] = reduce_wide(sums[i][k], m);
      store_few<kWords>(sum.out + (3 * member + i) * part + inside, step, sums_of[i]);
    }
  }
};

/// X -> X^element in coefficient form. Rows: batch * limbs.
template <class Word>
struct MapAutomorphism {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;
  const Word* in;
  Word* out;
  std::uint64_t inverse;  ///< of the element modulo 2n
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const auto q = static_cast<Word>(ring.of(row).q);
    const std::uint32_t n = std::uint32_t{1} << log_n, first = column * step;
    const Word* const from = in + (std::size_t{row} << log_n);
    Word x[kWords] = {};
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k) {
      if (k < step) {
        const auto source = static_cast<std::uint32_t>((first + k) * inverse & (2 * std::uint64_t{n} - 1));
        const Word value = from[source & (n - 1)];
        x[k] = source < n ? value : opposite_mod(value, q);
      }
    }
    store_few<kWords>(out + (std::size_t{row} << log_n) + first, step, x);
  }
};

/// [batch][n] modulo t, read as centred, to [batch][limbs][n]. A thread has a coefficient in all limbs. Rows:
/// batch.
template <class Word>
struct LiftPlain {
  static constexpr unsigned kThreads = 64;
  Grid shape;
  RingRows ring;
  std::uint64_t t;
  ReadWords plain;
  Word* out;
  NTTF_HD void operator()(std::uint32_t member, std::uint32_t column) const {
    const std::uint64_t value = plain[(std::size_t{member} << shape.log_n) + column];
    const bool positive = value < t - value;
    Word* const to = out + (std::size_t{member} * ring.limbs << shape.log_n) + column;
    for (std::uint32_t j = 0; j < ring.limbs; ++j) {
      const WideModulus<Word> m = ring.limb<Word>(j);
      const Word size = reduced_word(positive ? value : t - value, m);
      to[std::size_t{j} << shape.log_n] = positive ? size : opposite_mod(size, static_cast<Word>(m.q));
    }
  }
};

/// The end of a division in values, of out [batch][limbs][n]. Rows: batch * limbs.
template <class Word>
struct JoinDivision {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;
  DivisionJoin<Word> join;
  Word* out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t member = row / ring.limbs, limb = row - member * ring.limbs, first = column * step;
    const WideModulus<Word> m = ring.limb<Word>(limb);
    Word* const to = out + (std::size_t{row} << log_n) + first;
    Word words[kWords];
    load_few<kWords>(to, step, words);
    if (step == kWords)
      join.template add_to<kWords>(words, member, limb, ring.limbs, log_n, first, m);
    else
      join.template add_to<1>(words, member, limb, ring.limbs, log_n, first, m);
    store_few<kWords>(to, step, words);
  }
};

/// out[i] = in[index[i]] of each row, in groups of 16 bytes that an index takes to such groups.
template <class Word>
struct GatherGroups {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;  ///< columns are groups
  const std::uint32_t* index;
  const Word* in;
  Word* out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t first = (std::size_t{row} << shape.log_n) * kWords;
    reinterpret_cast<NeighbouringWords<Word, kWords>*>(out + first)[column] =
        ImageWords<kWords>(index, column).of(in + first);
  }
};

/// The rows of digits' own primes, [elements][own limbs][n] -> [elements][digits][limbs][n]. Rows: elements *
/// own limbs.
template <class Word>
struct CopyOwnRows {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  DigitRows rows;
  std::uint32_t limbs;
  const Word* from;
  std::size_t stride;  ///< words between elements of `from`
  Word* out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t element = row / rows.own_limbs, limb = row - element * rows.own_limbs;
    const std::size_t first = std::size_t{column} * step;
    const std::size_t digit = std::size_t{element} * rows.digits + rows.digit_of[limb];
    Word words[kWords];
    load_few<kWords>(from + element * stride + (std::size_t{limb} << log_n) + first, step, words);
    store_few<kWords>(out + ((digit * limbs + limb) << log_n) + first, step, words);
  }
};

/// What is instantiated for cards.
#define NTTF_RESIDUES_OF_WORD(apply, Word)                                                     \
  apply(Combine<Combination::add, Word>) apply(Combine<Combination::sub, Word>)                \
      apply(Combine<Combination::negate, Word>) apply(Combine<Combination::multiply, Word>)    \
          apply(Combine<Combination::multiply_accumulate, Word>) apply(ScaleLimbs<Word>)       \
              apply(CombineTerms<Word>) apply(TensorOfPairs<Word>) apply(TensorAndTerms<Word>) \
                  apply(SumOfTerms<Word>) apply(MapAutomorphism<Word>) apply(LiftPlain<Word>)  \
                      apply(JoinDivision<Word>) apply(CopyOwnRows<Word>) apply(GatherGroups<Word>)
#define NTTF_RESIDUE_OPERATIONS(apply) \
  NTTF_RESIDUES_OF_WORD(apply, std::uint64_t) NTTF_RESIDUES_OF_WORD(apply, std::uint32_t)

}  // namespace nttforge::cuda
