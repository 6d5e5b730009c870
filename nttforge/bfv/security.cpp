// SPDX-License-Identifier: Apache-2.0
// Security levels by the table of the Homomorphic Encryption Standard.

#include <array>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/parameters.hpp"

namespace nttforge::bfv {
namespace {

std::string text(std::uint64_t value) { return std::to_string(value); }

/// [HES18] table 1 (ternary secret, classical): largest log2 of the whole modulus.
struct TableRow {
  std::size_t n;
  std::array<unsigned, 3> bits;  // 128, 192, 256
};
constexpr std::array<TableRow, 6> kTable{{{1024, {27, 19, 14}},
                                          {2048, {54, 37, 29}},
                                          {4096, {109, 75, 58}},
                                          {8192, {218, 152, 118}},
                                          {16384, {438, 305, 237}},
                                          {32768, {881, 611, 476}}}};

}  // namespace

unsigned security_level_bits(SecurityLevel level) {
  switch (level) {
    case SecurityLevel::classical128:
      return 128;
    case SecurityLevel::classical192:
      return 192;
    case SecurityLevel::classical256:
      return 256;
    case SecurityLevel::insecure_by_request:
      return 0;
  }
  return 0;
}

std::string_view security_level_name(SecurityLevel level) {
  switch (level) {
    case SecurityLevel::insecure_by_request:
      return "insecure_by_request";
    case SecurityLevel::classical128:
      return "classical128";
    case SecurityLevel::classical192:
      return "classical192";
    case SecurityLevel::classical256:
      return "classical256";
  }
  throw ParameterError("unknown security level " + text(static_cast<std::uint64_t>(level)));
}

SecurityLevel parse_security_level(std::string_view name) {
  for (auto level : {SecurityLevel::insecure_by_request, SecurityLevel::classical128,
                     SecurityLevel::classical192, SecurityLevel::classical256})
    if (name == security_level_name(level)) return level;
  throw ParameterError("security = \"" + std::string(name) +
                       "\" is unknown: use classical128, classical192, classical256 or insecure_by_request");
}

std::string_view secret_distribution_name(SecretDistribution distribution) {
  return distribution == SecretDistribution::ternary ? "ternary" : "binary";
}

unsigned max_modulus_bits(std::size_t n, SecurityLevel level) {
  if (level == SecurityLevel::insecure_by_request) return 0;
  for (const TableRow& row : kTable)
    if (row.n == n) return row.bits[static_cast<std::size_t>(level) - 1];
  return 0;
}

SecurityVerdict Parameters::security_verdict() const {
  if (max_modulus_bits(n, SecurityLevel::classical128) == 0)
    return {0,
            "n = " + text(n) + " is not in the table of the Homomorphic Encryption Standard (2^10 ... 2^15)"};
  if (secret != SecretDistribution::ternary)
    return {0, "a binary secret is not covered by the table of the Homomorphic Encryption Standard"};
  // sigma = 8 is wider than the table's 3.2, so the table's bound holds for it as well.
  const unsigned bits = modulus_bits();
  const std::string modulus = "log2(Q p) = " + text(bits) + " at n = " + text(n);
  for (auto level : {SecurityLevel::classical256, SecurityLevel::classical192, SecurityLevel::classical128}) {
    const unsigned allowed = max_modulus_bits(n, level);
    if (bits <= allowed)
      return {security_level_bits(level), modulus + " is within the " + text(allowed) +
                                              " bits that the Homomorphic " +
                                              "Encryption Standard allows for " +
                                              text(security_level_bits(level)) + "-bit classical security"};
  }
  return {0, modulus + " exceeds the " + text(max_modulus_bits(n, SecurityLevel::classical128)) +
                 " bits that the Homomorphic Encryption Standard allows for 128-bit classical security"};
}

}  // namespace nttforge::bfv
