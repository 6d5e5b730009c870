// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/digits.hpp"

#include <algorithm>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/rns/base_conversion.hpp"

namespace nttforge {

std::vector<RnsStep> digit_steps(std::span<const std::uint64_t> q, std::span<const std::uint64_t> targets,
                                 std::span<const std::size_t> ends, std::size_t first) {
  const std::size_t last = first + q.size();
  std::vector<RnsStep> steps;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ends.size(); begin = ends[i++]) {
    if (ends[i] <= begin)
      throw ParameterError("ends[" + std::to_string(i) + "] = " + std::to_string(ends[i]) +
                           " must be above " + std::to_string(begin) + ": a digit has at least one prime");
    const std::size_t from = std::max(begin, first), to = std::min(ends[i], last);
    if (from >= to) continue;
    const auto group = q.subspan(from - first, to - from);
    steps.push_back(fast_base_conversion(RnsBase({group.begin(), group.end()}), targets));
  }
  if (begin < last)
    throw ParameterError("ends stop at " + std::to_string(begin) + ": primes up to position " +
                         std::to_string(last) + " need a digit");
  return steps;
}

std::vector<std::size_t> equal_digits(std::size_t count, std::size_t primes) {
  if (primes == 0) throw ParameterError("primes = 0: a digit has at least 1 prime");
  std::vector<std::size_t> ends;
  for (std::size_t end = 0; end < count;) ends.push_back(end = std::min(end + primes, count));
  return ends;
}

}  // namespace nttforge
