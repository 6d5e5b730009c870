// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the programs that measure other GPU libraries share: the grid, the moduli, roots and right words of a
// cell as ours, buffers, timing and the rows they write. Each program calls one library's public API and
// nothing else of it. Only for files that nvcc compiles.

#include <cstdio>
#include <span>

#include "bench/gpu_measure.hpp"
#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

namespace nttforge::bench {

/// A cell as its library gets it, and what must come out.
template <class Word>
struct GpuPeerCell {
  GpuCell cell;
  NttSpec spec;
  std::vector<Word> input, output;

  explicit GpuPeerCell(const GpuCell& of) : cell(of) {
    const std::size_t n = std::size_t{1} << cell.log_n;
    spec = validated({.n = n, .moduli = ntt_primes(n, cell.bits, cell.limbs), .word_bits = 8 * sizeof(Word)});
    input.resize(n * cell.limbs);
    output.resize(input.size());
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < input.size(); ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      input[i] = static_cast<Word>((state >> 1) % spec.moduli[i / n]);
    }
    NttPlan(spec).forward(std::span<const Word>(input), std::span<Word>(output));
  }
  /// Limb by limb psi (or its inverse) to the power bitrev(i), i < n.
  std::vector<Word> powers(bool inverse) const {
    std::vector<Word> table(input.size());
    parallel_for(cell.limbs, [&](std::size_t limb) {
      const std::uint64_t q = spec.moduli[limb], psi = spec.roots[limb];
      const auto w = tree_twiddles(Ring::negacyclic, cell.log_n, q, inverse ? invert(psi, q) : psi);
      for (std::size_t i = 1; i < spec.n; ++i) table[limb * spec.n + i] = static_cast<Word>(w.data()[i]);
      table[limb * spec.n] = 1;
    });
    return table;
  }
  static std::uint64_t invert(std::uint64_t x, std::uint64_t q) { return Modulus(q).inverse(x); }
};

/// Checks and times one cell. forward and inverse (Word* data) enqueue a transform in place on
/// clock.stream().
template <class Word, class Forward, class Inverse>
void measure_gpu_peer(Report& report, GpuClock& clock, const GpuPeerCell<Word>& peer, const char* library,
                      const Forward& forward, const Inverse& inverse) {
  const std::size_t words = peer.input.size();
  const OnDevice<Word> data(words * kRotatedBuffers);
  for (unsigned i = 0; i < kRotatedBuffers; ++i) data.set(peer.input.data(), words, i * words);
  const auto words_after = [&](const auto& transform) {
    transform(data.data());
    require(cudaStreamSynchronize(clock.stream()), "a transform");
    return data.get(words);
  };
  // Some libraries have their own order of the values, all must undo what they did.
  const bool same = words_after(forward) == peer.output;
  if (words_after(inverse) != peer.input) {
    throw Error(std::string(library) + ": inverse(forward(x)) != x at n = " + std::to_string(peer.spec.n) +
                ", " + std::to_string(peer.cell.limbs) + " limbs: not timed");
  }
  for (const bool backwards : {false, true}) {
    const auto body = [&](unsigned i) {
      Word* buffer = data.data() + i * words;
      backwards ? inverse(buffer) : forward(buffer);
    };
    Timing warm, cold;
    clock.time_both(body, warm, cold);
    Json row = gpu_row("gpu_transform", peer.cell, backwards ? "inverse" : "forward");
    row.set("word_bits", 8 * sizeof(Word));
    row.set("recipe", Json::object());
    row.set("same_words_as_ours", same);
    add_gpu_row(report, row, warm, cold);
    std::printf("%s: 2^%u x %-2u %u-bit %s %8.2f us, cold %8.2f%s\n", library, peer.cell.log_n,
                peer.cell.limbs, peer.cell.bits, backwards ? "inverse" : "forward", warm.median_ns / 1e3,
                cold.median_ns / 1e3, same ? "" : ", words of its own");
  }
  std::fflush(stdout);
}

/// main() of a peer's program: run(options, report) measures.
template <class Run>
int gpu_peer_main(const char* program, const char* library, const char* version, int count, char** arguments,
                  const Run& run) {
  return guarded_main(program, [&] {
    GpuOptions options;
    parse_options(count, arguments, options.options());
    Report report(library, version, NTTF_PEER_BUILD);
    describe_gpu(report);
    run(options, report);
    report.write(options.json);
  });
}

}  // namespace nttforge::bench
