// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/scale.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/rns/base_conversion.hpp"

namespace nttforge {
namespace {

constexpr unsigned kMaxTBits = 60;

std::uint64_t checked_t(const RnsBase& q, std::uint64_t t) {
  if (t < 2 || t >> kMaxTBits != 0)
    throw ParameterError("t = " + std::to_string(t) + " is out of range: need 2 <= t < 2^" +
                         std::to_string(kMaxTBits));
  if (BigUint(t) >= q.product())
    throw ParameterError("t = " + std::to_string(t) + " is not below Q = " + q.product().to_decimal() +
                         ": use a larger Q or a smaller t");
  for (const std::uint64_t value : q.values()) {
    const std::uint64_t factor = std::gcd(value, t);
    if (factor != 1)
      throw ParameterError("t = " + std::to_string(t) + " shares the factor " + std::to_string(factor) +
                           " with the modulus q = " + std::to_string(value) +
                           " of Q: t must be coprime to Q");
  }
  return t;
}

std::uint64_t negative_inverse(std::uint64_t x, const Modulus& m) { return m.negate(m.inverse(m.reduce(x))); }

}  // namespace

std::uint64_t redundant_modulus(const RnsBase& q, std::uint64_t t) {
  const unsigned bits = t >> 49 == 0 ? 50 : 61;
  for (std::uint64_t gamma = (std::uint64_t{1} << bits) - 1;; gamma -= 2) {
    if (!is_prime(gamma) || std::gcd(gamma, t) != 1) continue;
    const auto shares = [gamma](std::uint64_t value) { return value % gamma == 0; };
    if (std::none_of(q.values().begin(), q.values().end(), shares)) return gamma;
  }
}

std::uint64_t exhausted_distance(std::uint64_t gamma) {
  constexpr std::uint64_t kRoot = 0x5A827999FCEF3242u;  // floor(2^64 / 2^1.5): at most one too low
  const u128 wide = gamma, limit = wide * kRoot >> 64;
  return static_cast<std::uint64_t>(8 * (limit + 1) * (limit + 1) <= wide * wide ? limit + 1 : limit);
}

DecryptScale::DecryptScale(const RnsBase& q, std::uint64_t t)
    : q_(q), t_(checked_t(q, t)), gamma_(redundant_modulus(q, t)) {}

// S = [gamma t x]_Q + u Q; gamma^-1 (s - r) modulo t with s = -S Q^-1 modulo t, r = -S Q^-1 modulo gamma,
// centred.
RnsStep DecryptScale::decrypt() const {
  const std::uint64_t target[] = {t_.value()};
  RnsStep step = fast_base_conversion(q_, target, BigUint(gamma_.value()) * t_.value());
  const std::uint64_t inverse = t_.inverse(t_.reduce(gamma_.value()));
  step.factors.clear();
  step.modulus = gamma_.value();
  for (const std::uint64_t q : q_.values()) {
    step.factors.push_back(t_.mul(negative_inverse(q, t_), inverse));
    step.weights.push_back(negative_inverse(q, gamma_));
  }
  step.excess.push_back(t_.negate(inverse));
  step.limit = noise_limit() - 1;
  return step;
}

// (Q m - r) / t with r = Q m modulo t, centred; Q m vanishes modulo q_i.
RnsStep DecryptScale::encrypt() const {
  RnsStep step{.sources = {t_.value()}, .targets = {q_.values().begin(), q_.values().end()}};
  step.modulus = t_.value();
  step.weights = {product_mod(q_.values(), t_)};
  for (std::size_t i = 0; i < q_.size(); ++i)
    step.excess.push_back(negative_inverse(t_.value(), q_.modulus(i)));
  return step;
}

}  // namespace nttforge
