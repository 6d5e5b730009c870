// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/recipe.hpp"

// [Kim20] Sections III and VI.A, B: transforms in registers and global memory alone. A kernel does log_radix
// stages, a thread 2^log_radix points; radix 2 is the basic implementation. Twiddles are W of
// ntt/twiddles/twiddles.hpp, entry i at place i.

namespace nttforge::cuda {

/// One launch of a kernel of [Kim20]. in == out or disjoint (Stockham: disjoint), `polynomials` of 2^log_n
/// words each; polynomial i has the limb i mod limb_count.
template <class Arith>
struct Kim20Args {
  const typename Arith::Word* in = nullptr;
  typename Arith::Word* out = nullptr;
  const typename Arith::Limb* limbs = nullptr;
  std::uint32_t limb_count = 0;
  std::uint32_t polynomials = 0;
  std::uint32_t log_n = 0;
  std::uint32_t first_stage = 0;
  std::uint32_t log_base = 0;  ///< of twiddles on the fly: w = two factors from 2^log_base and n/2^log_base
};

/// The same with the first twiddles of each limb in the memory of kernel parameters, which is constant
/// memory. 32 KB in all is what a kernel takes.
template <class Arith>
struct Kim20ConstantArgs : Kim20Args<Arith> {
  static constexpr unsigned kWords = 3968;
  std::uint32_t entries_per_limb = 0;
  alignas(16) typename Arith::Word constants[kWords] = {};
};

template <class Arith, TwiddleMemory kMemory>
struct Kim20Twiddles {
  using Twiddle = typename Arith::Twiddle;
  using Args = Kim20Args<Arith>;
  static NTTF_HD Twiddle load(const Args&, const typename Arith::Word* table, std::uint32_t,
                              std::uint32_t entry) {
    if constexpr (kMemory == TwiddleMemory::read_only) {
      return Arith::load(table, entry);
    } else {  // plain loads, which may be written to as far as the compiler knows
      Twiddle w;
      std::memcpy(&w, table + std::size_t{entry} * Arith::kEntryWords, sizeof w);
      return w;
    }
  }
};
template <class Arith>
struct Kim20Twiddles<Arith, TwiddleMemory::constant> {
  using Twiddle = typename Arith::Twiddle;
  using Args = Kim20ConstantArgs<Arith>;
  static NTTF_HD Twiddle load(const Args& args, const typename Arith::Word* table, std::uint32_t limb,
                              std::uint32_t entry) {
    if (entry >= args.entries_per_limb) return Arith::load(table, entry);
    Twiddle w;
    std::memcpy(&w, args.constants + std::size_t{limb * args.entries_per_limb + entry} * Arith::kEntryWords,
                sizeof w);
    return w;
  }
};

/// kLogRadix stages of the product tree on 2^kLogRadix registers. source.twiddle<kStage>(j) is that of group
/// j of a stage, source.before<kStage>(j, b) may change what is multiplied by it.
template <class Arith, unsigned kLogRadix, unsigned kStage = 0, class Source>
NTTF_HD void kim20_stages(typename Arith::Value* r, const typename Arith::Constants& c,
                          const Source& source) {
  if constexpr (kStage < kLogRadix) {
    constexpr unsigned kHalf = 1u << (kLogRadix - 1 - kStage);
    NTTF_GPU_UNROLL
    for (unsigned j = 0; j < 1u << kStage; ++j) {
      const typename Arith::Twiddle w = source.template twiddle<kStage>(j);
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kHalf; ++i) {
        typename Arith::Value &a = r[2 * j * kHalf + i], &b = r[(2 * j + 1) * kHalf + i];
        source.template before<kStage>(j, b);
        Arith::butterfly(a, b, w, c);
      }
    }
    kim20_stages<Arith, kLogRadix, kStage + 1>(r, c, source);
  }
}

/// The stages backwards. Twiddles on the fly are multiplied in after the butterfly.
template <class Arith, unsigned kLogRadix, unsigned kDone = 0, class Source>
NTTF_HD void kim20_inverse_stages(typename Arith::Value* r, const typename Arith::Constants& c,
                                  const Source& source) {
  if constexpr (kDone < kLogRadix) {
    constexpr unsigned kStage = kLogRadix - 1 - kDone, kHalf = 1u << kDone;
    NTTF_GPU_UNROLL
    for (unsigned j = 0; j < 1u << kStage; ++j) {
      const typename Arith::Twiddle w = source.template twiddle<kStage>(j);
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kHalf; ++i) {
        typename Arith::Value &a = r[2 * j * kHalf + i], &b = r[(2 * j + 1) * kHalf + i];
        Arith::inverse(a, b, w, c);
        source.template before<kStage>(j, b);
      }
    }
    kim20_inverse_stages<Arith, kLogRadix, kDone + 1>(r, c, source);
  }
}

/// Stages forward or backwards; `scales`: the inverse ends here, with 1/n.
template <class Arith, unsigned kLogRadix, bool kInverse, class Source>
NTTF_HD void kim20_run_stages(typename Arith::Value* r, const typename Arith::Limb& limb,
                              const typename Arith::Constants& c, const Source& source, bool scales) {
  if constexpr (kInverse) {
    kim20_inverse_stages<Arith, kLogRadix>(r, c, source);
    if (!scales) return;
    const typename Arith::Twiddle scale = Arith::load(limb.scale, 0);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < 1u << kLogRadix; ++k) r[k] = Arith::multiply(r[k], scale, c);
  } else {
    kim20_stages<Arith, kLogRadix>(r, c, source);
  }
}
template <bool kInverse, class Limb>
NTTF_HD auto kim20_table_of(const Limb& limb) {
  if constexpr (kInverse) {
    return limb.inverse;
  } else {
    return limb.forward;
  }
}

/// What kernels of [Kim20] with one phase and no shared memory have in common.
template <class Arith>
struct Kim20OnePhase {
  using Word = typename Arith::Word;
  using Value = typename Arith::Value;
  static constexpr unsigned kThreads = 256, kLogCluster = 0, kSharedWords = 1, kPhases = 1, kMinBlocks = 1;
  static constexpr bool kWaitsForCluster = false;
  struct State {};
  static constexpr Barrier barrier_after(unsigned) { return Barrier::none; }
};

/// Cooley-Tukey in place, natural -> bit-reversed: stages first_stage ... + kLogRadix. kInverse: back.
template <class Arith, unsigned kLogRadix, TwiddleMemory kMemory = TwiddleMemory::read_only,
          bool kInverse = false>
struct Kim20Radix : Kim20OnePhase<Arith> {
  using typename Kim20OnePhase<Arith>::State;
  using Twiddles = Kim20Twiddles<Arith, kMemory>;
  using Args = typename Twiddles::Args;

  struct Source {
    const Args& args;
    const typename Arith::Word* table;
    std::uint32_t limb, group;

    template <unsigned kStage>
    NTTF_HD typename Arith::Twiddle twiddle(unsigned j) const {
      return Twiddles::load(args, table, limb, (1u << (args.first_stage + kStage)) + (group << kStage) + j);
    }
    template <unsigned kStage>
    NTTF_HD void before(unsigned, typename Arith::Value&) const {}
  };

  static unsigned blocks(const Args& args) {
    const std::uint64_t threads = std::uint64_t{args.polynomials} << (args.log_n - kLogRadix);
    return static_cast<unsigned>((threads + 255) / 256);
  }
  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State&, Shared&) {
    const std::uint32_t id = at.cluster * 256 + at.thread, per_polynomial = args.log_n - kLogRadix;
    const std::uint32_t polynomial = id >> per_polynomial, i = id & ((1u << per_polynomial) - 1);
    if (polynomial >= args.polynomials) return;
    const std::uint32_t index = polynomial % args.limb_count;
    const auto& limb = args.limbs[index];
    const auto c = Arith::constants(limb);
    const unsigned log_stride = args.log_n - args.first_stage - kLogRadix;
    const std::uint32_t group = i >> log_stride, offset = i & ((1u << log_stride) - 1);
    const std::size_t base =
        (std::size_t{polynomial} << args.log_n) + (std::size_t{group} << (log_stride + kLogRadix)) + offset;
    typename Arith::Value r[1u << kLogRadix];
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < 1u << kLogRadix; ++k) {
      r[k] = Arith::from_word(args.in[base + (std::size_t{k} << log_stride)], c);
    }
    kim20_run_stages<Arith, kLogRadix, kInverse>(
        r, limb, c, Source{args, kim20_table_of<kInverse>(limb), index, group}, args.first_stage == 0);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < 1u << kLogRadix; ++k) {
      args.out[base + (std::size_t{k} << log_stride)] = Arith::to_word(r[k], c);
    }
  }
};

/// The lowest `bits` bits of x, reversed; constant arguments only.
NTTF_HD constexpr unsigned kim20_reversed(unsigned x, unsigned bits) {
  unsigned reversed = 0;
  for (unsigned i = 0; i < bits; ++i) reversed |= (x >> i & 1) << (bits - 1 - i);
  return reversed;
}

/// Stockham's, out of place, natural -> natural ([Kim20] Alg. 3). Before stage s the residues modulo
/// x^(n/m) - psi^((2r + 1) n/m), m = 2^s, stand at i m + r, i < n/m: neighbours r differ in their twiddles,
/// so the table has them in this order: entry m + r is psi^((2r + 1) n/2m).
/// kInverse: back, from where the forward kernel writes to where it reads.
template <class Arith, unsigned kLogRadix, bool kInverse = false>
struct Kim20Stockham : Kim20OnePhase<Arith> {
  using typename Kim20OnePhase<Arith>::State;
  using Args = Kim20Args<Arith>;

  struct Source {
    const typename Arith::Word* table;
    std::uint32_t m, group;

    template <unsigned kStage>
    NTTF_HD typename Arith::Twiddle twiddle(unsigned j) const {
      return Arith::load(table, (m << kStage) + group + m * kim20_reversed(j, kStage));
    }
    template <unsigned kStage>
    NTTF_HD void before(unsigned, typename Arith::Value&) const {}
  };

  static unsigned blocks(const Args& args) { return Kim20Radix<Arith, kLogRadix>::blocks(args); }
  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State&, Shared&) {
    const std::uint32_t id = at.cluster * 256 + at.thread, per_polynomial = args.log_n - kLogRadix;
    const std::uint32_t polynomial = id >> per_polynomial, i = id & ((1u << per_polynomial) - 1);
    if (polynomial >= args.polynomials) return;
    const auto& limb = args.limbs[polynomial % args.limb_count];
    const auto c = Arith::constants(limb);
    const std::size_t first = std::size_t{polynomial} << args.log_n;
    const std::uint32_t m = 1u << args.first_stage, group = i & (m - 1);
    const std::size_t base =
        first + (std::size_t{i >> args.first_stage} << (args.first_stage + kLogRadix)) + group;
    const auto coefficient = [&](unsigned k) { return first + i + (std::size_t{k} << per_polynomial); };
    const auto value = [&](unsigned k) { return base + std::size_t{m} * kim20_reversed(k, kLogRadix); };
    typename Arith::Value r[1u << kLogRadix];
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < 1u << kLogRadix; ++k)
      r[k] = Arith::from_word(args.in[kInverse ? value(k) : coefficient(k)], c);
    kim20_run_stages<Arith, kLogRadix, kInverse>(r, limb, c, Source{kim20_table_of<kInverse>(limb), m, group},
                                                 args.first_stage == 0);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < 1u << kLogRadix; ++k)
      args.out[kInverse ? coefficient(k) : value(k)] = Arith::to_word(r[k], c);
  }
};

}  // namespace nttforge::cuda
