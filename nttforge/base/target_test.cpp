// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/target.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

namespace {

/// Sets NTTFORGE_TARGET and puts the old value back.
class ForcedTarget {
 public:
  explicit ForcedTarget(const char* value) {
    if (const char* old = std::getenv("NTTFORGE_TARGET")) {
      old_ = old;
      had_ = true;
    }
    if (value != nullptr) {
      setenv("NTTFORGE_TARGET", value, 1);
    } else {
      unsetenv("NTTFORGE_TARGET");
    }
  }
  ~ForcedTarget() {
    if (had_) {
      setenv("NTTFORGE_TARGET", old_.c_str(), 1);
    } else {
      unsetenv("NTTFORGE_TARGET");
    }
  }
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;

 private:
  std::string old_;
  bool had_ = false;
};

}  // namespace

NTTF_TEST("target: names parse back, unknown ones list what there is") {
  for (const Target target : kAllTargets) NTTF_CHECK(parse_target(target_name(target)) == target);
  NTTF_CHECK_THROWS(parse_target("sse2"), ParameterError,
                    "target = 'sse2' is unknown; use one of scalar, avx2, avx512, avx512_ifma");
  NTTF_CHECK_THROWS(parse_target(""), ParameterError, "unknown");
}

NTTF_TEST("target: scalar runs everywhere, and each target includes the one below it") {
  const auto available = available_targets();
  NTTF_CHECK(available.front() == Target::scalar);
  bool below = true;
  for (const Target target : kAllTargets) {
    const bool here = std::find(available.begin(), available.end(), target) != available.end();
    NTTF_CHECK_EQ(here, target_available(target));
    NTTF_CHECK(!here || below);
    below = here;
    if (here) {
      require_target(target);
    } else {
      NTTF_CHECK_THROWS(require_target(target), UnsupportedError,
                        "target = " + std::string(target_name(target)));
    }
  }
}

#if defined(__x86_64__)
NTTF_TEST("target: what the compiler's run-time check sees") {
  // __builtin_cpu_supports looks at the operating system's register support as well; an independent opinion.
  NTTF_CHECK_EQ(target_available(Target::avx2), __builtin_cpu_supports("avx2") != 0 &&
                                                    __builtin_cpu_supports("fma") != 0 &&
                                                    __builtin_cpu_supports("bmi2") != 0);
  const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  NTTF_CHECK_EQ(target_available(Target::avx512), avx512 && target_available(Target::avx2));
  NTTF_CHECK_EQ(target_available(Target::avx512_ifma),
                target_available(Target::avx512) && __builtin_cpu_supports("avx512ifma") != 0);
}
#endif

NTTF_TEST("target: the environment forces one, on each call anew") {
  {
    const ForcedTarget forced(nullptr);
    NTTF_CHECK(active_target() == available_targets().back());
  }
  for (const Target target : available_targets()) {
    const ForcedTarget forced(std::string(target_name(target)).c_str());
    NTTF_CHECK(active_target() == target);
  }
  {
    const ForcedTarget forced("");
    NTTF_CHECK(active_target() == available_targets().back());
  }
  {
    const ForcedTarget forced("neon");
    NTTF_CHECK_THROWS(active_target(), ParameterError, "NTTFORGE_TARGET: target = 'neon' is unknown");
  }
  for (const Target target : kAllTargets) {
    if (target_available(target)) continue;
    const ForcedTarget forced(std::string(target_name(target)).c_str());
    NTTF_CHECK_THROWS(active_target(), UnsupportedError, "NTTFORGE_TARGET: target = ");
  }
}

NTTF_TEST("target: a number that is no target") {
  for (const int number : {4, 99, -1}) {
    const auto target = static_cast<Target>(number);
    NTTF_CHECK_THROWS(target_name(target), ParameterError, "is unknown");
    NTTF_CHECK_THROWS(require_target(target), ParameterError, "is unknown");
  }
}

NTTF_TEST("target: the CPU has a name") {
  const CpuDescription cpu = describe_cpu();
  NTTF_CHECK(!cpu.brand.empty());
  NTTF_CHECK(cpu.hardware_threads >= 1);
  const bool lists_avx2 = std::find(cpu.features.begin(), cpu.features.end(), "avx2") != cpu.features.end();
  if (target_available(Target::avx2)) NTTF_CHECK(lists_avx2);
}
