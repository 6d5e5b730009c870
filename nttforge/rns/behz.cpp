// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/behz.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/transform_size.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/rns/base_conversion.hpp"

namespace nttforge {
namespace {

constexpr std::uint64_t kMTilde = std::uint64_t{1} << Behz::kMTildeBits;

void require(bool condition, const std::string& message) {
  if (!condition) throw ParameterError(message);
}

void validate(const RnsBase& q, std::uint64_t t, std::size_t n, std::size_t terms, unsigned prime_bits) {
  require(
      t >= 2 && t >> kMaxModulusBits == 0,
      "t = " + std::to_string(t) + " is out of range: need 2 <= t < 2^" + std::to_string(kMaxModulusBits));
  require_cpu_transform_size(n);
  require(terms >= 1 && terms <= (std::size_t{1} << 20),
          "terms = " + std::to_string(terms) + " is out of range: need 1 ... 2^20 summed products");
  require(prime_bits >= 20 && prime_bits <= kMaxModulusBits, "prime_bits = " + std::to_string(prime_bits) +
                                                                 " is out of range: need 20 ... " +
                                                                 std::to_string(kMaxModulusBits));
  for (const std::uint64_t value : q.values())
    require(value % 2 == 1, "Q has the even modulus " + std::to_string(value) +
                                ": the Montgomery reduction modulo 2^32 needs every modulus odd");
}

/// M (m_sk/2 - |B| - 1) >= F with F = terms (t n Q (1 + 2k/m_tilde)^2 / 2) + k, multiplied by 2 m_tilde^2 to
/// stay in integers.
bool large_enough(std::span<const std::uint64_t> bsk, const RnsBase& q, std::uint64_t t, std::size_t n,
                  std::size_t terms) {
  const std::uint64_t k = q.size();
  const std::uint64_t m_sk = bsk.back();
  if (m_sk < 2 * bsk.size()) return false;  // |B| + 1 = bsk.size()
  BigUint left = BigUint::product(bsk.first(bsk.size() - 1)) * (m_sk - 2 * bsk.size());
  left = left * kMTilde * kMTilde;
  const std::uint64_t slack = kMTilde + 2 * k;
  BigUint right = q.product() * t * n * terms * slack * slack;
  right += BigUint(2 * k) * kMTilde * kMTilde;
  return left >= right;
}

RnsBase choose_bsk(const RnsBase& q, std::uint64_t t, std::size_t n, std::span<const std::uint64_t> avoid,
                   std::size_t terms, unsigned prime_bits) {
  validate(q, t, n, terms, prime_bits);
  std::vector<std::uint64_t> exclude(q.values().begin(), q.values().end());
  exclude.insert(exclude.end(), avoid.begin(), avoid.end());
  // Every prime is below 2^prime_bits and the product must exceed Q.
  for (std::size_t count = std::max<std::size_t>(2, q.product().bits() / prime_bits);; ++count) {
    std::vector<std::uint64_t> primes = ntt_primes(n, prime_bits, count, exclude);
    if (large_enough(primes, q, t, n, terms)) return RnsBase(std::move(primes));
  }
}

/// -x^-1 modulo m for each x.
std::vector<std::uint64_t> negative_inverses(std::span<const std::uint64_t> values, const Modulus& m) {
  std::vector<std::uint64_t> result;
  for (const std::uint64_t x : values) result.push_back(m.negate(m.inverse(m.reduce(x))));
  return result;
}

}  // namespace

Behz::Behz(const RnsBase& q, std::uint64_t t, std::size_t n, std::span<const std::uint64_t> avoid,
           std::size_t terms, unsigned prime_bits)
    : q_(q), bsk_(choose_bsk(q, t, n, avoid, terms, prime_bits)), t_(t), n_(n), terms_(terms) {}

// z = [m_tilde x]_Q + u Q, x' = (z + r Q) / m_tilde with r = -z Q^-1 modulo m_tilde, centred; (Q/q_i) Q^-1 =
// q_i^-1.
RnsStep Behz::extend() const {
  RnsStep step = fast_base_conversion(q_, bsk_.values(), BigUint(kMTilde));
  step.modulus = kMTilde;
  step.weights = negative_inverses(q_.values(), Modulus(kMTilde));
  for (std::size_t j = 0; j < bsk_.size(); ++j) {
    const Modulus& m = bsk_.modulus(j);
    const std::uint64_t inverse = m.inverse(m.reduce(kMTilde));
    for (std::size_t i = 0; i < q_.size(); ++i) {
      std::uint64_t& factor = step.factors[j * q_.size() + i];
      factor = m.mul(factor, inverse);
    }
    step.excess.push_back(m.mul(product_mod(q_.values(), m), inverse));
  }
  return step;
}

// (t x - z) / Q with z = [t x]_Q + u Q.
RnsStep Behz::floor() const {
  RnsStep step = fast_base_conversion(q_, bsk_.values(), BigUint(t_));
  step.factors.clear();
  for (std::size_t j = 0; j < bsk_.size(); ++j) {
    const Modulus& m = bsk_.modulus(j);
    step.own.push_back(m.mul(m.reduce(t_), m.inverse(product_mod(q_.values(), m))));
    const std::vector<std::uint64_t> row = negative_inverses(q_.values(), m);
    step.factors.insert(step.factors.end(), row.begin(), row.end());
  }
  return step;
}

// FastBconv from B gives z = x + alpha M; -alpha = (x - z) / M is read off modulo m_sk, centred (Shenoy and
// Kumaresan 1989).
RnsStep Behz::to_q() const {
  const std::span<const std::uint64_t> values = bsk_.values();
  const Modulus& m_sk = bsk_.modulus(values.size() - 1);
  const RnsBase b({values.begin(), values.end() - 1});
  RnsStep step = fast_base_conversion(b, q_.values());
  step.sources.push_back(m_sk.value());
  step.scale.push_back(m_sk.inverse(product_mod(b.values(), m_sk)));
  step.modulus = m_sk.value();
  step.weights = negative_inverses(b.values(), m_sk);
  step.weights.push_back(1);
  const std::vector<std::uint64_t> factors = std::exchange(step.factors, {});
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const auto row = factors.begin() + static_cast<std::ptrdiff_t>(i * b.size());
    step.factors.insert(step.factors.end(), row, row + static_cast<std::ptrdiff_t>(b.size()));
    step.factors.push_back(0);  // m_sk takes part in alpha only
    step.excess.push_back(product_mod(b.values(), q_.modulus(i)));
  }
  return step;
}

}  // namespace nttforge
