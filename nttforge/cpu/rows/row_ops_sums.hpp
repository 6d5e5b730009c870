// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums of products of rows, reduced once for several products: out = (out +) a_0 b_0 + a_1 b_1 + ... Over the
// lanes L of row_ops_kernels.hpp and a type Sums that holds up to seven products and a residue:
//
//   Sum start(Vec), Factor factor(Vec), add_product(Sum&, Factor, Factor, Constants), Vec reduce(Sum,
//   Constants), Constants constants(RowModulus); reduce_of_four, if that is faster for no more than four
//   products
//
// The lanes of RNS conversion are such types; others are in row_ops_sum_lanes.hpp. Only a few rows are read
// side by side: they lie powers of two apart and compete for the same cache sets.

#include "nttforge/cpu/lanes/unrolled.hpp"
#include "nttforge/cpu/rows/row_ops_sum_lanes.hpp"
#include "nttforge/ntt/row_ops.hpp"

namespace nttforge::cpu {
namespace {

template <class Word>
struct SumCall {
  const Word *a, *b;
  std::size_t stride, terms;
  Word* out;
  bool accumulate;
};

/// Whole vectors, and parts of one.
template <class L>
struct WholeVectors {
  using Word = typename L::Word;
  NTTF_INLINE auto load(const Word* p) const { return L::load(p); }
  NTTF_INLINE void store(Word* p, typename L::Vec v) const { L::store(p, v); }
};
template <class L>
struct PartOfVector {
  using Word = typename L::Word;
  std::size_t count;
  NTTF_INLINE auto load(const Word* p) const { return L::load_part(p, count); }
  NTTF_INLINE void store(Word* p, typename L::Vec v) const { L::store_part(p, v, count); }
};

/// Sums of at most four terms.
template <class L, class Sums, std::size_t kVectors, class Access>
NTTF_INLINE void sums_at(const SumCall<typename L::Word>& call, const typename Sums::Constants& c,
                         std::size_t at, const Access& access) {
  typename Sums::Sum sums[kVectors];
  unrolled<kVectors>([&](std::size_t v) NTTF_BODY {
    sums[v] = Sums::start(call.accumulate ? access.load(call.out + at + v * L::kWidth) : L::broadcast(0));
  });
  for (std::size_t i = 0; i < call.terms; ++i) {
    const std::size_t row = i * call.stride + at;
    unrolled<kVectors>([&](std::size_t v) NTTF_BODY {
      Sums::add_product(sums[v], Sums::factor(access.load(call.a + row + v * L::kWidth)),
                        Sums::factor(access.load(call.b + row + v * L::kWidth)), c);
    });
  }
  unrolled<kVectors>([&](std::size_t v) NTTF_BODY {
    if constexpr (requires { Sums::reduce_of_four(sums[v], c); }) {
      access.store(call.out + at + v * L::kWidth, Sums::reduce_of_four(sums[v], c));
    } else {
      access.store(call.out + at + v * L::kWidth, Sums::reduce(sums[v], c));
    }
  });
}

/// x y of complex numbers, imaginary parts `half` words behind: real parts as the difference of two sums.
template <class L, class Arithmetic, class Sums, class Access>
NTTF_INLINE void complex_sums_at(const SumCall<typename L::Word>& call, const Arithmetic& f,
                                 const typename Sums::Constants& c, std::size_t at, std::size_t half,
                                 const Access& access) {
  const auto start = [&](std::size_t offset) NTTF_LAMBDA_INLINE {
    return Sums::start(call.accumulate ? access.load(call.out + at + offset) : L::broadcast(0));
  };
  typename Sums::Sum plus = start(0), minus = Sums::start(L::broadcast(0)), cross = start(half);
  for (std::size_t i = 0; i < call.terms; ++i) {
    const auto *a = call.a + i * call.stride + at, *b = call.b + i * call.stride + at;
    const auto a0 = Sums::factor(access.load(a)), a1 = Sums::factor(access.load(a + half));
    const auto b0 = Sums::factor(access.load(b)), b1 = Sums::factor(access.load(b + half));
    Sums::add_product(plus, a0, b0, c);
    Sums::add_product(minus, a1, b1, c);
    Sums::add_product(cross, a0, b1, c);
    Sums::add_product(cross, a1, b0, c);
  }
  access.store(call.out + at, f.sub(Sums::reduce(plus, c), Sums::reduce(minus, c)));
  access.store(call.out + at + half, Sums::reduce(cross, c));
}

/// Members of a RowOpsTable.
template <class L, class Arithmetic, class Sums>
struct SumKernels {
  using Word = typename L::Word;
  using Constants = typename Sums::Constants;
  static constexpr std::size_t kTerms = 4, kComplexTerms = 3;  // the latter: two products a term

  static void sum_of_products(const RowModulus& m, const Word* a, const Word* b, std::size_t stride,
                              std::size_t terms, Word* out, bool accumulate, std::size_t count) {
    const Constants c = Sums::constants(m);
    for (std::size_t i = 0; i < terms; i += kTerms) {
      const std::size_t some = terms - i < kTerms ? terms - i : kTerms;
      add_terms({a + i * stride, b + i * stride, stride, some, out, accumulate || i != 0}, c, count);
    }
  }

  static void complex_sum_of_products(const RowModulus& m, const Word* a, const Word* b, std::size_t stride,
                                      std::size_t terms, Word* out, bool accumulate, std::size_t count) {
    const Constants c = Sums::constants(m);
    const Arithmetic f(m);
    for (std::size_t i = 0; i < terms; i += kComplexTerms) {
      const std::size_t some = terms - i < kComplexTerms ? terms - i : kComplexTerms;
      add_complex_terms({a + i * stride, b + i * stride, stride, some, out, accumulate || i != 0}, f, c,
                        count / 2);
    }
  }

 private:
  static constexpr std::size_t kVectors = L::kWidth == 1 ? 4 : 2;

  static NTTF_INLINE void add_terms(const SumCall<Word>& call, const Constants& c, std::size_t count) {
    const WholeVectors<L> whole;
    std::size_t i = 0;
    for (; i + kVectors * L::kWidth <= count; i += kVectors * L::kWidth)
      sums_at<L, Sums, kVectors>(call, c, i, whole);
    for (; i + L::kWidth <= count; i += L::kWidth) sums_at<L, Sums, 1>(call, c, i, whole);
    if constexpr (L::kWidth > 1) {
      if (i != count) sums_at<L, Sums, 1>(call, c, i, PartOfVector<L>{count - i});
    }
  }
  static NTTF_INLINE void add_complex_terms(const SumCall<Word>& call, const Arithmetic& f,
                                            const Constants& c, std::size_t half) {
    const WholeVectors<L> whole;
    std::size_t i = 0;
    for (; i + L::kWidth <= half; i += L::kWidth)
      complex_sums_at<L, Arithmetic, Sums>(call, f, c, i, half, whole);
    if constexpr (L::kWidth > 1) {
      if (i != half) complex_sums_at<L, Arithmetic, Sums>(call, f, c, i, half, PartOfVector<L>{half - i});
    }
  }
};

}  // namespace
}  // namespace nttforge::cpu
