// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/bfv.hpp"

#include "schemes.hpp"

namespace nttforge::bindings {

void bind_bfv(nb::module_& m) {
  nb::module_ scheme = m.def_submodule("bfv", "RNS-BFV.");
  bind_scheme_parameters<bfv::Parameters>(scheme, &bfv::parameters_from_bytes)
      .def_static("badawi2018", &bfv::Parameters::badawi2018, nb::arg("n"), nb::arg("t"), WithoutGil());
  bind_noise_model<bfv::NoiseModel>(scheme);
  const auto create = [](const bfv::Parameters& parameters, std::shared_ptr<const Device> device,
                         std::string_view product) {
    return bfv::Context::create(parameters, std::move(device), bfv::product_form(product));
  };
  const auto more = [](auto& context) {
    context.def_prop_ro(
        "product", [](const bfv::Context& self) { return bfv::product_form_name(self.products().form()); });
  };
  bind_scheme_classes<bfv::Context, bfv::Evaluator>(scheme, create, more, nb::arg("product") = "behz");
}

}  // namespace nttforge::bindings
