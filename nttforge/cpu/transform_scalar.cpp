// Transform kernels of the scalar target: every modulus, every n. The reference the vector targets are
// compared with.

#include "nttforge/cpu/transform_kernels.hpp"
#include "nttforge/cpu/transform_lanes_scalar.hpp"
#include "nttforge/ntt/goldilocks_product.hpp"

namespace nttforge::cpu {
namespace {

template <unsigned radix_log>
using ScalarShape = Shape<radix_log, 1, 1, 2, 13>;
using Shoup64 = LazyButterfly<ShoupProduct<LanesScalar>>;
using Shoup32 = StrictButterfly<StrictShoupProduct<LanesWide32>>;
using Goldilocks = StrictButterfly<GoldilocksProduct<LanesScalar>>;

constexpr KernelRow<std::uint64_t> kRows64[] = {
    transform_row<Shoup64, ScalarShape<2>>(Target::scalar, Arithmetic::shoup64, kShoup64Entries,
                                           two_to_the(62), 1.80),
    transform_row<Shoup64, ScalarShape<1>>(Target::scalar, Arithmetic::shoup64, kShoup64Entries,
                                           two_to_the(62), 2.00),
    transform_row<Goldilocks, ScalarShape<2>>(Target::scalar, Arithmetic::goldilocks, {}, 0, 4.30),
    transform_row<Goldilocks, ScalarShape<1>>(Target::scalar, Arithmetic::goldilocks, {}, 0, 4.70),
};
constexpr KernelRow<std::uint32_t> kRows32[] = {
    transform_row<Shoup32, ScalarShape<2>>(Target::scalar, Arithmetic::shoup32, kShoup32Entries,
                                           two_to_the(32), 2.20),
    transform_row<Shoup32, ScalarShape<1>>(Target::scalar, Arithmetic::shoup32, kShoup32Entries,
                                           two_to_the(32), 2.50),
};

}  // namespace

constinit const TransformRows kTransformRowsScalar{kRows64, kRows32};

}  // namespace nttforge::cpu
