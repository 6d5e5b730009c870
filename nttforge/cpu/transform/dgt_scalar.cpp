// SPDX-License-Identifier: Apache-2.0
// DGT kernels of the scalar target: every modulus, every n. The reference the vector targets are compared
// with.

#include "nttforge/cpu/lanes/lanes_scalar.hpp"
#include "nttforge/cpu/transform/dgt_kernels.hpp"
#include "nttforge/cpu/transform/transform_lanes_scalar.hpp"
#include "nttforge/ntt/kernels/products/goldilocks_product.hpp"

namespace nttforge::cpu {
namespace {

template <unsigned radix_log>
using ScalarShape = DgtShape<radix_log, 1, 12>;
using Shoup64 = ComplexShoup<LanesScalar>;
using Shoup32 = StrictComplexButterfly<ComplexStrictProduct<StrictShoupProduct<LanesWide32>>>;
using Goldilocks = StrictComplexButterfly<ComplexStrictProduct<GoldilocksProduct<LanesScalar>>>;

constexpr KernelRow<std::uint64_t> kRows64[] = {
    dgt_row<Shoup64, ScalarShape<2>>(Target::scalar, Arithmetic::shoup64, kShoup64Entries, two_to_the(62),
                                     6.0),
    dgt_row<Shoup64, ScalarShape<1>>(Target::scalar, Arithmetic::shoup64, kShoup64Entries, two_to_the(62),
                                     6.5),
    dgt_row<Goldilocks, ScalarShape<2>>(Target::scalar, Arithmetic::goldilocks, {}, 0, 16.0),
};
constexpr KernelRow<std::uint32_t> kRows32[] = {
    dgt_row<Shoup32, ScalarShape<2>>(Target::scalar, Arithmetic::shoup32, kShoup32Entries, two_to_the(32),
                                     7.0),
    dgt_row<Shoup32, ScalarShape<1>>(Target::scalar, Arithmetic::shoup32, kShoup32Entries, two_to_the(32),
                                     7.5),
};

}  // namespace

constinit const TransformRows kDgtRowsScalar{kRows64, kRows32};

}  // namespace nttforge::cpu
