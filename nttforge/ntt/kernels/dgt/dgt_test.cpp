// SPDX-License-Identifier: Apache-2.0
// The DGT against the oracle's dgt.json, its definition, and schoolbook products, with every recipe of every
// target that this machine can run.

#include "nttforge/ntt/kernels/dgt/dgt.hpp"

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/ntt/kernels/dgt/testing_dgt.hpp"
#include "nttforge/ntt/plan/testing_plans.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

NttSpec dgt_spec(std::size_t n, Words moduli, unsigned word_bits = 64) {
  NttSpec spec;
  spec.n = n;
  spec.moduli = std::move(moduli);
  spec.word_bits = word_bits;
  spec.transform = Transform::dgt;
  return spec;
}

/// Every recipe: coefficients a <-> values x, natural orders.
template <class Word>
std::size_t check_values(const NttSpec& spec, const Words& a, const Words& x) {
  return check_recipes(spec, words_of<Word>(reordered(a, spec.input_order)),
                       words_of<Word>(reordered_values(x, spec.output_order)));
}

template <class Word>
std::size_t check_orders(NttSpec spec, const Words& a, const Words& x) {
  spec.word_bits = 8 * sizeof(Word);
  std::size_t recipes = 0;
  each_order(spec, [&](const NttSpec& ordered) { recipes += check_values<Word>(ordered, a, x); });
  return recipes;
}

template <class Word>
void check_definition(std::size_t n, bool all_orders) {
  Rng rng;
  for (const std::uint64_t q : dgt_primes(n, 8 * sizeof(Word))) {
    const NttSpec spec = validated(dgt_spec(n, {q}, 8 * sizeof(Word)));
    const Words a = random_residues(n, q, rng);
    const Words x = dgt_by_sum(a, q, {spec.roots[0], spec.roots[1]});
    all_orders ? check_orders<Word>(spec, a, x) : check_values<Word>(spec, a, x);
  }
}

template <class Word>
void check_sampled(std::size_t n, std::uint64_t q) {
  NttSpec spec = dgt_spec(n, {q}, 8 * sizeof(Word));
  spec.output_order = Order::natural;
  spec = validated(spec);
  Rng rng;
  const Words a = random_residues(n, q, rng);
  const auto powers = twist_powers(n, q, {spec.roots[0], spec.roots[1]});
  for (const NttRecipe& recipe : candidate_recipes(spec, available_targets())) {
    const NttPlan plan(spec, recipe);
    const auto in = words_of<Word>(a);
    std::vector<Word> x(n), back(n);
    plan.forward(std::span<const Word>(in), std::span<Word>(x));
    for (int sample = 0; sample < 5; ++sample) {
      const std::size_t k = sample == 0 ? 0 : sample == 1 ? n / 2 - 1 : rng.below(n / 2);
      const ComplexMod value = dgt_value_by_sum(a, k, q, powers);
      NTTF_CHECK_EQ(std::uint64_t{x[k]}, value.re);
      NTTF_CHECK_EQ(std::uint64_t{x[n / 2 + k]}, value.im);
    }
    plan.inverse(std::span<const Word>(x), std::span<Word>(back));
    NTTF_CHECK(back == in);
  }
}

Words negacyclic_product(const Words& a, const Words& b, std::uint64_t q) {
  const std::size_t n = a.size();
  Words c(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint64_t term = mul_any(a[i], b[j], q);
      std::uint64_t& sum = c[(i + j) % n];
      sum = i + j < n ? add_any(sum, term, q) : sub_any(sum, term, q);
    }
  }
  return c;
}

template <class Word>
void check_product(const NttSpec& spec, const Words& a, const Words& b, const Words& expected) {
  const auto x = words_of<Word>(reordered(a, spec.input_order)),
             y = words_of<Word>(reordered(b, spec.input_order));
  for (const NttRecipe& recipe : candidate_recipes(spec, available_targets())) {
    const NttPlan plan(spec, recipe);
    std::vector<Word> out(x.size()), work(x.size());
    plan.polynomial_product(std::span<const Word>(x), std::span<const Word>(y), std::span<Word>(out),
                            std::span<Word>(work));
    NTTF_CHECK(out == words_of<Word>(reordered(expected, spec.input_order)));
    // The product by its parts, in place, with an accumulator of one product.
    std::vector<Word> fa(x.size()), fb(x.size()), sum(x.size(), 0);
    plan.forward(std::span<const Word>(x), std::span<Word>(fa));
    plan.forward(std::span<const Word>(y), std::span<Word>(fb));
    plan.multiply_accumulate(std::span<const Word>(fa), std::span<const Word>(fb), std::span<Word>(sum));
    plan.multiply(std::span<const Word>(fa), std::span<const Word>(fb), std::span<Word>(fa));
    NTTF_CHECK(fa == sum);
    plan.multiply_accumulate(std::span<const Word>(fa), std::span<const Word>(fb), std::span<Word>(sum));
    plan.multiply(std::span<const Word>(fa), std::span<const Word>(fb), std::span<Word>(fb));
    for (std::size_t i = 0; i < sum.size(); ++i)
      NTTF_CHECK_EQ(std::uint64_t{sum[i]}, add_any(fa[i], fb[i], spec.moduli[0]));
    plan.inverse(std::span<const Word>(fa), std::span<Word>(fa));
    NTTF_CHECK(fa == out);
  }
}

}  // namespace

NTTF_TEST("DGT vectors: transforms in every order, and products") {
  const Json vectors = load_vectors("dgt.json");
  std::size_t recipes = 0;
  for (const Json& c : vectors.at("cases").elements()) {
    const std::size_t n = c.at("n").as_u64();
    const std::uint64_t q = c.at("q").as_u64();
    const Words a = c.at("a").as_u64_vector(), b = c.at("b").as_u64_vector();
    Words x(n);
    for (std::size_t k = 0; k < n / 2; ++k) {
      x[k] = c.at("a_transformed")[k][0].as_u64();
      x[n / 2 + k] = c.at("a_transformed")[k][1].as_u64();
    }
    const NttSpec spec = dgt_spec(n, {q});
    recipes += check_orders<std::uint64_t>(spec, a, x);
    check_product<std::uint64_t>(spec, a, b, c.at("product").as_u64_vector());
    if (q >> 32 == 0) {
      recipes += check_orders<std::uint32_t>(spec, a, x);
      check_product<std::uint32_t>(dgt_spec(n, {q}, 32), a, b, c.at("product").as_u64_vector());
    }
  }
  NTTF_CHECK(recipes > 400);
}

NTTF_TEST("DGT: forward and inverse equal the definition, n = 2 ... 1024") {
  for (std::size_t n = 2; n <= 1024; n *= 2) {
    check_definition<std::uint64_t>(n, n <= 64);
    check_definition<std::uint32_t>(n, n <= 64);
  }
}

NTTF_TEST("DGT: sampled values, n = 2^11 ... 2^16") {
  for (unsigned log_n = 11; log_n <= 16; log_n += full_tests() ? 1 : 2) {  // 11, 13, 15
    const std::size_t n = std::size_t{1} << log_n;
    for (const unsigned bits : {50u, 61u, 62u})
      check_sampled<std::uint64_t>(n, largest_gaussian_prime(n, bits));
    check_sampled<std::uint64_t>(n, largest_prime(n, 50));
    check_sampled<std::uint32_t>(n, largest_gaussian_prime(n, 30));
    check_sampled<std::uint32_t>(n, largest_prime(n, 32));
  }
}

NTTF_TEST("DGT products equal schoolbook products") {
  Rng rng;
  for (const std::size_t n : {2u, 4u, 8u, 32u, 128u, 512u}) {
    for (const unsigned word_bits : {32u, 64u}) {
      Words primes = dgt_primes(n, word_bits);
      if (n == 512) primes.resize(4);
      for (const std::uint64_t q : primes) {
        NttSpec spec = dgt_spec(n, {q}, word_bits);
        const Words a = random_residues(n, q, rng), b = random_residues(n, q, rng);
        const Words c = negacyclic_product(a, b, q);
        for (const Order order : kOrders) {
          spec.input_order = order;
          word_bits == 64 ? check_product<std::uint64_t>(spec, a, b, c)
                          : check_product<std::uint32_t>(spec, a, b, c);
        }
      }
    }
  }
}

NTTF_TEST("DGT kernels of this machine equal the scalar one on edge inputs") {
  const auto targets = available_targets();
  const auto available = [&](Target target) {
    return std::find(targets.begin(), targets.end(), target) != targets.end();
  };
  for (const auto& kernel : dgt_kernels<std::uint64_t>()) {
    if (available(kernel.target) && kernel.arithmetic != Arithmetic::goldilocks)
      compare_dgt_kernel_everywhere(kernel, 9);
  }
  for (const auto& kernel : dgt_kernels<std::uint32_t>()) {
    if (available(kernel.target)) compare_dgt_kernel_everywhere(kernel, 9);
  }
}

NTTF_TEST(
    "DGT plans: limbs of both classes, batches, threads, a given root; any multiplies modulo [Yan22]'s q") {
  Rng rng;
  const std::size_t n = 512, batch = 2;
  NttSpec spec = dgt_spec(n, {1073741311, 12289, (std::uint64_t{1} << 61) - 1});
  const std::size_t limbs = spec.moduli.size();
  Words in(batch * limbs * n), out(in.size()), expected;
  for (std::size_t row = 0; row < batch * limbs; ++row) {
    const Words a = random_residues(n, spec.moduli[row % limbs], rng);
    std::copy(a.begin(), a.end(), in.begin() + static_cast<std::ptrdiff_t>(row * n));
    const std::uint64_t q = spec.moduli[row % limbs];
    const Words x = reordered_values(dgt_by_sum(a, q, twist_root(n, q)), Order::bit_reversed);
    expected.insert(expected.end(), x.begin(), x.end());
  }
  for (const unsigned threads : {1u, 3u}) {
    NttPlan(spec, threads).forward(std::span<const std::uint64_t>(in), std::span<std::uint64_t>(out));
    NTTF_CHECK(out == expected);
  }
  // h^(4k + 1) for any k has the same (n/2)-th power i.
  const std::uint64_t q = spec.moduli[0];
  const ComplexMod other = complex_pow(twist_root(n, q), 5, q);
  NttSpec given = dgt_spec(n, {q});
  given.roots = {other.re, other.im};
  const Words a(in.begin(), in.begin() + n);
  check_values<std::uint64_t>(given, a, dgt_by_sum(a, q, other));

  NttSpec any{n, {q}};
  any.transform = Transform::any;
  const NttPlan plan(any);
  NTTF_CHECK(plan.spec().transform == Transform::dgt);
  const Words b = random_residues(n, q, rng);
  check_product<std::uint64_t>(any, a, b, negacyclic_product(a, b, q));
}

NTTF_TEST("DGT recipes: what cannot be") {
  const NttSpec spec = dgt_spec(64, {1073741311});
  NttRecipe recipe = choose_recipe(spec, Target::scalar);
  recipe.algorithm = "stockham";
  NTTF_CHECK_THROWS(NttPlan(spec, recipe), ParameterError,
                    "computes NTTs only: for transform = dgt use merged");
}
