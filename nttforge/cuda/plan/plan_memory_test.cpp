// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_interrupt.hpp"
#include "nttforge/cuda/plan.hpp"

using namespace nttforge;
using namespace nttforge::testing;

NTTF_TEST("cuda plan: tables that no memory holds are refused before roots are searched") {
  const std::uint64_t q = ntt_primes(kMaxTransformSize, 50, 1).front();
  const NttSpec spec{kMaxTransformSize, std::vector<std::uint64_t>(8192, q)};  // 35 TB at least
  const CountedPolls polls;                                                    // the search for roots polls
  NTTF_CHECK_THROWS(cuda::CudaNttPlan(spec, cuda::kHost), UnsupportedError,
                    "the tables of n = 268435456 and 8192 moduli need at least 35184372088832 bytes");
  NTTF_CHECK_EQ(polls.count(), 0u);
}

NTTF_TEST("cuda plan: making tables can be interrupted") {
  const NttSpec spec{1 << 16, ntt_primes(1 << 16, 50, 2)};
  NTTF_CHECK(ends_at_a_poll([&] { const cuda::CudaNttPlan plan(spec, cuda::kHost); }, 10));
}
