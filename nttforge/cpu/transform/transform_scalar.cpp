// SPDX-License-Identifier: Apache-2.0
// Transform kernels of the scalar target: every modulus, every n. The reference the vector targets are
// compared with.

#include "nttforge/cpu/transform/transform_kernels.hpp"
#include "nttforge/cpu/transform/transform_lanes_scalar.hpp"
#include "nttforge/ntt/kernels/products/goldilocks_product.hpp"
#include "nttforge/ntt/kernels/sixteen/narrow_butterflies.hpp"

namespace nttforge::cpu {
namespace {

template <unsigned radix_log>
using ScalarShape = Shape<radix_log, 1, 1, 2, 13>;
using Shoup64 = LazyButterfly<ShoupProduct<LanesScalar>>;
using Shoup32 = StrictButterfly<StrictShoupProduct<LanesWide32>>;
using Goldilocks = StrictButterfly<GoldilocksProduct<LanesScalar>>;
using NarrowShoup64 = NarrowLazy<ShoupProduct<LanesScalar>>;
using NarrowFraction32 = NarrowStrict<FractionProduct<LanesFraction32>>;
using NarrowGoldilocks = NarrowStrict<GoldilocksProduct<LanesScalar>>;

// Split rows do not reach down to n = 1; the others do, and the radix-2 ones are what tests compare with.
constexpr KernelRow<std::uint64_t> kRows64[] = {
    split_row<NarrowShoup64, SplitShape<2, 1, 1, 1, 13>>(Target::scalar, Arithmetic::shoup64, 4,
                                                         kShoup64Entries, two_to_the(62), 1.59),
    transform_row<Shoup64, ScalarShape<2>>(Target::scalar, Arithmetic::shoup64, kShoup64Entries,
                                           two_to_the(62), 1.80),
    transform_row<Shoup64, ScalarShape<1>>(Target::scalar, Arithmetic::shoup64, kShoup64Entries,
                                           two_to_the(62), 2.00),
    split_row<NarrowGoldilocks, SplitShape<1, 2, 1, 1, 13>>(Target::scalar, Arithmetic::goldilocks, 4, {}, 0,
                                                            2.55),
    transform_row<Goldilocks, ScalarShape<2>>(Target::scalar, Arithmetic::goldilocks, {}, 0, 3.20),
    transform_row<Goldilocks, ScalarShape<1>>(Target::scalar, Arithmetic::goldilocks, {}, 0, 3.50),
};
constexpr KernelRow<std::uint32_t> kRows32[] = {
    split_row<NarrowFraction32, SplitShape<2, 1, 1, 1, 13>>(Target::scalar, Arithmetic::shoup32, 4,
                                                            kFractionEntries, two_to_the(32), 1.40),
    transform_row<Shoup32, ScalarShape<2>>(Target::scalar, Arithmetic::shoup32, kShoup32Entries,
                                           two_to_the(32), 2.20),
    transform_row<Shoup32, ScalarShape<1>>(Target::scalar, Arithmetic::shoup32, kShoup32Entries,
                                           two_to_the(32), 2.50),
};

}  // namespace

constinit const TransformRows kTransformRowsScalar{kRows64, kRows32};

}  // namespace nttforge::cpu
