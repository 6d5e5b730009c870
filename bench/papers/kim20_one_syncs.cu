// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/kim20.hpp"

namespace nttforge::bench {

Kim20Rows<cuda::Kim20Shoup64> kim20_one_syncs() { return cuda::kim20_one_sync_rows<cuda::Kim20Shoup64>(); }

}  // namespace nttforge::bench
