// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/digits.hpp"

#include <algorithm>
#include <ranges>

#include "nttforge/base/error.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::Rng;
using Words = std::vector<std::uint64_t>;

NTTF_TEST("digits: [x] modulo a group of primes plus fewer multiples than primes; x itself in the group") {
  Rng rng;
  const unsigned bits[] = {30, 50, 60, 62, 41, 49, 50};
  const Words all = testing::mixed_primes(64, bits);
  for (std::size_t primes = 1; primes <= 4; ++primes)
    for (std::size_t level = 1; level <= 5; ++level) {
      const RnsBase q({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(level)});
      const std::vector<RnsStep> steps = digit_steps(q.values(), all, equal_digits(level, primes));
      NTTF_CHECK_EQ(steps.size(), (level + primes - 1) / primes);
      for (int trial = 0; trial < 20; ++trial) {
        const Words x = q.decompose(testing::random_below(rng, q.product()));
        std::size_t first = 0;
        for (const RnsStep& step : steps) {
          const std::size_t count = std::min(primes, level - first);
          const auto group = std::span(x).subspan(first, count);
          const RnsBase base({all.begin() + static_cast<std::ptrdiff_t>(first),
                              all.begin() + static_cast<std::ptrdiff_t>(first + count)});
          const Words digit = testing::value_of(step, group);
          BigUint value = base.compose(group);
          std::size_t multiple = 0;
          while (multiple < count && !std::ranges::all_of(
                                         std::views::iota(std::size_t{0}, all.size()),
                                         [&](std::size_t j) { return digit[j] == value.mod(all[j]); })) {
            value = value + base.product();
            ++multiple;
          }
          NTTF_CHECK(multiple < count);
          NTTF_CHECK(
              std::equal(group.begin(), group.end(), digit.begin() + static_cast<std::ptrdiff_t>(first)));
          first += count;
        }
      }
    }
  NTTF_CHECK_THROWS(equal_digits(7, 0), ParameterError, "primes = 0");
}

NTTF_TEST("digits: a window has the digits that its primes are in, the first and the last in part") {
  const Words chain = ntt_primes(64, 40, 9);
  const std::size_t ends[] = {2, 5, 9};
  for (std::size_t first = 0; first < 9; ++first)
    for (std::size_t last = first + 1; last <= 9; ++last) {
      const std::span q = std::span<const std::uint64_t>(chain).subspan(first, last - first);
      const std::vector<RnsStep> steps = digit_steps(q, chain, ends, first);
      std::size_t at = 0, begin = 0;
      for (const std::size_t end : ends) {
        const std::size_t from = std::max(begin, first), to = std::min(end, last);
        begin = end;
        if (from >= to) continue;
        NTTF_CHECK(steps.at(at).sources ==
                   Words(chain.begin() + std::ptrdiff_t(from), chain.begin() + std::ptrdiff_t(to)));
        NTTF_CHECK(steps.at(at++).targets == chain);
      }
      NTTF_CHECK_EQ(steps.size(), at);
    }
  const std::size_t falling[] = {2, 2, 9}, short_ends[] = {2, 5};
  NTTF_CHECK_THROWS(digit_steps(chain, chain, falling), ParameterError, "ends[1] = 2 must be above 2");
  NTTF_CHECK_THROWS(digit_steps(chain, chain, short_ends), ParameterError, "ends stop at 5");
}

}  // namespace
}  // namespace nttforge
