// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/threads/cpu_count.hpp"

#include <sched.h>

#include <cstdlib>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("CPU quota of a control group") {
  NTTF_CHECK_EQ(quota_cpus("max 100000\n"), 0u);
  NTTF_CHECK_EQ(quota_cpus("200000 100000\n"), 2u);
  NTTF_CHECK_EQ(quota_cpus("150000 100000"), 2u);
  NTTF_CHECK_EQ(quota_cpus("1000 100000"), 1u);
  NTTF_CHECK_EQ(quota_cpus("-1\n 100000\n"), 0u);
  NTTF_CHECK_EQ(quota_cpus(""), 0u);
  NTTF_CHECK_EQ(quota_cpus("100000 0"), 0u);
  NTTF_CHECK_EQ(quota_cpus("100000"), 0u);
  NTTF_CHECK_EQ(quota_cpus("9000000000000000000 1"), 1024u);
}

NTTF_TEST("usable CPUs follow the affinity mask") {
  cpu_set_t before, one;
  NTTF_CHECK_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  NTTF_CHECK(usable_cpus() >= 1 && usable_cpus() <= static_cast<unsigned>(CPU_COUNT(&before)));
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &before) && CPU_COUNT(&one) == 0) CPU_SET(cpu, &one);
  }
  NTTF_CHECK_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  NTTF_CHECK_EQ(usable_cpus(), 1u);
  NTTF_CHECK_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

NTTF_TEST("NTTFORGE_THREADS says what threads = 0 means") {
  const char* old = std::getenv("NTTFORGE_THREADS");
  const std::string kept = old == nullptr ? "" : old;
  setenv("NTTFORGE_THREADS", "7", 1);
  NTTF_CHECK_EQ(default_threads(), 7u);
  for (const char* bad : {"0", "1025", "-1", "2x", "two", " 2"}) {
    setenv("NTTFORGE_THREADS", bad, 1);
    NTTF_CHECK_THROWS(default_threads(), ParameterError, "NTTFORGE_THREADS = '" + std::string(bad));
  }
  setenv("NTTFORGE_THREADS", "", 1);
  NTTF_CHECK_EQ(default_threads(), usable_cpus());
  unsetenv("NTTFORGE_THREADS");
  NTTF_CHECK_EQ(default_threads(), usable_cpus());
  if (old != nullptr) setenv("NTTFORGE_THREADS", kept.c_str(), 1);
}
