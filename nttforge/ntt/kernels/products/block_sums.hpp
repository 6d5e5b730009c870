// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums of products of words, reduced once: what block_products.hpp is made of. A product's left factor is
// left(a value of forward), a product with a table entry or such a one negated, the right one right(a value
// of forward). Bounds: docs/bounds/pair_products.md.

#include <cstdint>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/kernels/products/goldilocks_product.hpp"
#include "nttforge/ntt/kernels/products/products.hpp"

namespace nttforge {

/// v - m where v >= m, else v. A minimum, so compilers make it a conditional move.
NTTF_INLINE std::uint64_t minus_once(std::uint64_t v, std::uint64_t m) {
  const std::uint64_t t = v - m;
  return t < v ? t : v;
}

/// q < 2^62 if wide, else q < 2^60; values in [0, 4q), at most eight products -> [0, 2q), over 2^64.
template <bool wide>
class SumsOfWords {
 public:
  using Sum = u128;
  static constexpr unsigned kBits = 64, kLimitBits = wide ? 62 : 60;
  explicit NTTF_INLINE SumsOfWords(std::uint64_t q) : q_(q), q2_(2 * q), inverse_(inverse_of_odd(q)) {}

  NTTF_INLINE std::uint64_t left(std::uint64_t v) const { return wide ? minus_once(v, q2_) : v; }
  NTTF_INLINE std::uint64_t right(std::uint64_t v) const { return minus_once(minus_once(v, q2_), q_); }
  NTTF_INLINE std::uint64_t negated(std::uint64_t t) const { return q2_ - t; }
  static NTTF_INLINE void add(Sum& sum, std::uint64_t a, std::uint64_t b) { sum += static_cast<u128>(a) * b; }
  NTTF_INLINE std::uint64_t reduced(Sum x) const {
    const std::uint64_t factor = static_cast<std::uint64_t>(x) * inverse_;
    const auto low = static_cast<std::uint64_t>((static_cast<u128>(factor) * q_) >> 64);
    const auto high = static_cast<std::uint64_t>(x >> 64);  // below 2q, 4q if wide
    return minus_once((wide ? minus_once(high, q2_) : high) - low + q_, q2_);
  }

 private:
  std::uint64_t q_, q2_, inverse_;
};

/// q < 2^32, values in [0, q), at most eight products -> [0, q), over 2^64. Sums of one word: q < 2^30.
template <class SumWord>
class SumsOfHalfWords {
 public:
  using Sum = SumWord;
  static constexpr unsigned kBits = 64, kLimitBits = sizeof(Sum) > 8 ? 32 : 30;
  explicit NTTF_INLINE SumsOfHalfWords(std::uint64_t q) : q_(q), inverse_(inverse_of_odd(q)) {}

  NTTF_INLINE std::uint64_t negated(std::uint64_t t) const { return q_ - t; }
  static NTTF_INLINE std::uint64_t left(std::uint64_t v) { return v; }
  static NTTF_INLINE std::uint64_t right(std::uint64_t v) { return v; }
  static NTTF_INLINE void add(Sum& sum, std::uint64_t a, std::uint64_t b) { sum += a * b; }
  NTTF_INLINE std::uint64_t reduced(Sum x) const {
    const std::uint64_t factor = static_cast<std::uint64_t>(x) * inverse_;
    const auto low = static_cast<std::uint64_t>((static_cast<u128>(factor) * q_) >> 64);
    const std::uint64_t high = sizeof(Sum) > 8 ? static_cast<std::uint64_t>(static_cast<u128>(x) >> 64) : 0;
    return minus_once(high - low + q_, q_);
  }

 private:
  std::uint64_t q_, inverse_;
};

/// The Goldilocks prime p, values in [0, p), at most eight products -> [0, p).
class SumsOfGoldilocks {
 public:
  struct Sum {
    u128 low;
    std::uint64_t high;
  };
  static constexpr unsigned kBits = 0;
  explicit NTTF_INLINE SumsOfGoldilocks(std::uint64_t) {}

  static NTTF_INLINE std::uint64_t negated(std::uint64_t t) { return goldilocks::negate(t); }
  static NTTF_INLINE std::uint64_t left(std::uint64_t v) { return v; }
  static NTTF_INLINE std::uint64_t right(std::uint64_t v) { return v; }
  static NTTF_INLINE void add(Sum& sum, std::uint64_t a, std::uint64_t b) {
    sum.high += __builtin_add_overflow(sum.low, static_cast<u128>(a) * b, &sum.low);
  }
  static NTTF_INLINE std::uint64_t reduced(const Sum& x) {  // 2^128 = -2^32
    return goldilocks::sub(goldilocks::reduce128(x.low), x.high << 32);
  }
};

/// Vectors of 32-bit words, q < 2^30, values in [0, 4q), four products -> [0, 2q), over 2^32.
template <class Lanes>
struct VectorSums32 {
  using Wide = typename Lanes::Wide;
  using V = typename Lanes::Vec;
  using Products = typename ShoupProduct<Lanes>::Constants;
  static constexpr unsigned kBits = 32;
  struct Factor {
    V even, odd;
  };
  struct Constants {
    V q, q2, wide_q, inverse;
  };
  static NTTF_KERNEL Constants constants(std::uint32_t q) {
    return {Lanes::broadcast(q), Lanes::broadcast(2 * q), Wide::broadcast(q),
            Wide::broadcast(inverse_of_odd(q))};
  }
  static NTTF_KERNEL Factor wrapped(V v, const Constants&) { return {v, Lanes::odds(v)}; }
  static NTTF_KERNEL Factor left(V v, const Constants& k) { return wrapped(Lanes::reduce_once(v, k.q2), k); }
  static NTTF_KERNEL Factor right(V v, const Constants& k) {
    return wrapped(Lanes::reduce_once(Lanes::reduce_once(v, k.q2), k.q), k);
  }
  static NTTF_KERNEL V reduced(const Factor (&a)[4], const Factor (&b)[4], const Constants& k) {
    V even = Wide::mul_32(a[0].even, b[0].even), odd = Wide::mul_32(a[0].odd, b[0].odd);
    NTTF_UNROLL for (int i = 1; i < 4; ++i) {
      even = Wide::add(even, Wide::mul_32(a[i].even, b[i].even));
      odd = Wide::add(odd, Wide::mul_32(a[i].odd, b[i].odd));
    }
    const V r = Lanes::merge_upper(without_low(even, k), without_low(odd, k));  // (-q, 2q)
    return Lanes::reduce_once(Lanes::add(r, k.q), k.q2);
  }

 private:
  static NTTF_KERNEL V without_low(V x, const Constants& k) {
    return Wide::sub(x, Wide::mul_32(Wide::mul_32(x, k.inverse), k.wide_q));
  }
};

/// Vectors of 64-bit words in halves of 31 bits, and a step of Montgomery's reduction by 2^31: what is
/// subtracted has the same 31 lower bits, so no carry is lost.
template <class Lanes>
struct HalvesOf31 {
  using V = typename Lanes::Vec;
  static constexpr unsigned kBits = 62;  ///< of two steps
  struct Constants {
    V q, q2, q_low, q_high, inverse, mask;
  };
  static NTTF_KERNEL Constants constants(std::uint64_t q) {
    return {Lanes::broadcast(q),
            Lanes::broadcast(2 * q),
            Lanes::broadcast(q & 0x7FFFFFFFu),
            Lanes::broadcast(q >> 31),
            Lanes::broadcast(inverse_of_odd(q)),
            Lanes::broadcast(0x7FFFFFFFu)};
  }
  static NTTF_KERNEL V lower(V v, const Constants& k) { return Lanes::bit_and(v, k.mask); }
  static NTTF_KERNEL V upper(V v) { return Lanes::template shift_right<31>(v); }
  /// more + (x - m q) / 2^31 + q with m < 2^31 such that the division is exact.
  static NTTF_KERNEL V step(V more, V x, const Constants& k) {
    const V m = lower(Lanes::mul_32(x, k.inverse), k);
    const V carried = Lanes::add(Lanes::add(more, k.q), upper(x));
    const V taken = upper(Lanes::mul_32(m, k.q_low));
    return Lanes::sub(Lanes::sub(carried, Lanes::mul_32(m, k.q_high)), taken);
  }
};

/// q < 2^60, values in [0, 4q), products with table entries in (0, 2q); four products -> [0, 2q), over 2^62.
/// The cross products of two words come from one multiplication.
template <class Lanes>
struct VectorSums60 : HalvesOf31<Lanes> {
  using Base = HalvesOf31<Lanes>;
  using typename Base::Constants;
  using typename Base::V;
  struct Factor {
    V low, high, sum;
  };
  static NTTF_KERNEL Factor wrapped(V v, const Constants& k) {
    const V low = Base::lower(v, k), high = Base::upper(v);
    return {low, high, Lanes::add(low, high)};
  }
  static NTTF_KERNEL Factor left(V v, const Constants& k) {
    return wrapped(Lanes::reduce_once_small(v, k.q2), k);
  }
  static NTTF_KERNEL Factor right(V v, const Constants& k) {
    return wrapped(Lanes::reduce_once_small(Lanes::reduce_once_small(v, k.q2), k.q), k);
  }
  static NTTF_KERNEL V reduced(const Factor (&a)[4], const Factor (&b)[4], const Constants& k) {
    V low = Lanes::mul_32(a[0].low, b[0].low), high = Lanes::mul_32(a[0].high, b[0].high);
    V cross = Lanes::mul_32(a[0].sum, b[0].sum);
    NTTF_UNROLL for (int i = 1; i < 4; ++i) {
      low = Lanes::add(low, Lanes::mul_32(a[i].low, b[i].low));
      high = Lanes::add(high, Lanes::mul_32(a[i].high, b[i].high));
      cross = Lanes::add(cross, Lanes::mul_32(a[i].sum, b[i].sum));
    }
    cross = Lanes::sub(Lanes::sub(cross, low), high);
    return Lanes::reduce_once_small(Base::step(high, Base::step(cross, low, k), k), k.q2);
  }
};

/// q < 2^62, values as the butterfly holds them; four products -> the interval of its inverse, over 2^62.
/// Factors are reduced to [0, q]. The sum of all cross products has more than 64 bits, so there are two, of
/// which lower and upper halves are added.
template <class Butterfly>
struct VectorSums62 : HalvesOf31<typename Butterfly::Lanes> {
  using Lanes = typename Butterfly::Lanes;
  using Base = HalvesOf31<Lanes>;
  using Product = typename Butterfly::Product;
  using V = typename Lanes::Vec;
  struct Constants {
    typename Base::Constants halves;
    typename Product::Constants product;
  };
  struct Factor {
    V low, high;
  };
  static NTTF_KERNEL Constants constants(std::uint64_t q) {
    return {Base::constants(q), Product::constants(q)};
  }
  static NTTF_KERNEL Factor wrapped(V t, const Constants& k) {
    return factor(reduce_product<Product>(t, k.product), k);
  }
  static NTTF_KERNEL Factor left(V v, const Constants& k) {
    return factor(Butterfly::reduce_forward(v, k.product), k);
  }
  static NTTF_KERNEL Factor right(V v, const Constants& k) { return left(v, k); }
  static NTTF_KERNEL V reduced(const Factor (&a)[4], const Factor (&b)[4], const Constants& k) {
    constexpr bool wide = Product::kBound == 2;  // 4q of the interval, or q itself, reaches 2^64
    V low = Lanes::mul_32(a[0].low, b[0].low), high = Lanes::mul_32(a[0].high, b[0].high);
    NTTF_UNROLL for (int i = 1; i < 4; ++i) {
      low = Lanes::add(low, Lanes::mul_32(a[i].low, b[i].low));
      high = Lanes::add(high, Lanes::mul_32(a[i].high, b[i].high));
    }
    const V first = cross(a[0], b[0], a[1], b[1]), second = cross(a[2], b[2], a[3], b[3]);
    const V lower = Lanes::add(Base::lower(first, k.halves), Base::lower(second, k.halves));
    if constexpr (wide) high = Lanes::reduce_once(high, k.halves.q2);
    high = Lanes::add(high, Lanes::add(Base::upper(first), Base::upper(second)));
    const V r = Base::step(high, Base::step(lower, low, k.halves), k.halves);
    return wide ? Lanes::reduce_once(r, k.halves.q2) : r;
  }

 private:
  static NTTF_KERNEL Factor factor(V v, const Constants& k) {
    return {Base::lower(v, k.halves), Base::upper(v)};
  }
  static NTTF_KERNEL V cross(const Factor& a, const Factor& b, const Factor& c, const Factor& d) {
    return Lanes::add(Lanes::add(Lanes::mul_32(a.low, b.high), Lanes::mul_32(a.high, b.low)),
                      Lanes::add(Lanes::mul_32(c.low, d.high), Lanes::mul_32(c.high, d.low)));
  }
};

}  // namespace nttforge
