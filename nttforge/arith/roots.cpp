// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/roots.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/shoup.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"

namespace nttforge {
namespace {

constexpr std::uint64_t kMaxOrder = std::uint64_t{1}
                                    << 32;  // the search for the smallest takes order / 4 products

bool is_supported(std::uint64_t q) { return (q >= 2 && q >> kMaxModulusBits == 0) || q == kGoldilocks; }

void require_prime(std::uint64_t q) {
  if (!is_supported(q)) {
    throw ParameterError("q = " + std::to_string(q) + " is outside the moduli supported: need 2 <= q < 2^" +
                         std::to_string(kMaxModulusBits) + ", or the Goldilocks prime " +
                         std::to_string(kGoldilocks));
  }
  if (!is_prime(q)) {
    throw ParameterError("q = " + std::to_string(q) + " is not prime: it is divisible by " +
                         std::to_string(prime_factors(q).front()) +
                         "; choose a prime, for example with ntt_primes");
  }
}

/// Some element of the given order: a power of the first small integer whose power has that order.
std::uint64_t any_root(std::uint64_t order, std::uint64_t q) {
  for (std::uint64_t g = 2;; ++g) {
    const std::uint64_t x = wide_pow_mod(g, (q - 1) / order, q);
    if (wide_pow_mod(x, order / 2, q) == q - 1) return x;
  }
}

/// The smallest odd power of `root`, an element of order >= 8. The odd powers are all the elements of that
/// order, and the second half of them is minus the first, so order / 4 products are enough. Independent
/// chains hide their latency.
template <class MulByConstant>
std::uint64_t smallest_odd_power(std::uint64_t root, std::uint64_t order, std::uint64_t q,
                                 const MulByConstant& times_step, std::uint64_t square) {
  constexpr std::uint64_t kChains = 8;
  std::array<std::uint64_t, kChains> chain{};
  std::array<std::uint64_t, kChains> smallest{};
  std::uint64_t x = root;
  for (std::uint64_t& power : chain) {
    power = x;
    x = wide_mul_mod(x, square, q);
  }
  smallest.fill(q);
  const std::uint64_t rounds =
      std::max<std::uint64_t>(1, order / 4 / kChains);  // small orders: a little too many powers
  SparsePoll poll;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    poll();
    for (std::size_t c = 0; c < kChains; ++c) {
      smallest[c] = std::min({smallest[c], chain[c], q - chain[c]});
      chain[c] = times_step(chain[c]);
    }
  }
  return *std::min_element(smallest.begin(), smallest.end());
}

std::uint64_t power_of_two_part(std::uint64_t value) { return value & (std::uint64_t{0} - value); }

}  // namespace

std::uint64_t smallest_primitive_root(std::uint64_t q) {
  require_prime(q);
  if (q == 2) return 1;
  const auto factors = prime_factors(q - 1);
  for (std::uint64_t g = 2;; ++g) {
    if (std::none_of(factors.begin(), factors.end(),
                     [&](std::uint64_t factor) { return wide_pow_mod(g, (q - 1) / factor, q) == 1; }))
      return g;
  }
}

std::uint64_t smallest_root_of_unity(std::uint64_t order, std::uint64_t q) {
  require_prime(q);
  if (!std::has_single_bit(order) || order > kMaxOrder)
    throw ParameterError("order = " + std::to_string(order) + " must be a power of two, 1 ... 2^32");
  if ((q - 1) % order != 0) {
    throw ParameterError("q = " + std::to_string(q) + " has no root of unity of order " +
                         std::to_string(order) + ": need q = 1 (mod " + std::to_string(order) + "), and " +
                         std::to_string(q) + " = " + std::to_string(q % order) + " (mod " +
                         std::to_string(order) + "); choose q with ntt_primes or a smaller n");
  }
  if (order <= 2) return order == 1 ? 1 : q - 1;
  const std::uint64_t root = any_root(order, q);
  if (order == 4) return std::min(root, q - root);
  const std::uint64_t square = wide_mul_mod(root, root, q);
  const std::uint64_t step = wide_pow_mod(square, 8, q);
  if (q == kGoldilocks)
    return smallest_odd_power(
        root, order, q, [step](std::uint64_t x) { return goldilocks::mul(x, step); }, square);
  const ShoupConstant shoup = make_shoup(step, q);
  return smallest_odd_power(
      root, order, q, [shoup, q](std::uint64_t x) { return mul_shoup(x, shoup, q); }, square);
}

TransformSupport transform_support(std::uint64_t q) {
  TransformSupport support;
  support.q = q;
  support.prime = is_prime(q);
  if (!support.prime || !is_supported(q)) return support;
  support.max_n_cyclic = power_of_two_part(q - 1);
  support.max_n_negacyclic = support.max_n_cyclic / 2;
  // q = 3 (mod 4): the two-part of q^2 - 1 = (q - 1)(q + 1) is twice that of q + 1, and 2n must divide it.
  support.max_n_dgt = q % 4 == 3 ? power_of_two_part(q + 1) : support.max_n_negacyclic;
  return support;
}

std::string TransformSupport::explain() const {
  const std::string name = "q = " + std::to_string(q);
  if (q < 2) return name + " is not a modulus.";
  if (!prime)
    return name + " is not prime: it is divisible by " + std::to_string(prime_factors(q).front()) + ".";
  if (!is_supported(q)) {
    return name + " is prime but outside the moduli supported: below 2^" + std::to_string(kMaxModulusBits) +
           ", or Goldilocks.";
  }
  if (q == 2) return "q = 2 carries no transform beyond n = 1.";
  const auto dgt = "DGT over GF(q^2) up to n = " + std::to_string(max_n_dgt);
  if (max_n_cyclic == 2) {
    return name +
           " is prime, but q - 1 is divisible by 2 only once: no NTT beyond n = 1 (negacyclic) / 2 "
           "(cyclic); " +
           dgt + ".";
  }
  return name + " is prime and q - 1 is divisible by 2^" + std::to_string(std::countr_zero(max_n_cyclic)) +
         ": NTT up to n = " + std::to_string(max_n_negacyclic) + " (negacyclic) / " +
         std::to_string(max_n_cyclic) + " (cyclic).";
}

}  // namespace nttforge
