// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/bad18a.hpp"

namespace nttforge::bench {

Bad18aRows bad18a_15() {
  using cuda::bad18a::rows_of;
  return {rows_of<3, false, false>(), rows_of<3, true, true>(), rows_of<3, true, false>(),
          rows_of<3, false, true>()};
}

}  // namespace nttforge::bench
