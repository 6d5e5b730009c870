// SPDX-License-Identifier: Apache-2.0
// Calls on arrays: products, batches and limbs on threads, what is rejected.

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/ntt/plan/testing_plans.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

Words schoolbook(const Words& a, const Words& b, Ring ring, std::uint64_t q) {
  const std::size_t n = a.size();
  Words c(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint64_t p = mul_any(a[i], b[j], q);
      std::uint64_t& target = c[(i + j) % n];
      target = i + j < n || ring == Ring::cyclic ? add_any(target, p, q) : sub_any(target, p, q);
    }
  }
  return c;
}

/// x y + y x + x y against what x y is.
template <class Word>
void check_sum_of_products(const NttPlan& plan, const std::vector<Word>& x, const std::vector<Word>& y,
                           const std::vector<Word>& product) {
  const std::size_t n = x.size();
  const std::uint64_t q = plan.spec().moduli[0];
  const auto join = [](const auto& a, const auto& b, const auto& c) {
    std::vector<Word> all(a);
    all.insert(all.end(), b.begin(), b.end());
    all.insert(all.end(), c.begin(), c.end());
    return all;
  };
  const auto left = join(x, y, x), right = join(y, x, y);
  std::vector<Word> out(n), thrice(n), work(10 * n);
  for (std::size_t i = 0; i < n; ++i)
    thrice[i] = static_cast<Word>(add_any(product[i], add_any(product[i], product[i], q), q));
  for (const std::size_t together : {1u, 2u, 3u, 5u}) {
    plan.sum_of_products(std::span<const Word>(left), std::span<const Word>(right), std::span<Word>(out),
                         std::span<Word>(work).first(2 * together * n));
    NTTF_CHECK(out == thrice);
  }
  const auto values = join(run_forward(plan, x), run_forward(plan, y), run_forward(plan, x));
  const auto factors = join(run_forward(plan, y), run_forward(plan, x), run_forward(plan, y));
  std::vector<Word> sum = run_forward(plan, product);
  plan.multiply_accumulate(std::span<const Word>(values).first(2 * n),
                           std::span<const Word>(factors).first(2 * n), std::span<Word>(sum));
  NTTF_CHECK(run_inverse(plan, sum) == thrice);
  plan.sum_of_products(std::span<const Word>(left).first(n), std::span<const Word>(right).first(n),
                       std::span<Word>(out), std::span<Word>(work).first(2 * n));
  NTTF_CHECK(out == product);
}

template <class Word>
void check_product(std::uint64_t q, std::size_t n, Ring ring) {
  Rng rng;
  const Words a = random_residues(n, q, rng), b = random_residues(n, q, rng), c = schoolbook(a, b, ring, q);
  for (const Order input : kOrders) {
    for (const Order output : kOrders) {
      const NttPlan plan({n, {q}, ring, input, output, 8 * sizeof(Word), {}});
      const auto x = words_of<Word>(reordered(a, input)), y = words_of<Word>(reordered(b, input));
      const auto expected = words_of<Word>(reordered(c, input));
      std::vector<Word> out(n), work(n);
      plan.polynomial_product(std::span<const Word>(x), std::span<const Word>(y), std::span<Word>(out),
                              std::span<Word>(work));
      NTTF_CHECK(out == expected);
      out = y;  // out may be an input
      plan.polynomial_product(std::span<const Word>(x), std::span<const Word>(out), std::span<Word>(out),
                              std::span<Word>(work));
      NTTF_CHECK(out == expected);
      const auto fx = run_forward(plan, x), fy = run_forward(plan, y);
      plan.multiply(std::span<const Word>(fx), std::span<const Word>(fy), std::span<Word>(out));
      NTTF_CHECK(run_inverse(plan, out) == expected);
      std::vector<Word> sum(n, 0);
      plan.multiply_accumulate(std::span<const Word>(fx), std::span<const Word>(fy), std::span<Word>(sum));
      NTTF_CHECK(sum == out);
      plan.multiply_accumulate(std::span<const Word>(fx), std::span<const Word>(fy), std::span<Word>(sum));
      for (std::size_t i = 0; i < n; ++i) NTTF_CHECK_EQ(std::uint64_t{sum[i]}, add_any(out[i], out[i], q));
      check_sum_of_products(plan, x, y, expected);
    }
  }
}

}  // namespace

NTTF_TEST("convolution theorem: products equal schoolbook products") {
  for (const Ring ring : kRings) {
    for (const std::size_t n : {1u, 2u, 8u, 64u, 128u}) {
      for (const unsigned bits : {30u, 50u, 62u})
        check_product<std::uint64_t>(largest_prime(n, bits), n, ring);
      check_product<std::uint64_t>(kGoldilocks, n, ring);
      for (const unsigned bits : {30u, 32u}) check_product<std::uint32_t>(largest_prime(n, bits), n, ring);
    }
  }
}

NTTF_TEST("batches and limbs of any mix, unaligned arrays, 1, 2 and 3 threads: equal words") {
  Rng rng;
  for (const std::size_t n : {1u, 16u, 1024u, 8192u}) {
    NttSpec spec{n, {largest_prime(n, 30), largest_prime(n, 62), largest_prime(n, 50), kGoldilocks}};
    spec.moduli.push_back(spec.moduli[2]);
    const std::size_t limbs = spec.moduli.size(), batch = 3;
    Words in(batch * limbs * n), expected(in.size());
    for (std::size_t row = 0; row < batch * limbs; ++row) {
      const std::uint64_t q = spec.moduli[row % limbs];
      const Words a = random_residues(n, q, rng);
      std::copy(a.begin(), a.end(), in.begin() + static_cast<std::ptrdiff_t>(row * n));
      const Words x = run_forward(NttPlan({n, {q}}), a);
      std::copy(x.begin(), x.end(), expected.begin() + static_cast<std::ptrdiff_t>(row * n));
    }
    for (const unsigned threads : {1u, 2u, 3u}) {
      const NttPlan plan(spec, threads);
      for (const std::size_t shift : {0u, 1u, 3u}) {
        Words source(in.size() + 8, 5), target(in.size() + 8, 7);
        std::copy(in.begin(), in.end(), source.begin() + static_cast<std::ptrdiff_t>(shift));
        const std::span<std::uint64_t> from(source.data() + shift, in.size()),
            to(target.data() + 4 - shift, in.size());
        plan.forward(from, to);
        NTTF_CHECK(std::equal(to.begin(), to.end(), expected.begin()));
        NTTF_CHECK_EQ(target[to.size() + 4 - shift], std::uint64_t{7});
        NTTF_CHECK(shift == 4 || target[3 - shift] == 7);
        NTTF_CHECK(std::equal(from.begin(), from.end(), in.begin()));
        plan.inverse(to, to);
        NTTF_CHECK(std::equal(to.begin(), to.end(), in.begin()));
      }
    }
  }
}

NTTF_TEST("large rows are cut over the threads: equal words for any number of rows, order and word") {
  Rng rng;
  const std::size_t n = std::size_t{1} << 15;
  for (const Order input : kOrders) {
    for (const Order output : kOrders) {
      const NttSpec spec{
          n, {largest_prime(n, 50), kGoldilocks, largest_prime(n, 61)}, Ring::negacyclic, input, output, 64,
          {}};
      const NttSpec spec32{n, {largest_prime(n, 30)}, Ring::cyclic, input, output, 32, {}};
      Words in;
      for (const std::uint64_t q : spec.moduli) {
        const Words a = random_residues(n, q, rng);
        in.insert(in.end(), a.begin(), a.end());
      }
      const auto small = words_of<std::uint32_t>(random_residues(n, spec32.moduli[0], rng));
      const Words expected = run_forward(NttPlan(spec), in);
      const auto expected_small = run_forward(NttPlan(spec32), small);
      for (const unsigned threads : {2u, 0u}) {
        const NttPlan plan(spec, threads), plan32(spec32, threads);
        Words place = in;
        plan.forward(std::span<const std::uint64_t>(place), std::span<std::uint64_t>(place));
        NTTF_CHECK(place == expected && run_forward(plan, in) == expected);
        plan.inverse(std::span<const std::uint64_t>(place), std::span<std::uint64_t>(place));
        NTTF_CHECK(place == in && run_inverse(plan, expected) == in);
        NTTF_CHECK(run_forward(plan32, small) == expected_small);
        NTTF_CHECK(run_inverse(plan32, expected_small) == small);
      }
    }
  }
}

NTTF_TEST("an empty batch is allowed") {
  const NttPlan plan({16, {97}});
  Words none;
  plan.forward(std::span<const std::uint64_t>(none), std::span<std::uint64_t>(none));
}

NTTF_TEST("plans reject wrong arrays and leave them unchanged") {
  using In = std::span<const std::uint64_t>;
  using Out = std::span<std::uint64_t>;
  const NttPlan plan({16, {97, 257}});
  Words a(64, 1), out(64, 2), work(64, 3);
  NTTF_CHECK_THROWS(plan.forward(In(a).first(33), Out(out).first(33)), SizeError, "limbs * n = 2 * 16");
  NTTF_CHECK_THROWS(plan.forward(In(a).first(32), Out(out)), SizeError, "in has 32 words and out has 64");
  NTTF_CHECK_THROWS(plan.inverse(In(a), Out(a).subspan(0, 32)), SizeError, "in has 64 words and out has 32");
  NTTF_CHECK_THROWS(plan.forward(In(a).first(32), Out(a).subspan(1, 32)), SizeError, "overlap");
  NTTF_CHECK_THROWS(plan.inverse(In(a).subspan(8, 32), Out(a).first(32)), SizeError, "overlap");
  NTTF_CHECK_THROWS(plan.multiply_accumulate(In(a).first(32), In(a).first(32), Out(a).subspan(1, 32)),
                    SizeError, "a and accumulator overlap partly");
  NTTF_CHECK_THROWS(plan.multiply(In(a), In(a).first(32), Out(out)), SizeError, "b has 32 words");
  NTTF_CHECK_THROWS(plan.polynomial_product(In(a), In(a), Out(out), Out(work).first(32)), SizeError,
                    "workspace has 32");
  NTTF_CHECK_THROWS(plan.polynomial_product(In(a), In(a), Out(out), Out(out)), SizeError,
                    "workspace overlaps");
  Words twice(128, 4);
  NTTF_CHECK_THROWS(plan.sum_of_products(In(twice), In(a), Out(out), Out(twice)), SizeError,
                    "b has 64 words and a");
  NTTF_CHECK_THROWS(plan.sum_of_products(In(a).first(32), In(a).first(32), Out(out), Out(twice)), SizeError,
                    "one term at least");
  NTTF_CHECK_THROWS(plan.sum_of_products(In(a), In(a), Out(out), Out(work)), SizeError,
                    "need twice out's, 128");
  NTTF_CHECK_THROWS(plan.sum_of_products(In(a), In(a), Out(a), Out(twice)), SizeError, "out overlaps");
  NTTF_CHECK_THROWS(plan.sum_of_products(In(twice), In(twice), Out(out), Out(twice)), SizeError,
                    "workspace overlaps");
  NTTF_CHECK_THROWS(plan.multiply_accumulate(In(twice), In(twice), Out(twice).first(64)), SizeError,
                    "accumulator overlaps");
  NTTF_CHECK_THROWS(plan.multiply_accumulate(In(a).first(32), In(a).first(32), Out(out)), SizeError,
                    "accumulator has 64: a and b need one array");
  std::vector<std::uint32_t> small(64);
  NTTF_CHECK_THROWS(plan.forward(std::span<const std::uint32_t>(small), std::span<std::uint32_t>(small)),
                    ParameterError, "word_bits = 64, but out has 32-bit");
  NTTF_CHECK(a == Words(64, 1) && out == Words(64, 2) && work == Words(64, 3));
  plan.require_reduced(a);
  a[32 + 16 + 5] = 257;
  NTTF_CHECK_THROWS(plan.require_reduced(a), ParameterError, "x[1][1][5] = 257 is not reduced");
}
