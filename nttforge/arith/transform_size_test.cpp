// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/transform_size.hpp"

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("transform size: one answer for primes and transforms, by device") {
  const char* const allowed = "need a power of two, 1 ... 2^24 on CPUs, 1 ... 2^28 on GPUs";
  for (const std::size_t n : {std::size_t{0}, std::size_t{3}, kMaxTransformSize - 1, 2 * kMaxTransformSize}) {
    NTTF_CHECK_THROWS(require_transform_size(n), ParameterError, allowed);
    NTTF_CHECK_THROWS(require_cpu_transform_size(n), ParameterError, allowed);
    NTTF_CHECK_THROWS(ntt_primes(n, 50, 1), ParameterError, allowed);
  }
  for (const std::size_t n : {std::size_t{1}, kMaxCpuTransformSize}) require_cpu_transform_size(n);
  NTTF_CHECK_THROWS(require_cpu_transform_size(2 * kMaxCpuTransformSize), UnsupportedError,
                    "device = \"cuda\"");
  require_transform_size(kMaxTransformSize);
  NTTF_CHECK_EQ(ntt_primes(kMaxTransformSize, 50, 1).size(), 1u);
}
