// SPDX-License-Identifier: Apache-2.0
// The host's run of kernels must notice what a GPU would not forgive: kernels that are wrong on purpose.
#include <cstdint>
#include <vector>

#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/block/host.hpp"

namespace nttforge::cuda {
namespace {

struct Fault {
  Barrier middle = Barrier::block, last = Barrier::none;  ///< after the phases
  unsigned distance = 1;  ///< whose word a thread reads after the barrier: that many threads on
  unsigned rank = 0;      ///< and of which block: that many on
  bool skips_a_store = false, stores_outside = false, overwrites = false;
  bool fetches = false, reads_fetched_early = false, fetches_too_little = false;
  bool together = false;
};

/// Each thread stores its number, then takes a neighbour's: two phases, one barrier.
template <Fault kFault, unsigned kThreadsOf = 64, unsigned kLogClusterOf = 0>
struct Neighbour {
  using Word = std::uint32_t;
  using Value = Word;
  struct Args {
    Word* out;
  };
  struct State {};
  static constexpr unsigned kThreads = kThreadsOf, kLogCluster = kLogClusterOf, kSharedWords = kThreads;
  static constexpr unsigned kPhases = 2;
  static constexpr std::uint32_t kFetchedBytes = kFault.fetches ? 8 : 0;
  static constexpr bool kWaitsForCluster = kFault.together;
  static constexpr Barrier barrier_after(unsigned phase) { return phase == 0 ? kFault.middle : kFault.last; }

  template <unsigned kPhase, class Shared>
  static void phase(const Place& at, const Args& args, State&, Shared& shared) {
    const unsigned blocks = 1u << kLogCluster, me = at.thread;
    const unsigned other = (me + kFault.distance) % kThreads;
    if (kPhase == 0) {
      static constexpr Word kConstants[] = {7, 8};
      if (kFault.fetches && me == 0) {
        shared.template fetch<Word>(0, kConstants);
        if (!kFault.fetches_too_little) shared.template fetch<Word>(1, kConstants + 1);
      }
      if (kFault.reads_fetched_early) shared.template fetched<Word>(0);
      if (kFault.skips_a_store && me == 5) return;
      shared.store(me + (kFault.stores_outside ? 1 : 0), at.rank * 1000 + me);
    } else {
      if (kFault.overwrites) shared.store(me, 0);
      args.out[(at.cluster * blocks + at.rank) * kThreads + me] =
          shared.load_from((at.rank + kFault.rank) % blocks, other) +
          (kFault.fetches ? shared.template fetched<Word>(1) : 0);
    }
  }
};

template <class Kernel>
std::vector<std::uint32_t> run(unsigned clusters = 2) {
  std::vector<std::uint32_t> out(std::size_t{clusters} * Kernel::kThreads << Kernel::kLogCluster);
  run_on_host<Kernel>({out.data()}, clusters);
  return out;
}

NTTF_TEST("kernels run on the host, block by block") {
  const auto plain = run<Neighbour<Fault{}>>();
  NTTF_CHECK(plain.size() == 128 && plain[0] == 1 && plain[63] == 0 && plain[64] == 1);
  // Within a warp its own barrier is enough.
  NTTF_CHECK_EQ((run<Neighbour<Fault{.middle = Barrier::warp}, 32>>()[3]), 4u);
  NTTF_CHECK_EQ((run<Neighbour<Fault{.fetches = true}>>()[3]), 12u);
  using Remote = Neighbour<Fault{.middle = Barrier::cluster, .last = Barrier::cluster, .rank = 1}, 64, 1>;
  NTTF_CHECK_EQ(run<Remote>()[3], 1004u);
}

NTTF_TEST("kernels that race or misuse shared memory are found out") {
  NTTF_CHECK_THROWS(run<Neighbour<Fault{.middle = Barrier::none}>>(), BlockError, "race for word");
  NTTF_CHECK_THROWS(run<Neighbour<Fault{.middle = Barrier::warp}>>(), BlockError, "race for word");
  NTTF_CHECK_THROWS(run<Neighbour<Fault{.overwrites = true}>>(), BlockError, "race for word");
  NTTF_CHECK_THROWS(run<Neighbour<Fault{.skips_a_store = true}>>(), BlockError, "never written");
  NTTF_CHECK_THROWS(run<Neighbour<Fault{.stores_outside = true}>>(), BlockError, "word 64 of 64");
  NTTF_CHECK_THROWS((run<Neighbour<Fault{.fetches = true, .reads_fetched_early = true}>>()), BlockError,
                    "before a barrier");
  NTTF_CHECK_THROWS((run<Neighbour<Fault{.fetches = true, .fetches_too_little = true}>>()), BlockError,
                    "never fetched");
}

NTTF_TEST("clusters: barriers of all blocks, and blocks that begin late or end early") {
  using NoWait = Neighbour<Fault{.middle = Barrier::block, .last = Barrier::cluster, .rank = 1}, 64, 1>;
  NTTF_CHECK_THROWS(run<NoWait>(), BlockError, "may not have begun");
  using Races =
      Neighbour<Fault{.middle = Barrier::block, .last = Barrier::cluster, .rank = 1, .together = true}, 64,
                1>;
  NTTF_CHECK_THROWS(run<Races>(), BlockError, "race for word");
  using EndsEarly = Neighbour<Fault{.middle = Barrier::cluster, .rank = 1}, 64, 1>;
  NTTF_CHECK_THROWS(run<EndsEarly>(), BlockError, "may have ended");
}

}  // namespace
}  // namespace nttforge::cuda
