// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compares transform kernels with the scalar radix-2 ones, which the plan tests compare with the definition.

#include <string>
#include <type_traits>
#include <vector>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/testing.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

namespace nttforge::testing {

/// A kernel's parts, in any number and order, against the whole, out of place and in place.
template <class Word>
void compare_parts(const TransformKernel<Word>& kernel, Ring ring, unsigned log_n, std::uint64_t q) {
  if (kernel.forward_part == nullptr) return;
  const std::size_t n = std::size_t{1} << log_n;
  const TransformTables<Word> tables(ring, log_n, q, validated({n, {q}, ring}).roots[0], kernel.layout);
  Rng rng;
  const auto a = words_of<Word>(random_residues(n, q, rng));
  std::vector<Word> x(n), y(n), z(n);
  kernel.forward(tables.view(), a.data(), x.data());
  const auto run = [&](TransformPartFunction<Word> part, std::size_t parts, const Word* in, Word* out) {
    for (const unsigned phase : {0u, 1u}) {
      for (std::size_t i = 0; i < parts; ++i) part(tables.view(), in, out, phase, parts - 1 - i, parts);
    }
  };
  for (const std::size_t parts : {1u, 2u, 3u, 8u, 13u, 64u}) {
    run(kernel.forward_part, parts, a.data(), y.data());
    run(kernel.inverse_part, parts, y.data(), z.data());
    bool same = x == y && z == a;
    run(kernel.forward_part, parts, z.data(), z.data());
    same &= x == z;
    run(kernel.inverse_part, parts, z.data(), z.data());
    if (!same || z != a) {
      fail(__FILE__, __LINE__,
           "target " + std::string(target_name(kernel.target)) + ", radix " + std::to_string(kernel.radix) +
               ", n = " + std::to_string(n) + ", parts = " + std::to_string(parts));
    }
  }
}

/// Whether words plus multiples of q, up to 3q forward and q inverse, give a kernel's words x and y of a.
template <class Tables>
bool equals_lazy(const TransformKernel<std::uint64_t>& kernel, const Tables& tables, std::uint64_t q,
                 const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& x,
                 const std::vector<std::uint64_t>& y, Rng& rng) {
  KernelTables<std::uint64_t> lazy = tables.view();
  lazy.lazy_input = true;
  bool same = true;
  for (const bool most : {true, false}) {
    std::vector<std::uint64_t> above = a, once = a, out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      above[i] += (most ? 3 : rng.below(4)) * q;
      once[i] += (most ? 1 : rng.below(2)) * q;
    }
    kernel.forward(lazy, above.data(), out.data());
    kernel.forward(lazy, above.data(), above.data());
    same &= out == x && above == x;
    kernel.inverse(lazy, once.data(), out.data());
    kernel.inverse(lazy, once.data(), once.data());
    same &= out == y && once == y;
  }
  return same;
}

/// Whether two kernels, each with its tables, agree bit for bit on edge inputs: both directions, out of
/// place, and the kernel's in place.
template <class Word, class Tables>
bool equals_reference(const TransformKernel<Word>& kernel, const Tables& tables,
                      const TransformKernel<Word>& reference, const Tables& plain, std::size_t n,
                      std::uint64_t q) {
  Rng rng;
  bool same = true;
  for (const Words& input : edge_inputs(n, q, rng)) {
    const auto a = words_of<Word>(input);
    std::vector<Word> x(n), y(n);
    kernel.forward(tables.view(), a.data(), x.data());
    reference.forward(plain.view(), a.data(), y.data());
    same &= x == y;
    const std::vector<Word> forward = x;
    kernel.inverse(tables.view(), a.data(), x.data());
    reference.inverse(plain.view(), a.data(), y.data());
    same &= x == y;
    if constexpr (sizeof(Word) == 8 && std::is_same_v<Tables, TransformTables<Word>>) {
      if (n > 1 && q >> 62 == 0) same &= equals_lazy(kernel, tables, q, a, forward, x, rng);
    }
    kernel.forward(tables.view(), y.data(), y.data());
    same &= y == a;
    kernel.inverse(tables.view(), y.data(), y.data());
    same &= x == y;
  }
  return same;
}

/// Compares a kernel with the scalar radix-2 kernel, bit for bit: both directions, edge inputs.
template <class Word>
void compare_kernel(const TransformKernel<Word>& kernel, const TransformKernel<Word>& reference, Ring ring,
                    unsigned log_n, std::uint64_t q) {
  const std::size_t n = std::size_t{1} << log_n;
  const std::uint64_t root = validated({n, {q}, ring}).roots[0];
  const TransformTables<Word> tables(ring, log_n, q, root, kernel.layout);
  const TransformTables<Word> plain(ring, log_n, q, root, reference.layout);
  if (!equals_reference(kernel, tables, reference, plain, n, q)) {
    fail(__FILE__, __LINE__,
         "target " + std::string(target_name(kernel.target)) + ", " +
             std::string(arithmetic_name(kernel.arithmetic)) + ", radix " + std::to_string(kernel.radix) +
             ", n = " + std::to_string(n) + ", q = " + std::to_string(q));
  }
}

template <class Word>
const TransformKernel<Word>& reference_kernel(bool goldilocks) {
  for (const auto& kernel : transform_kernels<Word>()) {
    if (kernel.target == Target::scalar && kernel.radix == 2 &&
        (kernel.arithmetic == Arithmetic::goldilocks) == goldilocks) {
      return kernel;
    }
  }
  return transform_kernels<Word>().front();
}

/// Compares a kernel in both rings, for every n up to 2^largest_log_n and every test prime of the kernel.
template <class Word>
void compare_kernel_everywhere(const TransformKernel<Word>& kernel, unsigned largest_log_n) {
  const bool goldilocks = kernel.arithmetic == Arithmetic::goldilocks;
  for (unsigned log_n = kernel.min_log_n; log_n <= largest_log_n; ++log_n) {
    for (const Ring ring : {Ring::negacyclic, Ring::cyclic}) {
      for (const std::uint64_t q : test_primes(ring, std::size_t{1} << log_n, 8 * sizeof(Word))) {
        if (goldilocks ? q != kGoldilocks : q >= kernel.q_limit) continue;
        compare_kernel(kernel, reference_kernel<Word>(goldilocks), ring, log_n, q);
      }
    }
  }
}

}  // namespace nttforge::testing
