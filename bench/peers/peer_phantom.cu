// SPDX-License-Identifier: Apache-2.0
// Phantom, its two-kernel radix-8 transform in place, 64-bit words. Given our roots, its words must be ours.

#include <ntt.cuh>

#include "bench/peers/gpu_peer.hpp"
#include "nttforge/arith/shoup.hpp"

using namespace nttforge;

namespace {

using Word = std::uint64_t;

std::vector<Word> quotients(const std::vector<Word>& values, const NttSpec& spec) {
  std::vector<Word> out(values.size());
  bench::parallel_for(spec.moduli.size(), [&](std::size_t limb) {
    for (std::size_t i = limb * spec.n; i < (limb + 1) * spec.n; ++i) {
      out[i] = shoup_quotient(values[i], spec.moduli[limb]);
    }
  });
  return out;
}

void measure(const bench::GpuCell& cell, bench::Report& report, bench::GpuClock& clock) {
  const bench::GpuPeerCell<Word> peer(cell);
  const std::size_t n = peer.spec.n, limbs = cell.limbs;
  auto forward = peer.powers(false), inverse = peer.powers(true);
  std::vector<DModulus> moduli;
  std::vector<Word> scale, scale_quotient;
  for (std::size_t limb = 0; limb < limbs; ++limb) {
    const Word q = peer.spec.moduli[limb];
    const u128 ratio = ~u128{0} / q;  // floor(2^128 / q): q is odd
    moduli.emplace_back(q, static_cast<Word>(ratio), static_cast<Word>(ratio >> 64));
    scale.push_back(peer.invert(n, q));
    scale_quotient.push_back(shoup_quotient(scale.back(), q));
    // Phantom's own context, too, puts the factor 1/n into the last stage's twiddle.
    inverse[limb * n + 1] = static_cast<Word>(static_cast<u128>(inverse[limb * n + 1]) * scale.back() % q);
  }
  const auto stream = clock.stream();
  const auto fq = quotients(forward, peer.spec), iq = quotients(inverse, peer.spec);
  DNTTTable tables;
  tables.init(n, limbs, stream);
  for (std::size_t i = 0; i < limbs; ++i) {
    tables.set(&moduli[i], &forward[i * n], &fq[i * n], &inverse[i * n], &iq[i * n], scale[i],
               scale_quotient[i], i, stream);
  }
  bench::measure_gpu_peer<Word>(
      report, clock, peer, "Phantom",
      [&](Word* x) { nwt_2d_radix8_forward_inplace(x, tables, limbs, 0, stream); },
      [&](Word* x) { nwt_2d_radix8_backward_inplace(x, tables, limbs, 0, stream); });
}

}  // namespace

int main(int count, char** arguments) {
  return bench::gpu_peer_main("peer_phantom", "phantom", NTTF_PEER_VERSION, count, arguments,
                              [](const bench::GpuOptions& options, bench::Report& report) {
                                bench::GpuClock clock(options.runs);
                                for (const bench::GpuCell& cell : options.cells()) {
                                  if (cell.bits > 32) measure(cell, report, clock);
                                }
                              });
}
