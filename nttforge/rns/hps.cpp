// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/hps.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/transform_size.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/rns/base_conversion.hpp"

namespace nttforge {
namespace {

BigUint power_of_two(unsigned exponent) {
  std::vector<std::uint64_t> words(exponent / 64 + 1, 0);
  words.back() = std::uint64_t{1} << (exponent % 64);
  return BigUint::from_words(words);
}

/// epsilon = error / 2^bits of steps with these sources.
struct Epsilon {
  explicit Epsilon(std::span<const std::uint64_t> sources) {
    RnsStep step{.sources = {sources.begin(), sources.end()}};
    set_fractions(step);
    error = fraction_error(step);
    unit = power_of_two(step.fraction_bits);
  }
  BigUint error, unit;
};

/// P (1/2 - epsilon_P) >= terms t n Q (1 + 2 epsilon_Q)^2 / 2 + 1, multiplied by twice both units.
bool large_enough(const RnsBase& p, const BigUint& product, const Epsilon& of_q) {
  const Epsilon of_p(p.values());
  const BigUint twice = of_p.error * 2;
  if (twice >= of_p.unit) return false;
  const BigUint slack = of_q.unit + of_q.error * 2, square = of_q.unit * of_q.unit;
  return p.product() * (of_p.unit - twice) * square >= (product * slack * slack + square * 2) * of_p.unit;
}

void require_range(const char* name, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  if (value < low || value > high)
    throw ParameterError(std::string(name) + " = " + std::to_string(value) + " is out of range: need " +
                         std::to_string(low) + " ... " + std::to_string(high));
}

/// The shortest list of primes that is accepted.
template <class Accept>
RnsBase shortest_base(const RnsBase& q, std::size_t n, std::span<const std::uint64_t> avoid,
                      unsigned prime_bits, const Accept& accept) {
  require_cpu_transform_size(n);
  require_range("prime_bits", prime_bits, 20, kMaxModulusBits);
  std::vector<std::uint64_t> exclude(q.values().begin(), q.values().end());
  exclude.insert(exclude.end(), avoid.begin(), avoid.end());
  // Every prime is below 2^prime_bits.
  for (std::size_t count = std::max<std::size_t>(1, (q.product().bits() - 1) / prime_bits);; ++count) {
    RnsBase base(ntt_primes(n, prime_bits, count, exclude));
    if (accept(base)) return base;
  }
}

}  // namespace

// sum_i y_i Q / q_i = [x]_Q + u Q, and sum_i y_i / q_i = [x]_Q / Q + u.
RnsStep hps_extend(const RnsBase& q, std::span<const std::uint64_t> targets, bool nearest) {
  RnsStep step = fast_base_conversion(q, targets);
  step.nearest = nearest;
  set_fractions(step);
  for (const std::uint64_t target : targets) {
    const Modulus m(target);
    step.excess.push_back(m.negate(product_mod(q.values(), m)));
  }
  return step;
}

// With z = factor x and the digits y_i of z, (z - [z]_Q) / Q = z / Q + u - sum_i y_i / q_i modulo a target,
// and the correction is u + round([z]_Q / Q).
RnsStep hps_scale(const RnsBase& q, std::span<const std::uint64_t> targets, const BigUint& factor,
                  const BigUint& multiple) {
  RnsStep step = fast_base_conversion(q, targets, factor);
  step.factors.clear();
  bool takes_own = false;
  for (const std::uint64_t target : targets) {
    const Modulus m(target);
    const std::uint64_t times = multiple.mod(target), own = m.mul(times, factor.mod(target));
    takes_own = takes_own || own != 0;
    step.own.push_back(own == 0 ? 0 : m.mul(own, m.inverse(product_mod(q.values(), m))));
    for (const std::uint64_t s : q.values())
      step.factors.push_back(m.mul(times, m.negate(m.inverse(m.reduce(s)))));
    step.excess.push_back(times);
  }
  if (!takes_own) step.own.clear();
  step.nearest = true;
  set_fractions(step);
  return step;
}

RnsStep hps_decrypt(const RnsBase& q, std::uint64_t t) {
  const std::uint64_t target[] = {t};
  return hps_scale(q, target, BigUint(t));
}

double hps_epsilon(std::span<const std::uint64_t> sources) {
  const Epsilon epsilon(sources);
  return std::exp2(epsilon.error.log2() - epsilon.unit.log2()) * (1 + 1e-9);
}

RnsBase hps_base(const RnsBase& q, std::uint64_t t, std::size_t n, std::span<const std::uint64_t> avoid,
                 std::size_t terms, unsigned prime_bits) {
  require_range("t", t, 2, (std::uint64_t{1} << kMaxModulusBits) - 1);
  require_range("terms", terms, 1, std::size_t{1} << 20);
  const Epsilon epsilon(q.values());
  const BigUint product = q.product() * t * n * terms;
  return shortest_base(q, n, avoid, prime_bits,
                       [&](const RnsBase& p) { return large_enough(p, product, epsilon); });
}

RnsBase hps_over_q_base(const RnsBase& q, std::size_t n, std::span<const std::uint64_t> avoid,
                        unsigned prime_bits) {
  return shortest_base(q, n, avoid, prime_bits,
                       [&](const RnsBase& p) { return p.product() * 2 >= q.product(); });
}

}  // namespace nttforge
