#pragma once

// Sums of two products of words, reduced together by Montgomery's method: what pair_products.hpp is made of.
// docs/bounds/pair_products.md.

#include <cstdint>

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/products.hpp"

namespace nttforge {

/// 32-bit words in vectors, q < 2^30: left in [0, 2q), right in [0, q) -> a b + c d over 2^32 in (0, 2q).
template <class Lanes>
struct ReducedSum32 {
  using Wide = typename Lanes::Wide;
  using V = typename Lanes::Vec;
  using Products = typename ShoupProduct<Lanes>::Constants;
  struct Constants {
    V q, wide_q, inverse;
  };
  static NTTF_KERNEL Constants constants(std::uint32_t q) {
    return {Lanes::broadcast(q), Wide::broadcast(q), Wide::broadcast(inverse_of_odd(q))};
  }
  static NTTF_KERNEL V left(V v, const Products& c) { return Lanes::reduce_once(v, c.q2); }
  static NTTF_KERNEL V right(V v, const Products& c) {
    return Lanes::reduce_once(Lanes::reduce_once(v, c.q2), c.q);
  }
  static NTTF_KERNEL V reduced(V a, V b, V c, V d, const Constants& k) {
    const V even = sum(a, b, c, d, k);
    const V odd = sum(Lanes::odds(a), Lanes::odds(b), Lanes::odds(c), Lanes::odds(d), k);
    return Lanes::add(Lanes::merge_upper(even, odd), k.q);
  }

 private:
  /// 2^32 times the reduced sum, in (-q, q).
  static NTTF_KERNEL V sum(V a, V b, V c, V d, const Constants& k) {
    const V x = Wide::add(Wide::mul_32(a, b), Wide::mul_32(c, d));
    return Wide::sub(x, Wide::mul_32(Wide::mul_32(x, k.inverse), k.wide_q));
  }
};

/// 64-bit words in vectors, q < 2^60, products in [0, 4q): left in [0, 4q), right in [0, 2q) -> [0, 2q). Two
/// steps of 32 bits.
template <class Lanes>
struct ReducedSum60 {
  using V = typename Lanes::Vec;
  struct Constants {
    V q, q_high, minus_inverse, mask;
  };
  static NTTF_KERNEL Constants constants(std::uint64_t q) {
    return {Lanes::broadcast(q), Lanes::broadcast(q >> 32), Lanes::broadcast(0 - inverse_of_odd(q)),
            Lanes::broadcast(0xFFFFFFFFu)};
  }
  template <class Products>
  static NTTF_KERNEL V left(V v, const Products& c) {
    return Lanes::reduce_once(Lanes::reduce_once(v, c.twice_bound), c.bound);
  }
  template <class Products>
  static NTTF_KERNEL V right(V v, const Products& c) {
    return Lanes::reduce_once(left(v, c), c.q2);
  }
  static NTTF_KERNEL V reduced(V a, V b, V c, V d, const Constants& k) {
    const V a1 = upper(a), b1 = upper(b), c1 = upper(c), d1 = upper(d);
    const V low_ab = Lanes::mul_32(a, b), low_cd = Lanes::mul_32(c, d);
    const V cross = Lanes::add(Lanes::add(Lanes::mul_32(a1, b), Lanes::mul_32(a, b1)),
                               Lanes::add(Lanes::mul_32(c1, d), Lanes::mul_32(c, d1)));
    const V low = Lanes::add(Lanes::bit_and(low_ab, k.mask), Lanes::bit_and(low_cd, k.mask));
    const V m = Lanes::mul_32(low, k.minus_inverse);
    V middle =
        Lanes::add(Lanes::add(cross, Lanes::mul_32(m, k.q_high)), Lanes::add(upper(low_ab), upper(low_cd)));
    middle = Lanes::add(middle, upper(Lanes::add(low, Lanes::mul_32(m, k.q))));
    const V m1 = Lanes::mul_32(middle, k.minus_inverse);
    const V carry = upper(Lanes::add(Lanes::bit_and(middle, k.mask), Lanes::mul_32(m1, k.q)));
    const V high = Lanes::add(Lanes::mul_32(a1, b1), Lanes::mul_32(c1, d1));
    return Lanes::add(Lanes::add(high, Lanes::mul_32(m1, k.q_high)), Lanes::add(upper(middle), carry));
  }

 private:
  static NTTF_KERNEL V upper(V v) { return Lanes::template shift_right<32>(v); }
};

/// The same where values are below 4q anyway and products below 2q (HalvesProduct).
template <class Lanes>
struct ReducedSumOfHalves : ReducedSum60<Lanes> {
  using V = typename Lanes::Vec;
  template <class Products>
  static NTTF_KERNEL V left(V v, const Products&) {
    return v;
  }
  template <class Products>
  static NTTF_KERNEL V right(V v, const Products& c) {
    return Lanes::reduce_once(v, c.q2);
  }
};

}  // namespace nttforge
