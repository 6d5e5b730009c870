// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers of the tests of schemes with integers modulo t: small sets, everything needed to compute, reference
// arithmetic on plaintexts. A scheme is named by a struct with its Parameters, Context and Evaluator. Not
// installed.

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/device/queue.hpp"
#include "nttforge/integer_encoding/integer_encoding.hpp"

namespace nttforge::integer_encoding::testing {

using nttforge::testing::full_tests;
using nttforge::testing::Rng;
using Values = std::vector<std::uint64_t>;

inline Seed test_seed(std::uint8_t first) {
  Seed seed;
  for (std::size_t i = 0; i < seed.bytes.size(); ++i)
    seed.bytes[i] = static_cast<std::uint8_t>(first + 7 * i);
  return seed;
}

/// A small set below any security level: `limbs` primes of `bits` bits and a special prime of as many.
template <class Parameters>
Parameters small_set(std::size_t n, std::uint64_t t, std::size_t limbs, unsigned bits, bool special) {
  auto primes = ntt_primes(n, bits, limbs + 1);
  const std::uint64_t p = special ? primes.front() : 0;
  return Parameters::custom(n, t, {primes.begin() + 1, primes.end()}, p, SecurityLevel::insecure_by_request);
}

/// `limbs` primes and `special` special ones of `bits` bits, key switching by digits of digit_primes primes.
template <class Parameters>
Parameters hybrid_set(std::size_t n, std::uint64_t t, std::size_t limbs, unsigned bits, std::size_t special,
                      std::size_t digit_primes) {
  const auto primes = ntt_primes(n, bits, limbs + special);
  const auto middle = primes.begin() + static_cast<std::ptrdiff_t>(special);
  return Parameters::custom(n, t, {middle, primes.end()}, std::vector<std::uint64_t>(primes.begin(), middle),
                            SecurityLevel::insecure_by_request, SecretDistribution::ternary,
                            ErrorDistribution::sigma_3_2, kStrictestTable, 64, digit_primes);
}

inline Values random_values(Rng& rng, std::size_t count, std::uint64_t t) {
  Values values(count);
  for (std::uint64_t& value : values) value = rng.below(t);
  return values;
}

/// Everything needed to compute, made from one seed.
template <class Scheme>
struct PartyOf {
  using ContextPtr = decltype(Scheme::Context::create(std::declval<typename Scheme::Parameters>(), nullptr));
  explicit PartyOf(ContextPtr c, std::uint8_t first = 1)
      : context(std::move(c)),
        generator(context, test_seed(first)),
        encryptor(generator.public_key()),
        secret_encryptor(generator.secret_key()),
        decryptor(generator.secret_key()),
        evaluator(context) {}
  PartyOf(const typename Scheme::Parameters& parameters, std::shared_ptr<const Device> device,
          std::uint8_t first = 1)
      : PartyOf(Scheme::Context::create(parameters, std::move(device)), first) {}

  ContextPtr context;
  KeyGenerator generator;
  Encryptor encryptor, secret_encryptor;
  Decryptor decryptor;
  typename Scheme::Evaluator evaluator;
};

/// Product of polynomials modulo X^n + 1 and t by the definition, skipping zeros of a.
inline Values negacyclic_product(const Values& a, const Values& b, std::uint64_t t) {
  const Modulus m(t);
  const std::size_t n = a.size();
  Values out(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i] == 0) continue;
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint64_t term = m.mul(a[i], b[j]);
      out[(i + j) % n] = i + j < n ? m.add(out[i + j], term) : m.sub(out[i + j - n], term);
    }
  }
  return out;
}

}  // namespace nttforge::integer_encoding::testing
