// SPDX-License-Identifier: Apache-2.0
#pragma once

// The DGT's vector kernels, once per lane count; transform_kernels.hpp holds those of the NTT. The shapes are
// what measured best; docs/decisions/dgt.md.

#include "nttforge/cpu/transform/transform_kernels.hpp"
#include "nttforge/ntt/kernels/dgt/dgt_butterflies.hpp"
#include "nttforge/ntt/kernels/dgt/dgt_loops.hpp"

namespace nttforge::cpu {

/// A kernel of the DGT's loops.
template <class Butterfly, DgtShape shape>
constexpr TransformKernel<typename Butterfly::Word> dgt_kernel(const KernelTraits& traits) {
  using Loops = DgtLoops<Butterfly, shape>;
  return {
      .target = traits.target,
      .arithmetic = traits.arithmetic,
      .radix = 1u << Loops::kRadixLog,
      .min_log_n = Loops::kMinLogN,
      .q_limit = traits.q_limit,
      .butterfly_ns = traits.butterfly_ns,
      .layout = {.entry = Butterfly::Product::entry,
                 .log_lanes = Loops::kLanesLog,
                 .tail_log = 2 * Loops::kLanesLog,
                 .radix_log = Loops::kRadixLog},
      .forward = Loops::forward,
      .inverse = Loops::inverse,
  };
}

template <class Lanes>
using ComplexShoup = LazyComplexButterfly<ComplexShoupProduct<Lanes, false>>;
template <class Lanes>
using RoughComplexShoup = LazyComplexButterfly<ComplexShoupProduct<Lanes, true>>;

/// Four 64-bit and eight 32-bit lanes, sixteen registers.
template <class Lanes64, class Lanes32>
struct DgtKernelsOf256 {
  static constexpr DgtShape kShape64{.radix_log = 2, .batch = 1, .log_block = 11};
  static constexpr DgtShape kShape32{.radix_log = 2, .batch = 1, .log_block = 12};

  static constexpr TransformKernel<std::uint64_t> kernels64[] = {
      dgt_kernel<RoughComplexShoup<Lanes64>, kShape64>({.target = Target::avx2,
                                                        .arithmetic = Arithmetic::shoup64,
                                                        .q_limit = two_to_the(61),
                                                        .butterfly_ns = 2.6}),
      dgt_kernel<ComplexShoup<Lanes64>, kShape64>({.target = Target::avx2,
                                                   .arithmetic = Arithmetic::shoup64,
                                                   .q_limit = two_to_the(62),
                                                   .butterfly_ns = 3.2}),
      dgt_kernel<Fp64ComplexButterfly<Lanes64>, kShape64>({.target = Target::avx2,
                                                           .arithmetic = Arithmetic::fp64,
                                                           .q_limit = two_to_the(50),
                                                           .butterfly_ns = 1.2}),
  };
  static constexpr TransformKernel<std::uint32_t> kernels32[] = {
      dgt_kernel<ComplexShoup<Lanes32>, kShape32>({.target = Target::avx2,
                                                   .arithmetic = Arithmetic::shoup32,
                                                   .q_limit = two_to_the(30),
                                                   .butterfly_ns = 0.7}),
  };
};

/// Eight 64-bit and sixteen 32-bit lanes, thirty-two registers.
template <class Lanes64, class Lanes32>
struct DgtKernelsOf512 {
  static constexpr DgtShape kShape64{.radix_log = 2, .batch = 2, .log_block = 11};
  static constexpr DgtShape kShape32{.radix_log = 2, .batch = 2, .log_block = 12};

  static constexpr TransformKernel<std::uint64_t> kernels64[] = {
      dgt_kernel<RoughComplexShoup<Lanes64>, kShape64>({.target = Target::avx512,
                                                        .arithmetic = Arithmetic::shoup64,
                                                        .q_limit = two_to_the(61),
                                                        .butterfly_ns = 1.0}),
      dgt_kernel<ComplexShoup<Lanes64>, kShape64>({.target = Target::avx512,
                                                   .arithmetic = Arithmetic::shoup64,
                                                   .q_limit = two_to_the(62),
                                                   .butterfly_ns = 1.3}),
      dgt_kernel<Fp64ComplexButterfly<Lanes64>, kShape64>({.target = Target::avx512,
                                                           .arithmetic = Arithmetic::fp64,
                                                           .q_limit = two_to_the(50),
                                                           .butterfly_ns = 0.6}),
  };
  static constexpr TransformKernel<std::uint32_t> kernels32[] = {
      dgt_kernel<ComplexShoup<Lanes32>, kShape32>({.target = Target::avx512,
                                                   .arithmetic = Arithmetic::shoup32,
                                                   .q_limit = two_to_the(30),
                                                   .butterfly_ns = 0.4}),
  };
};

/// Eight 64-bit lanes with 52-bit multiply-add.
template <class Lanes64>
struct DgtKernelsOfIfma {
  static constexpr DgtShape kShape64{.radix_log = 2, .batch = 2, .log_block = 11};

  static constexpr TransformKernel<std::uint64_t> kernels64[] = {
      dgt_kernel<LazyComplexButterfly<ComplexIfmaProduct<Lanes64>>, kShape64>(
          {.target = Target::avx512_ifma,
           .arithmetic = Arithmetic::ifma52,
           .q_limit = two_to_the(50),
           .butterfly_ns = 0.5}),
  };
};

}  // namespace nttforge::cpu
