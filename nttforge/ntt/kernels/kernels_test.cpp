// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/kernels.hpp"

#include <bit>
#include <cstdio>

#include "nttforge/ntt/kernels/testing_kernels.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

template <class Word>
void compare_all(unsigned largest_log_n) {
  for (const auto& kernel : transform_kernels<Word>()) {
    if (!target_available(kernel.target)) {
      std::printf(
          "        skipped: %s %s (this CPU lacks it; its logic runs in transform_emulated_test.cpp)\n",
          std::string(target_name(kernel.target)).c_str(),
          std::string(arithmetic_name(kernel.arithmetic)).c_str());
      continue;
    }
    compare_kernel_everywhere(kernel, largest_log_n);
  }
}

}  // namespace

NTTF_TEST("every kernel equals the scalar radix-2 kernel, 64-bit words") {
  compare_all<std::uint64_t>(full_tests() ? 15 : 13);
}
NTTF_TEST("every kernel equals the scalar radix-2 kernel, 32-bit words") {
  compare_all<std::uint32_t>(full_tests() ? 15 : 13);
}
// Quick, for an emulator.
NTTF_TEST("small transforms: every kernel equals the scalar one, 64-bit words") {
  compare_all<std::uint64_t>(9);
}
NTTF_TEST("small transforms: every kernel equals the scalar one, 32-bit words") {
  compare_all<std::uint32_t>(9);
}

NTTF_TEST("parts of one transform, for several threads, equal the whole") {
  for (const unsigned log_n : {1u, 4u, 7u, 10u, 12u, 13u, 15u, 17u}) {
    if ((log_n == 12 || log_n == 15) && !full_tests()) continue;
    const std::size_t n = std::size_t{1} << log_n;
    for (const Ring ring : {Ring::negacyclic, Ring::cyclic}) {
      const std::uint64_t q = largest_prime(n, 30);
      const auto fits = [&](const auto& kernel) {
        return target_available(kernel.target) && kernel.min_log_n <= log_n && kernel.q_limit > q;
      };
      for (const auto& kernel : transform_kernels<std::uint64_t>()) {
        if (fits(kernel)) compare_parts(kernel, ring, log_n, q);
      }
      for (const auto& kernel : transform_kernels<std::uint32_t>()) {
        if (fits(kernel)) compare_parts(kernel, ring, log_n, q);
      }
    }
  }
}

NTTF_TEST("kernel limits are powers of two with primes just below") {
  for (const auto& kernel : transform_kernels<std::uint64_t>()) {
    if (kernel.arithmetic == Arithmetic::goldilocks) continue;
    NTTF_CHECK(std::has_single_bit(kernel.q_limit));
    NTTF_CHECK(largest_prime(1024, static_cast<unsigned>(std::bit_width(kernel.q_limit)) - 1) <
               kernel.q_limit);
  }
}

namespace {

void check_growth(unsigned log_n) {
  // With only a[0] and a[n / 2^k] set, the stage that splits m = 2^(k-1) groups adds W[m] a[n / 2m] to
  // position 0. Small a[n / 2m], so that doubles round the quotient down. a[0] then makes X[0] = -1, 0 and 1,
  // next to a multiple of q, where a reduction from too wide an interval goes wrong.
  const std::size_t n = std::size_t{1} << log_n;
  const std::uint64_t q = largest_prime(n, 50);
  const Modulus modulus(q);
  Rng rng;
  for (const Ring ring : {Ring::negacyclic, Ring::cyclic}) {
    const std::uint64_t root = validated({n, {q}, ring}).roots[0];
    const auto w = tree_twiddles(ring, log_n, q, root);
    Words a(n, 0), x(n);
    std::uint64_t sum = 0;
    for (std::size_t m = 1; m < n; m *= 2) {
      const std::uint64_t inverse = modulus.inverse(w[m]);
      std::uint64_t& value = a[n / (2 * m)];
      do value = modulus.mul(q / 2 - rng.below(q / 256), inverse);
      while (w[m] != 1 && value > q / 64);
      sum = modulus.add(sum, modulus.mul(value, w[m]));
    }
    const auto& reference = reference_kernel<std::uint64_t>(false);
    const TransformTables<std::uint64_t> plain(ring, log_n, q, root, reference.layout);
    std::vector<Words> inputs, outputs;
    for (const std::uint64_t first :
         {q - 1, modulus.sub(q - 1, sum), modulus.sub(0, sum), modulus.sub(1, sum)}) {
      a[0] = first;
      inputs.push_back(a);
      outputs.emplace_back(n);
      reference.forward(plain.view(), a.data(), outputs.back().data());
    }
    for (const auto& kernel : transform_kernels<std::uint64_t>()) {
      if (!target_available(kernel.target) || q >= kernel.q_limit) continue;
      const TransformTables<std::uint64_t> tables(ring, log_n, q, root, kernel.layout);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        kernel.forward(tables.view(), inputs[i].data(), x.data());
        NTTF_CHECK(x == outputs[i]);
        kernel.inverse(tables.view(), x.data(), x.data());
        NTTF_CHECK(x == inputs[i]);
      }
    }
  }
}

}  // namespace

NTTF_TEST("values that grow as fast as they can: every term of X[0] is just below q / 2") {
  for (const unsigned log_n : {12u, 16u, 18u}) check_growth(log_n);
}
