// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compares transform kernels with the scalar radix-2 ones, which the plan tests compare with the definition.

#include <string>
#include <vector>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/testing.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

namespace nttforge::testing {

/// A kernel's parts, in any number and order, against the whole, out of place and in place.
template <class Word>
void compare_parts(const KernelRow<Word>& row, Ring ring, unsigned log_n, std::uint64_t q) {
  if (row.forward_part == nullptr) return;
  const std::size_t n = std::size_t{1} << log_n;
  const TransformTables<Word> tables(ring, log_n, q, validated({n, {q}, ring}).roots[0], row.layout);
  Rng rng;
  const auto a = narrow<Word>(random_residues(n, q, rng));
  std::vector<Word> x(n), y(n), z(n);
  row.forward(tables.view(), a.data(), x.data());
  const auto run = [&](TransformPartFunction<Word> part, std::size_t parts, const Word* in, Word* out) {
    for (const unsigned phase : {0u, 1u}) {
      for (std::size_t i = 0; i < parts; ++i) part(tables.view(), in, out, phase, parts - 1 - i, parts);
    }
  };
  for (const std::size_t parts : {1u, 2u, 3u, 8u, 13u, 64u}) {
    run(row.forward_part, parts, a.data(), y.data());
    run(row.inverse_part, parts, y.data(), z.data());
    bool same = x == y && z == a;
    run(row.forward_part, parts, z.data(), z.data());
    same &= x == z;
    run(row.inverse_part, parts, z.data(), z.data());
    if (!same || z != a) {
      fail(__FILE__, __LINE__,
           "target " + std::string(target_name(row.target)) + ", radix " + std::to_string(row.radix) +
               ", n = " + std::to_string(n) + ", parts = " + std::to_string(parts));
    }
  }
}

/// Whether two kernels, each with its tables, agree bit for bit on edge inputs: both directions, out of
/// place, and the row's in place.
template <class Word, class Tables>
bool equals_reference(const KernelRow<Word>& row, const Tables& tables, const KernelRow<Word>& reference,
                      const Tables& plain, std::size_t n, std::uint64_t q) {
  Rng rng;
  bool same = true;
  for (const Words& input : edge_inputs(n, q, rng)) {
    const auto a = narrow<Word>(input);
    std::vector<Word> x(n), y(n);
    row.forward(tables.view(), a.data(), x.data());
    reference.forward(plain.view(), a.data(), y.data());
    same &= x == y;
    row.inverse(tables.view(), a.data(), x.data());
    reference.inverse(plain.view(), a.data(), y.data());
    same &= x == y;
    row.forward(tables.view(), y.data(), y.data());
    same &= y == a;
    row.inverse(tables.view(), y.data(), y.data());
    same &= x == y;
  }
  return same;
}

/// Compares a kernel with the scalar radix-2 kernel, bit for bit: both directions, edge inputs.
template <class Word>
void compare_kernel(const KernelRow<Word>& row, const KernelRow<Word>& reference, Ring ring, unsigned log_n,
                    std::uint64_t q) {
  const std::size_t n = std::size_t{1} << log_n;
  const std::uint64_t root = validated({n, {q}, ring}).roots[0];
  const TransformTables<Word> tables(ring, log_n, q, root, row.layout);
  const TransformTables<Word> plain(ring, log_n, q, root, reference.layout);
  if (!equals_reference(row, tables, reference, plain, n, q)) {
    fail(__FILE__, __LINE__,
         "target " + std::string(target_name(row.target)) + ", " +
             std::string(arithmetic_name(row.arithmetic)) + ", radix " + std::to_string(row.radix) +
             ", n = " + std::to_string(n) + ", q = " + std::to_string(q));
  }
}

template <class Word>
const KernelRow<Word>& reference_kernel(bool goldilocks) {
  for (const auto& row : kernel_rows<Word>()) {
    if (row.target == Target::scalar && row.radix == 2 &&
        (row.arithmetic == Arithmetic::goldilocks) == goldilocks) {
      return row;
    }
  }
  return kernel_rows<Word>().front();
}

/// Compares a kernel in both rings, for every n up to 2^largest_log_n and every test prime of the row.
template <class Word>
void compare_kernel_everywhere(const KernelRow<Word>& row, unsigned largest_log_n) {
  const bool goldilocks = row.arithmetic == Arithmetic::goldilocks;
  for (unsigned log_n = row.min_log_n; log_n <= largest_log_n; ++log_n) {
    for (const Ring ring : {Ring::negacyclic, Ring::cyclic}) {
      for (const std::uint64_t q : test_primes(ring, std::size_t{1} << log_n, 8 * sizeof(Word))) {
        if (goldilocks ? q != kGoldilocks : q >= row.q_limit) continue;
        compare_kernel(row, reference_kernel<Word>(goldilocks), ring, log_n, q);
      }
    }
  }
}

}  // namespace nttforge::testing
