// SPDX-License-Identifier: Apache-2.0
#pragma once

// Butterflies of 52-bit multiply-adds alone, for q < 2^50: six operations forward, seven inverse, where the
// general butterfly (butterflies.hpp) with the 52-bit product takes nine. docs/bounds/ifma52.md has the
// intervals.
//
// Values count modulo 2^52 only: the multiplier reads 52 bits, so whatever additions leave above them is
// never cleared. x is brought below 2q by an estimate of x / q, as products are; q times both estimates is
// taken off inside the accumulations, and offsets of q come free as what an estimate starts from.
//
//   forward   A = z + t, B = t - z = A - 2z in one operation: B is the negative of what a butterfly should
//             give. Rows of one group share their sign, so nothing changes before the last stage, where the
//             sign of a position, (-1)^(ones in its index), is taken off again.
//   inverse   the next stage adds and subtracts: it wants its x in [q, 3q) and its y in [-q, q), so that
//             both results are positive. Each row is given the offset that its role in the next stage needs.

#include <bit>
#include <cstdint>

#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/kernels/butterflies.hpp"

namespace nttforge {

template <class LanesType>
struct IfmaProduct52 {
  using Lanes = LanesType;
  using Word = typename Lanes::Word;
  using V = typename Lanes::Vec;
  static constexpr Word kTwo52 = Word{1} << 52;
  static constexpr std::size_t kLanes = Lanes::kWidth;
  static constexpr unsigned kLanesLog = static_cast<unsigned>(std::countr_zero(kLanes));
  struct Twiddle {
    V value, quotient;
  };
  struct Constants {
    V q, q2, minus_q, inverse;  ///< 2^52 - q, floor(2^52 / q)
    V one, minus_one, minus_two, mask;
    /// Signs of the lanes of a transposed codelet, [1] those of [0] negated: 1 or -1, -q or q, 0 or 2q.
    V sign[2], sign_minus_q[2], sign_offset[2];
    V top_shift;  ///< 0 in the lower half of the lanes, -2q in the upper
  };

  /// Constants that differ from lane to lane.
  struct Patterns {
    alignas(64) Word sign[2][kLanes];              ///< 1 or -1 modulo 2^52, by the number of ones in the lane
    alignas(64) Word negative[2][kLanes];          ///< all ones where sign is -1
    alignas(64) Word role[kLanesLog + 1][kLanes];  ///< -1, or 1 where bit [] of the lane is set
    alignas(64) Word upper[kLanes];                ///< all ones in the upper half
  };
  static constexpr Patterns make_patterns() {
    Patterns p{};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned negated = 0; negated < 2; ++negated) {
        const bool negative = (static_cast<unsigned>(std::popcount(lane)) + negated) % 2 != 0;
        p.sign[negated][lane] = negative ? kTwo52 - 1 : 1;
        p.negative[negated][lane] = negative ? ~Word{0} : 0;
      }
      for (unsigned bit = 0; bit < kLanesLog; ++bit)
        p.role[bit][lane] = (lane >> bit & 1u) != 0 ? 1 : ~Word{0};
      p.upper[lane] = lane >= kLanes / 2 ? ~Word{0} : 0;
    }
    return p;
  }
  static constexpr Patterns kPatterns = make_patterns();

  static TwiddleEntry entry(std::uint64_t w, std::uint64_t q) { return shoup_entry(w, q, 52); }
  static NTTF_KERNEL Constants constants(Word q) {
    Constants c;
    c.q = Lanes::broadcast(q);
    c.q2 = Lanes::broadcast(2 * q);
    c.minus_q = Lanes::broadcast(kTwo52 - q);
    c.inverse = Lanes::broadcast(kTwo52 / q);
    c.one = Lanes::broadcast(1);
    c.minus_one = Lanes::broadcast(~Word{0});
    c.minus_two = Lanes::broadcast(kTwo52 - 2);
    c.mask = Lanes::broadcast(kTwo52 - 1);
    const V either = Lanes::bit_xor(c.q, c.minus_q);
    for (unsigned negated = 0; negated < 2; ++negated) {
      const V negative = Lanes::load(kPatterns.negative[negated]);
      c.sign[negated] = Lanes::load(kPatterns.sign[negated]);
      c.sign_minus_q[negated] = Lanes::bit_xor(c.minus_q, Lanes::bit_and(either, negative));
      c.sign_offset[negated] = Lanes::bit_and(c.q2, negative);
    }
    c.top_shift = Lanes::bit_and(Lanes::broadcast(0 - 2 * q), Lanes::load(kPatterns.upper));
    return c;
  }
  static NTTF_KERNEL Twiddle twiddle(V value, V quotient) { return {value, quotient}; }
  /// w = 1 + floor(w' q / 2^52): one operation instead of a load.
  static NTTF_KERNEL Twiddle of_quotient(V quotient, const Constants& c) {
    return {Lanes::madd52_hi(c.one, quotient, c.q), quotient};
  }
};

template <class LanesType>
struct IfmaButterfly {
  using Product = IfmaProduct52<LanesType>;
  using Lanes = LanesType;
  using Word = typename Product::Word;
  using V = typename Product::V;
  using Twiddle = typename Product::Twiddle;
  using Constants = typename Product::Constants;
  static constexpr bool kConverts = false;
  static constexpr bool kSigned = true;
  static constexpr unsigned kKept = 2;
  static constexpr bool kLazyFirst = false;
  static NTTF_KERNEL V enter(V v) { return v; }
  static NTTF_KERNEL V enter_lazy(V v, const Constants& c) { return Lanes::reduce_once(v, c.q); }

  /// What estimates start from so that a row suits its role in the next inverse stage.
  struct Role {
    V start;
    int lane_bit = -1;  ///< the lane bit that decides, -1: all lanes alike,
    bool odd = false;   ///< and that way
  };
  static NTTF_KERNEL Role role(const Constants& c, bool odd) { return {odd ? c.one : c.minus_one, -1, odd}; }
  static NTTF_KERNEL Role role_of_group(std::size_t group) { return {Lanes::broadcast((group % 2) * 2 - 1)}; }
  static NTTF_KERNEL Role role_of_lanes(unsigned bit) {
    return {Lanes::load(Product::kPatterns.role[bit]), static_cast<int>(bit)};
  }

  /// Forward, any but the last stage: x, y in [0, 4q) -> the same; first: [0, q).
  template <int K>
  static NTTF_KERNEL void forward(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Constants& c,
                                  Step step) {
    V z[K], e[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) z[i] = x[i];
    if (step != Step::first) {
      NTTF_UNROLL for (int i = 0; i < K; ++i) e[i] = Lanes::madd52_hi(c.one, x[i], c.inverse);
      NTTF_UNROLL for (int i = 0; i < K; ++i) z[i] = Lanes::madd52_lo(x[i], e[i], c.minus_q);
      promise(z, c.q, -1, 1);
    }
    NTTF_UNROLL for (int i = 0; i < K; ++i) e[i] = Lanes::madd52_hi(c.minus_one, y[i], w[i].quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::madd52_lo(z[i], y[i], w[i].value);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::madd52_lo(x[i], e[i], c.minus_q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Lanes::madd52_lo(x[i], z[i], c.minus_two);
    promise(x, c.q, 0, 4);
    promise(y, c.q, 0, 4);
  }

  /// The last stage: x, y in [0, 4q), of sign `negated` times the lanes' -> words in [0, q). w has the sign
  /// in it.
  template <int K>
  static NTTF_KERNEL void forward_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K],
                                       const unsigned (&negated)[K], const Constants& c) {
    V z[K], e[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) e[i] = Lanes::madd52_hi(zero(), x[i], c.inverse);
    NTTF_UNROLL for (int i = 0; i < K; ++i) z[i] =
        Lanes::madd52_lo(c.sign_offset[negated[i]], x[i], c.sign[negated[i]]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) z[i] = Lanes::madd52_lo(z[i], e[i], c.sign_minus_q[negated[i]]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) e[i] = Lanes::madd52_hi(zero(), y[i], w[i].quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::madd52_lo(z[i], y[i], w[i].value);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::madd52_lo(x[i], e[i], c.minus_q);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Lanes::add(Lanes::add(z[i], z[i]), c.q2);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Lanes::sub(y[i], x[i]);
    promise(x, c.q, 0, 4);
    reduce(x, c);
    reduce(y, c);
  }

  /// Inverse, any but the last stage: x in [q, 3q), y in [-q, q) -> as their roles in the next stage want
  /// them; first: [0, q).
  template <int K>
  static NTTF_KERNEL void inverse(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Role (&role)[K],
                                  const Constants& c, Step step) {
    V d[K], e[K];
    if (step == Step::first) {
      NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::add(x[i], c.q);
    } else {
      promise(x, c.q, 1, 3);
      promise(y, c.q, -1, 1);
    }
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Lanes::sub(x[i], y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::add(x[i], y[i]);
    if (step == Step::first) {
      NTTF_UNROLL for (int i = 0; i < K; ++i) {
        if (role[i].lane_bit >= 0) {  // the highest: the first stage's roles are decided by no other
          x[i] = Lanes::add(x[i], c.top_shift);
        } else if (role[i].odd) {
          x[i] = Lanes::sub(x[i], c.q2);
        }
      }
    } else {
      NTTF_UNROLL for (int i = 0; i < K; ++i) e[i] = Lanes::madd52_hi(role[i].start, x[i], c.inverse);
      NTTF_UNROLL for (int i = 0; i < K; ++i) x[i] = Lanes::madd52_lo(x[i], e[i], c.minus_q);
    }
    NTTF_UNROLL for (int i = 0; i < K; ++i) e[i] = Lanes::madd52_hi(role[i].start, d[i], w[i].quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Lanes::madd52_lo(zero(), d[i], w[i].value);
    NTTF_UNROLL for (int i = 0; i < K; ++i) y[i] = Lanes::madd52_lo(y[i], e[i], c.minus_q);
  }

  /// The last stage, with the factor 1/n: words in [0, q).
  template <int K>
  static NTTF_KERNEL void inverse_last(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle (&scale)[K],
                                       const Constants& c) {
    V d[K], s[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) d[i] = Lanes::sub(x[i], y[i]);
    NTTF_UNROLL for (int i = 0; i < K; ++i) s[i] = Lanes::add(x[i], y[i]);
    multiply(x, s, scale, c);
    multiply(y, d, w, c);
    finish(x, c);
    finish(y, c);
  }

  /// The checked build asserts that v is in [low q, high q) modulo 2^52.
  template <int K>
  static NTTF_KERNEL void promise([[maybe_unused]] const V (&v)[K], [[maybe_unused]] const V& q,
                                  [[maybe_unused]] int low, [[maybe_unused]] int high) {
    if constexpr (requires { Lanes::promise52(v[0], q, low, high); }) {
      for (int i = 0; i < K; ++i) Lanes::promise52(v[i], q, low, high);
    }
  }

 private:
  static NTTF_KERNEL V zero() { return Lanes::broadcast(0); }
  /// [0, 4q] modulo 2^52 -> [0, q).
  template <int K>
  static NTTF_KERNEL void reduce(V (&v)[K], const Constants& c) {
    V e[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) e[i] = Lanes::madd52_hi(zero(), v[i], c.inverse);
    NTTF_UNROLL for (int i = 0; i < K; ++i) v[i] = Lanes::madd52_lo(v[i], e[i], c.minus_q);
    finish(v, c);
  }
  /// [0, 2q) modulo 2^52 -> [0, q).
  template <int K>
  static NTTF_KERNEL void finish(V (&v)[K], const Constants& c) {
    promise(v, c.q, 0, 2);
    NTTF_UNROLL for (int i = 0; i < K; ++i) v[i] = Lanes::bit_and(v[i], c.mask);
    NTTF_UNROLL for (int i = 0; i < K; ++i) v[i] = Lanes::min(v[i], Lanes::sub(v[i], c.q));
  }
  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants& c) {
    V e[K];
    NTTF_UNROLL for (int i = 0; i < K; ++i) e[i] = Lanes::madd52_hi(zero(), y[i], w[i].quotient);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::madd52_lo(zero(), y[i], w[i].value);
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = Lanes::madd52_lo(t[i], e[i], c.minus_q);
  }
};

}  // namespace nttforge
