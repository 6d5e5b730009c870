// SPDX-License-Identifier: Apache-2.0
#pragma once

// Butterflies in doubles with fused multiply-add, for q < 2^50. Values are integers in doubles, between
// passes too; residues are signed and no conditional subtraction is needed: rounding the quotient to nearest
// centres every product. All bounds, and why each operation is exact: docs/bounds/fp64.md.

#include <bit>
#include <cstdint>

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/kernels/butterflies.hpp"
#include "nttforge/ntt/kernels/thirty_two/lane_exchange.hpp"

namespace nttforge {

/// Lanes seen as doubles: memory words hold the bits of doubles.
template <class Base>
struct RealLanes {
  using Integers = Base;
  using Word = typename Base::Word;
  using Vec = typename Base::Real;
  static constexpr std::size_t kWidth = Base::kWidth;

  static NTTF_KERNEL Vec load(const Word* p) { return Base::bits_to_real(Base::load(p)); }
  static NTTF_KERNEL void store(Word* p, Vec v) { Base::store(p, Base::real_to_bits(v)); }
  static NTTF_KERNEL Vec broadcast(Word w) { return Base::bits_to_real(Base::broadcast(w)); }
  template <bool inverted>
    requires ExchangingLanes<Base>
  static NTTF_KERNEL void exchange(Vec& a, Vec& b, unsigned step) {
    typename Base::Vec x = Base::real_to_bits(a), y = Base::real_to_bits(b);
    Base::template exchange<inverted>(x, y, step);
    a = Base::bits_to_real(x);
    b = Base::bits_to_real(y);
  }
  template <std::size_t count>
  static NTTF_KERNEL Vec load_repeated(const Word* p) {
    return Base::bits_to_real(Base::template load_repeated<count>(p));
  }
  static NTTF_KERNEL void load_square(Vec (&r)[kWidth], const Word* p)
    requires requires(typename Base::Vec (&bits)[kWidth]) { Base::load_square(bits, p); }
  {
    typename Base::Vec bits[kWidth];
    Base::load_square(bits, p);
    NTTF_UNROLL for (std::size_t i = 0; i < kWidth; ++i) r[i] = Base::bits_to_real(bits[i]);
  }
  static NTTF_KERNEL void store_square(Word* p, const Vec (&r)[kWidth])
    requires requires(const typename Base::Vec (&bits)[kWidth]) { Base::store_square(p, bits); }
  {
    typename Base::Vec bits[kWidth];
    NTTF_UNROLL for (std::size_t i = 0; i < kWidth; ++i) bits[i] = Base::real_to_bits(r[i]);
    Base::store_square(p, bits);
  }
  static NTTF_KERNEL void transpose(Vec (&r)[kWidth]) {
    typename Base::Vec bits[kWidth];
    NTTF_UNROLL for (std::size_t i = 0; i < kWidth; ++i) bits[i] = Base::real_to_bits(r[i]);
    Base::transpose(bits);
    NTTF_UNROLL for (std::size_t i = 0; i < kWidth; ++i) r[i] = Base::bits_to_real(bits[i]);
  }
};

template <class LanesType>
struct Fp64Product {
  using Base = LanesType;
  using Lanes = RealLanes<LanesType>;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  struct Twiddle {
    V value, quotient;  ///< w in (-q/2, q/2), w / q rounded
  };
  /// Twiddles in lane vectors without quotients: half the table where each entry serves one butterfly.
  struct ValueTwiddle {
    V value;
  };
  struct Constants {
    V q, inverse, half_inverse;  ///< q, 1 / q rounded, half of that
    V two52, middle;             ///< 2^52, 1.5 2^52
    typename Base::Vec word_q;
    typename Base::Vec factor_bits;  ///< of 2^52 + (-2^52 mod q), a multiple of q
  };
  static TwiddleEntry entry(std::uint64_t w, std::uint64_t q) { return real_entry(w, q); }
  static NTTF_KERNEL Constants constants(Word q) {
    constexpr Word kBits52 = std::bit_cast<Word>(0x1p52);
    const double real = static_cast<double>(q);
    return {Base::real_broadcast(real),
            Base::real_broadcast(1 / real),
            Base::real_broadcast(0.5 / real),
            Base::real_broadcast(0x1p52),
            Base::real_broadcast(0x1.8p52),
            Base::broadcast(q),
            Base::broadcast(kBits52 + (q - (Word{1} << 52) % q))};
  }
  static NTTF_KERNEL Twiddle twiddle(V value, V quotient) { return {value, quotient}; }

  /// t = y w - round(y w / q) q: the product as an unevaluated sum high + low is exact, and so is each
  /// difference.
  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V high[K], low[K], estimate[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Base::real_mul(y[i], w[i].value);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Base::real_mul(y[i], w[i].quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Base::real_fms(y[i], w[i].value, high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Base::real_round(estimate[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Base::real_fnma(estimate[i], c.q, high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Base::real_add(high[i], low[i]);
  }

  /// The quotient from the product: a chain longer by one operation, |t| <= (1/2 + C/8 + rho) q.
  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const ValueTwiddle (&w)[K],
                                   const Constants& c) {
    V factors[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) factors[i] = w[i].value;
    multiply_values(t, y, factors, c);
  }
  template <int K>
  static NTTF_KERNEL void multiply_values(V (&t)[K], const V (&y)[K], const V (&w)[K], const Constants& c) {
    V high[K], low[K], estimate[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Base::real_mul(y[i], w[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Base::real_mul(high[i], c.inverse);
    NTTF_UNROLL for (int i = 0; i < K; ++i) low[i] = Base::real_fms(y[i], w[i], high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Base::real_round(estimate[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) high[i] = Base::real_fnma(estimate[i], c.q, high[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Base::real_add(high[i], low[i]);
  }

  /// Any |v| < 2^53 -> [-q/2, q/2] (and a rounding error of the quotient more).
  template <int K>
  static NTTF_KERNEL void centre(V (&v)[K], const Constants& c) {
    V estimate[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Base::real_mul(v[i], c.inverse);
    NTTF_UNROLL for (int i = 0; i < K; ++i) estimate[i] = Base::real_round(estimate[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) v[i] = Base::real_fnma(estimate[i], c.q, v[i]);
  }
  static NTTF_KERNEL V centred(V v, const Constants& c) {
    return Base::real_fnma(Base::real_round(Base::real_mul(v, c.inverse)), c.q, v);
  }
};

template <class LanesType>
struct Fp64Types : ButterflyTypes<Fp64Product<LanesType>> {
  using V = typename Fp64Product<LanesType>::V;
  using Constants = typename Fp64Product<LanesType>::Constants;
  static constexpr bool kConverts = true;
  static NTTF_KERNEL V enter(V v) { return LanesType::to_real(LanesType::real_to_bits(v)); }
  static NTTF_KERNEL V enter_lazy(V v, const Constants& c) {
    return LanesType::to_real(LanesType::reduce_once(LanesType::real_to_bits(v), c.word_q));
  }
};

template <class LanesType>
struct Fp64Butterfly : Fp64Types<LanesType> {
  using Base = LanesType;
  using typename Fp64Types<LanesType>::Constants;
  using typename Fp64Types<LanesType>::Product;
  using typename Fp64Types<LanesType>::Twiddle;
  using typename Fp64Types<LanesType>::V;

  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  Step step) {
    V t[K];
    const double entering = step == Step::first ? 4 : 2.8;
    promise(x, c, entering);
    promise(y, c, entering);
    Product::multiply(t, y, w, c);
    if (step != Step::keep) Product::centre(x, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Base::real_sub(x[i], t[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Base::real_add(x[i], t[i]);
    promise(x, c, 2.8);
    promise(y, c, 2.8);
  }

  static NTTF_KERNEL V reduce_forward(V v, const Constants& c) {
    // The last step is in integers, so that -0.0 becomes 0.
    const V positive = Base::real_add(Product::centred(v, c), c.q);
    return Base::bits_to_real(Base::reduce_once(Base::from_real(positive), c.word_q));
  }
  template <int K>
  static NTTF_KERNEL void forward_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    forward(x, y, w, c, Step::reduce);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = reduce_forward(x[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = reduce_forward(y[i], c);
  }

  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  Step step) {
    V d[K];
    promise(x, c, 2.1);
    promise(y, c, 2.1);
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Base::real_sub(x[i], y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Base::real_add(x[i], y[i]);
    Product::multiply(y, d, w, c);
    if (step == Step::reduce) Product::centre(x, c);
  }

  template <int K>
  static NTTF_KERNEL void inverse_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle (&scale)[K],
                                       const Constants& c) {
    V s[K];
    inverse(x, y, w, c, Step::keep);
    NTTF_UNROLL for (int i = 0; i < K; ++i) s[i] = x[i];
    Product::multiply(x, s, scale, c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = reduce_forward(x[i], c);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = reduce_forward(y[i], c);
  }

 private:
  /// The checked build asserts that |v| <= times q.
  template <int K>
  static NTTF_KERNEL void promise([[maybe_unused]] const V (&v)[K], [[maybe_unused]] const Constants& c,
                                  [[maybe_unused]] double times) {
    if constexpr (requires { Base::promise_within(v[0], c.q, times); }) {
      for (int i = 0; i < K; ++i) Base::promise_within(v[i], c.q, times);
    }
  }
};

}  // namespace nttforge
