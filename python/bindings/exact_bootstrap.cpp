// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>
#include <vector>

#include "bootstrap_keys.hpp"
#include "nttforge/exact_bootstrap/presets.hpp"

namespace nttforge::bindings {

using namespace exact_bootstrap;  // NOLINT: this file mirrors that namespace

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
  nb::class_<Bootstrapper> machine(module, "Bootstrapper");
  machine
      .def(
          "__init__",
          [](Bootstrapper* self, IntegerContextPtr context, std::vector<std::uint64_t> primes,
             std::vector<std::uint64_t> special, std::vector<std::size_t> to_slots,
             std::vector<std::size_t> to_coefficients, std::size_t digit_primes, std::size_t degree,
             unsigned double_angles, unsigned range, unsigned passes) {
            Options options;
            options.primes = std::move(primes);
            options.special = std::move(special);
            options.digit_primes = digit_primes;
            options.to_slots = std::move(to_slots);
            options.to_coefficients = std::move(to_coefficients);
            options.degree = degree;
            options.double_angles = double_angles;
            options.range = range;
            options.passes = passes;
            new (self) Bootstrapper(std::move(context), std::move(options));
          },
          nb::arg("context"), nb::arg("primes"), nb::arg("special"), nb::arg("to_slots"),
          nb::arg("to_coefficients"), nb::arg("digit_primes"), nb::arg("degree"), nb::arg("double_angles"),
          nb::arg("range"), nb::arg("passes"), WithoutGil())
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
        parameters["security"] = nb::str(rlwe::security_level_name(set.security).data());
        options["primes"] = set.options.primes;
        options["special"] = set.options.special;
        options["digit_primes"] = set.options.digit_primes;
        options["to_slots"] = set.options.to_slots;
        options["to_coefficients"] = set.options.to_coefficients;
        options["degree"] = set.options.degree;
        options["double_angles"] = set.options.double_angles;
        options["passes"] = set.options.passes;
        return nb::make_tuple(parameters, options);
      },
      nb::arg("name"), nb::arg("t"), nb::arg("passes"), nb::arg("log_n"), nb::arg("bgv"),
      nb::sig("def bootstrap_preset(name: str, t: int, passes: int, log_n: int, bgv: bool) -> "
              "tuple[dict[str, typing.Any], "
              "dict[str, typing.Any]]"));
}

}  // namespace nttforge::bindings
