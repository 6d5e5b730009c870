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
                    "target = 'sse2' is unknown; use one of scalar, avx2, avx512, avx512_ifma, neon, "
                    "wasm");
  NTTF_CHECK_THROWS(parse_target(""), ParameterError, "unknown");
}

NTTF_TEST("target: scalar runs everywhere, and with a target all those that it contains") {
  const auto available = available_targets();
  NTTF_CHECK(available.front() == Target::scalar);
  for (const Target target : kAllTargets) {
    const bool here = std::find(available.begin(), available.end(), target) != available.end();
    NTTF_CHECK_EQ(here, target_available(target));
    for (const Target part : kAllTargets) {
      NTTF_CHECK(!here || !target_contains(target, part) || target_available(part));
    }
    if (here) {
      require_target(target);
    } else {
      NTTF_CHECK_THROWS(require_target(target), UnsupportedError,
                        "target = " + std::string(target_name(target)));
    }
  }
}

NTTF_TEST("target: the AVX targets contain each other, neon and wasm contain scalar alone") {
  for (const Target target : kAllTargets) {
    for (const Target part : kAllTargets) {
      const bool apart = target != part && (target >= Target::neon || part >= Target::neon);
      const bool contained = part == Target::scalar || (part <= target && !apart);
      NTTF_CHECK_EQ(target_contains(target, part), contained);
    }
  }
}

#if defined(__aarch64__)
NTTF_TEST("target: builds for aarch64 have neon and refuse what is for x86-64") {
  NTTF_CHECK(available_targets() == (std::vector{Target::scalar, Target::neon}));
  NTTF_CHECK_THROWS(
      require_target(Target::avx2), UnsupportedError,
      "target = avx2 cannot run here: it is for x86-64, and this build is for aarch64; use one of scalar, "
      "neon");
}
#endif

#if defined(__x86_64__)
NTTF_TEST("target: builds for x86-64 refuse neon") {
  NTTF_CHECK_THROWS(
      require_target(Target::neon), UnsupportedError,
      "target = neon cannot run here: it is for aarch64, and this build is for x86-64; use one of scalar");
}

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
    const ForcedTarget forced("sve2");
    NTTF_CHECK_THROWS(active_target(), ParameterError, "NTTFORGE_TARGET: target = 'sve2' is unknown");
  }
  for (const Target target : kAllTargets) {
    if (target_available(target)) continue;
    const ForcedTarget forced(std::string(target_name(target)).c_str());
    NTTF_CHECK_THROWS(active_target(), UnsupportedError, "NTTFORGE_TARGET: target = ");
  }
}

NTTF_TEST("target: a number that is no target") {
  for (const int number : {6, 99, -1}) {
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
  const bool lists_asimd = std::find(cpu.features.begin(), cpu.features.end(), "asimd") != cpu.features.end();
  NTTF_CHECK_EQ(target_available(Target::neon), lists_asimd);
}
