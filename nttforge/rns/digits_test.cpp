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
      const std::vector<RnsStep> steps = digit_steps(q.values(), all, primes);
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
  NTTF_CHECK_THROWS(digit_steps(all, all, 0), ParameterError, "primes = 0");
}

}  // namespace
}  // namespace nttforge
