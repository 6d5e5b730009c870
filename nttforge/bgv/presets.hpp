// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nttforge::bgv {

/// Primes of a set: the chain, the lowest first, and the special primes; digits of as many primes.
struct Chain {
  std::vector<std::uint64_t> q, special;
};

/// The chain with at most `bits` bits of Q p that promises the greatest depth (docs/bounds/bgv_noise.md has
/// the algorithm and a table), for ternary secrets and sigma = 3.2. Primes are below 2^50; n below 4096 has
/// one prime of all bits and no special prime. Nothing if not even a fresh ciphertext decrypts. n a power of
/// two from 1024, bits 20 ... 1000. Takes milliseconds.
std::optional<Chain> best_chain(std::size_t n, std::uint64_t t, unsigned bits);

/// The same for primes of nearly one size of at most max_bits bits, `special` of them special ones; 0: a
/// quarter of all, rounded up, which makes three digits. docs/bounds/bgv_noise.md has the algorithm.
std::optional<Chain> equal_chain(std::size_t n, std::uint64_t t, unsigned bits, unsigned max_bits,
                                 std::size_t special);

}  // namespace nttforge::bgv
