// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"

NB_MODULE(_core, m) {
  m.doc() = "Compiled core of nttforge. Not a public interface: use the nttforge package.";
  m.attr("version") = NTTFORGE_VERSION;
  m.attr("compiler") = NTTFORGE_COMPILER;
  m.attr("build_type") = NTTFORGE_BUILD_TYPE;
  nttforge::bindings::bind_base(m);
  nttforge::bindings::bind_memory(m);
  nttforge::bindings::bind_arith(m);
  nttforge::bindings::bind_ntt(m);
  nttforge::bindings::bind_explorer(m);
  nttforge::bindings::bind_rlwe(m);
  nttforge::bindings::bind_bfv(m);
  nttforge::bindings::bind_bgv(m);
  nttforge::bindings::bind_cuda(m);
}
