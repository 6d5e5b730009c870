// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cpu/conversion/conversion_lanes_common.hpp"

// Arithmetic of the wide class (moduli and values below 2^62) for the loops of conversion_rows.hpp, over
// lanes whose reduce_once takes any 64-bit word (AVX-512). A sum of products is held in columns, which become
// words of 52 or of 64 bits for its reduction. Ranges and proofs: docs/bounds/conversion64.md.

namespace nttforge {
namespace {

/// Columns 1, 2^52, 2^104 with the 52-bit multiply-add; a factor is 52 + 10 bits.
template <class L>
struct Columns52 {
  using Vector = typename L::Vec;
  struct Factor {
    Vector low, high;
  };
  struct Sum {
    Vector c0, c1, c2;
  };
  struct Words {
    Vector top, middle, low;  // of 24, 52 and 52 bits
  };
  struct Constants {
    Vector q, q2, pow52, pow104, pow52_quotient, pow104_quotient, one_quotient;
  };

  /// 2^104 mod q is made from the square of 2^52. Its quotient multiplies words below 2^24, for
  /// which the one of doubles, perhaps 1 too large, is as good as the exact one when 1 is taken off.
  static NTTF_INLINE Constants constants(const RowModulus& m) {
    const std::uint64_t pow104 = mul_shoup(m.pow52.value, m.pow52, m.q);
    const double share = static_cast<double>(static_cast<std::int64_t>(pow104)) * m.inverse;
    const auto quotient = static_cast<std::uint64_t>(static_cast<std::int64_t>(share * 0x1p52));
    // floor(floor(w 2^64 / q) / 2^12) = floor(w 2^52 / q)
    return {L::broadcast(m.q),
            L::broadcast(2 * m.q),
            L::broadcast(m.pow52.value),
            L::broadcast(pow104),
            L::broadcast(m.pow52.quotient >> 12),
            L::broadcast(quotient - (quotient != 0)),
            L::broadcast(m.one_quotient >> 12)};
  }
  static NTTF_INLINE Vector mask() { return L::broadcast((std::uint64_t{1} << 52) - 1); }
  static NTTF_INLINE Sum start(Vector v) { return {v, L::broadcast(0), L::broadcast(0)}; }
  static NTTF_INLINE Factor factor(Vector v) {
    return {L::bit_and(v, mask()), L::template shift_right<52>(v)};
  }
  static NTTF_INLINE void add_product(Sum& sum, const Factor& a, const Factor& b) {
    sum.c0 = L::madd52_lo(sum.c0, a.low, b.low);
    sum.c1 = L::madd52_hi(sum.c1, a.low, b.low);
    sum.c1 = L::madd52_lo(sum.c1, a.low, b.high);
    sum.c1 = L::madd52_lo(sum.c1, a.high, b.low);
    sum.c2 = L::madd52_hi(sum.c2, a.low, b.high);
    sum.c2 = L::madd52_hi(sum.c2, a.high, b.low);
    sum.c2 = L::madd52_lo(sum.c2, a.high, b.high);
  }
  static NTTF_INLINE Words words(const Sum& sum) {
    const Vector middle = L::add(sum.c1, L::template shift_right<52>(sum.c0));
    return {L::add(sum.c2, L::template shift_right<52>(middle)), L::bit_and(middle, mask()),
            L::bit_and(sum.c0, mask())};
  }
  static NTTF_INLINE Vector upper64(const Sum& sum) {
    const Words w = words(sum);
    return L::add(L::template shift_left<40>(w.top), L::template shift_right<12>(w.middle));
  }
  /// One quotient estimate for all parts, at most 5 too small, and at most 3 if q is near 2^62.
  static NTTF_INLINE Vector reduce(const Sum& sum, const Constants& m) {
    const auto [top, middle, low] = words(sum);
    const Vector quotient = L::madd52_hi(
        L::madd52_hi(L::madd52_hi(L::broadcast(0), middle, m.pow52_quotient), top, m.pow104_quotient), low,
        m.one_quotient);
    const Vector parts = L::add(L::add(L::mul_lo(middle, m.pow52), L::mul_lo(top, m.pow104)), low);
    const Vector r = L::sub(parts, L::mul_lo(quotient, m.q));
    return L::reduce_once(L::reduce_once(L::reduce_once(r, m.q2), m.q2), m.q);
  }
};

/// Columns 1, 2^32, 2^64 with 32-bit products; a factor is 32 + 30 bits, its lower half the word itself.
template <class L>
struct Columns32 {
  using Vector = typename L::Vec;
  struct Factor {
    Vector low, high;
  };
  struct Sum {
    Vector c0, c1, c2;
  };
  struct Words {
    Vector high, low;
  };
  struct Constants {
    Vector q, q2, pow64, pow64_quotient, one_quotient;
  };

  static NTTF_INLINE Constants constants(const RowModulus& m) {
    return {L::broadcast(m.q), L::broadcast(2 * m.q), L::broadcast(m.pow64.value),
            L::broadcast(m.pow64.quotient), L::broadcast(m.one_quotient)};
  }
  static NTTF_INLINE Vector mask() { return L::broadcast(0xFFFFFFFFu); }
  static NTTF_INLINE Sum start(Vector v) {
    return {L::bit_and(v, mask()), L::template shift_right<32>(v), L::broadcast(0)};
  }
  static NTTF_INLINE Factor factor(Vector v) { return {v, L::template shift_right<32>(v)}; }
  static NTTF_INLINE void add_product(Sum& sum, const Factor& a, const Factor& b) {
    const Vector low = L::mul_32(a.low, b.low);
    const Vector middle = L::add(L::mul_32(a.low, b.high), L::mul_32(a.high, b.low));  // below 2^63
    sum.c0 = L::add(sum.c0, L::bit_and(low, mask()));
    sum.c1 = L::add(L::add(sum.c1, L::template shift_right<32>(low)), L::bit_and(middle, mask()));
    sum.c2 = L::add(L::add(sum.c2, L::template shift_right<32>(middle)), L::mul_32(a.high, b.high));
  }
  static NTTF_INLINE Words words(const Sum& sum) {
    const Vector middle = L::add(sum.c1, L::template shift_right<32>(sum.c0));
    return {L::add(sum.c2, L::template shift_right<32>(middle)),
            L::add(L::template shift_left<32>(middle), L::bit_and(sum.c0, mask()))};
  }
  static NTTF_INLINE Vector upper64(const Sum& sum) { return words(sum).high; }
  /// sum = a 2^64 + b: one quotient estimate for both parts, at most 3 too small; 4q < 2^64.
  static NTTF_INLINE Vector reduce(const Sum& sum, const Constants& m) {
    const auto [a, b] = words(sum);
    const Vector quotient = L::add(L::mul_hi(a, m.pow64_quotient), L::mul_hi(b, m.one_quotient));
    const Vector r = L::sub(L::add(L::mul_lo(a, m.pow64), b), L::mul_lo(quotient, m.q));
    return L::reduce_once(L::reduce_once(r, m.q2), m.q);
  }
};

template <class L, class Columns>
struct LanesWide : ConversionLanes<L> {
  static constexpr std::size_t kVectors = 2;
  static constexpr std::size_t kOutputs = 2;
  static constexpr std::size_t kDigits = 2;
  static constexpr bool kPrepares = false;
  static constexpr unsigned kSumBits = 128;
  using Vector = typename L::Vec;
  using Factor = typename Columns::Factor;
  using Sum = typename Columns::Sum;
  struct Constants {
    typename Columns::Constants sums;
    Vector q, one_quotient;
  };
  struct Scale {
    Vector w, quotient, q;
  };

  static NTTF_INLINE Constants constants(const RowModulus& m) {
    return {Columns::constants(m), L::broadcast(m.q), L::broadcast(m.one_quotient)};
  }
  static NTTF_INLINE Scale scale(const ScaleRow& row) {
    return {L::broadcast(row.w.value), L::broadcast(row.w.quotient), L::broadcast(row.modulus.q)};
  }

  static NTTF_INLINE Sum start(Vector v) { return Columns::start(v); }
  static NTTF_INLINE Factor factor(Vector v) { return Columns::factor(v); }
  static NTTF_INLINE Factor factor_of(std::uint64_t c) { return Columns::factor(L::broadcast(c)); }
  static NTTF_INLINE void add_product(Sum& sum, const Factor& a, const Factor& b) {
    Columns::add_product(sum, a, b);
  }

  static constexpr unsigned kUpperBits = 64;
  static NTTF_INLINE Vector upper(const Sum& sum) { return Columns::upper64(sum); }

  /// sum -> [0, q).
  static NTTF_INLINE Vector reduce(const Sum& sum, const Constants& m) {
    return Columns::reduce(sum, m.sums);
  }
  static NTTF_INLINE Vector reduce_word(Vector x, const Constants& m) {
    return L::reduce_once(L::sub(x, L::mul_lo(L::mul_hi(x, m.one_quotient), m.q)), m.q);
  }

  /// w x - estimate q in [0, 2q).
  static NTTF_INLINE Vector rest(Vector x, Vector estimate, const Scale& s) {
    return L::sub(L::mul_lo(x, s.w), L::mul_lo(estimate, s.q));
  }
  static NTTF_INLINE Vector multiply(Vector x, const Scale& s) {
    return L::reduce_once(rest(x, L::mul_hi(x, s.quotient), s), s.q);
  }
};

}  // namespace
}  // namespace nttforge
