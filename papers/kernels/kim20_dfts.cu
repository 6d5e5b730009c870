// SPDX-License-Identifier: Apache-2.0
#include "papers/kernels/kim20.hpp"

namespace nttforge::bench {

Kim20Rows<cuda::Kim20Dft> kim20_dfts() {
  auto rows = cuda::kim20_radix_rows<cuda::Kim20Dft, 7>();
  const auto add = [&rows](const auto& more) { rows.insert(rows.end(), more.begin(), more.end()); };
  add(cuda::kim20_first_rows<cuda::Kim20Dft, 4, true>());
  add(cuda::kim20_last_rows<cuda::Kim20Dft, 4>());
  return rows;
}

}  // namespace nttforge::bench
