// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bgv/bgv.hpp"

#include "schemes.hpp"

namespace nttforge::bindings {

void bind_bgv(nb::module_& m) {
  nb::module_ scheme = m.def_submodule("bgv", "RNS-BGV.");
  bind_scheme_parameters<bgv::Parameters>(scheme, &bgv::parameters_from_bytes);
  bind_scheme_classes<bgv::Context, bgv::Evaluator>(scheme, &bgv::Context::create, [](auto&) {});
}

}  // namespace nttforge::bindings
