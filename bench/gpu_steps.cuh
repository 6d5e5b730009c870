// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steps between RNS bases with transforms: in the transform's own pass, and in a kernel of their own. Only
// for files that nvcc compiles.

#include <algorithm>
#include <cstdio>
#include <vector>

#include "bench/gpu_measure.hpp"
#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/cuda/rns_steps.hpp"

namespace nttforge::bench {

/// Primes of a cell; 64 bits: the Goldilocks prime.
inline std::vector<std::uint64_t> moduli_of(const GpuCell& cell) {
  if (cell.bits == 64) return std::vector<std::uint64_t>(cell.limbs, kGoldilocks);
  return ntt_primes(std::size_t{1} << cell.log_n, cell.bits, cell.limbs);
}

template <class Word>
void measure_step(const GpuCell& cell, const cuda::CudaNttPlan& plan, const RnsStep& step, GpuClock& clock,
                  Report& report) {
  using Fusion = cuda::CudaRnsStep::Fusion;
  const bool inverse = !step.own.empty();
  const char* const direction = inverse ? "inverse" : "forward";
  const std::size_t words = std::size_t{cell.limbs} << cell.log_n, n = std::size_t{1} << cell.log_n;
  std::vector<Word> values(words), sources(step.sources.size() * n);
  const std::uint64_t least = *std::min_element(plan.spec().moduli.begin(), plan.spec().moduli.end());
  for (std::size_t i = 0; i < words; ++i) values[i] = static_cast<Word>(i * 2654435761u % least);
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = static_cast<Word>(i * 40503u % least);
  const OnDevice<Word> x(values), y(sources), out(words * kRotatedBuffers);
  std::vector<Word> results[2];
  for (const Fusion fusion : {Fusion::composed, Fusion::fused}) {
    const cuda::CudaRnsStep made(plan.spec(), step, 0, fusion);
    const std::span<const Word> in(x.data(), inverse ? words : 0), from(y.data(), sources.size());
    const auto enqueue = [&](unsigned buffer) {
      const std::span<Word> to(out.data() + buffer * words, words);
      inverse ? plan.inverse_converted(made, in, from, to, clock.stream())
              : plan.forward_converted(made, in, from, to, clock.stream());
    };
    Timing warm, cold;
    try {
      clock.time_both(enqueue, warm, cold);
    } catch (const UnsupportedError& error) {
      std::printf("%s\n", error.what());
      continue;
    }
    results[fusion == Fusion::fused] = out.get(words);
    Json row = gpu_row("gpu_step", cell, direction);
    row.set("sources", step.sources.size());
    row.set("corrected", step.modulus != 0);
    row.set("fused", fusion == Fusion::fused);
    add_gpu_row(report, row, warm, cold);
    std::printf("2^%u x %-2u %u-bit, %2zu sources%s, %s %s %8.2f us, cold %8.2f\n", cell.log_n, cell.limbs,
                cell.bits, step.sources.size(), step.modulus != 0 ? ", corrected" : "", direction,
                fusion == Fusion::fused ? "fused   " : "composed", warm.median_ns / 1e3,
                cold.median_ns / 1e3);
  }
  if (!results[1].empty() && results[0] != results[1]) throw Error("fused and composed steps differ");
  std::fflush(stdout);
}

/// Base conversions of some sources, with a correction and without, with the transform after it, and the drop
/// of a prime with the inverse before it: in one pass, and one after the other. Words are compared.
template <class Word>
void measure_steps(const GpuCell& cell, GpuClock& clock, Report& report) {
  const std::size_t n = std::size_t{1} << cell.log_n;
  const NttSpec spec = validated({.n = n, .moduli = moduli_of(cell), .word_bits = 8 * sizeof(Word)});
  const cuda::CudaNttPlan plan(spec);
  for (const unsigned sources : {1u, 2u, 4u, 8u, 21u}) {
    const std::uint64_t least = *std::min_element(spec.moduli.begin(), spec.moduli.end());
    RnsStep step{.sources = std::vector<std::uint64_t>(sources, least), .targets = spec.moduli};
    step.modulus = std::uint64_t{1} << 32;
    for (unsigned i = 0; i < sources; ++i) step.weights.push_back(2654435761u * (i + 1) >> 1);
    for (const std::uint64_t q : spec.moduli) {
      for (unsigned i = 0; i < sources; ++i) step.factors.push_back(q / (i + 2));
      step.excess.push_back(q / 3);
    }
    measure_step<Word>(cell, plan, step, clock, report);
    RnsStep plain{.sources = step.sources, .targets = step.targets, .factors = step.factors};
    measure_step<Word>(cell, plan, plain, clock, report);
    if (sources != 1) continue;
    RnsStep drop = step;
    drop.own = std::move(drop.factors);
    drop.factors.clear();
    measure_step<Word>(cell, plan, drop, clock, report);
  }
}

}  // namespace nttforge::bench
