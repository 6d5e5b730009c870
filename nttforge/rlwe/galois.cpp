// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/galois.hpp"

#include <bit>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/ntt/order.hpp"

namespace nttforge::rlwe {
namespace {

void require_dimension(std::size_t n) {
  if (n < 2 || !std::has_single_bit(n))
    throw ParameterError("n = " + std::to_string(n) + " is not a power of two >= 2");
}

}  // namespace

std::uint64_t rotation_element(std::size_t n, std::int64_t step, std::uint64_t generator) {
  require_dimension(n);
  const std::int64_t half = static_cast<std::int64_t>(n / 2);
  if (step <= -half || step >= half)
    throw ParameterError("rotation step = " + std::to_string(step) +
                         " is out of range: rows have n/2 = " + std::to_string(half) + " slots, so -" +
                         std::to_string(half) + " < step < " + std::to_string(half));
  const std::uint64_t mask = 2 * static_cast<std::uint64_t>(n) - 1;
  std::uint64_t element = 1, power = generator;
  for (std::uint64_t e = static_cast<std::uint64_t>((step + half) % half); e != 0; e >>= 1) {
    if ((e & 1u) != 0) element = (element * power) & mask;
    power = (power * power) & mask;
  }
  return element;
}

std::optional<std::int64_t> rotation_step(std::size_t n, std::uint64_t element, std::uint64_t generator) {
  require_dimension(n);
  const std::int64_t half = static_cast<std::int64_t>(n / 2);
  const std::uint64_t mask = 2 * static_cast<std::uint64_t>(n) - 1;
  std::uint64_t power = 1;
  for (std::int64_t step = 0; step < half; ++step) {
    if (power == element) return step > half / 2 ? step - half : step;
    power = (power * generator) & mask;
  }
  return std::nullopt;
}

std::vector<std::int64_t> inner_sum_steps(std::size_t n, std::size_t span) {
  require_dimension(n);
  if (span == 0 || span > n || !std::has_single_bit(span))
    throw ParameterError("span = " + std::to_string(span) + " must be a power of two in [1, n = " +
                         std::to_string(n) + "]; pad the vector with zeros to the next power of two");
  std::vector<std::int64_t> steps;
  for (std::size_t step = 1; step < span && step < n / 2; step *= 2)
    steps.push_back(static_cast<std::int64_t>(step));
  return steps;
}

std::vector<std::uint32_t> slot_positions(std::size_t n) {
  require_dimension(n);
  const unsigned log_n = static_cast<unsigned>(std::countr_zero(n));
  const std::uint64_t mask = 2 * static_cast<std::uint64_t>(n) - 1;
  std::vector<std::uint32_t> positions(n);
  std::uint64_t power = 1;  // slot i is the value at psi^power, transform index k has exponent 2k + 1
  for (std::size_t i = 0; i < n / 2; ++i) {
    const std::uint64_t opposite = 2 * static_cast<std::uint64_t>(n) - power;
    positions[i] = static_cast<std::uint32_t>(bit_reverse((power - 1) / 2, log_n));
    positions[n / 2 + i] = static_cast<std::uint32_t>(bit_reverse((opposite - 1) / 2, log_n));
    power = (power * kRowGenerator) & mask;
  }
  return positions;
}

}  // namespace nttforge::rlwe
