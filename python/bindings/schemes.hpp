// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every scheme's part of the module has, over the classes of rlwe.cpp.

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings.hpp"
#include "nttforge/integer_encoding/evaluator.hpp"
#include "nttforge/rlwe/noise.hpp"

namespace nttforge::bindings {

template <class Parameters>
nb::class_<Parameters, integer_encoding::IntegerParameters> bind_scheme_parameters(
    nb::module_& m, Parameters (*from_bytes)(std::span<const std::uint8_t>, bool, rlwe::SecurityTable)) {
  nb::class_<Parameters, integer_encoding::IntegerParameters> parameters(m, "Parameters");
  parameters
      .def_static(
          "preset",
          [](std::size_t n, std::uint64_t t, std::string_view security, std::string_view table,
             unsigned word_bits, std::size_t digit_primes) {
            return Parameters::preset(n, t, rlwe::parse_security_level(security),
                                      rlwe::parse_security_table(table), word_bits, digit_primes);
          },
          nb::arg("n"), nb::arg("t"), nb::arg("security"), nb::arg("table"), nb::arg("word_bits"),
          nb::arg("digit_primes"), WithoutGil())
      .def_static(
          "custom",
          [](std::size_t n, std::uint64_t t, std::vector<std::uint64_t> q, std::vector<std::uint64_t> special,
             std::string_view security, std::string_view secret, std::uint32_t weight, bool sigma_8,
             std::string_view table, unsigned word_bits, std::size_t digit_primes) {
            return Parameters::custom(
                n, t, std::move(q), std::move(special), rlwe::parse_security_level(security),
                parse_secret_distribution(secret, weight),
                sigma_8 ? ErrorDistribution::sigma_8_bound_48 : ErrorDistribution::sigma_3_2,
                rlwe::parse_security_table(table), word_bits, digit_primes);
          },
          nb::arg("n"), nb::arg("t"), nb::arg("q"), nb::arg("special"), nb::arg("security"),
          nb::arg("secret"), nb::arg("secret_weight"), nb::arg("sigma_8"), nb::arg("table"),
          nb::arg("word_bits"), nb::arg("digit_primes"), WithoutGil())
      .def_prop_ro("promised_depth", &Parameters::promised_depth)
      .def_prop_ro("proved_depth", &Parameters::proved_depth)
      .def("equals", [](const Parameters& a, const Parameters& b) { return a == b; })
      .def_static(
          "from_bytes",
          [from_bytes](In<std::uint8_t> data, bool allow_insecure, std::string_view table) {
            return from_bytes(view(data), allow_insecure, rlwe::parse_security_table(table));
          },
          nb::arg("data"), nb::arg("allow_insecure"), nb::arg("table"), WithoutGil());
  return parameters;
}

/// Heuristic bounds on noise without ciphertexts: coefficient, canonical and degree of Noise.
using NoiseNumbers = std::tuple<double, double, double>;
inline rlwe::Noise to_noise(const NoiseNumbers& numbers) {
  return {std::get<0>(numbers), std::get<1>(numbers), std::get<2>(numbers)};
}
inline NoiseNumbers to_numbers(const rlwe::Noise& noise) {
  return {noise.coefficient, noise.canonical, noise.degree};
}

template <class Model>
nb::class_<Model> bind_noise_model(nb::module_& m) {
  nb::class_<Model> model(m, "NoiseModel");
  model.def(nb::init<const integer_encoding::IntegerParameters&>(), nb::arg("parameters"))
      .def("limit_log2", &Model::limit_log2, nb::arg("level"))
      .def("fresh_public", [](const Model& x) { return to_numbers(x.fresh_public()); })
      .def("fresh_secret", [](const Model& x) { return to_numbers(x.fresh_secret()); })
      .def(
          "add",
          [](const Model& x, NoiseNumbers a, NoiseNumbers b) {
            return to_numbers(x.add(to_noise(a), to_noise(b)));
          },
          nb::arg("a"), nb::arg("b"))
      .def(
          "add_plain", [](const Model& x, NoiseNumbers a) { return to_numbers(x.add_plain(to_noise(a))); },
          nb::arg("a"))
      .def(
          "key_switch",
          [](const Model& x, NoiseNumbers a, std::size_t level) {
            return to_numbers(x.key_switch(to_noise(a), level));
          },
          nb::arg("a"), nb::arg("level"))
      .def(
          "multiply_plain",
          [](const Model& x, NoiseNumbers a, double norm) {
            return to_numbers(x.multiply_polynomial(to_noise(a), norm));
          },
          nb::arg("a"), nb::arg("norm"))
      .def(
          "multiply",
          [](const Model& x, NoiseNumbers a, NoiseNumbers b, std::size_t terms) {
            return to_numbers(x.multiply(to_noise(a), to_noise(b), terms));
          },
          nb::arg("a"), nb::arg("b"), nb::arg("terms"));
  return model;
}

/// create: makes a context of parameters, a device, and what `extra` names; more: adds what only this
/// scheme's contexts have.
template <class Context, class Evaluator, class Create, class More, class... Extra>
nb::class_<Evaluator, integer_encoding::IntegerEvaluator> bind_scheme_classes(nb::module_& m,
                                                                              const Create& create,
                                                                              const More& more,
                                                                              const Extra&... extra) {
  nb::class_<Context, integer_encoding::IntegerContext> context(m, "Context");
  context.def_static("create", create, nb::arg("parameters"), nb::arg("device"), extra..., WithoutGil());
  more(context);
  nb::class_<Evaluator, integer_encoding::IntegerEvaluator> evaluator(m, "Evaluator");
  evaluator.def(nb::init<std::shared_ptr<const Context>>(), nb::arg("context"));
  return evaluator;
}

}  // namespace nttforge::bindings
