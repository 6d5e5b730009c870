// SPDX-License-Identifier: Apache-2.0
#pragma once

// The vector kernels: which butterfly runs in loops of which shape, once per lane count, over any lanes of
// that count (real or emulated). The shapes are what measured best; docs/decisions/transforms.md.

#include <algorithm>

#include "nttforge/cpu/transform/kernel_lists.hpp"
#include "nttforge/ntt/kernels/butterflies.hpp"
#include "nttforge/ntt/kernels/fp64_butterfly.hpp"
#include "nttforge/ntt/kernels/ifma_butterfly.hpp"
#include "nttforge/ntt/kernels/sixteen/sparse_butterflies.hpp"
#include "nttforge/ntt/kernels/sixteen/sparse_fp64.hpp"
#include "nttforge/ntt/kernels/sixteen/tail_passes.hpp"
#include "nttforge/ntt/kernels/thirty_two/stage_passes.hpp"

namespace nttforge::cpu {

inline constexpr std::uint64_t two_to_the(unsigned bits) { return std::uint64_t{1} << bits; }

/// What a list says of a kernel besides its loops.
struct KernelTraits {
  Target target;
  Arithmetic arithmetic;
  unsigned radix = 0;         ///< as recipes name it; 0: that of the passes. A tail merges two stages or more
  std::uint64_t q_limit = 0;  ///< needs q below; 0: Goldilocks
  double butterfly_ns;
};

/// What the loops want of their tables.
template <class Loops>
constexpr TwiddleLayout loops_layout() {
  using Passes = typename Loops::Passes;
  return {.entry = Passes::Product::entry,
          .log_lanes = Passes::kLanesLog,
          .tail_log = Passes::kTailLog,
          .radix_log = Passes::kRadixLog,
          .long_above = Passes::kLongAbove,
          .lanes = Passes::kLaneTwiddles,
          .quotients_from = Passes::kQuotientsFrom,
          .signs = Passes::kSigned,
          .product_bits = Passes::kProductBits};
}

/// A kernel of these loops. The inverse may have loops of another shape that read the same tables.
template <class Loops, class InverseLoops = Loops>
constexpr TransformKernel<typename Loops::Word> kernel(const KernelTraits& traits) {
  using Passes = typename Loops::Passes;
  using InversePasses = typename InverseLoops::Passes;
  static_assert(Passes::kRadixLog == InversePasses::kRadixLog);
  return {
      .target = traits.target,
      .arithmetic = traits.arithmetic,
      .radix = traits.radix != 0 ? traits.radix : 1u << Passes::kRadixLog,
      .min_log_n = std::max(Passes::kMinLogN, InversePasses::kMinLogN),
      .q_limit = traits.q_limit,
      .butterfly_ns = traits.butterfly_ns,
      .layout = loops_layout<Loops>(),
      .forward = Loops::forward,
      .inverse = InverseLoops::inverse,
      .forward_part = Loops::forward_part,
      .inverse_part = InverseLoops::inverse_part,
      .product = Passes::kHasProduct || Passes::kMultipliesValues ? Loops::product : nullptr,
  };
}

/// Four 64-bit and eight 32-bit lanes, sixteen registers.
template <class Lanes64, class Lanes32>
struct KernelsOf256 {
  using Shoup62 = SparseLazy<ShoupProduct<Lanes64>>;
  using Shoup61 = SparseLazy<SwappedShoupProduct<Lanes64>>;
  using Halves60 = HalvesButterfly<Lanes64>;
  using Shoup32 = SparseLazy<ShoupProduct<Lanes32>>;
  using Fp64 = SparseFp64<Lanes64, Rounding::instruction>;
  using Fp64Added = SparseFp64<Lanes64, Rounding::addition>;

  static constexpr TailShape kShoup64Shape{
      .radix_log = 1, .columns = 2, .together = 1, .batch = 2, .log_block = 12};
  static constexpr TailShape kHalvesShape{
      .radix_log = 1, .columns = 2, .together = 2, .batch = 2, .log_block = 12};
  static constexpr TailShape kShoup32Shape{
      .radix_log = 1, .columns = 2, .together = 1, .batch = 2, .log_block = 13};
  static constexpr TailShape kFp64Shape{
      .radix_log = 2, .columns = 2, .together = 2, .batch = 2, .log_block = 12, .stagewise = true};
  static constexpr TailShape kFp64InverseShape{
      .radix_log = 2, .columns = 2, .together = 2, .batch = 1, .log_block = 15, .stagewise = true};
  static constexpr TailShape kFp64AddedShape{
      .radix_log = 2, .columns = 2, .together = 2, .batch = 1, .log_block = 12};

  static constexpr TransformKernel<std::uint64_t> kernels64[] = {
      kernel<TailLoops<Halves60, kHalvesShape>>({.target = Target::avx2,
                                                 .arithmetic = Arithmetic::shoup64,
                                                 .radix = 4,
                                                 .q_limit = two_to_the(60),
                                                 .butterfly_ns = 0.60}),
      kernel<TailLoops<Shoup61, kShoup64Shape>>({.target = Target::avx2,
                                                 .arithmetic = Arithmetic::shoup64,
                                                 .radix = 4,
                                                 .q_limit = two_to_the(61),
                                                 .butterfly_ns = 0.66}),
      kernel<TailLoops<Shoup62, kShoup64Shape>>({.target = Target::avx2,
                                                 .arithmetic = Arithmetic::shoup64,
                                                 .radix = 4,
                                                 .q_limit = two_to_the(62),
                                                 .butterfly_ns = 0.87}),
      kernel<TailLoops<Fp64, kFp64Shape>, TailLoops<Fp64, kFp64InverseShape>>({.target = Target::avx2,
                                                                               .arithmetic = Arithmetic::fp64,
                                                                               .radix = 4,
                                                                               .q_limit = two_to_the(50),
                                                                               .butterfly_ns = 0.315}),
      kernel<TailLoops<Fp64Added, kFp64AddedShape>>({.target = Target::avx2,
                                                     .arithmetic = Arithmetic::fp64,
                                                     .radix = 2,
                                                     .q_limit = two_to_the(50),
                                                     .butterfly_ns = 0.35}),
  };
  static constexpr TransformKernel<std::uint32_t> kernels32[] = {
      kernel<TailLoops<Shoup32, kShoup32Shape>>({.target = Target::avx2,
                                                 .arithmetic = Arithmetic::shoup32,
                                                 .radix = 4,
                                                 .q_limit = two_to_the(30),
                                                 .butterfly_ns = 0.19}),
  };
};

/// Eight 64-bit and sixteen 32-bit lanes, thirty-two registers.
template <class Lanes64, class Lanes32>
struct KernelsOf512 {
  using Shoup62 = LazyButterfly<ShoupProduct<Lanes64>>;
  using Shoup61 = LazyButterfly<RoughShoupProduct<Lanes64>>;
  using Shoup32 = LazyButterfly<ShoupProduct<Lanes32>>;
  using Fp64 = Fp64Butterfly<Lanes64>;

  static constexpr StageShape kShoup64Shape{
      .radix_log = 2, .columns = 2, .codelets = 2, .batch = 4, .log_block = 12};
  static constexpr StageShape kFp64Shape{
      .radix_log = 2, .columns = 4, .codelets = 2, .batch = 8, .log_block = 12};
  static constexpr StageShape kShoup32Shape{
      .radix_log = 2, .columns = 4, .codelets = 1, .batch = 4, .log_block = 13};

  static constexpr TransformKernel<std::uint64_t> kernels64[] = {
      kernel<StageLoops<Shoup61, kShoup64Shape>>({.target = Target::avx512,
                                                  .arithmetic = Arithmetic::shoup64,
                                                  .q_limit = two_to_the(61),
                                                  .butterfly_ns = 0.513}),
      kernel<StageLoops<Shoup62, kShoup64Shape>>({.target = Target::avx512,
                                                  .arithmetic = Arithmetic::shoup64,
                                                  .q_limit = two_to_the(62),
                                                  .butterfly_ns = 0.62}),
      kernel<StageLoops<Fp64, kFp64Shape>>({.target = Target::avx512,
                                            .arithmetic = Arithmetic::fp64,
                                            .q_limit = two_to_the(50),
                                            .butterfly_ns = 0.288}),
  };
  // A core that runs both takes two thirds of the AVX2 kernel's time here; that kernel's figure is of another
  // core.
  static constexpr TransformKernel<std::uint32_t> kernels32[] = {
      kernel<StageLoops<Shoup32, kShoup32Shape>>({.target = Target::avx512,
                                                  .arithmetic = Arithmetic::shoup32,
                                                  .q_limit = two_to_the(30),
                                                  .butterfly_ns = 0.125}),
  };
};

/// Eight 64-bit lanes with 52-bit multiply-add.
template <class Lanes64>
struct KernelsOfIfma {
  using Ifma52 = IfmaButterfly<Lanes64>;
  using Shoup61 = LazyButterfly<IfmaShoupProduct<Lanes64>>;
  using Shoup60 = RoomyButterfly<IfmaShoupProduct<Lanes64>>;
  using Shoup62 = IfmaLazyButterfly<Lanes64>;  // for its polynomial product

  static constexpr StageShape kIfma52Shape{.radix_log = 2,
                                           .columns = 4,
                                           .codelets = 2,
                                           .batch = 4,
                                           .log_block = 12,
                                           .long_passes = true,
                                           .quotients_from = 17};
  static constexpr StageShape kShoup61Shape{
      .radix_log = 2, .columns = 4, .codelets = 2, .batch = 4, .log_block = 12};
  static constexpr StageShape kShoup62Shape{
      .radix_log = 2, .columns = 2, .codelets = 2, .batch = 4, .log_block = 12};

  static constexpr TransformKernel<std::uint64_t> kernels64[] = {
      kernel<StageLoops<Ifma52, kIfma52Shape>>({.target = Target::avx512_ifma,
                                                .arithmetic = Arithmetic::ifma52,
                                                .q_limit = two_to_the(50),
                                                .butterfly_ns = 0.178}),
      kernel<StageLoops<Shoup60, kShoup61Shape>>({.target = Target::avx512_ifma,
                                                  .arithmetic = Arithmetic::shoup64,
                                                  .q_limit = two_to_the(60),
                                                  .butterfly_ns = 0.448}),
      kernel<StageLoops<Shoup61, kShoup61Shape>>({.target = Target::avx512_ifma,
                                                  .arithmetic = Arithmetic::shoup64,
                                                  .q_limit = two_to_the(61),
                                                  .butterfly_ns = 0.48}),
      kernel<StageLoops<Shoup62, kShoup62Shape>>({.target = Target::avx512_ifma,
                                                  .arithmetic = Arithmetic::shoup64,
                                                  .q_limit = two_to_the(62),
                                                  .butterfly_ns = 0.62}),
  };
};

}  // namespace nttforge::cpu
