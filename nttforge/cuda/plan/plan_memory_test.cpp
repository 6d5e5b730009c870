// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_interrupt.hpp"
#include "nttforge/cuda/memory.hpp"
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

NTTF_TEST("cuda plan: plans of a device share the tables of their limbs, which go with the last of them") {
  if (!cuda::host_in_this_build()) return;
  const std::vector<std::uint64_t> primes = ntt_primes(1 << 12, 50, 3);
  const auto used = [] { return cuda::pool_info(cuda::kHost).used_bytes; };
  const std::size_t before = used();
  {
    const cuda::CudaNttPlan all({1 << 12, primes}, cuda::kHost);
    const std::size_t of_all = used() - before;
    NTTF_CHECK(of_all >= all.table_bytes());
    const cuda::CudaNttPlan some({1 << 12, {primes[2], primes[0], primes[2]}}, cuda::kHost);
    NTTF_CHECK(used() - before - of_all < some.table_bytes() / 8);
    NTTF_CHECK_EQ(some.table_bytes(), all.table_bytes());
    const cuda::CudaNttPlan scaled({1 << 12, primes}, cuda::kHost, {.inverse_factors = {2, 1, 1}});
    NTTF_CHECK(used() - before - of_all > all.table_bytes() / 4);  // one limb has other tables
    const cuda::CudaNttPlan elsewhere({1 << 12, primes}, cuda::kHost2);
    NTTF_CHECK(cuda::pool_info(cuda::kHost2).used_bytes >= elsewhere.table_bytes());
  }
  NTTF_CHECK_EQ(used(), before);
}
