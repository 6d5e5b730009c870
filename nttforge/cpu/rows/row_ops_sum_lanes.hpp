// SPDX-License-Identifier: Apache-2.0
#pragma once

// What sums of products of rows are added up in, by class of modulus: types Sums of row_ops_sums.hpp. Bounds:
// docs/bounds/sums.md.

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/cpu/conversion/conversion_lanes_narrow.hpp"
#include "nttforge/cpu/conversion/conversion_lanes_wide.hpp"
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
            Half::wide(m.one_quotient >> 32),
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
    const std::uint64_t power = (std::uint64_t{1} << 32) % m.q, square = m.pow64.value;
    return {Half::wide(m.q),
            Half::wide(2 * m.q),
            Half::wide(4 * m.q),
            Half::wide(power),
            Half::wide((power << 32) / m.q),
            Half::wide(square),
            Half::wide((square << 32) / m.q),
            Half::wide(m.one_quotient >> 32)};
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

}  // namespace
}  // namespace nttforge::cpu
