// SPDX-License-Identifier: Apache-2.0
// g++ 12 takes the deliberately undefined operand inside some of its own AVX-512 intrinsics for a mistake.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "nttforge/cpu/lanes/lanes_avx512_ifma.hpp"
#include "nttforge/cpu/transform/transform_kernels.hpp"
#include "nttforge/cpu/transform/transform_lanes_avx512.hpp"

namespace nttforge::cpu {
namespace {

struct TransformLanesAvx512Ifma : TransformLanesAvx512 {
  static NTTF_INLINE Vec madd52_lo(Vec acc, Vec a, Vec b) { return LanesAvx512Ifma::madd52_lo(acc, a, b); }
  static NTTF_INLINE Vec madd52_hi(Vec acc, Vec a, Vec b) { return LanesAvx512Ifma::madd52_hi(acc, a, b); }
};
using Kernels = KernelsOfIfma<TransformLanesAvx512Ifma>;

}  // namespace

constinit const KernelLists kTransformKernelsAvx512Ifma{Kernels::kernels64, {}};

}  // namespace nttforge::cpu
