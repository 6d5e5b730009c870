// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/scale.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::Rng;
using testing::value_of;

BigUint rounded_scale(const RnsBase& q, std::uint64_t m, std::uint64_t t) {
  return (q.product() * m + BigUint(t / 2)).divided_by(t);
}

std::vector<DecryptScale> scales() {
  const unsigned mixed[] = {30, 50, 60, 62};
  std::vector<DecryptScale> result;
  for (const std::uint64_t t :
       {std::uint64_t{2}, std::uint64_t{257}, std::uint64_t{786433}, std::uint64_t{1} << 20}) {
    result.emplace_back(RnsBase(ntt_primes(1024, 30, 1)), t);
    result.emplace_back(RnsBase(ntt_primes(4096, 36, 2)), t);
    result.emplace_back(RnsBase(ntt_primes(16384, 49, 8)), t);
    result.emplace_back(RnsBase(testing::mixed_primes(1024, mixed)), t);
  }
  for (const std::uint64_t t :
       {(std::uint64_t{1} << 49) - 1, std::uint64_t{1} << 49, (std::uint64_t{1} << 60) - 1})
    result.emplace_back(RnsBase(ntt_primes(2048, 62, 3)), t);
  return result;
}

NTTF_TEST("DecryptScale: gamma is the stated prime") {
  for (const DecryptScale& scale : scales()) {
    const std::uint64_t limit = std::uint64_t{1} << (scale.t().value() >> 49 == 0 ? 50 : 61);
    const std::uint64_t gamma = scale.gamma().value();
    NTTF_CHECK(gamma < limit && is_prime(gamma) && gamma != scale.t().value());
    for (std::uint64_t above = gamma + 2; above < limit; above += 2)
      NTTF_CHECK(!is_prime(above) || scale.q().product().mod(above) == 0 || above == scale.t().value());
  }
}

NTTF_TEST("DecryptScale: encrypt is round(Q m / t)") {
  Rng rng;
  for (const DecryptScale& scale : scales()) {
    const std::uint64_t t = scale.t().value();
    std::vector<std::uint64_t> values = {0, 1, t - 1, t / 2};
    for (int trial = 0; trial < 100; ++trial) values.push_back(rng.below(t));
    for (const std::uint64_t m : values) {
      const std::vector<std::uint64_t> out = value_of(scale.encrypt(), std::span(&m, 1));
      NTTF_CHECK(out == scale.q().decompose(rounded_scale(scale.q(), m, t)));
      NTTF_CHECK_EQ(value_of(scale.decrypt(), out)[0], m);
    }
  }
}

NTTF_TEST("DecryptScale: decrypt is exact up to |noise| < Q/t (1/2 - k/gamma) and fails past Q/2t") {
  Rng rng;
  for (const DecryptScale& scale : scales()) {
    const RnsBase& q = scale.q();
    const std::uint64_t t = scale.t().value();
    const std::uint64_t gamma = scale.gamma().value();
    const std::uint64_t k = q.size();
    for (int trial = 0; trial < 40; ++trial) {
      const std::uint64_t m = trial == 0 ? 0 : trial == 1 ? t - 1 : rng.below(t);
      const RnsStep step = scale.decrypt();
      const auto decrypt = [&](const BigUint& x) { return value_of(step, q.decompose(x))[0]; };  // x modulo Q
      const BigUint base = q.product() * m + q.product() * t;  // t x, one period up so that it stays positive
      const auto at = [&](const BigUint& t_times_x) { return t_times_x.divided_by(t); };
      // Largest and smallest x with |t x - Q m| < Q (1/2 - k/gamma).
      const BigUint reach = (q.product() * (gamma - 2 * k)).divided_by(gamma).shifted_right(1) - BigUint(1);
      const BigUint last = at(base + reach);
      const BigUint first = at(base - reach) + BigUint(1);
      NTTF_CHECK_EQ(decrypt(last), m);
      NTTF_CHECK_EQ(decrypt(last - BigUint(1)), m);
      NTTF_CHECK_EQ(decrypt(first), m);
      NTTF_CHECK_EQ(decrypt(first + BigUint(1)), m);
      // Past one half the neighbour is nearer; flooring lowers by up to k / gamma, so upwards that much
      // later.
      const BigUint half = q.product().shifted_right(1) + BigUint(1);
      const BigUint past = half + (q.product() * k).divided_by(gamma) + BigUint(1);
      NTTF_CHECK_EQ(decrypt(at(base + past) + BigUint(1)), (m + 1) % t);
      NTTF_CHECK(decrypt(at(base - half)) != m);
      // Anything between.
      const BigUint offset = testing::random_below(rng, reach);
      NTTF_CHECK_EQ(decrypt(at(base + offset)), m);
      NTTF_CHECK_EQ(decrypt(at(base - offset) + BigUint(1)), m);
    }
  }
}

NTTF_TEST("DecryptScale: the exact limit, one step each side, where gamma resolves single integers") {
  // Q = 1009 * 1013 is tiny next to gamma = 2^50 - ..., so the limit is |x - Q m / t| < Q / 2t itself.
  const DecryptScale scale(RnsBase({1009, 1013}), 5);
  const StepValue decrypt(scale.decrypt());
  const std::uint64_t q = 1009 * 1013;
  for (std::uint64_t x = 0; x < q; ++x) {
    const std::uint64_t residues[] = {x % 1009, x % 1013};
    const std::uint64_t expected = (10 * x + q) / (2 * q) % 5;  // round(5 x / Q), no ties: Q is odd
    std::uint64_t found[1];
    decrypt.apply(residues, {}, found);
    if (found[0] != expected) {
      NTTF_CHECK_EQ(found[0], expected);
      break;
    }
  }
}

NTTF_TEST("DecryptScale: decrypt's limit is passed where less than half a bit of budget is left") {
  // |v| > Q / 2^1.5, v = 5 x centred modulo Q; Q is tiny next to gamma, so no x is close to the limit.
  const DecryptScale scale(RnsBase({1009, 1013}), 5);
  const StepValue decrypt(scale.decrypt());
  const std::int64_t q = 1009 * 1013;
  std::size_t wrong = 0;
  for (std::int64_t x = 0; x < q; ++x) {
    const std::uint64_t residues[] = {static_cast<std::uint64_t>(x % 1009),
                                      static_cast<std::uint64_t>(x % 1013)};
    const std::int64_t rest = 5 * x % q, v = rest > q / 2 ? rest - q : rest;
    std::uint64_t out[1];
    wrong += decrypt.apply(residues, {}, out) != (8 * v * v >= q * q) ? 1 : 0;
  }
  NTTF_CHECK_EQ(wrong, std::size_t{0});
}

NTTF_TEST("DecryptScale: bad input is named") {
  const RnsBase q({1009, 1013});
  NTTF_CHECK_THROWS(DecryptScale(q, 1), ParameterError, "t = 1 is out of range: need 2 <= t < 2^60");
  NTTF_CHECK_THROWS(DecryptScale(q, std::uint64_t{1} << 60), ParameterError, "need 2 <= t < 2^60");
  NTTF_CHECK_THROWS(DecryptScale(q, 1009 * 1013), ParameterError, "is not below Q = 1022117");
  NTTF_CHECK_THROWS(DecryptScale(q, 1013 * 3), ParameterError,
                    "t = 3039 shares the factor 1013 with the modulus q = 1013");
}

}  // namespace
}  // namespace nttforge
