// SPDX-License-Identifier: Apache-2.0
// Transform kernels of the scalar target: every modulus, every n. The reference the vector targets are
// compared with.

#include "nttforge/cpu/transform/scalar_traits.hpp"
#include "nttforge/cpu/transform/transform_kernels.hpp"
#include "nttforge/cpu/transform/transform_lanes_scalar.hpp"
#include "nttforge/ntt/kernels/products/goldilocks_product.hpp"
#include "nttforge/ntt/kernels/sixteen/sparse_butterflies.hpp"

namespace nttforge::cpu {
namespace {

using Shoup64 = LazyButterfly<ShoupProduct<LanesScalar>>;
using Shoup32 = StrictButterfly<StrictShoupProduct<LanesWide32>>;
using SparseShoup64 = SparseLazy<ShoupProduct<LanesScalar>>;

constexpr StageShape kRadix2{.radix_log = 1, .columns = 1, .codelets = 1, .batch = 2, .log_block = 13};
constexpr TailShape kTail{.radix_log = 2, .columns = 1, .together = 1, .batch = 1, .log_block = 13};

#if defined(__wasm__)  // a page loads every byte: what schemes need beside the vectors
constexpr TransformKernel<std::uint64_t> kKernels64[] = {
    kernel<TailLoops<SparseShoup64, kTail>>(scalar_shoup64(1.59)),
    kernel<StageLoops<Shoup64, kRadix2>>(scalar_shoup64(2.00)),
};
constexpr TransformKernel<std::uint32_t> kKernels32[] = {
    kernel<StageLoops<Shoup32, kRadix2>>(scalar_shoup32(2.50)),
};
#else
using Goldilocks = StrictButterfly<GoldilocksProduct<LanesScalar>>;
using SparseFraction32 = SparseStrict<FractionProduct<LanesFraction32>>;
using SparseGoldilocks = SparseStrict<GoldilocksProduct<LanesScalar>>;

constexpr StageShape kRadix4{.radix_log = 2, .columns = 1, .codelets = 1, .batch = 2, .log_block = 13};
constexpr TailShape kGoldilocksTail{.radix_log = 1, .columns = 2, .together = 1, .batch = 1, .log_block = 13};

// Loops with a tail do not reach down to n = 1; the others do, and the radix-2 ones are what tests compare
// with.
constexpr TransformKernel<std::uint64_t> kKernels64[] = {
    kernel<TailLoops<SparseShoup64, kTail>>(scalar_shoup64(1.59)),
    kernel<StageLoops<Shoup64, kRadix4>>(scalar_shoup64(1.80)),
    kernel<StageLoops<Shoup64, kRadix2>>(scalar_shoup64(2.00)),
    kernel<TailLoops<SparseGoldilocks, kGoldilocksTail>>(scalar_goldilocks(4, 2.55)),
    kernel<StageLoops<Goldilocks, kRadix4>>(scalar_goldilocks(4, 3.20)),
    kernel<StageLoops<Goldilocks, kRadix2>>(scalar_goldilocks(2, 3.50)),
};
constexpr TransformKernel<std::uint32_t> kKernels32[] = {
    kernel<TailLoops<SparseFraction32, kTail>>(scalar_shoup32(1.40)),
    kernel<StageLoops<Shoup32, kRadix4>>(scalar_shoup32(2.20)),
    kernel<StageLoops<Shoup32, kRadix2>>(scalar_shoup32(2.50)),
};
#endif

}  // namespace

constinit const KernelLists kTransformKernelsScalar{kKernels64, kKernels32};

}  // namespace nttforge::cpu
