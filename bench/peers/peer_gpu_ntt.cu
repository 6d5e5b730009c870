// SPDX-License-Identifier: Apache-2.0
// GPU-NTT, its merged transform of several moduli in place. Given our roots, its words must be ours.

#include <gpuntt/ntt_merge/ntt.cuh>

#include "bench/peers/gpu_peer.hpp"

using namespace nttforge;

namespace {

template <class Word>
void measure(const bench::GpuCell& cell, bench::Report& report, bench::GpuClock& clock) {
  const bench::GpuPeerCell<Word> peer(cell);
  std::vector<::Modulus<Word>> moduli;
  std::vector<Word> scale;
  for (const std::uint64_t q : peer.spec.moduli) {
    moduli.emplace_back(static_cast<Word>(q));
    scale.push_back(static_cast<Word>(peer.invert(peer.spec.n, q)));
  }
  const bench::OnDevice<::Modulus<Word>> device_moduli(moduli);
  const bench::OnDevice<Word> forward_table(peer.powers(false)), inverse_table(peer.powers(true)),
      device_scale(scale);
  gpuntt::ntt_rns_configuration<Word> forward{};
  forward.n_power = static_cast<int>(cell.log_n);
  forward.ntt_type = gpuntt::FORWARD;
  forward.ntt_layout = gpuntt::PerPolynomial;
  forward.reduction_poly = gpuntt::X_N_plus;
  forward.stream = clock.stream();
  auto inverse = forward;
  inverse.ntt_type = gpuntt::INVERSE;
  inverse.mod_inverse = device_scale.data();
  const int limbs = static_cast<int>(cell.limbs);
  bench::measure_gpu_peer<Word>(
      report, clock, peer, "GPU-NTT",
      [&](Word* x) {
        gpuntt::GPU_NTT_Inplace(x, forward_table.data(), device_moduli.data(), forward, limbs, limbs);
      },
      [&](Word* x) {
        gpuntt::GPU_INTT_Inplace(x, inverse_table.data(), device_moduli.data(), inverse, limbs, limbs);
      });
}

}  // namespace

int main(int count, char** arguments) {
  return bench::gpu_peer_main("peer_gpu_ntt", "gpu-ntt", NTTF_PEER_VERSION, count, arguments,
                              [](const bench::GpuOptions& options, bench::Report& report) {
                                bench::GpuClock clock(options.runs);
                                for (const bench::GpuCell& cell : options.cells()) {
                                  if (cell.bits < 32) {
                                    measure<std::uint32_t>(cell, report, clock);
                                  } else {
                                    measure<std::uint64_t>(cell, report, clock);
                                  }
                                }
                              });
}
