// SPDX-License-Identifier: Apache-2.0
#include "papers/kernels/kim20.hpp"

namespace nttforge::bench {

// Fig. 11: first kernels that preload their twiddles, with 2, 4, 8 and 16 points a thread.
Kim20Rows<cuda::Kim20Shoup64> kim20_firsts() { return cuda::kim20_first_rows<cuda::Kim20Shoup64, 4, true>(); }
// Figs. 7 and 9: first kernels with one synchronisation.
Kim20Rows<cuda::Kim20Shoup64> kim20_one_syncs() { return cuda::kim20_one_sync_rows<cuda::Kim20Shoup64>(); }

}  // namespace nttforge::bench
