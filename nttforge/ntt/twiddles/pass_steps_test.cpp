// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/twiddles/pass_steps.hpp"

#include <cstdint>

#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("passes merge radix_log stages, the first what is left over") {
  for (unsigned radix_log = 1; radix_log <= 3; ++radix_log) {
    for (unsigned end = 1; end <= 20; ++end) {
      const PassSteps steps{end, 6, radix_log, 0};
      NTTF_CHECK_EQ(steps.step(0), end % radix_log == 0 ? radix_log : end % radix_log);
      unsigned at = 0;
      while (at < end) {
        const unsigned step = steps.step(at);
        NTTF_CHECK(at == 0 || step == radix_log);
        at += step;
        NTTF_CHECK_EQ(steps.step_back(at), step);
      }
      NTTF_CHECK_EQ(at, end);
    }
  }
}

NTTF_TEST("long passes: three stages above the block and where an odd number is left, never one") {
  const auto plan = [](unsigned log_n) {
    const PassSteps steps{log_n - 6, 6, 2, 12};
    std::uint64_t digits = 0;
    for (unsigned at = 0; at < steps.end;) {
      const unsigned step = steps.step(at);
      digits = 10 * digits + step;
      at += step;
      NTTF_CHECK_EQ(steps.step_back(at), step);
      NTTF_CHECK(at <= steps.end);
    }
    return digits;
  };
  const std::uint64_t plans[] = {1, 2, 3, 22, 32, 222, 322, 332, 3222, 3322, 3332, 33222, 33322};
  for (unsigned log_n = 7; log_n < 20; ++log_n) NTTF_CHECK_EQ(plan(log_n), plans[log_n - 7]);
}
