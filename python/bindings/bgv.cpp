// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bgv/bgv.hpp"

#include <nanobind/stl/pair.h>

#include <memory>
#include <utility>

#include "nttforge/bgv/correction.hpp"
#include "schemes.hpp"

namespace nttforge::bindings {

void bind_bgv(nb::module_& m) {
  nb::module_ scheme = m.def_submodule("bgv", "RNS-BGV.");
  bind_scheme_parameters<bgv::Parameters>(scheme, &bgv::parameters_from_bytes);
  bind_noise_model<bgv::NoiseModel>(scheme)
      .def(
          "scale",
          [](const bgv::NoiseModel& x, NoiseNumbers a, std::int64_t factor) {
            return to_numbers(x.scale(to_noise(a), static_cast<double>(factor)));
          },
          nb::arg("a"), nb::arg("factor"))
      .def(
          "to_level",
          [](const bgv::NoiseModel& x, NoiseNumbers a, std::size_t level, std::size_t lower,
             std::size_t parts) { return to_numbers(x.to_level(to_noise(a), level, lower, parts)); },
          nb::arg("a"), nb::arg("level"), nb::arg("lower"), nb::arg("parts"))
      .def(
          "product_level",
          [](const bgv::NoiseModel& x, NoiseNumbers a, std::size_t level_a, NoiseNumbers b,
             std::size_t level_b) {
            return x.product_level(to_noise(a), level_a, to_noise(b), level_b).level;
          },
          nb::arg("a"), nb::arg("level_a"), nb::arg("b"), nb::arg("level_b"));
  scheme.def("balance", &bgv::balance, nb::arg("a"), nb::arg("b"), nb::arg("t"));
  const auto create = [](const bgv::Parameters& parameters, std::shared_ptr<const Device> device) {
    return bgv::Context::create(parameters, std::move(device));
  };
  bind_scheme_classes<bgv::Context, bgv::Evaluator>(scheme, create, [](auto&) {});
}

}  // namespace nttforge::bindings
