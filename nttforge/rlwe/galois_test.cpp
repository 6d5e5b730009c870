// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/galois.hpp"

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

namespace nttforge::rlwe {
namespace {

NTTF_TEST("Galois elements: 3^r, both signs, back to steps") {
  for (std::size_t n : {2u, 4u, 8u, 64u, 4096u}) {
    const auto half = static_cast<std::int64_t>(n / 2);
    std::uint64_t power = 1;
    for (std::int64_t step = 0; step < half; ++step) {
      NTTF_CHECK_EQ(rotation_element(n, step), power);
      if (step > 0) NTTF_CHECK_EQ(rotation_element(n, step - half), power);
      const std::int64_t back = rotation_step(n, power).value();
      NTTF_CHECK(back > -half && back < half && (back - step) % half == 0);
      power = power * 3 % (2 * n);
    }
    if (n == 2) continue;      // 3 = -1 (mod 4)
    NTTF_CHECK_EQ(power, 1u);  // 3 has order n/2
    NTTF_CHECK(!rotation_step(n, column_swap_element(n)).has_value());
  }
  NTTF_CHECK_EQ(rotation_element(8, 1), 3u);
  NTTF_CHECK_EQ(rotation_element(8, 2), 9u);
  NTTF_CHECK_EQ(rotation_element(8, -1), 27u % 16);
  NTTF_CHECK_THROWS(rotation_element(8, 4), ParameterError, "rotation step = 4 is out of range");
  NTTF_CHECK_THROWS(rotation_element(8, -4), ParameterError, "rotation step = -4 is out of range");
  NTTF_CHECK_THROWS(rotation_element(6, 0), ParameterError, "n = 6 is not a power of two");
}

NTTF_TEST("slot positions are a permutation, row 0 slot 0 is the value at psi") {
  for (std::size_t n : {2u, 8u, 1024u}) {
    auto positions = slot_positions(n);
    NTTF_CHECK_EQ(positions[0], 0u);
    std::sort(positions.begin(), positions.end());
    for (std::size_t i = 0; i < n; ++i) NTTF_CHECK_EQ(positions[i], i);
  }
  // n = 8: exponents 1, 3, 9, 11 and 15, 13, 7, 5 -> indices 0, 1, 4, 5, 7, 6, 3, 2 -> bit-reversed.
  NTTF_CHECK((slot_positions(8) == std::vector<std::uint32_t>{0, 4, 1, 5, 7, 3, 6, 2}));
}

NTTF_TEST("inner sum steps") {
  NTTF_CHECK(inner_sum_steps(16, 1).empty());
  NTTF_CHECK((inner_sum_steps(16, 8) == std::vector<std::int64_t>{1, 2, 4}));
  NTTF_CHECK((inner_sum_steps(16, 16) == std::vector<std::int64_t>{1, 2, 4}));  // and the column swap
  NTTF_CHECK_THROWS(inner_sum_steps(16, 32), ParameterError, "span = 32");
  NTTF_CHECK_THROWS(inner_sum_steps(16, 3), ParameterError, "span = 3");
  NTTF_CHECK_THROWS(inner_sum_steps(16, 0), ParameterError, "span = 0");
}

}  // namespace
}  // namespace nttforge::rlwe
