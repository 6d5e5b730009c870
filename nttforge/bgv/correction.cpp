// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bgv/correction.hpp"

#include <cstdlib>
#include <numeric>
#include <tuple>

#include "nttforge/arith/modulus.hpp"

namespace nttforge::bgv {

std::uint64_t inverse_unit(std::uint64_t a, std::uint64_t t) { return Modulus(t).inverse(a % t); }

std::pair<std::int64_t, std::int64_t> balance(std::uint64_t a, std::uint64_t b, std::uint64_t t) {
  const Modulus modulus(t);
  const auto ratio = static_cast<std::int64_t>(modulus.mul(b % t, inverse_unit(a, t)));
  std::pair<std::int64_t, std::int64_t> before{static_cast<std::int64_t>(t), 0}, now{ratio, 1}, best = now;
  const auto size = [](const auto& pair) { return std::abs(pair.first) + std::abs(pair.second); };
  const auto unit = [t](std::int64_t x) { return std::gcd(static_cast<std::uint64_t>(std::abs(x)), t) == 1; };
  while (now.first != 0) {
    if (unit(now.first) && unit(now.second) && size(now) < size(best)) best = now;
    const std::int64_t quotient = before.first / now.first;
    std::tie(before, now) =
        std::pair(now, std::pair(before.first - quotient * now.first, before.second - quotient * now.second));
  }
  return best;
}

}  // namespace nttforge::bgv
