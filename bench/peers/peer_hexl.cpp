// SPDX-License-Identifier: Apache-2.0
// Intel HEXL: negacyclic, in place, [0, q) -> [0, q). Its output must be ours, word for word.

#include <hexl/hexl.hpp>

#include "bench/peers/peer.hpp"
#include "nttforge/base/memory/aligned_buffer.hpp"
#include "nttforge/base/target.hpp"
#include "nttforge/ntt/plan.hpp"

using namespace nttforge;

namespace {

/// What HEXL takes on this CPU, if its library was built with AVX-512; it has no AVX2 code.
std::string target_of(unsigned bits) {
  const Target wanted = bits <= 50 ? Target::avx512_ifma : Target::avx512;
  const auto here = available_targets();
  const bool vectors = NTTF_PEER_AVX512 != 0 && std::find(here.begin(), here.end(), wanted) != here.end();
  return vectors ? std::string(target_name(wanted)) : "scalar";
}

void run(const bench::PeerOptions& options) {
  bench::PeerReport report("hexl", "1.2.6");
  for (const unsigned bits : {50u, 60u, 30u}) {
    for (unsigned log_n = options.min_log_n; log_n <= options.max_log_n; ++log_n) {
      const std::size_t n = std::size_t{1} << log_n;
      const std::uint64_t q = ntt_primes(n, bits, 1)[0];
      intel::hexl::NTT ntt(n, q);
      const auto input = bench::random_residues(n, q, 1);
      AlignedBuffer<std::uint64_t> x(n);
      std::copy(input.begin(), input.end(), x.data());
      auto ours = input;
      const NttPlan plan(NttSpec{n, {q}});
      plan.forward(ours, ours);
      ntt.ComputeForward(x.data(), x.data(), 1, 1);
      const bool right = std::equal(ours.begin(), ours.end(), x.data());
      ntt.ComputeInverse(x.data(), x.data(), 1, 1);
      if (!right || !std::equal(input.begin(), input.end(), x.data())) {
        throw Error("HEXL and nttforge differ at n = " + std::to_string(n) + ": not timed");
      }
      const auto forward = options.repetition.time([&] { ntt.ComputeForward(x.data(), x.data(), 1, 1); });
      report.transform(bits, q, n, "negacyclic", target_of(bits), "forward", forward);
      const auto inverse = options.repetition.time([&] { ntt.ComputeInverse(x.data(), x.data(), 1, 1); });
      report.transform(bits, q, n, "negacyclic", target_of(bits), "inverse", inverse);
    }
  }
  report.write(options.json);
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("peer_hexl", [&] {
    bench::PeerOptions options;
    options.parse(count, arguments);
    run(options);
  });
}
