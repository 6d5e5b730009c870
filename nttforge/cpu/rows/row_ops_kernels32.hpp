// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cpu/rows/row_ops_kernels.hpp"

// Arithmetic on vectors of 32-bit words: products are formed in the 64-bit words of L::Wide, once for the
// words at even positions and once for those at odd positions, and interleaved again.
//
//   a | a0 a1 a2 a3 | -> evens | a0 .  a2 .  |, odds | a1 .  a3 .  | -> products -> interleave | r0 r1 r2 r3
//   |

namespace nttforge::cpu {
namespace {

/// 2 <= q < 2^30. As Barrett64 with words of 32 bits; upper words of products of 32-bit words are exact.
/// Invariant: r in [0, 2.25 q), reduced packed (docs/bounds/barrett.md).
template <class L>
struct Barrett30 {
  using Vec = typename L::Vec;
  using Wide = typename L::Wide;
  Vec q, q2, wide_q, mu, shift;

  explicit NTTF_INLINE Barrett30(const RowModulus& m)
      : q(L::broadcast(static_cast<std::uint32_t>(m.q))),
        q2(L::broadcast(static_cast<std::uint32_t>(2 * m.q))),
        wide_q(Wide::broadcast(m.q)),
        mu(Wide::broadcast(m.ratio_high >> (34 - bits_of(m.q)))),  // floor(2^(bits + 30) / q)
        shift(Wide::broadcast(bits_of(m.q) - 2)) {}
  NTTF_INLINE Vec add(Vec a, Vec b) const { return L::reduce_once(L::add(a, b), q); }
  NTTF_INLINE Vec sub(Vec a, Vec b) const {
    const Vec t = L::sub(a, b);
    return L::min(t, L::add(t, q));
  }
  NTTF_INLINE Vec negate(Vec a) const { return L::reduce_once(L::sub(q, a), q); }
  NTTF_INLINE Vec mul(Vec a, Vec b) const {
    const Vec r = L::interleave(product(L::evens(a), L::evens(b)), product(L::odds(a), L::odds(b)));
    return L::reduce_once(L::reduce_once(r, q2), q);
  }

 private:
  NTTF_INLINE Vec product(Vec a, Vec b) const {
    const Vec x = Wide::mul_32(a, b);
    const Vec estimate = Wide::template shift_right<32>(Wide::mul_32(Wide::shift_right_by(x, shift), mu));
    return Wide::sub(x, Wide::mul_32(estimate, wide_q));
  }
};

/// 2 <= q < 2^32: c = floor(x / 2^L) has 32 bits, and mu = floor(2^(L+32) / q) has a 33rd bit that is added
/// apart. Invariant: r in [0, 4q), below 2^34 and therefore reduced before packing (docs/bounds/barrett.md).
template <class L>
struct Barrett32Full {
  using Vec = typename L::Vec;
  using Wide = typename L::Wide;
  Vec q, wide_q, wide_q2, mu, shift;

  explicit NTTF_INLINE Barrett32Full(const RowModulus& m)
      : q(L::broadcast(static_cast<std::uint32_t>(m.q))),
        wide_q(Wide::broadcast(m.q)),
        wide_q2(Wide::broadcast(2 * m.q)),
        mu(Wide::broadcast(barrett_fraction(m))),
        shift(Wide::broadcast(bits_of(m.q))) {}
  NTTF_INLINE Vec add(Vec a, Vec b) const {  // a + b may not fit: compare a with q - b instead
    const Vec c = L::sub(q, b);
    const Vec t = L::sub(a, c);
    return L::select_ge(a, c, t, L::add(t, q));
  }
  NTTF_INLINE Vec sub(Vec a, Vec b) const {
    const Vec t = L::sub(a, b);
    return L::select_ge(a, b, t, L::add(t, q));
  }
  NTTF_INLINE Vec negate(Vec a) const { return sub(L::broadcast(0), a); }
  NTTF_INLINE Vec mul(Vec a, Vec b) const {
    return L::interleave(product(L::evens(a), L::evens(b)), product(L::odds(a), L::odds(b)));
  }

 private:
  NTTF_INLINE Vec product(Vec a, Vec b) const {
    const Vec x = Wide::mul_32(a, b);
    const Vec c = Wide::shift_right_by(x, shift);
    const Vec estimate = Wide::add(c, Wide::template shift_right<32>(Wide::mul_32(c, mu)));
    const Vec r = Wide::sub(x, Wide::mul_32(estimate, wide_q));
    return Wide::reduce_once(Wide::reduce_once(r, wide_q2), wide_q);
  }
};

template <class L>
using Kernels30 = RowKernels<L, Barrett30<L>, PlainFactor<L, Barrett30<L>>, Sums30<L>>;
template <class L>
using Kernels32Full = RowKernels<L, Barrett32Full<L>, PlainFactor<L, Barrett32Full<L>>, Sums32Full<L>>;

}  // namespace
}  // namespace nttforge::cpu
