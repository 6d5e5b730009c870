// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bootstrap_keys.hpp"
#include "nttforge/exact_bootstrap/presets.hpp"

namespace nttforge::bindings {

using namespace exact_bootstrap;  // NOLINT: this file mirrors that namespace

namespace {

Options to_options(const nb::dict& given) {
  Options options;
  const auto take = [&]<class Value>(const char* name, Value& value) {
    value = nb::cast<Value>(given[name]);
  };
  take("primes", options.primes);
  take("special", options.special);
  take("digit_primes", options.digit_primes);
  take("to_slots", options.to_slots);
  take("to_coefficients", options.to_coefficients);
  take("degree", options.degree);
  take("double_angles", options.double_angles);
  take("range", options.range);
  take("passes", options.passes);
  return options;
}

/// What bootstraps leave of a budget: the bounds of the last pass.
rlwe::Noise noise_after(const Plan& plan, double budget, std::uint64_t budget_scale) {
  double ratio = budget + 1;
  rlwe::Noise noise;
  for (const Pass& pass : plan.passes(budget)) {
    noise = plan.noise_after(ratio, pass.gain_log2, budget_scale);
    ratio = pass.budget_bits + 1;
  }
  return noise;
}

}  // namespace

void bind_exact_bootstrap(nb::module_& m) {
  nb::module_ module = m.def_submodule("exact_bootstrap", "Bootstraps of BFV and BGV.");
  nb::class_<BootstrapKeys>(module, "BootstrapKeys")
      .def(
          "to",
          [](const BootstrapKeys& keys, const Bootstrapper& bootstrapper) {
            return keys.to(bootstrapper.chain());
          },
          nb::arg("bootstrapper"), WithoutGil())
      .def(
          "offload", [](BootstrapKeys& keys, std::size_t cached) { keys.offload(cached); }, nb::arg("cached"),
          WithoutGil())
      .def(
          "load", [](BootstrapKeys& keys) { keys.load(); }, WithoutGil())
      .def_prop_ro("offloaded", [](const BootstrapKeys& keys) { return keys.offloaded(); });
  nb::class_<Plan>(module, "Plan")
      .def(
          "__init__",
          [](Plan* self, const integer_encoding::IntegerParameters& parameters, const nb::dict& options) {
            new (self) Plan(parameters, parameters.t, to_options(options));
          },
          nb::arg("parameters"), nb::arg("options"),
          nb::sig("def __init__(self, parameters: nttforge._core.rlwe.IntegerParameters, "
                  "options: dict[str, typing.Any]) -> None"))
      .def_prop_ro("full_budget_bits", [](const Plan& plan) { return plan.ratio_bits() - 1; })
      .def_prop_ro_static("least_budget_bits", [](nb::handle) { return Plan::kLeastRatio - 1; })
      .def(
          "noise_after",
          [](const Plan& plan, double budget, std::uint64_t budget_scale) {
            const rlwe::Noise noise = noise_after(plan, budget, budget_scale);
            return std::tuple(noise.coefficient, noise.canonical, noise.degree);
          },
          nb::arg("budget"), nb::arg("budget_scale"));
  nb::class_<Bootstrapper> machine(module, "Bootstrapper");
  machine
      .def(
          "__init__",
          [](Bootstrapper* self, IntegerContextPtr context, const nb::dict& options) {
            const Options given = to_options(options);
            const ReleasedGil released;
            new (self) Bootstrapper(std::move(context), given);
          },
          nb::arg("context"), nb::arg("options"),
          nb::sig("def __init__(self, context: nttforge._core.rlwe.IntegerContext, "
                  "options: dict[str, typing.Any]) -> None"))
      .def_prop_ro("passes", [](const Bootstrapper& b) { return b.plan().options().passes; })
      .def_prop_ro("full_budget_bits", &Bootstrapper::full_budget_bits)
      .def_prop_ro("least_budget_bits", [](const Bootstrapper&) { return Bootstrapper::least_budget_bits(); })
      .def_prop_ro("budget_bits", &Bootstrapper::budget_bits)
      .def_prop_ro("precision_bits", [](const Bootstrapper& b) { return -b.plan().error_log2(); })
      .def_prop_ro("failure_log2", [](const Bootstrapper& b) { return b.plan().failure_log2(); })
      .def_prop_ro("keys_bytes", &Bootstrapper::keys_bytes)
      .def_prop_ro("rotations", [](const Bootstrapper& b) { return b.circuit().rotations(); })
      .def_prop_ro("chain_bits", [](const Bootstrapper& b) { return b.chain()->parameters().modulus_bits(); })
      .def(
          "plan",
          [](const Bootstrapper& b, double budget) {
            std::vector<std::pair<unsigned, double>> passes;
            for (const Pass& pass : b.plan().passes(budget))
              passes.emplace_back(pass.gain_log2, pass.budget_bits);
            return passes;
          },
          nb::arg("budget"))
      .def(
          "make_keys",
          [](const Bootstrapper& b, const SecretKey& secret, const std::optional<Bytes>& seed,
             std::optional<std::size_t> offload) {
            const Seed from = seed.has_value() ? to_seed(*seed) : os_seed();
            const ReleasedGil released;
            return b.make_keys(secret, from, offload);
          },
          nb::arg("secret"), nb::arg("seed").none(), nb::arg("offload").none())
      .def("bootstrap", &Bootstrapper::bootstrap, nb::arg("a"), nb::arg("keys"), nb::arg("budget").none(),
           WithoutGil());
  bind_bootstrap_keys<BootstrapKeys>(machine);
  module.def(
      "bootstrap_preset",
      [](std::string_view name, std::uint64_t t, unsigned passes, unsigned log_n, bool bgv) {
        BootstrapSet set = bootstrap_preset(name, t, passes, log_n, bgv ? Scheme::bgv : Scheme::bfv);
        nb::dict parameters, options;
        parameters["n"] = set.n;
        parameters["t"] = set.t;
        parameters["q"] = set.q;
        parameters["special"] = set.special;
        parameters["word_bits"] = set.word_bits;
        parameters["security"] = nb::str(rlwe::security_level_name(set.security).data());
        options["primes"] = set.options.primes;
        options["special"] = set.options.special;
        options["digit_primes"] = set.options.digit_primes;
        options["to_slots"] = set.options.to_slots;
        options["to_coefficients"] = set.options.to_coefficients;
        options["degree"] = set.options.degree;
        options["double_angles"] = set.options.double_angles;
        options["range"] = set.options.range;
        options["passes"] = set.options.passes;
        return nb::make_tuple(parameters, options);
      },
      nb::arg("name"), nb::arg("t"), nb::arg("passes"), nb::arg("log_n"), nb::arg("bgv"),
      nb::sig("def bootstrap_preset(name: str, t: int, passes: int, log_n: int, bgv: bool) -> "
              "tuple[dict[str, typing.Any], "
              "dict[str, typing.Any]]"));
}

}  // namespace nttforge::bindings
