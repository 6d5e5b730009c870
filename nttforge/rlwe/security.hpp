// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nttforge::rlwe {

/// What a parameter set must reach: bits of security against classical attacks, by a SecurityTable.
/// insecure_by_request accepts any set: for tests, teaching and reproducing papers only.
enum class SecurityLevel : std::uint8_t {
  insecure_by_request = 0,
  classical128 = 1,
  classical192 = 2,
  classical256 = 3
};
std::string_view security_level_name(SecurityLevel level);  ///< as parameters print it
SecurityLevel parse_security_level(std::string_view name);  ///< throws ParameterError listing the names

/// 128, 192, 256, or 0 for insecure_by_request.
unsigned security_level_bits(SecurityLevel level);

/// Published limits on the whole modulus for ternary secrets (security_tables.hpp has the numbers and their
/// sources). guidelines2024 is the strictest: attacks have become better since 2018.
enum class SecurityTable : std::uint8_t {
  hes2018 = 1,        ///< Homomorphic Encryption Standard of 2018 [HES18], n = 2^10 ... 2^15
  guidelines2024 = 2  ///< Security Guidelines of 2024 [Bos24], n = 2^10 ... 2^17
};
inline constexpr SecurityTable kStrictestTable =
    SecurityTable::guidelines2024;                          ///< unless another is asked for
std::string_view security_table_name(SecurityTable table);  ///< as parameters print it
SecurityTable parse_security_table(std::string_view name);  ///< throws ParameterError listing the names

/// Name, date and table for people: "2024 security guidelines (Bossuat et al., table 5.2)".
std::string_view security_table_title(SecurityTable table);

/// Largest bits of the whole modulus (special prime included) that the table allows for ternary secrets, or 0
/// if the table says nothing of this n at this level or the level is insecure_by_request.
unsigned max_modulus_bits(std::size_t n, SecurityLevel level, SecurityTable table = kStrictestTable);

/// 256, 192 or 128 classical bits, or 0: not covered by the table; `reason` says why in a sentence and names
/// the table with its date.
struct SecurityVerdict {
  unsigned bits = 0;
  std::string reason;
};

}  // namespace nttforge::rlwe
