// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fused polynomial products against their parts.

#include <string>
#include <vector>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/kernels/testing_kernels.hpp"

namespace nttforge::testing {

template <class Word>
void multiply_values(const RowModulus& m, const Word* a, const Word* b, Word* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<Word>(mul_any(a[i], b[i], m.q));
}

/// A kernel's product against its forward, multiplied values and inverse: every pair of edge inputs, and
/// squares, in every way the arrays may coincide; both rings, every n up to 2^largest_log_n, every test prime
/// that the kernel accepts. Rows without a product of their own (by its parts) have nothing to compare.
template <class Word>
void compare_product_everywhere(const TransformKernel<Word>& kernel, unsigned largest_log_n) {
  if (kernel.product == nullptr) return;
  const bool goldilocks = kernel.arithmetic == Arithmetic::goldilocks;
  for (unsigned log_n = kernel.min_log_n; log_n <= largest_log_n; ++log_n) {
    const std::size_t n = std::size_t{1} << log_n;
    for (const Ring ring : {Ring::negacyclic, Ring::cyclic}) {
      for (const std::uint64_t q : test_primes(ring, n, 8 * sizeof(Word))) {
        if (goldilocks ? q != kGoldilocks : q >= kernel.q_limit) continue;
        const TransformTables<Word> tables(ring, log_n, q, validated({n, {q}, ring}).roots[0], kernel.layout);
        const ValueProduct<Word> values{make_row_modulus(q), &multiply_values<Word>};
        Rng rng;
        const auto inputs = edge_inputs(n, q, rng);
        bool same = true;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          const auto a = words_of<Word>(inputs[i]), b = words_of<Word>(inputs[(i * 5 + 1) % inputs.size()]);
          const auto expect = [&](const std::vector<Word>& x, const std::vector<Word>& y) {
            std::vector<Word> fx(n), fy(n);
            kernel.forward(tables.view(), x.data(), fx.data());
            kernel.forward(tables.view(), y.data(), fy.data());
            values(fx.data(), fy.data(), fx.data(), n);
            kernel.inverse(tables.view(), fx.data(), fx.data());
            return fx;
          };
          const auto product = expect(a, b), square = expect(a, a);
          std::vector<Word> out(n), work(n), c = a, d = b;
          kernel.product(tables.view(), values, a.data(), b.data(), out.data(), work.data());
          same &= out == product;
          kernel.product(tables.view(), values, c.data(), b.data(), c.data(), work.data());
          kernel.product(tables.view(), values, a.data(), d.data(), d.data(), work.data());
          same &= c == product && d == product;
          kernel.product(tables.view(), values, a.data(), a.data(), out.data(), work.data());
          c = a;
          kernel.product(tables.view(), values, c.data(), c.data(), c.data(), work.data());
          d = a;
          kernel.product(tables.view(), values, d.data(), d.data(), work.data(), d.data());
          same &= out == square && c == square && work == square;
        }
        if (!same) {
          fail(__FILE__, __LINE__,
               "target " + std::string(target_name(kernel.target)) + ", " +
                   std::string(arithmetic_name(kernel.arithmetic)) + ", radix " +
                   std::to_string(kernel.radix) + ", n = " + std::to_string(n) +
                   ", q = " + std::to_string(q));
        }
      }
    }
  }
}

}  // namespace nttforge::testing
