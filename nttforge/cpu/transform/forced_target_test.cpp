// SPDX-License-Identifier: Apache-2.0
// NTTFORGE_TARGET forced to each target: which kernels then run. A target that this CPU lacks must be
// refused; its kernels are tested through emulated lanes (transform_emulated_test.cpp).

#include <cstdio>
#include <cstdlib>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/ntt/testing.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

class ForcedTarget {
 public:
  explicit ForcedTarget(Target target) {
    if (const char* old = std::getenv("NTTFORGE_TARGET")) old_ = old;
    setenv("NTTFORGE_TARGET", std::string(target_name(target)).c_str(), 1);
  }
  ~ForcedTarget() {
    if (old_.empty()) {
      unsetenv("NTTFORGE_TARGET");
    } else {
      setenv("NTTFORGE_TARGET", old_.c_str(), 1);
    }
  }
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;

 private:
  std::string old_;
};

/// Bits of a prime for which the target has kernels of its own that nothing below it beats.
unsigned own_class(Target target) { return target == Target::avx512_ifma ? 50 : 60; }

}  // namespace

NTTF_TEST("NTTFORGE_TARGET forced to each target: its own kernels run, none above it, same words") {
  const std::size_t n = 4096;
  for (const Target target : kAllTargets) {
    const ForcedTarget forced(target);
    if (!target_available(target)) {
      std::printf("  skipped %s: this CPU lacks it; it must be refused\n",
                  std::string(target_name(target)).c_str());
      NTTF_CHECK_THROWS(NttPlan({n, {largest_prime(n, 60)}}), UnsupportedError, "NTTFORGE_TARGET");
      continue;
    }
    NTTF_CHECK(active_target() == target);
    for (const unsigned bits : {30u, 50u, 60u, 62u}) {
      const std::uint64_t q = largest_prime(n, bits);
      const NttPlan plan({n, {q}});
      const TransformKernel<std::uint64_t>& kernel =
          find_kernel<std::uint64_t>(plan.spec(), plan.recipe(), 0);
      NTTF_CHECK(kernel.target <= target);
      if (bits == own_class(target)) NTTF_CHECK(kernel.target == target);
      Rng rng;
      const Words in = random_residues(n, q, rng);
      Words out(n), expected(n);
      plan.forward(std::span<const std::uint64_t>(in), std::span<std::uint64_t>(out));
      const NttPlan scalar(plan.spec(), choose_recipe(plan.spec(), Target::scalar));
      scalar.forward(std::span<const std::uint64_t>(in), std::span<std::uint64_t>(expected));
      NTTF_CHECK(out == expected);
    }
  }
}
