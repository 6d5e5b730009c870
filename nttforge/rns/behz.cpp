// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/behz.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/transform_size.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/rns/base_conversion.hpp"

namespace nttforge {
namespace {

constexpr std::uint64_t kMTilde = std::uint64_t{1} << Behz::kMTildeBits;
constexpr unsigned kBskBits = 50;

void require(bool condition, const std::string& message) {
  if (!condition) throw ParameterError(message);
}

void require_size(std::string_view name, std::size_t size, std::size_t expected) {
  if (size != expected)
    throw SizeError(std::string(name) + " has " + std::to_string(size) + " residues: need " +
                    std::to_string(expected));
}

void validate(const RnsBase& q, std::uint64_t t, std::size_t n, std::size_t terms) {
  require(
      t >= 2 && t >> kMaxModulusBits == 0,
      "t = " + std::to_string(t) + " is out of range: need 2 <= t < 2^" + std::to_string(kMaxModulusBits));
  require_cpu_transform_size(n);
  require(terms >= 1 && terms <= (std::size_t{1} << 20),
          "terms = " + std::to_string(terms) + " is out of range: need 1 ... 2^20 summed products");
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
                   std::size_t terms) {
  validate(q, t, n, terms);
  std::vector<std::uint64_t> exclude(q.values().begin(), q.values().end());
  exclude.insert(exclude.end(), avoid.begin(), avoid.end());
  // Every prime is below 2^50 and the product must exceed Q.
  for (std::size_t count = std::max<std::size_t>(2, q.product().bits() / kBskBits);; ++count) {
    std::vector<std::uint64_t> primes = ntt_primes(n, kBskBits, count, exclude);
    if (large_enough(primes, q, t, n, terms)) return RnsBase(std::move(primes));
  }
}

std::uint64_t product_mod(std::span<const std::uint64_t> factors, const Modulus& m) {
  std::uint64_t result = 1 % m.value();
  for (const std::uint64_t factor : factors) result = m.mul(result, m.reduce(factor));
  return result;
}

void fill_q_side(const RnsBase& q, const RnsBase& bsk, std::uint64_t t, Behz::Constants& c) {
  const Modulus m_tilde(kMTilde);
  const BaseConversion extend(q, bsk.values(), BigUint(kMTilde));
  c.extend_scale.assign(extend.scale().begin(), extend.scale().end());
  c.q_punctured_bsk.assign(extend.punctured().begin(), extend.punctured().end());
  for (std::size_t i = 0; i < q.size(); ++i)
    c.q_punctured_m_tilde.push_back(static_cast<std::uint32_t>(q.punctured_mod(i, m_tilde)));
  c.negative_inverse_q_m_tilde =
      static_cast<std::uint32_t>(m_tilde.negate(m_tilde.inverse(product_mod(q.values(), m_tilde))));
  const BaseConversion floor(q, {}, BigUint(t));
  c.floor_scale.assign(floor.scale().begin(), floor.scale().end());
}

void fill_bsk_side(const RnsBase& q, const RnsBase& bsk, std::uint64_t t, Behz::Constants& c) {
  for (std::size_t j = 0; j < bsk.size(); ++j) {
    const Modulus& m = bsk.modulus(j);
    const std::uint64_t q_mod = product_mod(q.values(), m);
    const std::uint64_t inverse_q = m.inverse(q_mod);
    c.q_mod_bsk.push_back(q_mod);
    c.inverse_m_tilde_bsk.push_back(make_shoup(m.inverse(kMTilde), m.value()));
    c.t_inverse_q_bsk.push_back(make_shoup(m.mul(m.reduce(t), inverse_q), m.value()));
    c.inverse_q_bsk.push_back(make_shoup(inverse_q, m.value()));
  }
  const std::size_t b_size = bsk.size() - 1;
  const Modulus& m_sk = bsk.modulus(b_size);
  const RnsBase b(std::vector<std::uint64_t>(bsk.values().begin(), bsk.values().end() - 1));
  for (std::size_t j = 0; j < b_size; ++j) {
    c.b_inverse_punctured.push_back(b.inverse_punctured(j));
    c.b_punctured_sk.push_back(b.punctured_mod(j, m_sk));
  }
  for (std::size_t i = 0; i < q.size(); ++i) {
    for (std::size_t j = 0; j < b_size; ++j) c.b_punctured_q.push_back(b.punctured_mod(j, q.modulus(i)));
    c.b_mod_q.push_back(product_mod(b.values(), q.modulus(i)));
  }
  c.inverse_b_sk = make_shoup(m_sk.inverse(product_mod(b.values(), m_sk)), m_sk.value());
}

}  // namespace

Behz::Behz(const RnsBase& q, std::uint64_t t, std::size_t n, std::span<const std::uint64_t> avoid,
           std::size_t terms)
    : q_(q), bsk_(choose_bsk(q, t, n, avoid, terms)), t_(t), n_(n), terms_(terms) {
  fill_q_side(q_, bsk_, t_, constants_);
  fill_bsk_side(q_, bsk_, t_, constants_);
}

void Behz::extend(std::span<const std::uint64_t> x_q, std::span<std::uint64_t> x_bsk) const {
  require_size("x_q", x_q.size(), q_.size());
  require_size("x_bsk", x_bsk.size(), bsk_.size());
  const std::size_t k = q_.size();
  // S0: z = [m_tilde x]_Q + u Q modulo m_tilde and B_sk.
  std::vector<std::uint64_t> y(k);
  std::uint32_t z_m_tilde = 0;
  for (std::size_t i = 0; i < k; ++i) {
    y[i] = mul_shoup(x_q[i], constants_.extend_scale[i], q_.values()[i]);
    z_m_tilde += static_cast<std::uint32_t>(y[i]) * constants_.q_punctured_m_tilde[i];
  }
  // S1: x' = (z + r Q) / m_tilde, r = -z Q^-1 mod m_tilde centred in [-m_tilde/2, m_tilde/2).
  const std::uint32_t r = z_m_tilde * constants_.negative_inverse_q_m_tilde;
  const bool negative = r >= kMTilde / 2;
  for (std::size_t j = 0; j < bsk_.size(); ++j) {
    const Modulus& m = bsk_.modulus(j);
    const std::uint64_t z = inner_product(y, constants_.q_punctured_bsk.data() + j * k, m);
    const std::uint64_t r_mod = negative ? m.negate(m.reduce(kMTilde - r)) : m.reduce(r);
    const std::uint64_t numerator = m.add(z, m.mul(r_mod, constants_.q_mod_bsk[j]));
    x_bsk[j] = mul_shoup(numerator, constants_.inverse_m_tilde_bsk[j], m.value());
  }
}

void Behz::floor(std::span<const std::uint64_t> x_q, std::span<const std::uint64_t> x_bsk,
                 std::span<std::uint64_t> out_bsk) const {
  require_size("x_q", x_q.size(), q_.size());
  require_size("x_bsk", x_bsk.size(), bsk_.size());
  require_size("out_bsk", out_bsk.size(), bsk_.size());
  const std::size_t k = q_.size();
  std::vector<std::uint64_t> y(k);  // of t x: z = [t x]_Q + u Q
  for (std::size_t i = 0; i < k; ++i) y[i] = mul_shoup(x_q[i], constants_.floor_scale[i], q_.values()[i]);
  for (std::size_t j = 0; j < bsk_.size(); ++j) {
    const Modulus& m = bsk_.modulus(j);
    const std::uint64_t z = inner_product(y, constants_.q_punctured_bsk.data() + j * k, m);
    out_bsk[j] = m.sub(mul_shoup(x_bsk[j], constants_.t_inverse_q_bsk[j], m.value()),
                       mul_shoup(z, constants_.inverse_q_bsk[j], m.value()));
  }
}

void Behz::to_q(std::span<const std::uint64_t> x_bsk, std::span<std::uint64_t> out_q) const {
  require_size("x_bsk", x_bsk.size(), bsk_.size());
  require_size("out_q", out_q.size(), q_.size());
  const std::size_t b_size = bsk_.size() - 1;
  const Modulus& m_sk = bsk_.modulus(b_size);
  std::vector<std::uint64_t> y(b_size);
  for (std::size_t j = 0; j < b_size; ++j)
    y[j] = mul_shoup(x_bsk[j], constants_.b_inverse_punctured[j], bsk_.values()[j]);
  // FastBconv gives x + alpha M; alpha is read off modulo m_sk, centred (Shenoy and Kumaresan 1989).
  const std::uint64_t z_sk = inner_product(y, constants_.b_punctured_sk.data(), m_sk);
  const std::uint64_t alpha = mul_shoup(m_sk.sub(z_sk, x_bsk[b_size]), constants_.inverse_b_sk, m_sk.value());
  const bool negative = alpha > m_sk.value() / 2;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const Modulus& q = q_.modulus(i);
    const std::uint64_t z = inner_product(y, constants_.b_punctured_q.data() + i * b_size, q);
    const std::uint64_t alpha_mod = negative ? q.negate(q.reduce(m_sk.value() - alpha)) : q.reduce(alpha);
    out_q[i] = q.sub(z, q.mul(alpha_mod, constants_.b_mod_q[i]));
  }
}

}  // namespace nttforge
