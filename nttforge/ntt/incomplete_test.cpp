// SPDX-License-Identifier: Apache-2.0
// Incomplete transforms against the oracle's incomplete.json, with every recipe of every target, and against
// complete ones.

#include "nttforge/ntt/incomplete.hpp"

#include <algorithm>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/ntt/plan/testing_plans.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

struct Case {
  NttSpec spec;
  unsigned layers;
  Words a, b, natural, bit_reversed, multiplied, product;
};

Case case_of(const Json& row) {
  NttSpec spec;
  spec.n = row.at("n").as_u64();
  spec.moduli = {row.at("q").as_u64()};
  spec.ring = parse_ring(row.at("ring").as_string());
  spec.roots = {row.at("zeta").as_u64()};
  const auto words = [&](const char* name) { return row.at(name).as_u64_vector(); };
  return {spec,
          static_cast<unsigned>(row.at("layers").as_u64()),
          words("a"),
          words("b"),
          words("natural"),
          words("bit_reversed"),
          words("multiplied"),
          words("product")};
}

template <class Word>
void check_plan(const IncompleteNttPlan& plan, const Case& c) {
  using View = std::span<const Word>;
  const auto a = words_of<Word>(c.a), b = words_of<Word>(c.b);
  const bool natural = plan.spec().output_order == Order::natural;
  const auto values = words_of<Word>(natural ? c.natural : c.bit_reversed);
  std::vector<Word> x(a.size()), y(a.size()), work(2 * a.size());
  plan.forward(View(a), x);
  NTTF_CHECK(x == values);
  plan.inverse(View(x), x);  // in place
  NTTF_CHECK(x == a);
  plan.polynomial_product(View(a), View(b), y, std::span(work).first(a.size()));
  NTTF_CHECK(y == words_of<Word>(c.product));
  plan.sum_of_products(View(a), View(b), y, work);
  NTTF_CHECK(y == words_of<Word>(c.product));
  if (natural) return;
  plan.forward(View(b), y);
  plan.multiply(View(values), View(y), y);
  NTTF_CHECK(y == words_of<Word>(c.multiplied));
}

template <class Word>
void check_case(Case c) {
  c.spec.word_bits = 8 * sizeof(Word);
  for (const Order order : kOrders) {
    c.spec.output_order = order;
    const NttSpec part = complete_part(c.spec, c.layers);
    for (const Target target : available_targets()) {
      const NttPlan complete(part, choose_recipe(validated(part), target));
      check_plan<Word>(IncompleteNttPlan(complete, c.spec.n), c);
    }
  }
}

NttSpec kem() { return {256, {3329}}; }

}  // namespace

NTTF_TEST("incomplete transforms: the oracle's words on every target") {
  const Json vectors = load_vectors("incomplete.json");
  NTTF_CHECK(vectors.at("cases").size() == 48 && vectors.at("standards").size() == 2);
  for (const char* kind : {"cases", "standards"}) {
    for (const Json& row : vectors.at(kind).elements()) {
      const Case c = case_of(row);
      check_case<std::uint64_t>(c);
      if (c.spec.moduli[0] >> 32 == 0) check_case<std::uint32_t>(c);
    }
  }
}

NTTF_TEST("incomplete transforms: zeta is the smallest by default, that of the standards") {
  const IncompleteNttPlan plan(kem(), 7);
  NTTF_CHECK(plan.spec().roots == Words{17});
  NTTF_CHECK_EQ(plan.n(), std::size_t{256});
  NTTF_CHECK_EQ(plan.degree(), std::size_t{2});
  NTTF_CHECK_EQ(plan.layers(), 7u);
  NTTF_CHECK(IncompleteNttPlan({256, {8380417}}, 8).spec().roots == Words{1753});
}

NTTF_TEST("incomplete transforms: all layers are the complete transform") {
  Rng rng(11);
  for (const std::uint64_t q : {std::uint64_t{7681}, largest_prime(64, 62), kGoldilocks}) {
    const NttSpec spec{64, {q}};
    const NttPlan complete(spec);
    const IncompleteNttPlan all(spec, 6);
    for (const Words& a : edge_inputs(64, q, rng)) {
      Words x(64), y(64), work(64);
      complete.forward(std::span<const std::uint64_t>(a), std::span(x));
      all.forward(std::span<const std::uint64_t>(a), std::span(y));
      NTTF_CHECK(x == y);
      complete.polynomial_product(std::span<const std::uint64_t>(a), std::span<const std::uint64_t>(x),
                                  std::span(y), std::span(work));
      all.polynomial_product(std::span<const std::uint64_t>(a), std::span<const std::uint64_t>(x),
                             std::span(x), std::span(work));
      NTTF_CHECK(x == y);
    }
  }
}

NTTF_TEST("incomplete transforms: batches, limbs, terms and threads give the words of single rows") {
  Rng rng(12);
  constexpr std::size_t kN = 64, kBatch = 9, kTerms = 3;
  const NttSpec spec{kN, {3329, 7681, largest_prime(64, 62)}};
  const IncompleteNttPlan one(spec, 5), several(spec, 5, 4);
  const std::size_t words = kBatch * 3 * kN;
  Words a(kTerms * words), b(kTerms * words), start(words);
  for (auto* x : {&a, &b, &start})
    for (std::size_t i = 0; i < x->size(); ++i) (*x)[i] = rng.below(spec.moduli[i / kN % 3]);
  using View = std::span<const std::uint64_t>;
  Words want = start, product(words), work(2 * words);
  for (std::size_t t = 0; t < kTerms; ++t)
    one.multiply_accumulate(View(a).subspan(t * words, words), View(b).subspan(t * words, words),
                            std::span(want));
  Words got = start;
  several.multiply_accumulate(View(a), View(b), std::span(got));
  NTTF_CHECK(got == want);

  want.assign(words, 0);
  for (std::size_t t = 0; t < kTerms; ++t) {
    one.polynomial_product(View(a).subspan(t * words, words), View(b).subspan(t * words, words),
                           std::span(product), std::span(work).first(words));
    for (std::size_t i = 0; i < words; ++i) want[i] = add_any(want[i], product[i], spec.moduli[i / kN % 3]);
  }
  several.sum_of_products(View(a), View(b), std::span(got), std::span(work));
  NTTF_CHECK(got == want);

  const IncompleteNttPlan single({kN, {7681}}, 5);
  Words row(kN);
  several.forward(View(start), std::span(got));
  single.forward(View(start).subspan(kN, kN), std::span(row));
  NTTF_CHECK(std::equal(row.begin(), row.end(), got.begin() + kN));
  several.inverse(View(got), std::span(got));
  NTTF_CHECK(got == start);
}

NTTF_TEST("incomplete transforms: errors say what q carries") {
  const auto rejects = [](const NttSpec& spec, unsigned layers, const char* text) {
    NTTF_CHECK_THROWS(IncompleteNttPlan(spec, layers), ParameterError, text);
  };
  rejects(kem(), 0, "layers = 0 with n = 256: need 1 to log2(n) = 8, the complete transform");
  rejects(kem(), 9, "layers = 9 with n = 256");
  rejects(
      kem(), 8,
      "layers = 8 with q = 3329 (moduli[0]): X^256 + 1 has no more than 128 such factors modulo this q, use "
      "layers <= 7");
  rejects({256, {7}}, 1, "no more than 1 such factors modulo this q; use ntt_primes(n, bits, count)");
  rejects({256, {3329, 15}}, 7, "moduli[1] = 15 is not prime");
  rejects({200, {3329}}, 7, "n = 200 is not supported");
  NttSpec spec = kem();
  spec.input_order = Order::bit_reversed;
  rejects(spec, 7, "input_order = bit_reversed does not go with layers: use natural");
  spec = kem();
  spec.transform = Transform::any;
  rejects(spec, 7, "transform = any does not go with layers: use transform = ntt");
  spec = kem();
  spec.roots = {3};
  rejects(spec, 7, "roots[0] = 3 is not a primitive 256-th root of unity mod q = 3329");
  NTTF_CHECK_THROWS(IncompleteNttPlan(NttPlan({512, {12289}}), 256), ParameterError,
                    "the plan has n = 512: need");
  NTTF_CHECK_THROWS(IncompleteNttPlan(NttPlan({1, {7681}}), 256), ParameterError,
                    "need an NTT of 2 to n = 256");

  const IncompleteNttPlan plan(kem(), 7);
  Words x(256, 3329), y(300);
  using View = std::span<const std::uint64_t>;
  NTTF_CHECK_THROWS(plan.require_reduced(View(x)), ParameterError, "x[0][0][0] = 3329 is not reduced");
  NTTF_CHECK_THROWS(plan.forward(View(x), std::span(y)), SizeError, "need a multiple of limbs * n = 1 * 256");
  NTTF_CHECK_THROWS(plan.multiply(View(y).first(256), View(y).first(256), std::span(y).subspan(1, 256)),
                    SizeError, "overlap partly");
}
