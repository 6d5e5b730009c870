// SPDX-License-Identifier: Apache-2.0
// DGT kernels of the scalar target: every modulus, every n. The reference the vector targets are compared
// with.

#include "nttforge/cpu/lanes/lanes_scalar.hpp"
#include "nttforge/cpu/transform/dgt_kernels.hpp"
#include "nttforge/cpu/transform/scalar_traits.hpp"
#include "nttforge/cpu/transform/transform_lanes_scalar.hpp"
#include "nttforge/ntt/kernels/products/goldilocks_product.hpp"

namespace nttforge::cpu {
namespace {

using Shoup64 = ComplexShoup<LanesScalar>;
using Shoup32 = StrictComplexButterfly<ComplexStrictProduct<StrictShoupProduct<LanesWide32>>>;
using Goldilocks = StrictComplexButterfly<ComplexStrictProduct<GoldilocksProduct<LanesScalar>>>;

constexpr DgtShape kRadix4{.radix_log = 2, .batch = 1, .log_block = 12};
constexpr DgtShape kRadix2{.radix_log = 1, .batch = 1, .log_block = 12};

constexpr TransformKernel<std::uint64_t> kKernels64[] = {
    dgt_kernel<Shoup64, kRadix4>(scalar_shoup64(6.0)),
    dgt_kernel<Shoup64, kRadix2>(scalar_shoup64(6.5)),
    dgt_kernel<Goldilocks, kRadix4>(scalar_goldilocks(4, 16.0)),
};
constexpr TransformKernel<std::uint32_t> kKernels32[] = {
    dgt_kernel<Shoup32, kRadix4>(scalar_shoup32(7.0)),
    dgt_kernel<Shoup32, kRadix2>(scalar_shoup32(7.5)),
};

}  // namespace

constinit const KernelLists kDgtKernelsScalar{kKernels64, kKernels32};

}  // namespace nttforge::cpu
