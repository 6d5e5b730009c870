// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/explorer.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "nttforge/base/threads/cpu_count.hpp"
#include "nttforge/ntt/wisdom.hpp"

namespace nttforge::bindings {
namespace {

const char* state_name(ExploredRecipe::State state) {
  switch (state) {
    case ExploredRecipe::State::measured:
      return "measured";
    case ExploredRecipe::State::wrong:
      return "wrong";
    default:
      return "not_tried";
  }
}

WisdomUse use_of(unsigned threads, std::size_t batch, const std::optional<std::string>& target) {
  WisdomUse use{threads, batch};
  if (target) use.target = parse_target(*target);
  return use;
}

/// Calls back with (what, step, steps, elapsed_s, recipe_json, measured_ns); False or a signal stops.
std::function<bool(const ExploreProgress&)> progress_of(const nb::object& callback) {
  return [&callback](const ExploreProgress& p) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (callback.is_none()) return true;
    const nb::object go =
        callback(p.what, p.step, p.steps, p.elapsed_s, p.recipe->recipe.to_json(), p.recipe->measured_ns);
    return nb::cast<bool>(go);
  };
}

nb::tuple run_explore(const NttSpec& spec, unsigned threads, std::size_t batch, double budget_s,
                      const std::vector<std::string>& targets, const nb::object& progress) {
  ExploreOptions options;
  options.threads = threads;
  options.batch = batch;
  options.budget_s = budget_s;
  for (const std::string& name : targets) options.targets.push_back(parse_target(name));
  options.progress = progress_of(progress);
  Exploration found;
  {
    const ReleasedGil released;
    found = explore(spec, options);
  }
  nb::list recipes;
  std::size_t best = 0;
  for (const ExploredRecipe& r : found.recipes) {
    if (&r == &found.best()) best = nb::len(recipes);
    recipes.append(
        nb::make_tuple(r.recipe.to_json(), r.predicted_ns, r.measured_ns, r.rounds, state_name(r.state)));
  }
  return nb::make_tuple(recipes, best, found.complete, found.elapsed_s);
}

/// Names of files are bytes, of any encoding (os.fsencode).
std::string as_path(const nb::bytes& path) { return {path.c_str(), path.size()}; }

}  // namespace

void bind_explorer(nb::module_& m) {
  m.def("default_threads", &default_threads);
  m.def("explore", &run_explore, nb::arg("spec"), nb::arg("threads"), nb::arg("batch"), nb::arg("budget_s"),
        nb::arg("targets"), nb::arg("progress").none(),
        nb::sig("def explore(spec: NttSpec, threads: int, batch: int, budget_s: float, "
                "targets: collections.abc.Sequence[str], progress: object | None) -> "
                "tuple[list[tuple[str, float, float, int, str]], int, bool, float]"));

  nb::class_<Wisdom>(m, "Wisdom")
      .def(nb::init<>())
      .def_static("from_json", &Wisdom::from_json, nb::arg("text"))
      .def("to_json", &Wisdom::to_json)
      .def_static(
          "load", [](const nb::bytes& path) { return Wisdom::load(as_path(path)); }, nb::arg("path"))
      .def(
          "save", [](const Wisdom& w, const nb::bytes& path) { w.save(as_path(path)); }, nb::arg("path"))
      .def_static("default_path",
                  [] {
                    const std::string path = Wisdom::default_path();
                    return nb::bytes(path.data(), path.size());
                  })
      .def(
          "find",
          [](const Wisdom& w, const NttSpec& spec, unsigned threads, std::size_t batch,
             const std::optional<std::string>& target) -> std::optional<std::string> {
            const auto recipe = w.find(spec, use_of(threads, batch, target));
            if (!recipe) return std::nullopt;
            return recipe->to_json();
          },
          nb::arg("spec"), nb::arg("threads"), nb::arg("batch"), nb::arg("target").none())
      .def(
          "remember",
          [](Wisdom& w, const NttSpec& spec, unsigned threads, std::size_t batch,
             const std::optional<std::string>& target, std::string_view recipe, double ns) {
            w.remember(spec, use_of(threads, batch, target), NttRecipe::from_json(recipe), ns);
          },
          nb::arg("spec"), nb::arg("threads"), nb::arg("batch"), nb::arg("target").none(), nb::arg("recipe"),
          nb::arg("ns"))
      .def("merge", &Wisdom::merge, nb::arg("newer"))
      .def("__len__", &Wisdom::size)
      .def(
          "__eq__", [](const Wisdom& a, const Wisdom& b) { return a == b; },
          nb::sig("def __eq__(self, other: object, /) -> bool"));
}

}  // namespace nttforge::bindings
