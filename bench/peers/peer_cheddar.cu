// SPDX-License-Identifier: Apache-2.0
// Cheddar, its transforms in place, n = 2^12 ... 2^16. It finds its roots itself; its values are in
// Montgomery form after the inverse or before the forward transform, as its callers want, and are left as
// they are here. To be compiled with one default stream a thread. Its library keeps n and the moduli of the
// first cell in constant memory that these kernels do not read. It looks for roots by trial division, minutes
// for a modulus of 60 bits: those cells are measured only if they are asked for (--bits 60).

#include <core/NTT.h>

#include "bench/peers/gpu_peer.hpp"

using namespace nttforge;

namespace {

template <class Word>
void measure(const bench::GpuCell& cell, bench::Report& report, bench::GpuClock& clock) {
  const bench::GpuPeerCell<Word> peer(cell);
  const auto extra = ntt_primes(peer.spec.n, cell.bits - 1, 1);
  std::vector<Word> moduli;
  for (const std::uint64_t q : peer.spec.moduli) moduli.push_back(static_cast<Word>(q));
  const int limbs = static_cast<int>(cell.limbs);
  std::vector<std::pair<int, int>> levels = {{1, 0}};
  if (limbs > 1) levels.emplace_back(limbs, 0);
  const cheddar::Parameter<Word> parameter(static_cast<int>(cell.log_n), 1.0, 0, levels, moduli,
                                           {static_cast<Word>(extra[0])});
  const cheddar::NTTHandler<Word> handler(parameter);
  const cheddar::NPInfo all(limbs, 0, 0);
  const int words = static_cast<int>(peer.input.size());
  const auto transform = [&](Word* x, bool inverse) {
    cheddar::DvView<Word> to(x, words);
    const cheddar::DvConstView<Word> from(x, words);
    if (inverse) {
      handler.INTT(to, all, from, false);
    } else {
      handler.NTT(to, all, from, false);
    }
  };
  bench::measure_gpu_peer<Word>(
      report, clock, peer, "Cheddar", [&](Word* x) { transform(x, false); },
      [&](Word* x) { transform(x, true); });
}

}  // namespace

int main(int count, char** arguments) {
  return bench::gpu_peer_main("peer_cheddar", "cheddar", NTTF_PEER_VERSION, count, arguments,
                              [](const bench::GpuOptions& options, bench::Report& report) {
                                bench::GpuClock clock(options.runs, cudaStreamPerThread);
                                for (const bench::GpuCell& cell : options.cells()) {
                                  if (cell.log_n > 16 || (cell.bits >= 32 && options.bits == 0)) continue;
                                  if (cell.bits < 32) {
                                    measure<std::uint32_t>(cell, report, clock);
                                  } else {
                                    measure<std::uint64_t>(cell, report, clock);
                                  }
                                }
                              });
}
