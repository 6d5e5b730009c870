// SPDX-License-Identifier: Apache-2.0
// The checked build of the 52-bit butterflies: emulated lanes assert every interval of docs/bounds/ifma52.md
// (Emulated64::promise52) while single butterflies run at the limits of their class.

#define NTTF_SMALL_KERNELS

#include "nttforge/cpu/lanes/testing_lanes.hpp"
#include "nttforge/ntt/kernels/products/ifma_pair_product.hpp"
#include "nttforge/ntt/testing.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

constexpr std::uint64_t kTwo52 = std::uint64_t{1} << 52;

/// Lanes without promise52: they compute what is left when the promises are not kept.
struct UncheckedLanes : cpu::LanesEmulated<8> {
  static void transpose(Vec (&)[8]) {}
};
using Unchecked = Exchanging<UncheckedLanes>;
using Checked = Exchanging<Emulated64<8>>;

template <class Lanes>
struct Bench {
  using Butterfly = IfmaButterfly<Lanes>;
  using Constants = typename Butterfly::Constants;
  using V = typename Lanes::Vec;
  std::uint64_t q;
  Constants c = Butterfly::Product::constants(q);
  Rng rng{};

  typename Butterfly::Twiddle twiddle(const V& w) const {
    return {w, Lanes::map([&](std::size_t i) { return static_cast<std::uint64_t>((u128{w[i]} << 52) / q); })};
  }
  /// Words of [low q, high q) modulo 2^52, many of them at the ends, with anything above bit 52.
  V values(int low, int high, bool junk) {
    const std::uint64_t size = static_cast<std::uint64_t>(high - low) * q;
    return Lanes::map([&](std::size_t) {
      const std::uint64_t kind = rng.below(4), near = rng.below(3);
      const std::uint64_t v = kind == 0 ? near : kind == 1 ? size - 1 - near : rng.below(size);
      const std::uint64_t value = v - static_cast<std::uint64_t>(-low) * q;
      return junk ? (value & (kTwo52 - 1)) | rng.next() << 52 : value;
    });
  }
  V twiddles() {
    return Lanes::map([&](std::size_t i) { return i % 4 == 0 ? q - 1 - rng.below(3) : rng.below(q); });
  }
  /// A residue modulo 2^52 of a value in [0, 4q), or in [-q, q), -> its residue modulo q.
  std::uint64_t residue(std::uint64_t v, bool negative = false) const {
    return ((negative ? v + q : v) & (kTwo52 - 1)) % q;
  }
  std::uint64_t product(std::uint64_t a, std::uint64_t b) const {
    return static_cast<std::uint64_t>(u128{a} * b % q);
  }

  bool forward_right(Step step) {
    const int limit = step == Step::first ? 1 : 4;
    V x[1] = {values(0, limit, step != Step::first)}, y[1] = {values(0, limit, step != Step::first)};
    const V w = twiddles(), x0 = x[0], y0 = y[0];
    const typename Butterfly::Twiddle t[1] = {twiddle(w)};
    Butterfly::forward(x, y, t, c, step);
    bool right = true;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint64_t a = residue(x0[i]), b = product(residue(y0[i]), w[i]);
      right &= residue(x[0][i]) == (a + b) % q && residue(y[0][i]) == (b + q - a) % q;
    }
    return right;
  }

  bool last_right(unsigned negated) {
    V x[1] = {values(0, 4, true)}, y[1] = {values(0, 4, true)};
    const V w = twiddles(), x0 = x[0], y0 = y[0];
    const typename Butterfly::Twiddle t[1] = {twiddle(w)};
    const unsigned signs[1] = {negated};
    Butterfly::forward_last(x, y, t, signs, c);
    bool right = true;
    for (unsigned i = 0; i < 8; ++i) {
      const bool negative = (static_cast<unsigned>(std::popcount(i)) + negated) % 2 != 0;
      const std::uint64_t r = residue(x0[i]), a = negative ? (q - r) % q : r;
      const std::uint64_t b = product(residue(y0[i]), w[i]);
      right &= x[0][i] == (a + b) % q && y[0][i] == (a + q - b) % q;
    }
    return right;
  }

  bool inverse_right(Step step, bool odd) {
    const bool first = step == Step::first;
    V x[1] = {first ? values(0, 1, false) : values(1, 3, true)};
    V y[1] = {first ? values(0, 1, false) : values(-1, 1, true)};
    const V w = twiddles(), x0 = x[0], y0 = y[0];
    const typename Butterfly::Twiddle t[1] = {twiddle(w)};
    const typename Butterfly::Role role[1] = {Butterfly::role(c, odd)};
    Butterfly::inverse(x, y, t, role, c, step);
    bool right = true;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint64_t a = residue(x0[i]), b = residue(y0[i], !first);
      right &=
          residue(x[0][i], odd) == (a + b) % q && residue(y[0][i], odd) == product((a + q - b) % q, w[i]);
      for (const std::uint64_t v : {x[0][i], y[0][i]}) {  // as the next stage wants it
        right &= ((v + (odd ? q : 0 - q)) & (kTwo52 - 1)) < 2 * q;
      }
    }
    return right;
  }

  bool inverse_last_right() {
    V x[1] = {values(1, 3, true)}, y[1] = {values(-1, 1, true)};
    const V w = twiddles(), s = twiddles(), x0 = x[0], y0 = y[0];
    const typename Butterfly::Twiddle t[1] = {twiddle(w)}, scale[1] = {twiddle(s)};
    Butterfly::inverse_last(x, y, t, scale, c);
    bool right = true;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint64_t a = residue(x0[i]), b = residue(y0[i], true);
      right &= x[0][i] == product((a + b) % q, s[i]) && y[0][i] == product((a + q - b) % q, w[i]);
    }
    return right;
  }

  /// (a0 + a1 X)(b0 + b1 X) / 2^52 modulo X^2 - z, in the upper half of the lanes X^2 + z.
  bool pair_right(bool square) {
    using Pair = PairProduct<Butterfly>;
    V a[2][1] = {{values(0, 4, true)}, {values(0, 4, true)}},
      b[2][1] = {{values(0, 4, true)}, {values(0, 4, true)}};
    if (square) {
      for (int i = 0; i < 2; ++i) b[i][0] = a[i][0];
    }
    const V z = twiddles(), a0 = a[0][0], a1 = a[1][0];
    const typename Butterfly::Twiddle t[1] = {twiddle(z)};
    if (square) {
      Pair::square(a, t, Pair::constants(q));
    } else {
      Pair::multiply(a, b, t, Pair::constants(q));
    }
    bool right = true;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint64_t x0 = residue(a0[i]), x1 = residue(a1[i]), y0 = residue(b[0][0][i]),
                          y1 = residue(b[1][0][i]);
      const std::uint64_t zxy = product(z[i], product(x1, y1));
      const std::uint64_t c0 = (product(x0, y0) + (i < 4 ? zxy : q - zxy)) % q;
      const std::uint64_t c1 = (product(x0, y1) + product(x1, y0)) % q;
      const bool odd = i >= 4;  // as the next stage wants it
      for (int part = 0; part < 2; ++part) {
        const std::uint64_t v = a[part][0][i];
        right &= product(residue(v, odd), kTwo52 % q) == (part == 0 ? c0 : c1);
        right &= ((v + (odd ? q : 0 - q)) & (kTwo52 - 1)) < 2 * q;
      }
    }
    return right;
  }

  bool all_right() {
    bool right = true;
    for (int i = 0; i < 2000; ++i) {
      right &= forward_right(Step::first) && forward_right(Step::reduce) && last_right(0) && last_right(1);
      right &= inverse_right(Step::first, false) && inverse_right(Step::first, true);
      right &=
          inverse_right(Step::reduce, false) && inverse_right(Step::reduce, true) && inverse_last_right();
      right &= pair_right(false) && pair_right(true);
    }
    return right;
  }
};

}  // namespace

NTTF_TEST("52-bit butterflies keep every interval they promise, up to the limit of their class") {
  for (const std::uint64_t q :
       {std::uint64_t{3}, std::uint64_t{12289}, largest_prime(64, 30), largest_prime(64, 49), kTwo52 / 5 + 2,
        largest_prime(64, 50)}) {  // where 2^52 / q loses most, too
    NTTF_CHECK(Bench<Checked>{q}.all_right());
  }
}

NTTF_TEST("52-bit butterflies are wrong just above the limit") {
  const std::uint64_t q = (std::uint64_t{1} << 50) + 1;  // 4q > 2^52; any odd modulus shows it
  NTTF_CHECK(!Bench<Unchecked>{q}.all_right());
}

NTTF_TEST("52-bit twiddles from their quotients alone: q < 2^52") {
  using Product = IfmaProduct52<Checked>;
  const auto right = [](std::uint64_t q) {
    Product::Constants c{};
    c.q = Checked::broadcast(q);
    c.one = Checked::broadcast(1);
    Rng rng;
    bool all = true;
    for (int round = 0; round < 200; ++round) {
      const auto w = Checked::map([&](std::size_t i) {
        return i == 0 ? 1 : i == 1 ? q - 1 : i == 2 ? q / 2 : i == 3 ? q / 2 + 1 : 1 + rng.below(q - 1);
      });
      const auto quotient =
          Checked::map([&](std::size_t i) { return static_cast<std::uint64_t>((u128{w[i]} << 52) / q); });
      const auto value = Product::of_quotient(quotient, c).value;
      for (std::size_t i = 0; i < 8; ++i) all &= value[i] == w[i];
    }
    return all;
  };
  for (const std::uint64_t q : {std::uint64_t{3}, std::uint64_t{17}, std::uint64_t{12289}, (kTwo52 >> 2) - 27,
                                kTwo52 - 47, kTwo52 - 1}) {
    NTTF_CHECK(right(q));
  }
  NTTF_CHECK(!right(kTwo52 + 1));
}
