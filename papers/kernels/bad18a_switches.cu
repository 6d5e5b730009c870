// SPDX-License-Identifier: Apache-2.0
#include "papers/kernels/bad18a.hpp"

namespace nttforge::bench {

Bad18aRows bad18a_switches(unsigned log_n) {
  if (log_n == 14) return cuda::bad18a::rows_of_switches<2>();
  if (log_n == 15) return cuda::bad18a::rows_of_switches<3>();
  return cuda::bad18a::rows_of_switches<4>();
}

}  // namespace nttforge::bench
