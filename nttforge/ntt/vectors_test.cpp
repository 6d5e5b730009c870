// SPDX-License-Identifier: Apache-2.0
// Transforms, products and twiddles against the oracle's ntt.json: every order, word size and recipe that
// this machine can run.

#include <algorithm>
#include <string>

#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/ntt/plan/testing_plans.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

NttSpec spec_of(const Json& row, std::size_t n, std::uint64_t root) {
  NttSpec spec;
  spec.n = n;
  spec.moduli = {row.at("q").as_u64()};
  spec.ring = parse_ring(row.at("ring").as_string());
  spec.roots = {root};
  return spec;
}

template <class Word>
std::size_t check_orders(NttSpec spec, const Words& natural_in, const Words& natural_out) {
  spec.word_bits = 8 * sizeof(Word);
  std::size_t recipes = 0;
  each_order(spec, [&](const NttSpec& ordered) {
    recipes += check_recipes(ordered, words_of<Word>(reordered(natural_in, ordered.input_order)),
                             words_of<Word>(reordered(natural_out, ordered.output_order)));
  });
  return recipes;
}

}  // namespace

NTTF_TEST("vectors: small transforms of every prime, ring and order") {
  const Json vectors = load_vectors("ntt.json");
  std::size_t recipes = 0;
  for (const Json& row : vectors.at("small").elements()) {
    for (const Json& c : row.at("cases").elements()) {
      const Words in = c.at("input").as_u64_vector(), natural = c.at("natural").as_u64_vector();
      NTTF_CHECK(reordered(natural, Order::bit_reversed) == c.at("bit_reversed").as_u64_vector());
      const NttSpec spec = spec_of(row, c.at("n").as_u64(), c.at("root").as_u64());
      recipes += check_orders<std::uint64_t>(spec, in, natural);
      if (spec.moduli[0] >> 32 == 0) recipes += check_orders<std::uint32_t>(spec, in, natural);
    }
  }
  NTTF_CHECK(recipes > 1000);
}

NTTF_TEST("vectors: the root of a spec without roots is the smallest") {
  const Json vectors = load_vectors("ntt.json");
  for (const Json& row : vectors.at("large").elements()) {
    NttSpec spec = spec_of(row, row.at("n").as_u64(), 0);
    spec.roots.clear();
    spec = validated(spec);
    NTTF_CHECK_EQ(spec.roots.at(0), row.at("root").as_u64());
  }
}

NTTF_TEST("vectors: large transforms at sampled points and by digest") {
  const Json vectors = load_vectors("ntt.json");
  for (const Json& row : vectors.at("large").elements()) {
    const std::size_t n = row.at("n").as_u64();
    NttSpec spec = spec_of(row, n, row.at("root").as_u64());
    Words in(n), out(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = splitmix64(i) % spec.moduli[0];
    const NttPlan plan(spec);
    plan.forward(std::span<const std::uint64_t>(in), std::span<std::uint64_t>(out));
    NTTF_CHECK_EQ(fnv1a(out), row.at("bit_reversed_fnv1a").as_u64());
    const Words natural = reordered(out, Order::bit_reversed);
    NTTF_CHECK_EQ(fnv1a(natural), row.at("natural_fnv1a").as_u64());
    for (std::size_t i = 0; i < row.at("points").size(); ++i)
      NTTF_CHECK_EQ(natural[row.at("points")[i].as_u64()], row.at("values")[i].as_u64());
    check_orders<std::uint64_t>(spec, in, natural);
    if (spec.moduli[0] >> 32 == 0) check_orders<std::uint32_t>(spec, in, natural);
  }
}

NTTF_TEST("vectors: polynomial products") {
  const Json vectors = load_vectors("ntt.json");
  for (const Json& row : vectors.at("products").elements()) {
    NttSpec spec = spec_of(row, row.at("n").as_u64(), 0);
    spec.roots.clear();
    const Words a = row.at("a").as_u64_vector(), b = row.at("b").as_u64_vector();
    Words out(a.size()), workspace(a.size());
    NttPlan(spec).polynomial_product(std::span<const std::uint64_t>(a), std::span<const std::uint64_t>(b),
                                     std::span<std::uint64_t>(out), std::span<std::uint64_t>(workspace));
    NTTF_CHECK(out == row.at("product").as_u64_vector());
  }
}

NTTF_TEST("vectors: twiddles of the product tree") {
  const Json vectors = load_vectors("ntt.json");
  for (const Json& row : vectors.at("twiddles").elements()) {
    const std::size_t n = row.at("n").as_u64();
    NttSpec spec = spec_of(row, n, 0);
    spec.roots.clear();
    spec = validated(spec);
    unsigned log_n = 0;
    while (std::size_t{1} << log_n < n) ++log_n;
    const auto table = tree_twiddles(spec.ring, log_n, spec.moduli[0], spec.roots[0]);
    const Words expected = row.at("table").as_u64_vector();
    for (std::size_t i = 1; i < n; ++i) NTTF_CHECK_EQ(table.data()[i], expected[i]);
  }
}
