// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/trace.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/text/json.hpp"
#include "nttforge/ntt/algorithms/engine.hpp"
#include "nttforge/ntt/candidates.hpp"

namespace nttforge {
namespace {

void check(const NttSpec& spec, const NttRecipe& recipe, std::span<const std::uint64_t> input) {
  if (spec.moduli.size() != 1) {
    throw ParameterError("moduli has " + std::to_string(spec.moduli.size()) +
                         " entries: a trace is of one limb; trace each modulus by itself");
  }
  if (recipe.algorithm == kMergedAlgorithm) {
    throw ParameterError(
        "recipe.algorithm = merged has no trace: its values between passes are lazy; algorithm radix_r has "
        "the same stages, fully reduced");
  }
  if (spec.n > kMaxTraceSize) {
    throw ParameterError("n = " + std::to_string(spec.n) +
                         " is too large for a trace: need n <= " + std::to_string(kMaxTraceSize) +
                         ", since every stage is kept; the stages of a smaller n have the same form");
  }
  if (input.size() != spec.n) {
    throw SizeError("input has " + std::to_string(input.size()) +
                    " words: need n = " + std::to_string(spec.n));
  }
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (input[i] < spec.moduli[0]) continue;
    throw ParameterError("input[" + std::to_string(i) + "] = " + std::to_string(input[i]) +
                         " is not reduced: allowed is [0, q) with q = " + std::to_string(spec.moduli[0]) +
                         "; reduce the input modulo q");
  }
}

template <class Word>
void run(const NttSpec& spec, const NttRecipe& recipe, NttTrace& trace) {
  const algorithms::Engine<Word> engine(spec, recipe);
  const std::vector<Word> in(trace.input.begin(), trace.input.end());
  std::vector<Word> out(in.size());
  if (trace.direction == Direction::forward) {
    engine.forward(0, in.data(), out.data(), &trace.steps);
  } else {
    engine.inverse(0, in.data(), out.data(), &trace.steps);
  }
}

Json json_of(const std::vector<std::uint64_t>& values) {
  Json array = Json::array();
  for (const std::uint64_t v : values) array.push_back(v);
  return array;
}

}  // namespace

std::string NttTrace::to_json() const {
  Json json = Json::object();
  json.set("format", "nttforge-trace");
  json.set("version", 1);
  json.set("n", spec.n);
  json.set("q", spec.moduli.at(0));
  json.set("root", spec.roots.at(0));
  json.set("ring", ring_name(spec.ring));
  json.set("input_order", order_name(spec.input_order));
  json.set("output_order", order_name(spec.output_order));
  json.set("algorithm", recipe.algorithm);
  json.set("radix", recipe.radix);
  json.set("direction", direction == Direction::forward ? "forward" : "inverse");
  json.set("input", json_of(input));
  Json all = Json::array();
  for (const TraceStep& step : steps) {
    Json entry = Json::object();
    entry.set("name", step.name);
    if (step.name == "stage") entry.set("index", step.index);
    entry.set("values", json_of(step.values));
    all.push_back(std::move(entry));
  }
  json.set("steps", std::move(all));
  return json.dump();
}

NttTrace trace_transform(const NttSpec& spec, const NttRecipe& recipe, Direction direction,
                         std::span<const std::uint64_t> input) {
  NttTrace trace;
  trace.spec = validated(spec);
  check(trace.spec, recipe, input);
  require_recipe(trace.spec, recipe);
  trace.recipe = recipe;
  trace.direction = direction;
  trace.input.assign(input.begin(), input.end());
  if (trace.spec.word_bits == 64) {
    run<std::uint64_t>(trace.spec, recipe, trace);
  } else {
    run<std::uint32_t>(trace.spec, recipe, trace);
  }
  return trace;
}

}  // namespace nttforge
