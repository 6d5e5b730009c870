// SPDX-License-Identifier: Apache-2.0
#pragma once

// The DGT's vector kernels, once per lane count; transform_kernels.hpp holds those of the NTT. The shapes are
// what measured best; docs/decisions/dgt.md.

#include "nttforge/cpu/transform/transform_kernels.hpp"
#include "nttforge/ntt/kernels/dgt/dgt_butterflies.hpp"
#include "nttforge/ntt/kernels/dgt/dgt_loops.hpp"

namespace nttforge::cpu {

template <class Butterfly, class ShapeType>
constexpr KernelRow<typename Butterfly::Word> dgt_row(Target target, Arithmetic arithmetic,
                                                      TwiddleLayout entries, std::uint64_t q_limit,
                                                      double butterfly_ns) {
  using Loops = DgtLoops<Butterfly, ShapeType>;
  entries.log_lanes = Loops::kLanesLog;
  entries.radix_log = Loops::kRadixLog;
  KernelRow<typename Butterfly::Word> row{};
  row.target = target;
  row.arithmetic = arithmetic;
  row.radix = 1u << Loops::kRadixLog;
  row.min_log_n = Loops::kMinLogN;
  row.q_limit = q_limit;
  row.butterfly_ns = butterfly_ns;
  row.layout = entries;
  row.forward = Loops::forward;
  row.inverse = Loops::inverse;
  return row;
}

template <class Lanes>
using ComplexShoup = LazyComplexButterfly<ComplexShoupProduct<Lanes, false>>;
template <class Lanes>
using RoughComplexShoup = LazyComplexButterfly<ComplexShoupProduct<Lanes, true>>;

/// Four 64-bit and eight 32-bit lanes, sixteen registers.
template <class Lanes64, class Lanes32>
struct DgtKernelsOf256 {
  static constexpr KernelRow<std::uint64_t> rows64[] = {
      dgt_row<RoughComplexShoup<Lanes64>, DgtShape<2, 1, 11>>(Target::avx2, Arithmetic::shoup64,
                                                              kShoup64Entries, two_to_the(61), 2.6),
      dgt_row<ComplexShoup<Lanes64>, DgtShape<2, 1, 11>>(Target::avx2, Arithmetic::shoup64, kShoup64Entries,
                                                         two_to_the(62), 3.2),
      dgt_row<Fp64ComplexButterfly<Lanes64>, DgtShape<2, 1, 11>>(Target::avx2, Arithmetic::fp64, kRealEntries,
                                                                 two_to_the(50), 1.2),
  };
  static constexpr KernelRow<std::uint32_t> rows32[] = {
      dgt_row<ComplexShoup<Lanes32>, DgtShape<2, 1, 12>>(Target::avx2, Arithmetic::shoup32, kShoup32Entries,
                                                         two_to_the(30), 0.7),
  };
};

/// Eight 64-bit and sixteen 32-bit lanes, thirty-two registers.
template <class Lanes64, class Lanes32>
struct DgtKernelsOf512 {
  static constexpr KernelRow<std::uint64_t> rows64[] = {
      dgt_row<RoughComplexShoup<Lanes64>, DgtShape<2, 2, 11>>(Target::avx512, Arithmetic::shoup64,
                                                              kShoup64Entries, two_to_the(61), 1.0),
      dgt_row<ComplexShoup<Lanes64>, DgtShape<2, 2, 11>>(Target::avx512, Arithmetic::shoup64, kShoup64Entries,
                                                         two_to_the(62), 1.3),
      dgt_row<Fp64ComplexButterfly<Lanes64>, DgtShape<2, 2, 11>>(Target::avx512, Arithmetic::fp64,
                                                                 kRealEntries, two_to_the(50), 0.6),
  };
  static constexpr KernelRow<std::uint32_t> rows32[] = {
      dgt_row<ComplexShoup<Lanes32>, DgtShape<2, 2, 12>>(Target::avx512, Arithmetic::shoup32, kShoup32Entries,
                                                         two_to_the(30), 0.4),
  };
};

/// Eight 64-bit lanes with 52-bit multiply-add.
template <class Lanes64>
struct DgtKernelsOfIfma {
  static constexpr KernelRow<std::uint64_t> rows64[] = {
      dgt_row<LazyComplexButterfly<ComplexIfmaProduct<Lanes64>>, DgtShape<2, 2, 11>>(
          Target::avx512_ifma, Arithmetic::ifma52, kShoup52Entries, two_to_the(50), 0.5),
  };
};

}  // namespace nttforge::cpu
