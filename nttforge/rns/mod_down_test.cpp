// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/mod_down.hpp"

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::Rng;
using testing::value_of;
using Words = std::vector<std::uint64_t>;

/// A step's value at x, the last `special` moduli of the base its sources.
Words divided(const RnsBase& base, std::size_t special, const RnsStep& step, const BigUint& x) {
  const Words residues = base.decompose(x);
  const auto own = std::span(residues).first(base.size() - special);
  return value_of(step, std::span(residues).last(special), own);
}

void check(const RnsBase& base, const RnsStep& down, const BigUint& x) {
  const std::uint64_t p = base.values().back();
  const BigUint rounded = (x + BigUint(p / 2)).divided_by(p);
  const Words out = divided(base, 1, down, x);
  for (std::size_t j = 0; j < out.size(); ++j) NTTF_CHECK_EQ(out[j], rounded.mod(base.values()[j]));
}

NTTF_TEST("mod_down: exactly round(x / p), p smaller and larger than the other primes") {
  Rng rng;
  const unsigned mixes[][4] = {{30, 50, 60, 62}, {62, 60, 50, 30}, {49, 49, 49, 50}, {20, 30, 62, 40}};
  for (const auto& bits : mixes)
    for (std::size_t size = 2; size <= 4; ++size) {
      const RnsBase base(testing::mixed_primes(64, std::span(bits, size)));
      const RnsStep down = mod_down(base);
      const std::uint64_t p = base.values().back();
      // Around a multiple of p and around both sides of one half.
      const BigUint multiple = testing::random_below(rng, base.product().divided_by(p) - BigUint(2)) * p;
      for (const std::uint64_t offset :
           {std::uint64_t{0}, std::uint64_t{1}, p / 2 - 1, p / 2, p / 2 + 1, p - 1})
        check(base, down, multiple + BigUint(offset));
      for (const std::uint64_t offset : {std::uint64_t{1}, p / 2, p / 2 + 1, p})
        check(base, down, base.product() - BigUint(offset));
      for (int trial = 0; trial < 100; ++trial) check(base, down, testing::random_below(rng, base.product()));
    }
}

NTTF_TEST("mod_down: exhaustive over a small base, odd and even p") {
  for (const std::uint64_t p : {7, 2}) {
    const RnsBase base({5, 9, p});
    const RnsStep down = mod_down(base);
    for (std::uint64_t x = 0; x < 45 * p; ++x) check(base, down, BigUint(x));
  }
}

NTTF_TEST("mod_down by several primes: rounded, and within (a + 1) / 2 without a correction") {
  const RnsBase q({11, 13, 17}), special({3, 5, 7}), both({11, 13, 17, 3, 5, 7});
  const RnsStep nearest = mod_down_nearest(q, special), fast = mod_down_fast(q, special);
  for (std::uint64_t x = 0; x < 2431 * 105; ++x) {
    const BigUint big(x);
    if (divided(both, 3, nearest, big) != q.decompose(BigUint((x + 52) / 105))) {  // P is odd: no ties
      testing::fail(__FILE__, __LINE__, "nearest, x = " + std::to_string(x));
      break;
    }
    const std::uint64_t digits = x * 2 % 3 * 35 + x % 5 * 21 + x % 7 * 15;  // [x]_P + u P
    if (divided(both, 3, fast, big) != q.decompose(BigUint((x + 2431 * 105 + 105 - digits) / 105))) {
      testing::fail(__FILE__, __LINE__, "fast, x = " + std::to_string(x));
      break;
    }
  }
}

NTTF_TEST("switch_modulus: x / p modulo t, within t / 2 of x / p") {
  Rng rng;
  for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{257}, std::uint64_t{65537}}) {
    const RnsBase base(ntt_primes(64, 40, 3)), q({base.values()[0], base.values()[1]});
    const RnsStep step = switch_modulus(base, t);
    const std::uint64_t p = base.values()[2];
    const Modulus m(t);
    for (int trial = 0; trial < 100; ++trial) {
      // Far from both ends of [0, Q), so that nothing wraps.
      const BigUint x = testing::random_below(rng, base.product().divided_by(2)) + BigUint(p) * t;
      const BigUint out = q.compose(divided(base, 1, step, x));
      NTTF_CHECK_EQ(m.mul(out.mod(t), m.reduce(p)), x.mod(t));
      const BigUint product = out * p, distance = std::max(product, x) - std::min(product, x);
      NTTF_CHECK(distance * 2 <= BigUint(p) * t);
    }
  }
}

NTTF_TEST("switch_modulus_fast: x / P modulo t, within t (a + 1) / 2 of x / P") {
  Rng rng;
  const std::vector<std::uint64_t> primes = ntt_primes(64, 40, 5);
  for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{257}, std::uint64_t{65537}})
    for (std::size_t a = 1; a <= 3; ++a) {
      const RnsBase base({primes.begin(), primes.begin() + 2 + static_cast<std::ptrdiff_t>(a)}),
          q({primes[0], primes[1]}),
          special({primes.begin() + 2, primes.begin() + 2 + static_cast<std::ptrdiff_t>(a)});
      const RnsStep step = switch_modulus_fast(q, special, t);
      step.validate();
      const Modulus m(t);
      for (int trial = 0; trial < 100; ++trial) {
        const BigUint x =
            testing::random_below(rng, base.product().divided_by(2)) + special.product() * (4 * t);
        const BigUint out = q.compose(divided(base, a, step, x));
        NTTF_CHECK_EQ(m.mul(out.mod(t), special.product().mod(t)), x.mod(t));
        const BigUint product = out * special.product(),
                      distance = std::max(product, x) - std::min(product, x);
        NTTF_CHECK(distance * 2 <= special.product() * (t * (a + 1)));
      }
    }
}

NTTF_TEST(
    "rescale: x T / D rounded, with primes dropped and added at both ends; t divides what is left over") {
  const std::vector<std::uint64_t> primes{3, 5, 7, 11, 13};
  const auto window = [&](std::size_t first, std::size_t last) {
    return RnsBase({primes.begin() + std::ptrdiff_t(first), primes.begin() + std::ptrdiff_t(last)});
  };
  const auto has = [](const RnsBase& base, std::uint64_t q) {
    return std::find(base.values().begin(), base.values().end(), q) != base.values().end();
  };
  struct Case {
    std::size_t first, last, to_first, to_last;
  };
  for (const Case& c : {Case{0, 5, 0, 4},
                        {0, 5, 0, 2},
                        {0, 5, 1, 5},
                        {0, 5, 2, 4},
                        {1, 5, 0, 4},
                        {2, 5, 0, 3},
                        {1, 4, 0, 3},
                        {0, 4, 2, 5}})
    for (const std::uint64_t t : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{17}}) {
      const RnsBase from = window(c.first, c.last), to = window(c.to_first, c.to_last);
      std::uint64_t added = 1, dropped = 1;
      for (const std::uint64_t q : from.values()) dropped *= has(to, q) ? 1 : q;
      for (const std::uint64_t q : to.values()) added *= has(from, q) ? 1 : q;
      const RnsStep step = rescale(from, to, t);
      const std::uint64_t q_from = from.product().mod(std::uint64_t{1} << 40);
      for (std::uint64_t x = 0; x < q_from; x += q_from > 4000 ? 7 : 1) {
        Words sources, own;
        for (const std::uint64_t q : from.values())
          if (!has(to, q)) sources.push_back(x % q);
        for (const std::uint64_t q : to.values()) own.push_back(has(from, q) ? x % q : 0);
        // The r of (x T - t r) / D, r = x T / t modulo D, centred; D is odd.
        std::uint64_t r = 0;
        while (t * r % dropped != x * added % dropped) ++r;
        const auto remainder = std::int64_t(r) - (r > dropped / 2 ? std::int64_t(dropped) : 0);
        const std::int64_t value =
            (std::int64_t(x * added) - std::int64_t(t) * remainder) / std::int64_t(dropped);
        Words expected;
        for (const std::uint64_t q : to.values())
          expected.push_back(std::uint64_t((value % std::int64_t(q) + std::int64_t(q)) % std::int64_t(q)));
        NTTF_CHECK(value_of(step, sources, own) == expected);
      }
    }
  NTTF_CHECK_THROWS(rescale(window(0, 3), window(0, 4)), ParameterError, "drops one at least");
  NTTF_CHECK_THROWS(rescale(window(0, 2), window(2, 4)), ParameterError, "keeps one at least");
}

NTTF_TEST("mod_down: bad input is named") {
  NTTF_CHECK_THROWS(mod_down(RnsBase({17})), ParameterError, "at least 2");
  NTTF_CHECK_THROWS(switch_modulus(RnsBase({17}), 2), ParameterError, "at least 2");
}

}  // namespace
}  // namespace nttforge
