// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/digits.hpp"

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/rns/base_conversion.hpp"

namespace nttforge {

std::vector<RnsStep> digit_steps(std::span<const std::uint64_t> q, std::span<const std::uint64_t> targets,
                                 std::size_t primes) {
  if (primes == 0) throw ParameterError("primes = 0: a digit has at least 1 prime");
  std::vector<RnsStep> steps;
  for (std::size_t first = 0; first < q.size(); first += primes) {
    const auto group = q.subspan(first, std::min(primes, q.size() - first));
    steps.push_back(fast_base_conversion(RnsBase({group.begin(), group.end()}), targets));
  }
  return steps;
}

}  // namespace nttforge
