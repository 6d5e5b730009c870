// SPDX-License-Identifier: Apache-2.0
#pragma once

// The vector kernels: which butterfly runs with which shape, once per lane count, over any lanes of that
// count (real or emulated). The shapes are what measured best; docs/decisions/transforms.md.

#include <algorithm>

#include "nttforge/cpu/transform/transform_rows.hpp"
#include "nttforge/ntt/kernels/butterflies.hpp"
#include "nttforge/ntt/kernels/fp64_butterfly.hpp"
#include "nttforge/ntt/kernels/ifma_butterfly.hpp"
#include "nttforge/ntt/kernels/sixteen/narrow_butterflies.hpp"
#include "nttforge/ntt/kernels/sixteen/narrow_fp64.hpp"
#include "nttforge/ntt/kernels/thirty_two/stage_order.hpp"

namespace nttforge::cpu {

inline constexpr TwiddleLayout kShoup64Entries{.quotient_bits = 64};
inline constexpr TwiddleLayout kShoup52Entries{.quotient_bits = 52};
inline constexpr TwiddleLayout kShoup32Entries{.quotient_bits = 32};
inline constexpr TwiddleLayout kFractionEntries{.fraction = true};
inline constexpr TwiddleLayout kExchangedShoup64Entries{.quotient_bits = 64, .halves = true};
inline constexpr TwiddleLayout kShiftedEntries{.shifted = true};
inline constexpr TwiddleLayout kRealEntries{.real = true};

/// What the loops want of their tables, with entries as `entries` says.
template <class Loops>
constexpr TwiddleLayout loops_layout(TwiddleLayout entries) {
  entries.log_lanes = Loops::kLanesLog;
  entries.radix_log = Loops::kRadixLog;
  entries.long_above = Loops::Passes::kLongAbove;
  entries.quotients_from = Loops::Passes::kQuotientsFrom;
  entries.product_bits = Loops::kProductBits;
  entries.split = Loops::Passes::kSplit;
  if constexpr (Loops::Passes::kSplit && Loops::kLanesLog == 0) entries.last_log = Loops::Passes::kTailLog;
  entries.exchanged = Loops::Passes::kExchanged;
  entries.values_only = Loops::Passes::kValuesOnly;
  entries.signs = Loops::Passes::kSigned;
  return entries;
}

template <class Loops>
constexpr KernelRow<typename Loops::Word> loops_row(Target target, Arithmetic arithmetic, unsigned radix,
                                                    const TwiddleLayout& entries, std::uint64_t q_limit,
                                                    double butterfly_ns) {
  return {target, arithmetic, radix, Loops::kMinLogN, q_limit, butterfly_ns, loops_layout<Loops>(entries),
          Loops::forward, Loops::inverse, Loops::forward_part, Loops::inverse_part,
          // Split passes gain nothing from a product of values between them: the parts are 1 % faster.
          Loops::kHasProduct || !Loops::Passes::kSplit ? Loops::product : nullptr};
}

template <class Butterfly, class ShapeType>
constexpr KernelRow<typename Butterfly::Word> transform_row(Target target, Arithmetic arithmetic,
                                                            TwiddleLayout entries, std::uint64_t q_limit,
                                                            double butterfly_ns) {
  using Loops = StageLoops<Butterfly, ShapeType>;
  return loops_row<Loops>(target, arithmetic, 1u << Loops::kRadixLog, entries, q_limit, butterfly_ns);
}
/// `radix` as the row is listed: the tail merges two stages or more, however many the passes do.
template <class Butterfly, class ShapeType>
constexpr KernelRow<typename Butterfly::Word> split_row(Target target, Arithmetic arithmetic, unsigned radix,
                                                        TwiddleLayout entries, std::uint64_t q_limit,
                                                        double butterfly_ns) {
  return loops_row<SplitLoops<Butterfly, ShapeType>>(target, arithmetic, radix, entries, q_limit,
                                                     butterfly_ns);
}

/// A split row whose inverse has a shape of its own: same tables, so same radix.
template <class Butterfly, class ShapeType, class InverseShape>
constexpr KernelRow<typename Butterfly::Word> split_pair_row(Target target, Arithmetic arithmetic,
                                                             unsigned radix, TwiddleLayout entries,
                                                             std::uint64_t q_limit, double butterfly_ns) {
  static_assert(ShapeType::kRadixLog == InverseShape::kRadixLog);
  using Inverse = SplitLoops<Butterfly, InverseShape>;
  KernelRow<typename Butterfly::Word> row =
      split_row<Butterfly, ShapeType>(target, arithmetic, radix, entries, q_limit, butterfly_ns);
  row.min_log_n = std::max(row.min_log_n, Inverse::kMinLogN);
  row.inverse = Inverse::inverse;
  row.inverse_part = Inverse::inverse_part;
  return row;
}

inline constexpr std::uint64_t two_to_the(unsigned bits) { return std::uint64_t{1} << bits; }

/// Four 64-bit and eight 32-bit lanes, sixteen registers.
template <class Lanes64, class Lanes32>
struct KernelsOf256 {
  using Shoup62 = NarrowLazy<ShoupProduct<Lanes64>>;
  using Shoup61 = NarrowLazy<SwappedShoupProduct<Lanes64>>;
  using Halves60 = HalvesButterfly<Lanes64>;
  using Shoup32 = NarrowLazy<ShoupProduct<Lanes32>>;
  using Fp64 = NarrowFp64<Lanes64, false>;
  using Fp64Added = NarrowFp64<Lanes64, true>;
  using Fp64Shape = SplitShape<2, 2, 2, 2, 12, 2, true>;
  using Fp64InverseShape = SplitShape<2, 2, 2, 1, 15, 2, true>;
  using Fp64AddedShape = SplitShape<2, 2, 2, 1, 12>;

  static constexpr KernelRow<std::uint64_t> rows64[] = {
      split_row<Halves60, SplitShape<1, 2, 2, 2, 12>>(Target::avx2, Arithmetic::shoup64, 4, kShiftedEntries,
                                                      two_to_the(60), 0.60),
      split_row<Shoup61, SplitShape<1, 2, 1, 2, 12>>(Target::avx2, Arithmetic::shoup64, 4, kShoup64Entries,
                                                     two_to_the(61), 0.66),
      split_row<Shoup62, SplitShape<1, 2, 1, 2, 12>>(Target::avx2, Arithmetic::shoup64, 4, kShoup64Entries,
                                                     two_to_the(62), 0.87),
      split_pair_row<Fp64, Fp64Shape, Fp64InverseShape>(Target::avx2, Arithmetic::fp64, 4, kRealEntries,
                                                        two_to_the(50), 0.315),
      split_row<Fp64Added, Fp64AddedShape>(Target::avx2, Arithmetic::fp64, 2, kRealEntries, two_to_the(50),
                                           0.35),
  };
  static constexpr KernelRow<std::uint32_t> rows32[] = {
      split_row<Shoup32, SplitShape<1, 2, 1, 2, 13>>(Target::avx2, Arithmetic::shoup32, 4, kShoup32Entries,
                                                     two_to_the(30), 0.19),
  };
};

/// Eight 64-bit and sixteen 32-bit lanes, thirty-two registers.
template <class Lanes64, class Lanes32>
struct KernelsOf512 {
  using Shoup62 = LazyButterfly<ShoupProduct<Lanes64>>;
  using Shoup61 = LazyButterfly<RoughShoupProduct<Lanes64>>;
  using Shoup32 = LazyButterfly<ShoupProduct<Lanes32>>;
  using Fp64 = Fp64Butterfly<Lanes64>;

  static constexpr KernelRow<std::uint64_t> rows64[] = {
      transform_row<Shoup61, Shape<2, 2, 2, 4, 12>>(Target::avx512, Arithmetic::shoup64, kShoup64Entries,
                                                    two_to_the(61), 0.513),
      transform_row<Shoup62, Shape<2, 2, 2, 4, 12>>(Target::avx512, Arithmetic::shoup64, kShoup64Entries,
                                                    two_to_the(62), 0.62),
      transform_row<Fp64, Shape<2, 4, 2, 8, 12>>(Target::avx512, Arithmetic::fp64, kRealEntries,
                                                 two_to_the(50), 0.288),
  };
  // A core that runs both takes two thirds of the AVX2 row's time here; that row's figure is of another core.
  static constexpr KernelRow<std::uint32_t> rows32[] = {
      transform_row<Shoup32, Shape<2, 4, 1, 4, 13>>(Target::avx512, Arithmetic::shoup32, kShoup32Entries,
                                                    two_to_the(30), 0.125),
  };
};

/// Eight 64-bit lanes with 52-bit multiply-add.
template <class Lanes64>
struct KernelsOfIfma {
  using Ifma52 = IfmaButterfly<Lanes64>;
  using Shoup61 = LazyButterfly<IfmaShoupProduct<Lanes64>>;
  using Shoup60 = RoomyButterfly<IfmaShoupProduct<Lanes64>>;
  using Shoup62 = IfmaLazyButterfly<Lanes64>;  // for its polynomial product

  static constexpr KernelRow<std::uint64_t> rows64[] = {
      transform_row<Ifma52, Shape<2, 4, 2, 4, 12, true, 17>>(Target::avx512_ifma, Arithmetic::ifma52,
                                                             kShoup52Entries, two_to_the(50), 0.178),
      transform_row<Shoup60, Shape<2, 4, 2, 4, 12>>(Target::avx512_ifma, Arithmetic::shoup64,
                                                    kExchangedShoup64Entries, two_to_the(60), 0.448),
      transform_row<Shoup61, Shape<2, 4, 2, 4, 12>>(Target::avx512_ifma, Arithmetic::shoup64,
                                                    kExchangedShoup64Entries, two_to_the(61), 0.48),
      transform_row<Shoup62, Shape<2, 2, 2, 4, 12>>(Target::avx512_ifma, Arithmetic::shoup64, kShoup64Entries,
                                                    two_to_the(62), 0.62),
  };
};

}  // namespace nttforge::cpu
