// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the transform tests share: the definition by its sum, test primes, inputs.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/ntt/order.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge::testing {

using Words = std::vector<std::uint64_t>;

inline constexpr Order kOrders[] = {Order::natural, Order::bit_reversed};
inline constexpr Ring kRings[] = {Ring::negacyclic, Ring::cyclic};

/// The values as words of a plan.
template <class Word>
std::vector<Word> words_of(const Words& x) {
  std::vector<Word> y;
  y.reserve(x.size());
  for (const std::uint64_t v : x) y.push_back(static_cast<Word>(v));
  return y;
}

inline std::uint64_t mul_any(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return q >> 62 != 0 ? goldilocks::mul(a, b) : Modulus(q).mul(a, b);
}
inline std::uint64_t add_any(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return a >= q - b ? a - (q - b) : a + b;
}
inline std::uint64_t sub_any(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return a >= b ? a - b : a + (q - b);
}

/// powers[i] = root^i for i < count.
inline Words powers_of(std::uint64_t root, std::size_t count, std::uint64_t q) {
  Words powers(count, 1 % q);
  for (std::size_t i = 1; i < count; ++i) powers[i] = mul_any(powers[i - 1], root, q);
  return powers;
}

/// X[k] by its sum; `powers` of psi (2n of them) or omega (n).
inline std::uint64_t value_by_sum(const Words& a, std::size_t k, Ring ring, std::uint64_t q,
                                  const Words& powers) {
  const std::size_t n = a.size(), mask = powers.size() - 1;
  const std::size_t step = ring == Ring::negacyclic ? 2 * k + 1 : k;
  std::uint64_t sum = 0;
  if (q >> 62 != 0) {
    for (std::size_t j = 0; j < n; ++j)
      sum = goldilocks::add(sum, goldilocks::mul(a[j], powers[j * step & mask]));
    return sum;
  }
  const Modulus modulus(q);
  for (std::size_t j = 0; j < n; ++j) sum = modulus.add(sum, modulus.mul(a[j], powers[j * step & mask]));
  return sum;
}

/// The rules of tests/vectors/: an input from its index, a digest of an output.
inline std::uint64_t splitmix64(std::uint64_t i) {
  std::uint64_t z = i + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
inline std::uint64_t fnv1a(const Words& words) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const std::uint64_t w : words) h = (h ^ w) * 0x100000001b3u;
  return h;
}

inline std::size_t root_order(Ring ring, std::size_t n) { return ring == Ring::negacyclic ? 2 * n : n; }

/// The whole transform by its definition, natural order in and out.
inline Words transform_by_sum(const Words& a, Ring ring, std::uint64_t q, std::uint64_t root) {
  const Words powers = powers_of(root, root_order(ring, a.size()), q);
  Words x(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) x[k] = value_by_sum(a, k, ring, q, powers);
  return x;
}

inline Words reordered(const Words& x, Order order) {
  if (order == Order::natural) return x;
  Words y(x.size());
  unsigned bits = 0;
  while ((std::size_t{1} << bits) < x.size()) ++bits;
  for (std::size_t i = 0; i < x.size(); ++i) y[bit_reverse(i, bits)] = x[i];
  return y;
}

inline Words random_residues(std::size_t count, std::uint64_t q, Rng& rng) {
  Words x(count);
  for (auto& v : x) v = rng.below(q);
  return x;
}

/// Inputs that have broken transforms before: zeros, all q - 1, one q - 1, alternating, and random ones.
inline std::vector<Words> edge_inputs(std::size_t n, std::uint64_t q, Rng& rng) {
  std::vector<Words> inputs(4, Words(n, 0));
  inputs[1].assign(n, q - 1);
  inputs[2][n - 1] = q - 1;
  for (std::size_t i = 0; i < n; i += 2) inputs[3][i] = q - 1;
  inputs.push_back(random_residues(n, q, rng));
  Words high(n);
  for (auto& v : high) v = q - 1 - rng.below(q < 4 ? 1 : 3);
  inputs.push_back(high);
  return inputs;
}

/// Largest prime below 2^bits that carries a transform of n.
inline std::uint64_t largest_prime(std::size_t n, unsigned bits) { return ntt_primes(n, bits, 1).front(); }

/// Small primes of the literature and the largest of each class, as far as they carry n.
inline Words test_primes(Ring ring, std::size_t n, unsigned word_bits) {
  Words primes;
  const std::size_t order = root_order(ring, n);
  for (const std::uint64_t q : {2u, 3u, 5u, 17u, 97u, 257u, 7681u, 12289u, 65537u, 8380417u}) {
    if (q % order == 1 % order) primes.push_back(q);
  }
  for (const unsigned bits : {30u, 31u, 32u, 50u, 51u, 60u, 61u, 62u}) {
    if (bits <= word_bits) primes.push_back(largest_prime(n, bits));
  }
  if (word_bits == 64) primes.push_back(kGoldilocks);
  return primes;
}

}  // namespace nttforge::testing
