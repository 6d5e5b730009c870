// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/presets/preset_checks.hpp"

#include <bit>
#include <cstdint>
#include <string>

#include "nttforge/base/error.hpp"

namespace nttforge::rlwe {
namespace {

constexpr std::size_t kSmallestPreset = 1024;
constexpr std::size_t kLargestPreset = 32768;

std::string text(std::uint64_t value) { return std::to_string(value); }

}  // namespace

void require_preset(std::size_t n, SecurityLevel security, SecurityTable table, unsigned word_bits) {
  if (security == SecurityLevel::insecure_by_request)
    throw ParameterError(
        "security = insecure_by_request has no preset: presets are secure; use Parameters::custom");
  if (n < kSmallestPreset || n > kLargestPreset || !std::has_single_bit(n))
    throw ParameterError("n = " + text(n) +
                         " has no preset: use 1024, 2048, 4096, 8192, 16384 or 32768, or " +
                         "Parameters::custom");
  if (max_modulus_bits(n, security, table) == 0)
    throw ParameterError(
        "n = " + text(n) + " has no preset for " + std::string(security_level_name(security)) + ": the " +
        std::string(security_table_title(table)) + " have no limit for it; use n = 2048 or more");
  if (word_bits != 32 && word_bits != 64)
    throw ParameterError("word_bits = " + text(word_bits) + " is not allowed: 32 or 64");
}

void require_digit_primes(std::size_t n, std::size_t digit_primes, std::size_t most) {
  if (digit_primes <= most) return;
  if (most == 0)
    throw ParameterError(
        "digit_primes = " + text(digit_primes) + ": n = " + text(n) +
        " has no room for special primes, so there are no digits; use 0, or n = 4096 or more");
  throw ParameterError("digit_primes = " + text(digit_primes) + " is out of range [0, " + text(most) +
                       "]: more than half of the primes would be special; use fewer or a larger n");
}

}  // namespace nttforge::rlwe
