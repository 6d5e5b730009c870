// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "papers/kernels/kim20_rows.hpp"

// The kernels of [Kim20]. Each function is in the file that compiles its kernels, side by side with others.

namespace nttforge::bench {

using Kim20Native64 = cuda::Kim20Strict<std::uint64_t, cuda::Kim20Native>;
using Kim20Barrett64 = cuda::Kim20Strict<std::uint64_t, cuda::Kim20Barrett>;
using Kim20Montgomery64 = cuda::Kim20Strict<std::uint64_t, cuda::Kim20Montgomery>;
using Kim20Native32 = cuda::Kim20Strict<std::uint32_t, cuda::Kim20Native>;
using Kim20Barrett32 = cuda::Kim20Strict<std::uint32_t, cuda::Kim20Barrett>;
using Kim20Montgomery32 = cuda::Kim20Strict<std::uint32_t, cuda::Kim20Montgomery>;

template <class Arith>
using Kim20Rows = std::vector<cuda::Kim20Row<Arith>>;

Kim20Rows<cuda::Kim20Shoup64> kim20_radices();  ///< in registers, each twiddle memory, and Stockham's
Kim20Rows<cuda::Kim20Shoup64> kim20_firsts();   ///< with 2, 4, 8 and 16 points a thread
Kim20Rows<cuda::Kim20Shoup64> kim20_lasts();
Kim20Rows<cuda::Kim20Shoup64> kim20_one_syncs();
Kim20Rows<cuda::Kim20Shoup64> kim20_on_the_flys();
Kim20Rows<cuda::Kim20Dft> kim20_dfts();
template <class Arith>
Kim20Rows<Arith> kim20_multiplications();  ///< first 2^8 and last 2^9, of the types above and Shoup's

}  // namespace nttforge::bench
