// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers of the bfv/ tests: small contexts, reference arithmetic on plaintexts. Not installed.

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/bfv/bfv.hpp"
#include "nttforge/device/queue.hpp"

namespace nttforge::bfv::testing {

using nttforge::testing::Rng;

/// The full sweeps run when NTTFORGE_TEST_FULL is set to 1 (make test does).
inline bool full_tests() {
  const char* value = std::getenv("NTTFORGE_TEST_FULL");
  return value != nullptr && std::string_view(value) == "1";
}

inline Seed test_seed(std::uint8_t first) {
  Seed seed;
  for (std::size_t i = 0; i < seed.bytes.size(); ++i)
    seed.bytes[i] = static_cast<std::uint8_t>(first + 7 * i);
  return seed;
}

/// A small set below any security level: `limbs` primes of `bits` bits and a special prime of as many.
inline Parameters small_parameters(std::size_t n, std::uint64_t t, std::size_t limbs = 2, unsigned bits = 45,
                                   bool special = true) {
  auto primes = ntt_primes(n, bits, limbs + 1);
  const std::uint64_t p = special ? primes.front() : 0;
  return Parameters::custom(n, t, {primes.begin() + 1, primes.end()}, p, SecurityLevel::insecure_by_request);
}

inline std::vector<std::uint64_t> random_values(Rng& rng, std::size_t count, std::uint64_t t) {
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& value : values) value = rng.below(t);
  return values;
}

/// Everything needed to compute, made from one seed.
struct Party {
  explicit Party(ContextPtr c, std::uint8_t first = 1)
      : context(std::move(c)),
        generator(context, test_seed(first)),
        encryptor(generator.public_key()),
        secret_encryptor(generator.secret_key()),
        decryptor(generator.secret_key()),
        evaluator(context) {}
  Party(const Parameters& parameters, std::shared_ptr<const Device> device, std::uint8_t first = 1)
      : Party(Context::create(parameters, std::move(device)), first) {}

  ContextPtr context;
  KeyGenerator generator;
  Encryptor encryptor, secret_encryptor;
  Decryptor decryptor;
  Evaluator evaluator;
};

/// Product of polynomials modulo X^n + 1 and t by the definition, skipping zeros of a.
inline std::vector<std::uint64_t> negacyclic_product(const std::vector<std::uint64_t>& a,
                                                     const std::vector<std::uint64_t>& b, std::uint64_t t) {
  const Modulus m(t);
  const std::size_t n = a.size();
  std::vector<std::uint64_t> out(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i] == 0) continue;
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint64_t term = m.mul(a[i], b[j]);
      out[(i + j) % n] = i + j < n ? m.add(out[i + j], term) : m.sub(out[i + j - n], term);
    }
  }
  return out;
}

}  // namespace nttforge::bfv::testing
