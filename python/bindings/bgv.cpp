// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bgv/bgv.hpp"

#include <memory>
#include <utility>

#include "schemes.hpp"

namespace nttforge::bindings {

void bind_bgv(nb::module_& m) {
  nb::module_ scheme = m.def_submodule("bgv", "RNS-BGV.");
  bind_scheme_parameters<bgv::Parameters>(scheme, &bgv::parameters_from_bytes);
  const auto create = [](const bgv::Parameters& parameters, std::shared_ptr<const Device> device) {
    return bgv::Context::create(parameters, std::move(device));
  };
  bind_scheme_classes<bgv::Context, bgv::Evaluator>(scheme, create, [](auto&) {});
}

}  // namespace nttforge::bindings
