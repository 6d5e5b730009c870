// SPDX-License-Identifier: Apache-2.0
#include "papers/kernels/kim20.hpp"

namespace nttforge::bench {

template <class Arith>
Kim20Rows<Arith> kim20_multiplications() {
  return cuda::kim20_multiplication_rows<Arith>();
}

template Kim20Rows<cuda::Kim20Shoup64> kim20_multiplications();
template Kim20Rows<Kim20Native64> kim20_multiplications();
template Kim20Rows<Kim20Barrett64> kim20_multiplications();
template Kim20Rows<Kim20Montgomery64> kim20_multiplications();
template Kim20Rows<cuda::Kim20Shoup32> kim20_multiplications();
template Kim20Rows<Kim20Native32> kim20_multiplications();
template Kim20Rows<Kim20Barrett32> kim20_multiplications();
template Kim20Rows<Kim20Montgomery32> kim20_multiplications();

}  // namespace nttforge::bench
