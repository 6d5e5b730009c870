// SPDX-License-Identifier: Apache-2.0
#include "papers/kernels/bad18b/base.hpp"

#include <bit>
#include <string>
#include <utility>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/rns/base_conversion.hpp"

namespace nttforge::cuda::bad18b {
namespace {

constexpr unsigned kBits = 31;
using Values = std::vector<std::uint64_t>;

/// Primes whose product exceeds that of the first `count` by `bits` bits, from the `skip`-th on.
RnsBase further(std::size_t n, unsigned count, unsigned skip, unsigned bits) {
  const std::size_t more = (bits + kBits - 2) / (kBits - 1);
  const Values primes = ntt_primes(n, kBits, skip + count + more);
  return RnsBase({primes.begin() + skip, primes.end()});
}

Values negative_inverses(std::span<const std::uint64_t> values, const Modulus& m) {
  Values result;
  for (const std::uint64_t x : values) result.push_back(m.negate(m.inverse(m.reduce(x))));
  return result;
}

unsigned checked(std::size_t n, unsigned count) {
  if (n < 16 || n > 16384 || !std::has_single_bit(n) || count == 0 || count > 24)
    throw ParameterError("n = " + std::to_string(n) + " with " + std::to_string(count) +
                         " primes: [Bad18b]'s kernels take n = 16 ... 2^14, a power of two, and 1 ... 24");
  return count;
}

}  // namespace

// The auxiliary base: M m_sk exceeds Q by 4 n t, and by k^2 where overflows of Q stay (section 5.3); one
// prime more is m_sk. The wide base exceeds Q^2 by n t and a sign.
FvBase::FvBase(std::size_t dimension, unsigned count, std::uint64_t gamma_, std::uint64_t m_tilde_)
    : n(dimension),
      gamma(gamma_),
      m_tilde(m_tilde_),
      q(further(n, checked(n, count), 0, 0)),
      bsk(further(
          n, count, count,
          static_cast<unsigned>(std::bit_width(4 * n * 2 * (m_tilde == 1 ? count * count : 1))) + kBits)),
      wide(further(n, 2 * count, 0, static_cast<unsigned>(std::bit_width(n)) + 3)) {}

FvBase FvBase::of_paper(std::size_t n) {
  switch (n) {
    case 2048:
      return {n, 2, 7, 1};
    case 4096:
      return {n, 6, 13, 1};
    case 8192:
      return {n, 12, 37, 65536};
    case 16384:
      return {n, 24, 53, 65536};
    default:
      throw ParameterError("n = " + std::to_string(n) + ": [Bad18b] has sets for 2^11, 2^12, 2^13, 2^14");
  }
}

RnsStep FvBase::extend() const {
  RnsStep step = fast_base_conversion(q, bsk.values(), BigUint(m_tilde));
  if (m_tilde == 1) return step;
  step.modulus = m_tilde;
  step.weights = negative_inverses(q.values(), Modulus(m_tilde));
  for (std::size_t j = 0; j < bsk.size(); ++j) {
    const Modulus& m = bsk.modulus(j);
    const std::uint64_t inverse = m.inverse(m.reduce(m_tilde));
    for (std::size_t i = 0; i < q.size(); ++i) {
      std::uint64_t& factor = step.factors[j * q.size() + i];
      factor = m.mul(factor, inverse);
    }
    step.excess.push_back(m.mul(product_mod(q.values(), m), inverse));
  }
  return step;
}

RnsStep FvBase::floor() const {
  RnsStep step = fast_base_conversion(q, bsk.values(), BigUint(t));
  step.factors.clear();
  for (std::size_t j = 0; j < bsk.size(); ++j) {
    const Modulus& m = bsk.modulus(j);
    step.own.push_back(m.mul(m.reduce(t), m.inverse(product_mod(q.values(), m))));
    const Values row = negative_inverses(q.values(), m);
    step.factors.insert(step.factors.end(), row.begin(), row.end());
  }
  return step;
}

RnsStep FvBase::to_q() const {
  const std::span<const std::uint64_t> values = bsk.values();
  const Modulus& m_sk = bsk.modulus(values.size() - 1);
  const RnsBase b({values.begin(), values.end() - 1});
  RnsStep step = fast_base_conversion(b, q.values());
  step.sources.push_back(m_sk.value());
  step.scale.push_back(m_sk.inverse(product_mod(b.values(), m_sk)));
  step.modulus = m_sk.value();
  step.weights = negative_inverses(b.values(), m_sk);
  step.weights.push_back(1);
  const Values factors = std::exchange(step.factors, {});
  for (std::size_t i = 0; i < q.size(); ++i) {
    const auto row = factors.begin() + static_cast<std::ptrdiff_t>(i * b.size());
    step.factors.insert(step.factors.end(), row, row + static_cast<std::ptrdiff_t>(b.size()));
    step.factors.push_back(0);
    step.excess.push_back(product_mod(b.values(), q.modulus(i)));
  }
  return step;
}

// s_j = FastBconv(gamma t x) (-Q^-1) modulo j = t and gamma; m = (s_t - [s_gamma]) gamma^-1 modulo t.
RnsStep FvBase::decrypt() const {
  const std::uint64_t to[] = {t};
  RnsStep step = fast_base_conversion(q, to, BigUint(gamma) * t);
  const Modulus plain(t), redundant(gamma);
  const std::uint64_t inverse = plain.inverse(plain.reduce(gamma));
  step.factors.clear();
  for (const std::uint64_t factor : negative_inverses(q.values(), plain))
    step.factors.push_back(plain.mul(factor, inverse));
  step.modulus = gamma;
  step.weights = negative_inverses(q.values(), redundant);
  step.excess = {plain.negate(inverse)};
  return step;
}

}  // namespace nttforge::cuda::bad18b
