// SPDX-License-Identifier: Apache-2.0
// Security levels and what the published tables say of a parameter set.

#include <span>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/rlwe/parameters.hpp"
#include "nttforge/rlwe/security_tables.hpp"

namespace nttforge::rlwe {
namespace {

std::string text(std::uint64_t value) { return std::to_string(value); }

std::span<const SecurityTableRow> rows(SecurityTable table) {
  if (table == SecurityTable::hes2018) return kHes2018;
  return kGuidelines2024;
}

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

std::string_view security_table_name(SecurityTable table) {
  switch (table) {
    case SecurityTable::hes2018:
      return "hes2018";
    case SecurityTable::guidelines2024:
      return "guidelines2024";
  }
  throw ParameterError("unknown security table " + text(static_cast<std::uint64_t>(table)));
}

SecurityTable parse_security_table(std::string_view name) {
  for (auto table : {SecurityTable::hes2018, SecurityTable::guidelines2024})
    if (name == security_table_name(table)) return table;
  throw ParameterError("security_table = \"" + std::string(name) +
                       "\" is unknown: use guidelines2024 (the strictest) or hes2018");
}

std::string_view security_table_title(SecurityTable table) {
  switch (table) {
    case SecurityTable::hes2018:
      return "2018 Homomorphic Encryption Standard (table 1)";
    case SecurityTable::guidelines2024:
      return "2024 security guidelines (Bossuat et al., table 5.2)";
  }
  throw ParameterError("unknown security table " + text(static_cast<std::uint64_t>(table)));
}

unsigned max_modulus_bits(std::size_t n, SecurityLevel level, SecurityTable table) {
  if (level == SecurityLevel::insecure_by_request) return 0;
  for (const SecurityTableRow& row : rows(table))
    if (row.n == n) return row.bits[static_cast<std::size_t>(level) - 1];
  return 0;
}

SecurityVerdict RlweParameters::security_verdict(SecurityTable table) const {
  const std::string title = "the " + std::string(security_table_title(table));
  if (max_modulus_bits(n, SecurityLevel::classical128, table) == 0)
    return {0, "n = " + text(n) + " is not in " + title + ", which has n = " + text(rows(table).front().n) +
                   " ... " + text(rows(table).back().n)};
  if (!secret.facts(n).in_tables)
    return {0, "a " + secret.describe() + " is not covered by " + title + ", which is for ternary secrets"};
  // sigma = 8 is wider than the tables' 3.19, so their bounds hold for it as well.
  const unsigned bits = modulus_bits();
  const std::string modulus = "log2(Q p) = " + text(bits) + " at n = " + text(n);
  for (auto level : {SecurityLevel::classical256, SecurityLevel::classical192, SecurityLevel::classical128}) {
    const unsigned allowed = max_modulus_bits(n, level, table);
    if (bits <= allowed)
      return {security_level_bits(level), modulus + " is within the " + text(allowed) + " bits for " +
                                              text(security_level_bits(level)) +
                                              "-bit classical security by " + title};
  }
  return {0, modulus + " exceeds the " + text(max_modulus_bits(n, SecurityLevel::classical128, table)) +
                 " bits for 128-bit classical security by " + title};
}

}  // namespace nttforge::rlwe
