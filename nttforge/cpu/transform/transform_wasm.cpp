// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/lanes/sums_wasm.hpp"
#include "nttforge/cpu/transform/kernel_lists.hpp"
#include "nttforge/cpu/transform/transform_kernels.hpp"

namespace nttforge::cpu {
namespace {

/// Eight 32-bit words in two registers.
struct TransformLanes32Wasm : PairOf32<Lanes32Wasm, FourWords> {
  /// The four 4 x 4 quarters.
  static NTTF_INLINE void transpose(Vec (&r)[8]) {
    Lanes32Wasm::Vec quarters[4][4];
    NTTF_UNROLL for (int i = 0; i < 4; ++i) {
      quarters[0][i] = r[i].low;
      quarters[1][i] = r[i + 4].low;
      quarters[2][i] = r[i].high;
      quarters[3][i] = r[i + 4].high;
    }
    NTTF_UNROLL for (int i = 0; i < 4; ++i) Lanes32Wasm::transpose(quarters[i]);
    NTTF_UNROLL for (int i = 0; i < 4; ++i) {
      r[i] = {quarters[0][i], quarters[1][i]};
      r[i + 4] = {quarters[2][i], quarters[3][i]};
    }
  }
};

constexpr TailShape kShape{.radix_log = 1, .columns = 1, .together = 1, .batch = 1, .log_block = 13};

// Primes of 64 bits stay with the scalar kernels: SIMD128 multiplies no words of 64 bits to 128.
constexpr TransformKernel<std::uint32_t> kKernels32[] = {
    kernel<TailLoops<SparseLazy<ShoupProduct<TransformLanes32Wasm>>, kShape>>(
        {.target = Target::wasm,
         .arithmetic = Arithmetic::shoup32,
         .q_limit = two_to_the(30),
         .butterfly_ns = 0.9}),
};

}  // namespace

constinit const KernelLists kTransformKernelsWasm{{}, kKernels32};

}  // namespace nttforge::cpu
