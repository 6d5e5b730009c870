// SPDX-License-Identifier: Apache-2.0
#include "papers/kernels/kim20.hpp"

namespace nttforge::bench {

Kim20Rows<cuda::Kim20Shoup64> kim20_radices() {
  using cuda::TwiddleMemory;
  auto rows = cuda::kim20_radix_rows<cuda::Kim20Shoup64, 7>();
  const auto add = [&rows](const auto& more) { rows.insert(rows.end(), more.begin(), more.end()); };
  add(cuda::kim20_radix_rows<cuda::Kim20Shoup64, 4, TwiddleMemory::global>());
  add(cuda::kim20_radix_rows<cuda::Kim20Shoup64, 4, TwiddleMemory::constant>());
  add(cuda::kim20_stockham_rows<cuda::Kim20Shoup64, 4>());
  return rows;
}

}  // namespace nttforge::bench
