// SPDX-License-Identifier: Apache-2.0
// troy-nova, its transform in place, 64-bit words. It finds the smallest roots itself: its words must be
// ours. To be compiled with its own stream setting: one default stream a thread.

#include <troy/utils/ntt.h>

#include "bench/peers/gpu_peer.hpp"

using namespace nttforge;

namespace {

using Word = std::uint64_t;

void measure(const bench::GpuCell& cell, bench::Report& report, bench::GpuClock& clock) {
  using namespace troy::utils;
  const bench::GpuPeerCell<Word> peer(cell);
  Array<NTTTables> tables(cell.limbs, false, nullptr);
  bench::parallel_for(cell.limbs, [&](std::size_t limb) {
    tables[limb] = NTTTables(cell.log_n, troy::Modulus(peer.spec.moduli[limb]));
  });
  const auto pool = MemoryPool::GlobalPool();
  for (std::size_t limb = 0; limb < cell.limbs; ++limb) tables[limb].to_device_inplace(pool);
  tables.to_device_inplace(pool);
  const auto slice = [&](Word* x) { return Slice<Word>(x, peer.input.size(), true, pool.get()); };
  const ConstSlice<NTTTables> all = tables.const_reference();
  bench::measure_gpu_peer<Word>(
      report, clock, peer, "troy-nova", [&](Word* x) { ntt_inplace_p(slice(x), peer.spec.n, all); },
      [&](Word* x) { intt_inplace_p(slice(x), peer.spec.n, all); });
}

}  // namespace

int main(int count, char** arguments) {
  return bench::gpu_peer_main("peer_troy", "troy-nova", NTTF_PEER_VERSION, count, arguments,
                              [](const bench::GpuOptions& options, bench::Report& report) {
                                bench::GpuClock clock(options.runs, cudaStreamPerThread);
                                for (const bench::GpuCell& cell : options.cells()) {
                                  if (cell.bits > 32) measure(cell, report, clock);
                                }
                              });
}
