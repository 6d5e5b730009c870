// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the DGT tests share: moduli, the definition by its sum, kernels against the scalar one.

#include <string>
#include <vector>

#include "nttforge/arith/complex_mod.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/ntt/kernels/dgt/dgt.hpp"
#include "nttforge/ntt/kernels/dgt/dgt_tables.hpp"
#include "nttforge/ntt/kernels/testing_kernels.hpp"
#include "nttforge/ntt/testing.hpp"

namespace nttforge::testing {

/// Largest prime q = 3 (mod 4) below 2^bits that carries a DGT of n: n | q + 1.
inline std::uint64_t largest_gaussian_prime(std::size_t n, unsigned bits) {
  const std::uint64_t step = n < 4 ? 4 : n;
  std::uint64_t q = (std::uint64_t{1} << bits) - 1;
  while (!is_prime(q)) q -= step;
  return q;
}

/// Primes of both residue classes mod 4, small and next to each class limit, as far as they carry n.
inline Words dgt_primes(std::size_t n, unsigned word_bits) {
  Words primes;
  for (const std::uint64_t q : {3u, 5u, 7u, 17u, 31u, 127u, 257u, 8191u, 12289u, 65537u, 1073741311u}) {
    if (q % 4 == 3 ? (q + 1) % n == 0 : (q - 1) % (2 * n) == 0) primes.push_back(q);
  }
  for (const unsigned bits : {30u, 31u, 32u, 50u, 51u, 61u, 62u}) {
    if (bits > word_bits) continue;
    primes.push_back(largest_gaussian_prime(n, bits));
    primes.push_back(largest_prime(n, bits));
  }
  if (word_bits == 64) primes.push_back(kGoldilocks);
  return primes;
}

/// h^0 ... h^(2n - 1).
inline std::vector<ComplexMod> twist_powers(std::size_t n, std::uint64_t q, const ComplexMod& h) {
  std::vector<ComplexMod> powers(2 * n);
  ComplexPowers power({1, 0}, h, q);
  for (auto& p : powers) p = power.next();
  return powers;
}

/// A[k] = sum_j (a[j] + i a[j + n/2]) h^(j (4k + 1)).
inline ComplexMod dgt_value_by_sum(const Words& a, std::size_t k, std::uint64_t q,
                                   const std::vector<ComplexMod>& powers) {
  const std::size_t half = a.size() / 2, mask = powers.size() - 1;
  ComplexMod sum;
  for (std::size_t j = 0; j < half; ++j) {
    const ComplexMod& w = powers[j * (4 * k + 1) & mask];
    sum.re = add_any(sum.re, sub_any(mul_any(a[j], w.re, q), mul_any(a[j + half], w.im, q), q), q);
    sum.im = add_any(sum.im, add_any(mul_any(a[j], w.im, q), mul_any(a[j + half], w.re, q), q), q);
  }
  return sum;
}

/// The whole transform by its definition: real parts, then imaginary parts, natural order.
inline Words dgt_by_sum(const Words& a, std::uint64_t q, const ComplexMod& h) {
  const std::size_t half = a.size() / 2;
  const auto powers = twist_powers(a.size(), q, h);
  Words values(a.size());
  for (std::size_t k = 0; k < half; ++k) {
    const ComplexMod value = dgt_value_by_sum(a, k, q, powers);
    values[k] = value.re;
    values[half + k] = value.im;
  }
  return values;
}

/// Reorders each half of a DGT's values.
inline Words reordered_values(const Words& values, Order order) {
  const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
  Words out = reordered({values.begin(), values.begin() + half}, order);
  const Words im = reordered({values.begin() + half, values.end()}, order);
  out.insert(out.end(), im.begin(), im.end());
  return out;
}

/// Compares a kernel with the scalar one of its word, bit for bit: both directions, in and out of place, edge
/// inputs, every n up to 2^largest_log_n, every test prime that the kernel accepts.
template <class Word>
void compare_dgt_kernel_everywhere(const TransformKernel<Word>& kernel, unsigned largest_log_n) {
  const TransformKernel<Word>& reference = dgt_kernels<Word>().front();
  for (unsigned log_n = kernel.min_log_n; log_n <= largest_log_n; ++log_n) {
    const std::size_t n = std::size_t{1} << log_n;
    for (const std::uint64_t q : dgt_primes(n, 8 * sizeof(Word))) {
      if (q >= kernel.q_limit) continue;
      const ComplexMod h = twist_root(n, q);
      const DgtTables<Word> tables(log_n, q, h, kernel.layout), plain(log_n, q, h, reference.layout);
      if (!equals_reference(kernel, tables, reference, plain, n, q)) {
        fail(__FILE__, __LINE__,
             "target " + std::string(target_name(kernel.target)) + ", " +
                 std::string(arithmetic_name(kernel.arithmetic)) + ", n = " + std::to_string(n) +
                 ", q = " + std::to_string(q));
      }
    }
  }
}

}  // namespace nttforge::testing
