// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/plan.hpp"

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/ntt/plan/testing_plans.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

template <class Word>
void check_definition(Ring ring, std::size_t n, bool all_orders) {
  Rng rng;
  for (const std::uint64_t q : test_primes(ring, n, 8 * sizeof(Word))) {
    NttSpec spec{n, {q}, ring, Order::natural, Order::bit_reversed, 8 * sizeof(Word), {}};
    spec = validated(spec);
    const Words a = random_residues(n, q, rng);
    const Words x = transform_by_sum(a, ring, q, spec.roots[0]);
    each_order(spec, [&](const NttSpec& ordered) {
      const Order input = ordered.input_order, output = ordered.output_order;
      if (!all_orders && (input != Order::natural || output != Order::bit_reversed)) return;
      check_recipes(ordered, words_of<Word>(reordered(a, input)), words_of<Word>(reordered(x, output)));
    });
  }
}

template <class Word>
void check_sampled(Ring ring, std::size_t n, std::uint64_t q, const NttRecipe& recipe) {
  Rng rng;
  const NttPlan plan({n, {q}, ring, Order::natural, Order::natural, 8 * sizeof(Word), {}}, recipe);
  const Words a = random_residues(n, q, rng);
  const auto in = words_of<Word>(a);
  const auto x = run_forward(plan, in);
  const Words powers = powers_of(plan.spec().roots[0], root_order(ring, n), q);
  for (int sample = 0; sample < 6; ++sample) {
    const std::size_t k = sample == 0 ? 0 : sample == 1 ? n - 1 : rng.below(n);
    NTTF_CHECK_EQ(std::uint64_t{x[k]}, value_by_sum(a, k, ring, q, powers));
  }
  NTTF_CHECK(run_inverse(plan, x) == in);
}

}  // namespace

NTTF_TEST("forward and inverse equal the definition, n = 1 ... 256, all rings, orders, words, recipes") {
  for (const Ring ring : kRings) {
    for (std::size_t n = 1; n <= 256; n *= 2) {
      check_definition<std::uint64_t>(ring, n, true);
      check_definition<std::uint32_t>(ring, n, true);
    }
  }
}

NTTF_TEST("forward and inverse equal the definition, n = 512 and 1024") {
  for (const Ring ring : kRings) {
    for (const std::size_t n : {512u, 1024u}) {
      check_definition<std::uint64_t>(ring, n, false);
      check_definition<std::uint32_t>(ring, n, false);
    }
  }
}

NTTF_TEST("sampled values of larger transforms equal the definition") {
  const auto targets = available_targets();
  for (const Ring ring : kRings) {
    for (const unsigned log_n : {11u, 12u, 13u, 14u, 15u, 16u, 17u}) {
      if ((log_n == 12 || log_n == 15) && !full_tests()) continue;
      const std::size_t n = std::size_t{1} << log_n;
      for (const unsigned bits : {30u, 32u, 50u, 60u, 62u}) {
        const std::uint64_t q = largest_prime(n, bits);
        for (const unsigned word_bits : {32u, 64u}) {
          if (bits > word_bits || (word_bits == 64 && bits == 32)) continue;
          const NttSpec spec{n, {q}, ring, Order::natural, Order::natural, word_bits, {}};
          for (const NttRecipe& recipe : candidate_recipes(spec, targets)) {
            if (recipe.radix == 2 && log_n > 13) continue;
            word_bits == 64 ? check_sampled<std::uint64_t>(ring, n, q, recipe)
                            : check_sampled<std::uint32_t>(ring, n, q, recipe);
          }
        }
      }
    }
  }
}

NTTF_TEST("sampled values for n = 2^20") {
  const std::size_t n = std::size_t{1} << 20;
  const auto recipe = [&](std::uint64_t q, unsigned word_bits) {
    return choose_recipe({n, {q}, Ring::negacyclic, Order::natural, Order::natural, word_bits, {}},
                         active_target());
  };
  for (const unsigned bits : {50u, 61u}) {
    const std::uint64_t q = largest_prime(n, bits);
    check_sampled<std::uint64_t>(Ring::negacyclic, n, q, recipe(q, 64));
  }
  const std::uint64_t q = largest_prime(n, 30);
  check_sampled<std::uint32_t>(Ring::negacyclic, n, q, recipe(q, 32));
  check_sampled<std::uint64_t>(Ring::cyclic, n, kGoldilocks,
                               choose_recipe({n, {kGoldilocks}, Ring::cyclic}, active_target()));
}

NTTF_TEST("sampled values and round trip for n = 2^22 and 2^24") {
  if (!full_tests()) return testing::skip("left to make full: n = 2^20 is tested above");
  for (const unsigned log_n : {22u, 24u}) {
    const std::size_t n = std::size_t{1} << log_n;
    const std::uint64_t q = largest_prime(n, 50);
    check_sampled<std::uint64_t>(Ring::negacyclic, n, q, choose_recipe({n, {q}}, active_target(), 2));
  }
}

NTTF_TEST("tables that do not fit the memory are not begun, and their size is said") {
  NttSpec spec{std::size_t{1} << 24, {}};
  spec.moduli.assign(8192, largest_prime(spec.n, 50));  // 4 TiB
  spec.roots.assign(8192, 0);                           // none of that order: memory is looked at before them
  NTTF_CHECK_THROWS(NttPlan(spec), UnsupportedError, "the tables of n = 16777216 and 8192 moduli need");
}

NTTF_TEST("exhaustive: q = 5, n = 2 and q = 17, n = 4, every input") {
  for (const Ring ring : kRings) {
    for (const auto& [q, n] : {std::pair<std::uint64_t, std::size_t>{5, 2}, {17, 4}}) {
      const NttPlan plan({n, {q}, ring});
      const Words powers = powers_of(plan.spec().roots[0], root_order(ring, n), q);
      std::size_t inputs = 1;
      for (std::size_t i = 0; i < n; ++i) inputs *= q;
      std::size_t wrong = 0;
      for (std::size_t code = 0; code < inputs; ++code) {
        Words a(n), x(n);
        for (std::size_t i = 0, c = code; i < n; ++i, c /= q) a[i] = c % q;
        for (std::size_t k = 0; k < n; ++k) x[k] = value_by_sum(a, k, ring, q, powers);
        x = reordered(x, Order::bit_reversed);
        wrong += run_forward(plan, a) != x || run_inverse(plan, x) != a;
      }
      NTTF_CHECK_EQ(wrong, std::size_t{0});
    }
  }
}

NTTF_TEST("a given root is used, and the inverse undoes it") {
  const std::size_t n = 64;
  const std::uint64_t q = largest_prime(n, 40);
  const NttSpec smallest = validated({n, {q}});
  const Modulus modulus(q);
  const std::uint64_t root = modulus.pow(smallest.roots[0], 5);
  const NttPlan plan({n, {q}, Ring::negacyclic, Order::natural, Order::natural, 64, {root}});
  Rng rng;
  const Words a = random_residues(n, q, rng);
  NTTF_CHECK(run_forward(plan, a) == transform_by_sum(a, Ring::negacyclic, q, root));
  NTTF_CHECK(run_inverse(plan, run_forward(plan, a)) == a);
  NTTF_CHECK(plan.spec().roots[0] != smallest.roots[0]);
}

NTTF_TEST("linearity") {
  Rng rng;
  for (const std::uint64_t q :
       {largest_prime(512, 30), largest_prime(512, 50), largest_prime(512, 62), kGoldilocks}) {
    const NttPlan plan({512, {q}});
    const Words a = random_residues(512, q, rng), b = random_residues(512, q, rng);
    const std::uint64_t s = rng.below(q);
    Words combined(512);
    for (std::size_t i = 0; i < 512; ++i) combined[i] = add_any(mul_any(s, a[i], q), b[i], q);
    const Words x = run_forward(plan, a), y = run_forward(plan, b);
    Words expected(512);
    for (std::size_t i = 0; i < 512; ++i) expected[i] = add_any(mul_any(s, x[i], q), y[i], q);
    NTTF_CHECK(run_forward(plan, combined) == expected);
  }
}

NTTF_TEST("shift: multiplying by X multiplies X[k] by the k-th evaluation point") {
  Rng rng;
  for (const Ring ring : kRings) {
    const std::size_t n = 256;
    const std::uint64_t q = largest_prime(n, 50);
    const NttPlan plan({n, {q}, ring, Order::natural, Order::natural, 64, {}});
    const Words a = random_residues(n, q, rng),
                powers = powers_of(plan.spec().roots[0], root_order(ring, n), q);
    Words shifted(n);
    for (std::size_t i = 1; i < n; ++i) shifted[i] = a[i - 1];
    shifted[0] = ring == Ring::cyclic ? a[n - 1] : sub_any(0, a[n - 1], q);
    const Words x = run_forward(plan, a), y = run_forward(plan, shifted);
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint64_t point = powers[ring == Ring::cyclic ? k : 2 * k + 1];
      NTTF_CHECK_EQ(y[k], mul_any(x[k], point, q));
    }
  }
}
