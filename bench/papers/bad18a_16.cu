// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/bad18a.hpp"

namespace nttforge::bench {

Bad18aRows bad18a_16() {
  using cuda::bad18a::rows_of;
  return {rows_of<4, false, false>(), rows_of<4, true, true>(), rows_of<4, true, false>(),
          rows_of<4, false, true>()};
}

}  // namespace nttforge::bench
