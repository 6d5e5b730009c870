// SPDX-License-Identifier: Apache-2.0
// g++ 12 takes the deliberately undefined operand inside some of its own AVX-512 intrinsics for a mistake.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "nttforge/cpu/lanes/lanes_avx512_ifma.hpp"
#include "nttforge/cpu/transform/dgt_kernels.hpp"
#include "nttforge/cpu/transform/transform_lanes_avx512.hpp"

namespace nttforge::cpu {
namespace {

struct TransformLanesAvx512Ifma : LanesAvx512Ifma {
  static NTTF_INLINE void transpose(Vec (&r)[8]) { transpose_8x8(r); }
};
using Kernels = DgtKernelsOfIfma<TransformLanesAvx512Ifma>;

}  // namespace

constinit const KernelLists kDgtKernelsAvx512Ifma{Kernels::kernels64, {}};

}  // namespace nttforge::cpu
