// SPDX-License-Identifier: Apache-2.0
// The checked build of the lazy butterflies of thirty-two registers (64-bit, 32-bit, doubles): emulated lanes
// assert the intervals of docs/bounds/ (promise_below, promise_within) while butterflies run at the ends of
// them, for the largest prime of each class; transform_emulated_test.cpp does so in whole transforms.

#define NTTF_SMALL_KERNELS

#include <algorithm>

#include "nttforge/cpu/lanes/testing_lanes.hpp"
#include "nttforge/ntt/kernels/butterflies.hpp"
#include "nttforge/ntt/kernels/fp64_butterfly.hpp"
#include "nttforge/ntt/testing.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

using Lanes64 = Exchanging<Emulated64<8>>;
using Lanes32 = Exchanging<Emulated32<16>>;

/// Lanes without promises: they compute what is left when the promises are not kept.
struct Unchecked : cpu::LanesEmulated<8> {
  template <unsigned kCount>
  static Vec rotate_left(const Vec& v) {
    return map([&](std::size_t i) { return std::rotl(v[i], static_cast<int>(kCount)); });
  }
};

/// A butterfly whose forward values stay below `forward` bounds, inverse ones below one.
template <class Butterfly, unsigned forward>
struct Bench {
  using Lanes = typename Butterfly::Lanes;
  using Word = typename Butterfly::Word;
  using V = typename Butterfly::V;
  using Product = typename Butterfly::Product;
  static constexpr std::size_t kWidth = Lanes::kWidth;
  using Words = std::array<Word, kWidth>;

  std::uint64_t q;
  typename Butterfly::Constants c = Butterfly::Product::constants(static_cast<Word>(q));
  Rng rng{};

  static Words words(const V& v) {
    Words w;
    Lanes::store(w.data(), v);
    return w;
  }
  /// Words below `limit`, many of them at the ends.
  Words values(u128 limit) {
    Words w;
    for (Word& v : w) {
      const std::uint64_t kind = rng.below(3), near = rng.below(3);
      const u128 any = (u128{rng.next()} << 64 | rng.next()) % limit;
      v = static_cast<Word>(kind == 0 ? u128{near} : kind == 1 ? limit - 1 - near : any);
    }
    return w;
  }
  Words twiddles() {
    Words w;
    for (Word& v : w) v = static_cast<Word>(rng.below(3) == 0 ? q - 1 - rng.below(3) : rng.below(q));
    return w;
  }
  typename Butterfly::Twiddle twiddle(const Words& w) const {
    Words value, quotient;
    for (std::size_t i = 0; i < kWidth; ++i) {
      const TwiddleEntry entry = Product::entry(w[i], q);
      value[i] = static_cast<Word>(entry.value);
      quotient[i] = static_cast<Word>(entry.quotient);
    }
    const V v = Lanes::load(value.data()), w_quotient = Lanes::load(quotient.data());
    if constexpr (requires { Product::twiddle(v, w_quotient, w_quotient); }) {
      Words next = quotient;  // moved down by one lane, the last as it may be
      std::copy(quotient.begin() + 1, quotient.end(), next.begin());
      return Product::twiddle(v, w_quotient, Lanes::load(next.data()));
    } else {
      return Product::twiddle(v, w_quotient);
    }
  }
  std::uint64_t product(std::uint64_t a, std::uint64_t b) const {
    return static_cast<std::uint64_t>(u128{a % q} * b % q);
  }

  bool forward_right(Step step, bool last) {
    const u128 limit =
        step == Step::first ? q : u128{q} * Product::kBound * (step == Step::keep ? 3 : forward);
    const Words x0 = values(limit), y0 = values(u128{q} * Product::kBound * forward), w = twiddles();
    V x[1] = {Lanes::load(x0.data())}, y[1] = {Lanes::load(y0.data())};
    const typename Butterfly::Twiddle t[1] = {twiddle(w)};
    if (last) {
      Butterfly::forward_last(x, y, t, c);
    } else {
      Butterfly::forward(x, y, t, c, step);
    }
    bool right = true;
    const Words a = words(x[0]), b = words(y[0]);
    for (std::size_t i = 0; i < kWidth; ++i) {
      const std::uint64_t p = product(y0[i], w[i]), sum = static_cast<std::uint64_t>((u128{x0[i]} + p) % q),
                          rest = (x0[i] % q + q - p) % q;
      right &= a[i] % q == sum && b[i] % q == rest && (!last || (a[i] < q && b[i] < q));
    }
    return right;
  }

  bool inverse_right(bool last) {
    const u128 limit = u128{q} * Product::kBound;
    const Words x0 = values(limit), y0 = values(limit), w = twiddles(), s = twiddles();
    V x[1] = {Lanes::load(x0.data())}, y[1] = {Lanes::load(y0.data())};
    const typename Butterfly::Twiddle t[1] = {twiddle(w)}, scale[1] = {twiddle(s)};
    if (last) {
      Butterfly::inverse_last(x, y, t, scale, c);
    } else {
      Butterfly::inverse(x, y, t, c, Step::reduce);
    }
    bool right = true;
    const Words a = words(x[0]), b = words(y[0]);
    for (std::size_t i = 0; i < kWidth; ++i) {
      const std::uint64_t sum = static_cast<std::uint64_t>((u128{x0[i]} + y0[i]) % q);
      const std::uint64_t rest = product((x0[i] % q + q - y0[i] % q) % q, w[i]);
      right &= a[i] % q == (last ? product(sum, s[i]) : sum) && b[i] % q == rest;
      right &= !last || (a[i] < q && b[i] < q);
    }
    return right;
  }

  bool all_right() {
    bool right = true;
    for (int i = 0; i < 2000; ++i) {
      right &= forward_right(Step::first, false) && forward_right(Step::reduce, false);
      right &= forward_right(Step::reduce, true) && inverse_right(false) && inverse_right(true);
      if constexpr (forward == 4) right &= forward_right(Step::keep, false);
    }
    return right;
  }
};

template <class Butterfly, unsigned forward>
void check_class(unsigned bits) {
  for (const std::uint64_t q : {std::uint64_t{769}, largest_prime(64, bits - 1), largest_prime(64, bits)}) {
    NTTF_CHECK((Bench<Butterfly, forward>{q}.all_right()));
  }
}

}  // namespace

NTTF_TEST("lazy butterflies of 64- and 32-bit words keep every interval, up to the limit of their class") {
  check_class<LazyButterfly<ShoupProduct<Lanes64>>, 2>(62);
  check_class<LazyButterfly<RoughShoupProduct<Lanes64>>, 2>(61);
  check_class<LazyButterfly<IfmaShoupProduct<Lanes64>>, 2>(61);
  check_class<RoomyButterfly<IfmaShoupProduct<Lanes64>>, 4>(60);
  check_class<LazyButterfly<ShoupProduct<Lanes32>>, 2>(30);
}

NTTF_TEST("lazy butterflies are wrong, or leave their intervals, just above the limit") {
  const std::uint64_t two60 = std::uint64_t{1} << 60;
  NTTF_CHECK(!(Bench<RoomyButterfly<IfmaShoupProduct<Unchecked>>, 4>{two60 + 33}.all_right()));
  NTTF_CHECK(!(Bench<LazyButterfly<IfmaShoupProduct<Unchecked>>, 2>{2 * two60 + 33}.all_right()));
  NTTF_CHECK(!(Bench<LazyButterfly<ShoupProduct<Unchecked>>, 2>{4 * two60 + 33}.all_right()));
}

NTTF_TEST("butterflies in doubles stay within 2.8 q, from the ends of what enters a pass") {
  using Butterfly = Fp64Butterfly<Lanes64>;
  Rng rng;
  for (const unsigned bits : {20u, 49u, 50u}) {
    const std::uint64_t q = largest_prime(64, bits);
    const auto c = Butterfly::Product::constants(q);
    const auto real = [&](double low, double high) {
      Butterfly::V v;
      for (double& each : v) each = std::round((rng.below(2) == 0 ? low : high) * static_cast<double>(q));
      return v;
    };
    for (int i = 0; i < 4000; ++i) {
      Butterfly::V w = real(-0.49, 0.49), quotient;
      for (std::size_t j = 0; j < 8; ++j) quotient[j] = w[j] / static_cast<double>(q);
      const Butterfly::Twiddle t[1] = {{w, quotient}};
      Butterfly::V x[1] = {real(-2.79, 2.79)}, y[1] = {real(-2.79, 2.79)};
      Butterfly::forward(x, y, t, c, Step::reduce);
      Butterfly::forward(x, y, t, c, Step::keep);
      Butterfly::forward(x, y, t, c, Step::keep);
      Butterfly::V a[1] = {real(-1.04, 1.04)}, b[1] = {real(-1.04, 1.04)};
      Butterfly::inverse(a, b, t, c, Step::keep);
      Butterfly::inverse(a, b, t, c, Step::reduce);
    }
  }
}
