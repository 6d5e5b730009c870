// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of NEON: 64-bit primes in plain registers, primes below 2^50 in doubles, 32-bit primes in
// vectors. Shapes are those for which compilers write the fewest instructions for a butterfly, counted in
// their assembly (docs/lab/neon-counts.md). Nobody has measured them yet: butterfly_ns is a tenth of that
// count.

#include "nttforge/cpu/transform/dgt_kernels.hpp"
#include "nttforge/cpu/transform/transform_kernels.hpp"

namespace nttforge::cpu {

/// One 64-bit word in thirty general registers, four 64-bit and eight 32-bit lanes in two of thirty-two
/// vector registers each.
template <class Words, class Lanes64, class Lanes32>
struct KernelsOfNeon {
  using Shoup62 = SparseLazy<ShoupProduct<Words>>;
  using Fp64 = SparseFp64<Lanes64, Rounding::instruction>;
  using Shoup32 = SparseLazy<ShoupProduct<Lanes32>>;

  static constexpr TailShape kShoup64Shape{
      .radix_log = 2, .columns = 2, .together = 1, .batch = 2, .log_block = 13};
  static constexpr TailShape kFp64Shape{
      .radix_log = 2, .columns = 1, .together = 1, .batch = 2, .log_block = 12};
  static constexpr TailShape kShoup32Shape{
      .radix_log = 2, .columns = 1, .together = 1, .batch = 2, .log_block = 13};

  static constexpr TransformKernel<std::uint64_t> kernels64[] = {
      kernel<TailLoops<Shoup62, kShoup64Shape>>({.target = Target::neon,
                                                 .arithmetic = Arithmetic::shoup64,
                                                 .q_limit = two_to_the(62),
                                                 .butterfly_ns = 1.16}),
      kernel<TailLoops<Fp64, kFp64Shape>>({.target = Target::neon,
                                           .arithmetic = Arithmetic::fp64,
                                           .q_limit = two_to_the(50),
                                           .butterfly_ns = 0.59}),
  };
  static constexpr TransformKernel<std::uint32_t> kernels32[] = {
      kernel<TailLoops<Shoup32, kShoup32Shape>>({.target = Target::neon,
                                                 .arithmetic = Arithmetic::shoup32,
                                                 .q_limit = two_to_the(30),
                                                 .butterfly_ns = 0.31}),
  };
};

/// The DGT in the same registers.
template <class Words, class Lanes64, class Lanes32>
struct DgtKernelsOfNeon {
  static constexpr DgtShape kWordShape{.radix_log = 2, .batch = 1, .log_block = 12};
  static constexpr DgtShape kShape64{.radix_log = 2, .batch = 1, .log_block = 11};
  static constexpr DgtShape kShape32{.radix_log = 2, .batch = 1, .log_block = 12};

  static constexpr TransformKernel<std::uint64_t> kernels64[] = {
      dgt_kernel<ComplexShoup<Words>, kWordShape>({.target = Target::neon,
                                                   .arithmetic = Arithmetic::shoup64,
                                                   .q_limit = two_to_the(62),
                                                   .butterfly_ns = 4.05}),
      dgt_kernel<Fp64ComplexButterfly<Lanes64>, kShape64>({.target = Target::neon,
                                                           .arithmetic = Arithmetic::fp64,
                                                           .q_limit = two_to_the(50),
                                                           .butterfly_ns = 2.5}),
  };
  static constexpr TransformKernel<std::uint32_t> kernels32[] = {
      dgt_kernel<ComplexShoup<Lanes32>, kShape32>({.target = Target::neon,
                                                   .arithmetic = Arithmetic::shoup32,
                                                   .q_limit = two_to_the(30),
                                                   .butterfly_ns = 1.2}),
  };
};

}  // namespace nttforge::cpu
