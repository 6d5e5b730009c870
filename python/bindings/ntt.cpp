// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "nttforge/ntt/algorithms/algorithms.hpp"
#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/incomplete.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/ntt/trace.hpp"

namespace nttforge::bindings {
namespace {

template <class Word, class Plan>
void bind_words(nb::class_<Plan>& plan) {
  plan.def(
          "forward", [](const Plan& p, In<Word> x, Out<Word> out) { p.forward(view(x), view(out)); },
          nb::arg("x").noconvert(), nb::arg("out").noconvert(), WithoutGil())
      .def(
          "inverse", [](const Plan& p, In<Word> x, Out<Word> out) { p.inverse(view(x), view(out)); },
          nb::arg("x").noconvert(), nb::arg("out").noconvert(), WithoutGil())
      .def(
          "multiply",
          [](const Plan& p, In<Word> a, In<Word> b, Out<Word> out) {
            p.multiply(view(a), view(b), view(out));
          },
          nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("out").noconvert(), WithoutGil())
      .def(
          "multiply_accumulate",
          [](const Plan& p, In<Word> a, In<Word> b, Out<Word> accumulator) {
            p.multiply_accumulate(view(a), view(b), view(accumulator));
          },
          nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("accumulator").noconvert(),
          WithoutGil())
      .def(
          "polynomial_product",
          [](const Plan& p, In<Word> a, In<Word> b, Out<Word> out, Out<Word> workspace) {
            p.polynomial_product(view(a), view(b), view(out), view(workspace));
          },
          nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("out").noconvert(),
          nb::arg("workspace").noconvert(), WithoutGil())
      .def(
          "sum_of_products",
          [](const Plan& p, In<Word> a, In<Word> b, Out<Word> out, Out<Word> workspace) {
            p.sum_of_products(view(a), view(b), view(out), view(workspace));
          },
          nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("out").noconvert(),
          nb::arg("workspace").noconvert(), WithoutGil())
      .def(
          "require_reduced", [](const Plan& p, In<Word> x) { p.require_reduced(view(x)); },
          nb::arg("x").noconvert(), WithoutGil());
}

nb::list algorithm_list() {
  nb::list all;
  for (const AlgorithmInfo& info : algorithm_infos()) {
    nb::list radices;
    for (const unsigned radix : info.radices) radices.append(radix);
    all.append(nb::make_tuple(std::string(info.name), std::string(info.title), std::string(info.source),
                              std::string(order_name(info.input)), std::string(order_name(info.output)),
                              info.mirrored, info.on_the_fly, nb::tuple(radices)));
  }
  return all;
}

/// (name, index, little-endian words) of each step.
nb::list trace_steps(const NttSpec& spec, std::string_view recipe_json, bool inverse, In<std::uint64_t> x) {
  NttTrace trace;
  {
    const ReleasedGil released;
    trace = trace_transform(spec, NttRecipe::from_json(recipe_json),
                            inverse ? Direction::inverse : Direction::forward, view(x));
  }
  nb::list steps;
  for (const TraceStep& step : trace.steps) {
    steps.append(nb::make_tuple(step.name, step.index,
                                nb::bytes(reinterpret_cast<const char*>(step.values.data()),
                                          step.values.size() * sizeof(std::uint64_t))));
  }
  return steps;
}

}  // namespace

void bind_ntt(nb::module_& m) {
  m.attr("MAX_TRANSFORM_SIZE") = kMaxTransformSize;
  m.attr("MAX_CPU_TRANSFORM_SIZE") = kMaxCpuTransformSize;
  m.attr("TRANSFORM_SIZES") = transform_sizes();

  nb::class_<NttSpec>(m, "NttSpec")
      .def(
          "__init__",
          [](NttSpec* self, std::size_t n, const std::vector<std::uint64_t>& moduli, std::string_view ring,
             std::string_view input_order, std::string_view output_order, unsigned word_bits,
             const std::vector<std::uint64_t>& roots, std::string_view transform) {
            new (self) NttSpec{n,
                               moduli,
                               parse_ring(ring),
                               parse_order(input_order),
                               parse_order(output_order),
                               word_bits,
                               roots,
                               parse_transform(transform)};
          },
          nb::arg("n"), nb::arg("moduli"), nb::arg("ring"), nb::arg("input_order"), nb::arg("output_order"),
          nb::arg("word_bits"), nb::arg("roots"), nb::arg("transform") = "ntt")
      .def_ro("n", &NttSpec::n)
      .def_ro("moduli", &NttSpec::moduli)
      .def_prop_ro("ring", [](const NttSpec& s) { return std::string(ring_name(s.ring)); })
      .def_prop_ro("input_order", [](const NttSpec& s) { return std::string(order_name(s.input_order)); })
      .def_prop_ro("output_order", [](const NttSpec& s) { return std::string(order_name(s.output_order)); })
      .def_ro("word_bits", &NttSpec::word_bits)
      .def_ro("roots", &NttSpec::roots)
      .def_prop_ro("transform", [](const NttSpec& s) { return std::string(transform_name(s.transform)); });

  m.def(
      "candidate_recipes",
      [](const NttSpec& spec, const std::vector<std::string>& targets, unsigned threads, std::size_t batch) {
        std::vector<Target> parsed;
        for (const std::string& name : targets) parsed.push_back(parse_target(name));
        std::vector<std::pair<std::string, double>> out;
        for (const NttRecipe& recipe : candidate_recipes(spec, parsed, threads)) {
          out.emplace_back(recipe.to_json(), predicted_ns(spec, recipe, batch));
        }
        return out;
      },
      nb::arg("spec"), nb::arg("targets"), nb::arg("threads"), nb::arg("batch") = 1, WithoutGil());

  m.attr("MAX_TRACE_SIZE") = kMaxTraceSize;
  m.def("algorithm_infos", &algorithm_list,
        nb::sig("def algorithm_infos() -> "
                "list[tuple[str, str, str, str, str, bool, bool, tuple[int, ...]]]"));
  m.def(
      "algorithm_recipe",
      [](const NttSpec& spec, std::string_view name, unsigned radix) {
        return algorithm_recipe(validated_but_roots(spec), name, radix).to_json();
      },
      nb::arg("spec"), nb::arg("name"), nb::arg("radix"));
  m.def("trace_steps", &trace_steps, nb::arg("spec"), nb::arg("recipe_json"), nb::arg("inverse"),
        nb::arg("x").noconvert(),
        nb::sig("def trace_steps(spec: NttSpec, recipe_json: str, inverse: bool, "
                "x: numpy.typing.NDArray[numpy.uint64]) -> list[tuple[str, int, bytes]]"));

  nb::class_<NttPlan> plan(m, "NttPlan");
  plan.def(nb::init<NttSpec, unsigned>(), nb::arg("spec"), nb::arg("threads"), WithoutGil())
      .def(
          "__init__",
          [](NttPlan* self, const NttSpec& spec, std::string_view recipe_json) {
            new (self) NttPlan(spec, NttRecipe::from_json(recipe_json));
          },
          nb::arg("spec"), nb::arg("recipe_json"), WithoutGil())
      .def_prop_ro("spec", &NttPlan::spec)
      .def_prop_ro("recipe_json", [](const NttPlan& p) { return p.recipe().to_json(); });
  bind_words<std::uint64_t>(plan);
  bind_words<std::uint32_t>(plan);

  m.def("complete_part", &complete_part, nb::arg("spec"), nb::arg("layers"));
  nb::class_<IncompleteNttPlan> incomplete(m, "IncompleteNttPlan");
  incomplete.def(nb::init<const NttPlan&, std::size_t>(), nb::arg("complete"), nb::arg("n"), WithoutGil())
      .def_prop_ro("spec", &IncompleteNttPlan::spec)
      .def_prop_ro("recipe_json", [](const IncompleteNttPlan& p) { return p.recipe().to_json(); });
  bind_words<std::uint64_t>(incomplete);
  bind_words<std::uint32_t>(incomplete);
}

}  // namespace nttforge::bindings
