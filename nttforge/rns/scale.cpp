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

/// The largest prime below 2^50 (2^61 for t >= 2^49) that is neither t's divisor nor in Q.
std::uint64_t choose_gamma(const RnsBase& q, std::uint64_t t) {
  const unsigned bits = t >> 49 == 0 ? 50 : 61;
  for (std::uint64_t gamma = (std::uint64_t{1} << bits) - 1;; gamma -= 2) {
    if (!is_prime(gamma) || std::gcd(gamma, t) != 1) continue;
    const auto shares = [gamma](std::uint64_t value) { return value % gamma == 0; };
    if (std::none_of(q.values().begin(), q.values().end(), shares)) return gamma;
  }
}

ShoupConstant negative_inverse(const RnsBase& q, const Modulus& m) {
  std::uint64_t product = 1 % m.value();
  for (const std::uint64_t value : q.values()) product = m.mul(product, m.reduce(value));
  return make_shoup(m.negate(m.inverse(product)), m.value());
}

}  // namespace

DecryptScale::DecryptScale(const RnsBase& q, std::uint64_t t)
    : q_(q), t_(checked_t(q, t)), gamma_(choose_gamma(q, t)) {
  const std::uint64_t targets[] = {gamma_.value(), t};
  const BaseConversion conversion(q_, targets, BigUint(gamma_.value()) * t);
  const std::size_t k = q_.size();
  constants_.scale.assign(conversion.scale().begin(), conversion.scale().end());
  constants_.q_punctured_gamma.assign(conversion.punctured().begin(), conversion.punctured().begin() + k);
  constants_.q_punctured_t.assign(conversion.punctured().begin() + k, conversion.punctured().end());
  constants_.negative_inverse_q_gamma = negative_inverse(q_, gamma_);
  constants_.negative_inverse_q_t = negative_inverse(q_, t_);
  constants_.inverse_gamma_t = make_shoup(t_.inverse(t_.reduce(gamma_.value())), t);
  const BigUint delta = q_.product().divided_by(t, &constants_.q_mod_t);
  for (const std::uint64_t value : q_.values())
    constants_.delta.push_back(make_shoup(delta.mod(value), value));
}

std::vector<std::uint64_t> DecryptScale::scaled(std::span<const std::uint64_t> x) const {
  if (x.size() != q_.size())
    throw SizeError("x has " + std::to_string(x.size()) + " residues: Q has " + std::to_string(q_.size()) +
                    " moduli");
  std::vector<std::uint64_t> y(q_.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = mul_shoup(x[i], constants_.scale[i], q_.values()[i]);
  return y;
}

std::uint64_t DecryptScale::distance(std::span<const std::uint64_t> y) const {
  const std::uint64_t z = inner_product(y, constants_.q_punctured_gamma.data(), gamma_);
  return mul_shoup(z, constants_.negative_inverse_q_gamma, gamma_.value());
}

std::uint64_t DecryptScale::noise_limit() const {
  constexpr std::uint64_t kRoot = 0x5A827999FCEF3242u;  // floor(2^64 / 2^1.5): at most one too low
  const u128 gamma = gamma_.value();
  const u128 limit = gamma * kRoot >> 64;
  return static_cast<std::uint64_t>(8 * (limit + 1) * (limit + 1) <= gamma * gamma ? limit + 1 : limit);
}

bool DecryptScale::exhausted(std::span<const std::uint64_t> x) const {
  const std::uint64_t d = distance(scaled(x));
  return std::min(d, gamma_.value() - d) >= noise_limit();
}

std::uint64_t DecryptScale::decrypt(std::span<const std::uint64_t> x) const {
  const std::vector<std::uint64_t> y = scaled(x);
  const std::uint64_t z_t = inner_product(y, constants_.q_punctured_t.data(), t_);
  const std::uint64_t s_gamma = distance(y);
  const std::uint64_t s_t = mul_shoup(z_t, constants_.negative_inverse_q_t, t_.value());
  // Subtract s_gamma centred: s_gamma - gamma if it is above gamma / 2, by a mask.
  const std::uint64_t is_negative =
      std::uint64_t{0} - static_cast<std::uint64_t>(s_gamma > gamma_.value() / 2);
  const std::uint64_t centred = t_.sub(t_.reduce(s_gamma), t_.reduce(gamma_.value()) & is_negative);
  return mul_shoup(t_.sub(s_t, centred), constants_.inverse_gamma_t, t_.value());
}

void DecryptScale::encrypt(std::uint64_t m, std::span<std::uint64_t> out) const {
  if (out.size() != q_.size())
    throw SizeError("out has " + std::to_string(out.size()) + " residues: Q has " +
                    std::to_string(q_.size()) + " moduli");
  const std::uint64_t t = t_.value();
  if (m >= t)
    throw ParameterError("m = " + std::to_string(m) +
                         " is out of range: need 0 <= m < t = " + std::to_string(t));
  const u128 numerator = static_cast<u128>(constants_.q_mod_t) * m + t / 2;
  const std::uint64_t fraction = static_cast<std::uint64_t>(numerator / t);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Modulus& q = q_.modulus(i);
    out[i] = q.add(mul_shoup(m, constants_.delta[i], q.value()), q.reduce(fraction));
  }
}

}  // namespace nttforge
