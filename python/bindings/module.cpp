// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "bindings.hpp"

NB_MODULE(_core, m) {
  // At the interpreter's end some objects still live where nothing is wrong (a frame that a debugger keeps, a
  // cycle that Python does not break then), and users can do nothing about a report.
  nanobind::set_leak_warnings(std::getenv("NTTFORGE_TEST_LEAKS") != nullptr);
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
  nttforge::bindings::bind_ckks(m);
  nttforge::bindings::bind_exact_bootstrap(m);
  nttforge::bindings::bind_cuda(m);
}
