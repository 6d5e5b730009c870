// SPDX-License-Identifier: Apache-2.0
// What every scheme computes on ciphertexts.
#include "nttforge/integer_encoding/evaluator.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "nttforge/circuits/expansion.hpp"
#include "nttforge/circuits/linear_map.hpp"

namespace nttforge::bindings {

using namespace integer_encoding;  // NOLINT: this file mirrors that namespace

void bind_evaluator(nb::module_& m) {
  using E = rlwe::Evaluator;
  using C = Ciphertext;
  const auto a = nb::arg("a");
  const auto b = nb::arg("b");
  const auto key = nb::arg("key");
  nb::class_<Polynomial>(m, "Polynomial");
  m.def("prepare_factors", &prepare_factors, nb::arg("plaintext"), WithoutGil());
  nb::class_<circuits::LinearMap>(m, "LinearMap")
      .def(nb::init<std::vector<std::int64_t>, std::vector<std::int64_t>, Polynomial>(),
           nb::arg("baby_steps"), nb::arg("giant_steps"), nb::arg("factors"))
      .def_prop_ro("rotations", &circuits::LinearMap::rotations);
  nb::class_<E>(m, "Evaluator")
      .def("add", &E::add, a, b, WithoutGil())
      .def("sub", &E::sub, a, b, WithoutGil())
      .def("negate", &E::negate, a, WithoutGil())
      .def(
          "sum", [](const E& e, const std::vector<const C*>& terms) { return e.sum(terms); },
          nb::arg("terms"), WithoutGil())
      .def("multiply", &E::multiply, a, b, WithoutGil())
      .def("square", &E::square, a, WithoutGil())
      .def("mod_switch", &E::mod_switch, a, WithoutGil())
      .def("mod_switch_to", &E::mod_switch_to, a, nb::arg("level"), WithoutGil())
      .def("relinearize", &E::relinearize, a, key, WithoutGil())
      .def("switch_secret", &E::switch_secret, a, key, WithoutGil())
      .def("multiply_relinearize", &E::multiply_relinearize, a, b, key, WithoutGil())
      .def("square_relinearize", &E::square_relinearize, a, key, WithoutGil())
      .def("rotate_rows", &E::rotate_rows, a, nb::arg("step"), nb::arg("keys"), WithoutGil())
      .def(
          "rotate_many",
          [](const E& e, const C& x, const std::vector<std::int64_t>& steps, const RotationKeys& keys) {
            return e.rotate_many(x, steps, keys);
          },
          a, nb::arg("steps"), nb::arg("keys"), WithoutGil())
      .def(
          "apply",
          [](const E& e, const circuits::LinearMap& map, const C& x, const RotationKeys& keys) {
            return circuits::apply(e, map, x, keys);
          },
          nb::arg("map"), a, nb::arg("keys"), WithoutGil())
      .def("rotate_composed", &E::rotate_composed, a, nb::arg("step"), nb::arg("keys"), WithoutGil())
      .def("swap_columns", &E::swap_columns, a, nb::arg("keys"), WithoutGil())
      .def("apply_galois", &E::apply_galois, a, nb::arg("element"), nb::arg("keys"), WithoutGil())
      .def("multiply_monomial", &E::multiply_monomial, a, nb::arg("power"), WithoutGil())
      .def(
          "expand",
          [](const E& e, const C& x, std::size_t count, const RotationKeys& keys) {
            return circuits::expand(e, x, count, keys);
          },
          a, nb::arg("count"), nb::arg("keys"), WithoutGil())
      .def("inner_sum", &E::inner_sum, a, nb::arg("span"), nb::arg("keys"), WithoutGil())
      .def(
          "dot_product",
          [](const E& e, const std::vector<const C*>& x, const std::vector<const C*>& y) {
            return e.dot_product(std::span<const C* const>(x), std::span<const C* const>(y));
          },
          a, b, WithoutGil());
  using I = IntegerEvaluator;
  nb::class_<I, E>(m, "IntegerEvaluator")
      .def("add_plain", &I::add_plain, a, b, WithoutGil())
      .def("sub_plain", &I::sub_plain, a, b, WithoutGil())
      .def("multiply_plain", nb::overload_cast<const C&, const Plaintext&>(&I::multiply_plain, nb::const_), a,
           b, WithoutGil())
      .def("multiply_plain",
           nb::overload_cast<const C&, const PreparedPlaintext&>(&I::multiply_plain, nb::const_), a, b,
           WithoutGil())
      .def(
          "shrink",
          [](const I& e, const C& x, double min_budget, bool proved) {
            return e.shrink(x, min_budget, proved ? NoiseBound::proved : NoiseBound::heuristic);
          },
          a, nb::arg("min_budget"), nb::arg("proved"), WithoutGil())
      .def(
          "dot_product_plain",
          [](const I& e, const std::vector<const C*>& x, const std::vector<const PreparedPlaintext*>& y) {
            return e.dot_product(std::span<const C* const>(x), std::span<const PreparedPlaintext* const>(y));
          },
          a, b, WithoutGil());
}

}  // namespace nttforge::bindings
