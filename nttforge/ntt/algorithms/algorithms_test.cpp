// SPDX-License-Identifier: Apache-2.0
// Compares every algorithm of the collection with the definition and the oracle's vectors.

#include "nttforge/ntt/algorithms/algorithms.hpp"

#include <algorithm>
#include <thread>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/ntt/plan/testing_plans.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

/// Every algorithm with every radix, and on-the-fly twiddles where it can make them.
std::vector<NttRecipe> recipes_of(const NttSpec& spec) {
  std::vector<NttRecipe> recipes;
  for (const AlgorithmInfo& info : algorithm_infos()) {
    for (const unsigned radix : info.radices) {
      recipes.push_back(algorithm_recipe(spec, info.name, radix));
      if (!info.on_the_fly || spec.n < 2) continue;
      for (const std::size_t base : {std::size_t{1}, std::size_t{4}, spec.n}) {
        NttRecipe recipe = recipes.back();
        recipe.twiddles = {TwiddleSource::on_the_fly, std::min(base, spec.n), spec.n == 2 ? 1u : 2u};
        recipes.push_back(recipe);
      }
    }
  }
  return recipes;
}

/// a -> x, both natural, for all recipes and the given orders.
template <class Word>
void check_all(NttSpec spec, const Words& a, const Words& x, std::span<const Order> orders) {
  spec.word_bits = 8 * sizeof(Word);
  for (const Order input : orders) {
    for (const Order output : orders) {
      spec.input_order = input;
      spec.output_order = output;
      const auto in = words_of<Word>(reordered(a, input)), expected = words_of<Word>(reordered(x, output));
      for (const NttRecipe& recipe : recipes_of(spec)) check_recipe(spec, recipe, in, expected);
    }
  }
}

template <class Word>
void check_definition(Ring ring, std::size_t n) {
  Rng rng;
  for (const std::uint64_t q : test_primes(ring, n, 8 * sizeof(Word))) {
    const NttSpec spec = validated({n, {q}, ring, Order::natural, Order::natural, 8 * sizeof(Word), {}});
    for (const Words& a : {random_residues(n, q, rng), Words(n, q - 1)})
      check_all<Word>(spec, a, transform_by_sum(a, ring, q, spec.roots[0]), kOrders);
  }
}

}  // namespace

NTTF_TEST("algorithms: equal the definition, n = 1 ... 64, all rings, orders, words, moduli classes") {
  for (const Ring ring : kRings) {
    for (std::size_t n = 1; n <= 64; n *= 2) {
      check_definition<std::uint64_t>(ring, n);
      check_definition<std::uint32_t>(ring, n);
    }
  }
}

NTTF_TEST("algorithms: equal the oracle's vectors, n = 256 ... 2^16") {
  const Json vectors = load_vectors("ntt.json");
  std::size_t checked = 0;
  for (const Json& row : vectors.at("large").elements()) {
    const std::size_t n = row.at("n").as_u64();
    NttSpec spec;
    spec.n = n;
    spec.moduli = {row.at("q").as_u64()};
    spec.ring = parse_ring(row.at("ring").as_string());
    spec = validated(spec);
    Words in(n), out(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = splitmix64(i) % spec.moduli[0];
    // One algorithm gives the whole output; its digest is the oracle's, and the others must equal it.
    spec.output_order = Order::natural;
    const NttPlan first(spec, algorithm_recipe(spec, "dit"));
    first.forward(std::span<const std::uint64_t>(in), std::span<std::uint64_t>(out));
    NTTF_CHECK_EQ(fnv1a(out), row.at("natural_fnv1a").as_u64());
    NTTF_CHECK_EQ(fnv1a(reordered(out, Order::bit_reversed)), row.at("bit_reversed_fnv1a").as_u64());
    check_all<std::uint64_t>(spec, in, out, std::span(kOrders).first(1));
    if (spec.moduli[0] >> 32 == 0) check_all<std::uint32_t>(spec, in, out, std::span(kOrders).first(1));
    ++checked;
  }
  NTTF_CHECK(checked >= 50);
}

NTTF_TEST("algorithms: every n = 8 ... 2^16, several limbs of all classes, equal the merged kernels") {
  for (std::size_t n = 8; n <= std::size_t{1} << 16; n *= 2) {
    NttSpec spec{n, {}, Ring::negacyclic, Order::natural, Order::bit_reversed, 64, {}};
    for (const unsigned bits : {30u, 50u, 62u}) spec.moduli.push_back(largest_prime(n, bits));
    spec.moduli.push_back(kGoldilocks);
    spec = validated(spec);
    Rng rng;
    Words in, expected(4 * n);
    for (const std::uint64_t q : spec.moduli) {
      const Words row = random_residues(n, q, rng);
      in.insert(in.end(), row.begin(), row.end());
    }
    NttPlan(spec).forward(std::span<const std::uint64_t>(in), std::span<std::uint64_t>(expected));
    for (const AlgorithmInfo& info : algorithm_infos())
      check_recipe(spec, algorithm_recipe(spec, info.name), in, expected);
  }
}

NTTF_TEST("algorithms: polynomial products, and plans shared by threads") {
  const NttSpec spec =
      validated({64, {12289, 257}, Ring::negacyclic, Order::natural, Order::natural, 64, {}});
  Rng rng;
  Words a, b, expected(128), workspace(128);
  for (const std::uint64_t q : spec.moduli) {
    const Words x = random_residues(64, q, rng), y = random_residues(64, q, rng);
    a.insert(a.end(), x.begin(), x.end());
    b.insert(b.end(), y.begin(), y.end());
  }
  const std::span<const std::uint64_t> left(a), right(b);
  NttPlan(spec).polynomial_product(left, right, expected, workspace);
  for (const AlgorithmInfo& info : algorithm_infos()) {
    const NttPlan plan(spec, algorithm_recipe(spec, info.name));
    std::vector<Words> results(4, Words(128));
    std::vector<std::thread> threads;
    for (Words& result : results) {
      threads.emplace_back([&] {
        Words work(128);
        for (int repeat = 0; repeat < 50; ++repeat) plan.polynomial_product(left, right, result, work);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Words& result : results) NTTF_CHECK(result == expected);
  }
}

NTTF_TEST("algorithms: batches over threads") {
  NttSpec spec = validated(
      {4096, {largest_prime(4096, 50)}, Ring::negacyclic, Order::natural, Order::bit_reversed, 64, {}});
  Rng rng;
  const Words in = random_residues(16 * 4096, spec.moduli[0], rng);
  Words expected(in.size()), out(in.size());
  NttPlan(spec).forward(std::span<const std::uint64_t>(in), std::span<std::uint64_t>(expected));
  for (const AlgorithmInfo& info : algorithm_infos()) {
    NttRecipe recipe = algorithm_recipe(spec, info.name);
    recipe.threads = 3;
    NttPlan(spec, recipe).forward(std::span<const std::uint64_t>(in), std::span<std::uint64_t>(out));
    NTTF_CHECK(out == expected);
  }
}

NTTF_TEST("algorithms: what recipes that do not fit get") {
  const NttSpec spec = validated({64, {12289}, Ring::negacyclic, Order::natural, Order::natural, 64, {}});
  const NttRecipe good = algorithm_recipe(spec, "stockham");
  NTTF_CHECK(NttRecipe::from_json(good.to_json()) == good);
  const auto rejects = [&](auto change, const char* text) {
    NttRecipe recipe = algorithm_recipe(spec, "radix_r", 8);
    change(recipe);
    NTTF_CHECK_THROWS(NttPlan(spec, recipe), ParameterError, text);
  };
  rejects(
      [](NttRecipe& r) { r.algorithm = "stockhan"; },
      "recipe.algorithm = \"stockhan\" is unknown; known: merged, dit, dif, flat, pease, pease_nc, six_step, "
      "stockham, recursive, radix_r");
  rejects([](NttRecipe& r) { r.target = Target::avx2; }, "is scalar");
  rejects([](NttRecipe& r) { r.arithmetic = {}; }, "0 entries for 1 moduli");
  rejects([](NttRecipe& r) { r.arithmetic = {Arithmetic::goldilocks}; }, "use shoup64");
  rejects([](NttRecipe& r) { r.radix = 3; }, "allowed are 2, 4, 8, 16");
  rejects([](NttRecipe& r) { r.threads = 0; }, "threads = 0");
  rejects([](NttRecipe& r) { r.twiddles = {TwiddleSource::on_the_fly, 8, 7}; }, "stages = 7");
  rejects([](NttRecipe& r) { r.twiddles = {TwiddleSource::on_the_fly, 8, 0}; }, "stages = 0");
  rejects([](NttRecipe& r) { r.twiddles = {TwiddleSource::on_the_fly, 12, 1}; }, "base = 12");
  rejects([](NttRecipe& r) { r.twiddles = {TwiddleSource::on_the_fly, 128, 1}; }, "base = 128");
  rejects([](NttRecipe& r) { r.twiddles.base = 8; }, "go with on_the_fly");
  NttRecipe other = good;
  other.radix = 4;
  NTTF_CHECK_THROWS(NttPlan(spec, other), ParameterError, "allowed are 2");
  other = good;
  other.twiddles = {TwiddleSource::on_the_fly, 8, 1};
  NTTF_CHECK_THROWS(NttPlan(spec, other), UnsupportedError, "use table, or algorithm radix_r");
  NTTF_CHECK_THROWS(predicted_ns(spec, good), UnsupportedError, "measure it");
  NTTF_CHECK_THROWS(find_algorithm("merged"), ParameterError, "unknown");
}
