// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/presets/equal_primes.hpp"

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"

namespace nttforge::rlwe {

std::vector<unsigned> equal_sizes(unsigned bits, std::size_t count) {
  const auto parts = static_cast<unsigned>(count);
  std::vector<unsigned> sizes(count, bits / parts);
  for (std::size_t i = count - bits % parts; i < count; ++i) ++sizes[i];
  return sizes;
}

std::optional<std::vector<std::uint64_t>> primes_of_sizes(std::size_t n, std::span<const unsigned> sizes,
                                                          std::span<const std::uint64_t> exclude) {
  std::vector<std::uint64_t> taken(exclude.begin(), exclude.end());
  for (std::size_t first = 0; first < sizes.size();) {
    std::size_t last = first;
    while (last < sizes.size() && sizes[last] == sizes[first]) ++last;
    try {
      const auto primes = ntt_primes(n, sizes[first], last - first, taken);
      taken.insert(taken.end(), primes.begin(), primes.end());
    } catch (const ParameterError&) {
      return std::nullopt;
    }
    first = last;
  }
  taken.erase(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(exclude.size()));
  return taken;
}

}  // namespace nttforge::rlwe
