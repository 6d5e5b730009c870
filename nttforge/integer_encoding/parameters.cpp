// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/parameters.hpp"

#include <bit>
#include <numeric>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"

namespace nttforge::integer_encoding {
namespace {

constexpr unsigned kMaxPlainBits = 60;

}  // namespace

void check_integers(const IntegerParameters& parameters) {
  check_ring(parameters);
  const std::string name = "t = " + std::to_string(parameters.t);
  if (parameters.t < 2 || static_cast<unsigned>(std::bit_width(parameters.t)) > kMaxPlainBits)
    throw ParameterError(name + " is out of range: the plaintext modulus must be in [2, 2^" +
                         std::to_string(kMaxPlainBits) + ")");
  for (std::size_t i = 0; i < parameters.q.size(); ++i)
    if (std::gcd(parameters.t, parameters.q[i]) != 1)
      throw ParameterError(name + " shares the factor " + std::to_string(parameters.q[i]) + " with q[" +
                           std::to_string(i) + "]: t must be coprime to every q; choose another t");
}

std::array<std::uint64_t, 3> default_plain_moduli(std::size_t n) {
  const std::uint64_t step = 2 * static_cast<std::uint64_t>(n);
  std::uint64_t candidate = step + 1;
  while (!is_prime(candidate)) candidate += step;
  return {65537, candidate, 2};
}

bool IntegerParameters::has_batching() const {
  return n != 0 && t % (2 * static_cast<std::uint64_t>(n)) == 1 && is_prime(t);
}

}  // namespace nttforge::integer_encoding
