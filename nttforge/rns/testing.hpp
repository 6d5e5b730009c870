// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers of the rns/ and cpu/ tests: random big integers and signed values through BigUint. Not installed.

#include <span>
#include <utility>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/rns/base.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge::testing {

/// Uniform in [0, bound), bound > 0.
inline BigUint random_below(Rng& rng, const BigUint& bound) {
  const unsigned bits = bound.bits();
  for (;;) {
    std::vector<std::uint64_t> words((bits + 63) / 64);
    for (std::uint64_t& word : words) word = rng.next();
    if (bits % 64 != 0) words.back() >>= 64 - bits % 64;
    BigUint candidate = BigUint::from_words(words);
    if (candidate < bound) return candidate;
  }
}

/// floor(x / product of divisors).
inline BigUint divided_by(BigUint x, std::span<const std::uint64_t> divisors) {
  for (const std::uint64_t divisor : divisors) x = x.divided_by(divisor);
  return x;
}

/// A signed integer: sign and magnitude.
struct Signed {
  bool negative = false;
  BigUint magnitude;
};

inline std::vector<std::uint64_t> residues_of(const RnsBase& base, const Signed& x) {
  std::vector<std::uint64_t> residues = base.decompose(x.magnitude);
  if (x.negative)
    for (std::size_t i = 0; i < residues.size(); ++i) residues[i] = base.modulus(i).negate(residues[i]);
  return residues;
}

/// The representative in (-P/2, P/2], P the product of the base.
inline Signed centred(const RnsBase& base, std::span<const std::uint64_t> residues) {
  BigUint x = base.compose(residues);
  if (x > base.product().shifted_right(1)) return {true, base.product() - x};
  return {false, std::move(x)};
}

/// floor(x / product of divisors) of a signed x.
inline Signed floor_divide(const Signed& x, std::span<const std::uint64_t> divisors) {
  if (!x.negative) return {false, divided_by(x.magnitude, divisors)};
  const BigUint up = x.magnitude + (BigUint::product(divisors) - BigUint(1));
  return {true, divided_by(up, divisors)};
}

/// The value of a step at one coefficient.
inline std::vector<std::uint64_t> value_of(const RnsStep& step, std::span<const std::uint64_t> x,
                                           std::span<const std::uint64_t> own = {}) {
  std::vector<std::uint64_t> out(step.targets.size());
  StepValue(step).apply(x, own, out);
  return out;
}

/// Primes of the given sizes with q = 1 (mod 2n), all distinct.
inline std::vector<std::uint64_t> mixed_primes(std::size_t n, std::span<const unsigned> bits) {
  std::vector<std::uint64_t> primes;
  for (const unsigned b : bits) primes.push_back(ntt_primes(n, b, 1, primes)[0]);
  return primes;
}

}  // namespace nttforge::testing
