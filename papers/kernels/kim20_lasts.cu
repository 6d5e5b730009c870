// SPDX-License-Identifier: Apache-2.0
#include "papers/kernels/kim20.hpp"

namespace nttforge::bench {

Kim20Rows<cuda::Kim20Shoup64> kim20_lasts() { return cuda::kim20_last_rows<cuda::Kim20Shoup64, 4>(); }
Kim20Rows<cuda::Kim20Shoup64> kim20_on_the_flys() {
  return cuda::kim20_on_the_fly_rows<cuda::Kim20Shoup64>();
}

}  // namespace nttforge::bench
