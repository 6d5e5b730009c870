#pragma once

// Sums of products of rows, reduced once for several products: out = (out +) a_0 b_0 + a_1 b_1 + ... Over the
// lanes L of row_ops_kernels.hpp and a type Sums that holds up to seven products and a residue:
//
//   Sum start(Vec), Factor factor(Vec), add_product(Sum&, Factor, Factor, Constants), Vec reduce(Sum,
//   Constants), Constants constants(RowModulus); reduce_of_four, if that is faster for no more than four
//   products
//
// The lanes of RNS conversion are such types; others are here (docs/bounds/sums.md). Only a few rows are read
// side by side: they lie powers of two apart and compete for the same cache sets.

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/cpu/conversion_lanes_narrow.hpp"
#include "nttforge/cpu/conversion_lanes_wide.hpp"
#include "nttforge/cpu/unrolled.hpp"
#include "nttforge/ntt/row_ops.hpp"

namespace nttforge::cpu {
namespace {

NTTF_INLINE unsigned bits_of(std::uint64_t q) { return 64 - static_cast<unsigned>(__builtin_clzll(q)); }

/// floor(2^(L+32) / q) - 2^32 for q of L <= 32 bits; one less for a power of two, which does as well.
NTTF_INLINE std::uint64_t barrett_fraction(const RowModulus& m) {
  constexpr std::uint64_t kLargest = 0xFFFFFFFFu;
  const std::uint64_t mu = (m.ratio_high >> (32 - bits_of(m.q))) - (kLargest + 1);
  return mu > kLargest ? kLargest : mu;
}

template <class ConversionLanes>
struct SumsOf : ConversionLanes {
  using typename ConversionLanes::Constants, typename ConversionLanes::Factor, typename ConversionLanes::Sum;
  static NTTF_INLINE void add_product(Sum& sum, const Factor& a, const Factor& b, const Constants&) {
    ConversionLanes::add_product(sum, a, b);
  }
  static NTTF_INLINE Constants constants(const RowModulus& m) { return ConversionLanes::constants(m.sums); }
};

/// q < 2^50 in doubles: products less the nearest multiple of q, in (-0.88 q, 0.88 q), add up exactly below
/// 2^53.
template <class L>
struct SumsFp64 {
  using Vec = typename L::Vec;
  using Real = typename L::Real;
  using Sum = Real;
  using Factor = Real;
  struct Constants {
    Real q, inverse;
    Vec word_q;
  };
  static NTTF_INLINE Constants constants(const RowModulus& m) {
    return {L::real_broadcast(static_cast<double>(m.q)), L::real_broadcast(1.0 / static_cast<double>(m.q)),
            L::broadcast(m.q)};
  }
  static NTTF_INLINE Sum start(Vec v) { return L::to_real(v); }
  static NTTF_INLINE Factor factor(Vec v) { return L::to_real(v); }
  static NTTF_INLINE void add_product(Sum& sum, Factor a, Factor b, const Constants& c) {
    const Real h = L::real_mul(a, b), l = L::real_fms(a, b, h);
    const Real e = L::real_round(L::real_mul(h, c.inverse));
    sum = L::real_add(sum, L::real_add(L::real_fnma(e, c.q, h), l));
  }
  /// The quotient may be one off near its steps.
  static NTTF_INLINE Vec reduce(Sum sum, const Constants& c) {
    const Real e = L::real_floor(L::real_mul(sum, c.inverse));
    const Vec r = L::from_real(L::real_fnma(e, c.q, sum));
    return L::reduce_once(L::add_if_negative(r, c.word_q), c.word_q);
  }
};

/// 192 bits: products below p^2 fill 128. 2^128 = -2^32 (mod p).
struct SumsGoldilocks {
  using Factor = std::uint64_t;
  struct Constants {};
  struct Sum {
    u128 low;
    std::uint64_t high;
  };
  static NTTF_INLINE Constants constants(const RowModulus&) { return {}; }
  static NTTF_INLINE Sum start(std::uint64_t v) { return {v, 0}; }
  static NTTF_INLINE Factor factor(std::uint64_t v) { return v; }
  static NTTF_INLINE void add_product(Sum& sum, Factor a, Factor b, Constants) {
    const u128 product = static_cast<u128>(a) * b;
    sum.low += product;
    sum.high += static_cast<std::uint64_t>(sum.low < product);
  }
  static NTTF_INLINE std::uint64_t reduce(const Sum& sum, Constants) {
    return goldilocks::sub(goldilocks::reduce128(sum.low), sum.high << 32);
  }
};

/// Vectors of 32-bit words as 64-bit words, once those at even and once those at odd positions.
template <class L>
struct EvensAndOdds {
  using Vec = typename L::Vec;
  using Wide = typename L::Wide;
  struct Factor {
    Vec even, odd;  // only lower halves count
  };
  static NTTF_INLINE Vec low(Vec x) { return Wide::bit_and(x, Wide::broadcast(0xFFFFFFFFu)); }
  static NTTF_INLINE Vec high(Vec x) { return Wide::template shift_right<32>(x); }
  static NTTF_INLINE Factor factor(Vec v) { return {L::evens(v), L::odds(v)}; }
  /// floor(y w' / 2^32) for the lower half of y.
  static NTTF_INLINE Vec quotient(Vec y, Vec w) { return high(Wide::mul_32(y, w)); }
  static NTTF_INLINE Vec wide(std::uint64_t v) { return Wide::broadcast(v); }
};

/// q < 2^30: sums below 2^64 in 64-bit words. a 2^32 + b is reduced as in ScalarLanes, halved: r in [0, 4q).
template <class L>
struct Sums30 : EvensAndOdds<L> {
  using Half = EvensAndOdds<L>;
  using Vec = typename L::Vec;
  using Wide = typename L::Wide;
  using Factor = typename Half::Factor;
  struct Sum {
    Vec even, odd;
  };
  struct Constants {
    Vec q, q2, wide_q, power, power_quotient, one_quotient, fraction, bits;
  };
  static NTTF_INLINE Constants constants(const RowModulus& m) {
    const std::uint64_t power = (std::uint64_t{1} << 32) % m.q;
    return {L::broadcast(static_cast<std::uint32_t>(m.q)),
            L::broadcast(static_cast<std::uint32_t>(2 * m.q)),
            Half::wide(m.q),
            Half::wide(power),
            Half::wide((power << 32) / m.q),
            Half::wide(m.sums.one_quotient >> 32),
            Half::wide(barrett_fraction(m)),
            Half::wide(bits_of(m.q))};
  }
  static NTTF_INLINE Sum start(Vec v) { return {Half::low(L::evens(v)), Half::low(L::odds(v))}; }
  static NTTF_INLINE void add_product(Sum& sum, const Factor& a, const Factor& b, const Constants&) {
    sum.even = Wide::add(sum.even, Wide::mul_32(a.even, b.even));
    sum.odd = Wide::add(sum.odd, Wide::mul_32(a.odd, b.odd));
  }
  static NTTF_INLINE Vec reduce(const Sum& sum, const Constants& c) {
    return packed(rest(sum.even, c), rest(sum.odd, c), c);
  }
  /// Barrett's reduction: such a sum is below 2^(2 bits + 2).
  static NTTF_INLINE Vec reduce_of_four(const Sum& sum, const Constants& c) {
    return packed(rest_of_four(sum.even, c), rest_of_four(sum.odd, c), c);
  }

 private:
  static NTTF_INLINE Vec packed(Vec even, Vec odd, const Constants& c) {
    return L::reduce_once(L::reduce_once(L::interleave(even, odd), c.q2), c.q);
  }
  static NTTF_INLINE Vec rest_of_four(Vec x, const Constants& c) {
    const Vec upper = Wide::shift_right_by(x, c.bits);
    const Vec estimate = Wide::add(upper, Half::quotient(upper, c.fraction));
    return Wide::sub(x, Wide::mul_32(estimate, c.wide_q));
  }
  /// Right modulo 2^32, which holds 4q; so the estimate may lose its 33rd bit.
  static NTTF_INLINE Vec rest(Vec x, const Constants& c) {
    const Vec a = Half::high(x);
    const Vec estimate = Wide::add(Half::quotient(a, c.power_quotient), Half::quotient(x, c.one_quotient));
    return Wide::sub(Wide::add(Wide::mul_32(a, c.power), x), Wide::mul_32(estimate, c.wide_q));
  }
};

/// q < 2^32: halves of products are added up apart. x = c 2^64 + a 2^32 + b, each with a quotient of its own:
/// r in [0, 6q), below 2^35.
template <class L>
struct Sums32Full : EvensAndOdds<L> {
  static constexpr std::size_t kFewestTerms = 3;  ///< fewer are faster one after the other
  using Half = EvensAndOdds<L>;
  using Vec = typename L::Vec;
  using Wide = typename L::Wide;
  using Factor = typename Half::Factor;
  struct Sum {
    Vec even_low, even_high, odd_low, odd_high;
  };
  struct Constants {
    Vec q, q2, q4, power, power_quotient, square, square_quotient, one_quotient;
  };
  static NTTF_INLINE Constants constants(const RowModulus& m) {
    const std::uint64_t power = (std::uint64_t{1} << 32) % m.q, square = m.sums.pow64.value;
    return {Half::wide(m.q),
            Half::wide(2 * m.q),
            Half::wide(4 * m.q),
            Half::wide(power),
            Half::wide((power << 32) / m.q),
            Half::wide(square),
            Half::wide((square << 32) / m.q),
            Half::wide(m.sums.one_quotient >> 32)};
  }
  static NTTF_INLINE Sum start(Vec v) {
    return {Half::low(L::evens(v)), Half::wide(0), Half::low(L::odds(v)), Half::wide(0)};
  }
  static NTTF_INLINE void add_product(Sum& sum, const Factor& a, const Factor& b, const Constants&) {
    const Vec even = Wide::mul_32(a.even, b.even), odd = Wide::mul_32(a.odd, b.odd);
    sum.even_low = Wide::add(sum.even_low, Half::low(even));
    sum.even_high = Wide::add(sum.even_high, Half::high(even));
    sum.odd_low = Wide::add(sum.odd_low, Half::low(odd));
    sum.odd_high = Wide::add(sum.odd_high, Half::high(odd));
  }
  static NTTF_INLINE Vec reduce(const Sum& sum, const Constants& c) {
    return L::interleave(residue(sum.even_low, sum.even_high, c), residue(sum.odd_low, sum.odd_high, c));
  }

 private:
  /// y w - floor(y w' / 2^32) q in [0, 2q) for the lower half of y.
  static NTTF_INLINE Vec rest(Vec y, Vec w, Vec quotient, Vec q) {
    return Wide::sub(Wide::mul_32(y, w), Wide::mul_32(Half::quotient(y, quotient), q));
  }
  static NTTF_INLINE Vec residue(Vec low, Vec high, const Constants& c) {
    const Vec middle = Wide::add(high, Half::high(low));  // below 2^42
    const Vec r =
        Wide::add(Wide::add(rest(Half::high(middle), c.square, c.square_quotient, c.q),
                            rest(middle, c.power, c.power_quotient, c.q)),
                  Wide::sub(Half::low(low), Wide::mul_32(Half::quotient(low, c.one_quotient), c.q)));
    return Wide::reduce_once(Wide::reduce_once(Wide::reduce_once(r, c.q4), c.q2), c.q);
  }
};

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

/// At most four terms.
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
