#include "nttforge/ntt/kernels.hpp"

#include <bit>
#include <cstdio>

#include "nttforge/ntt/testing_kernels.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

template <class Word>
void compare_all() {
  for (const auto& row : kernel_rows<Word>()) {
    if (!target_available(row.target)) {
      std::printf(
          "        skipped: %s %s (this CPU lacks it; its logic runs in transform_emulated_test.cpp)\n",
          std::string(target_name(row.target)).c_str(), std::string(arithmetic_name(row.arithmetic)).c_str());
      continue;
    }
    compare_kernel_everywhere(row, 15);
  }
}

}  // namespace

NTTF_TEST("every kernel equals the scalar radix-2 kernel, 64-bit words") { compare_all<std::uint64_t>(); }
NTTF_TEST("every kernel equals the scalar radix-2 kernel, 32-bit words") { compare_all<std::uint32_t>(); }

NTTF_TEST("kernel limits are powers of two with primes just below") {
  for (const auto& row : kernel_rows<std::uint64_t>()) {
    if (row.arithmetic == Arithmetic::goldilocks) continue;
    NTTF_CHECK(std::has_single_bit(row.q_limit));
    NTTF_CHECK(largest_prime(1024, static_cast<unsigned>(std::bit_width(row.q_limit)) - 1) < row.q_limit);
  }
}
