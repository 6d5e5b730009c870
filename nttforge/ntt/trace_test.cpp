// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/trace.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/ntt/algorithms/algorithms.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/ntt/testing.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

NttSpec spec_of(const Json& row, unsigned word_bits) {
  NttSpec spec;
  spec.n = row.at("n").as_u64();
  spec.moduli = {row.at("q").as_u64()};
  spec.roots = {row.at("root").as_u64()};
  spec.ring = parse_ring(row.at("ring").as_string());
  spec.input_order = parse_order(row.at("input_order").as_string());
  spec.output_order = parse_order(row.at("output_order").as_string());
  spec.word_bits = word_bits;
  return spec;
}

NttTrace trace_of(const Json& row, const Words& input, unsigned word_bits) {
  const NttSpec spec = spec_of(row, word_bits);
  const NttRecipe recipe = algorithm_recipe(spec, row.at("algorithm").as_string(),
                                            static_cast<unsigned>(row.at("radix").as_u64()));
  const bool forward = row.at("direction").as_string() == "forward";
  return trace_transform(spec, recipe, forward ? Direction::forward : Direction::inverse, input);
}

/// The word sizes that q allows: both, or 64 bits.
std::vector<unsigned> word_sizes(const Json& row) {
  if (row.at("q").as_u64() >> 32 != 0) return {64};
  return {64, 32};
}

}  // namespace

NTTF_TEST("traces: small ones equal the oracle's, member by member") {
  const Json vectors = load_vectors("traces.json");
  std::size_t steps = 0;
  for (const Json& row : vectors.at("small").elements()) {
    for (const unsigned word_bits : word_sizes(row)) {
      const NttTrace trace = trace_of(row, row.at("input").as_u64_vector(), word_bits);
      NTTF_CHECK(Json::parse(trace.to_json()) == row);
      steps += trace.steps.size();
    }
  }
  NTTF_CHECK(steps > 2000);
}

NTTF_TEST("traces: large ones equal the oracle's by digest") {
  const Json vectors = load_vectors("traces.json");
  std::size_t checked = 0;
  for (const Json& row : vectors.at("large").elements()) {
    const std::size_t n = row.at("n").as_u64();
    Words input(n);
    for (std::size_t i = 0; i < n; ++i) input[i] = splitmix64(n + i) % row.at("q").as_u64();
    for (const unsigned word_bits : word_sizes(row)) {
      const NttTrace trace = trace_of(row, input, word_bits);
      const auto& expected = row.at("steps").elements();
      NTTF_CHECK_EQ(trace.steps.size(), expected.size());
      for (std::size_t i = 0; i < std::min(trace.steps.size(), expected.size()); ++i) {
        NTTF_CHECK_EQ(trace.steps[i].name, expected[i].at("name").as_string());
        NTTF_CHECK_EQ(fnv1a(trace.steps[i].values), expected[i].at("fnv1a").as_u64());
        if (trace.steps[i].name == "stage")
          NTTF_CHECK_EQ(std::uint64_t{trace.steps[i].index}, expected[i].at("index").as_u64());
      }
      ++checked;
    }
  }
  NTTF_CHECK(checked > 100);
}

NTTF_TEST("traces: the last step is the plan's output, and on-the-fly twiddles change no step") {
  const std::size_t n = 256;
  const NttSpec spec =
      validated({n, {largest_prime(n, 60)}, Ring::cyclic, Order::bit_reversed, Order::natural, 64, {}});
  Rng rng;
  const Words input = random_residues(n, spec.moduli[0], rng);
  for (const AlgorithmInfo& info : algorithm_infos()) {
    for (const unsigned radix : info.radices) {
      NttRecipe recipe = algorithm_recipe(spec, info.name, radix);
      Words out(n);
      NttPlan(spec, recipe).forward(std::span<const std::uint64_t>(input), std::span<std::uint64_t>(out));
      const NttTrace trace = trace_transform(spec, recipe, Direction::forward, input);
      NTTF_CHECK(trace.steps.back().values == out);
      if (!info.on_the_fly) continue;
      recipe.twiddles = {TwiddleSource::on_the_fly, 16, 3};
      NTTF_CHECK(trace_transform(spec, recipe, Direction::forward, input).steps == trace.steps);
    }
  }
}

NTTF_TEST("traces: what cannot be traced") {
  NttSpec spec = validated({8, {97}, Ring::cyclic, Order::natural, Order::natural, 64, {}});
  const NttRecipe recipe = algorithm_recipe(spec, "dit");
  const Words input(8, 5);
  const auto rejects = [](const NttSpec& s, const NttRecipe& r, const Words& in, const char* text) {
    NTTF_CHECK_THROWS(trace_transform(s, r, Direction::forward, in), ParameterError, text);
  };
  rejects(spec, {Target::scalar, {Arithmetic::shoup64}, 4, 1}, input, "radix_r has the same stages");
  rejects(spec, recipe, {0, 0, 97, 0, 0, 0, 0, 0}, "input[2] = 97 is not reduced");
  NTTF_CHECK_THROWS(trace_transform(spec, recipe, Direction::forward, Words(7)), SizeError, "need n = 8");
  NttSpec two = spec;
  two.moduli = {97, 193};
  two.roots = {};
  rejects(two, algorithm_recipe(two, "dit"), input, "one limb");
  NttSpec large =
      validated({kMaxTraceSize * 2, {kGoldilocks}, Ring::cyclic, Order::natural, Order::natural, 64, {}});
  rejects(large, algorithm_recipe(large, "dit"), Words(large.n), "n = 262144 is too large for a trace");
  large = validated({kMaxTraceSize, {kGoldilocks}, Ring::cyclic, Order::natural, Order::natural, 64, {}});
  NTTF_CHECK_EQ(
      trace_transform(large, algorithm_recipe(large, "dit"), Direction::forward, Words(large.n)).steps.size(),
      std::size_t{18});
}
