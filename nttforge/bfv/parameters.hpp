// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nttforge/random/samplers.hpp"

namespace nttforge::bfv {

/// What a parameter set must reach: bits of security against classical attacks, by a SecurityTable.
/// insecure_by_request accepts any set: for tests, teaching and reproducing papers only.
enum class SecurityLevel : std::uint8_t {
  insecure_by_request = 0,
  classical128 = 1,
  classical192 = 2,
  classical256 = 3
};
std::string_view security_level_name(SecurityLevel level);
SecurityLevel parse_security_level(std::string_view name);  ///< throws ParameterError listing the names

/// 128, 192, 256, or 0 for insecure_by_request.
unsigned security_level_bits(SecurityLevel level);

/// Published limits on the whole modulus for ternary secrets (security_tables.hpp has the numbers and their
/// sources). guidelines2024 is the strictest: attacks have become better since 2018.
enum class SecurityTable : std::uint8_t {
  hes2018 = 1,        ///< Homomorphic Encryption Standard of 2018 [HES18], n = 2^10 ... 2^15
  guidelines2024 = 2  ///< Security Guidelines of 2024 [Bos24], n = 2^10 ... 2^17
};
inline constexpr SecurityTable kStrictestTable = SecurityTable::guidelines2024;
std::string_view security_table_name(SecurityTable table);
SecurityTable parse_security_table(std::string_view name);  ///< throws ParameterError listing the names

/// Name, date and table for people: "2024 security guidelines (Bossuat et al., table 5.2)".
std::string_view security_table_title(SecurityTable table);

enum class SecretDistribution : std::uint8_t { ternary = 0, binary = 1 };
std::string_view secret_distribution_name(SecretDistribution distribution);

/// Largest bits of the whole modulus (special prime included) that the table allows for ternary secrets, or 0
/// if the table says nothing of this n at this level or the level is insecure_by_request.
unsigned max_modulus_bits(std::size_t n, SecurityLevel level, SecurityTable table = kStrictestTable);

/// 256, 192 or 128 classical bits, or 0: not covered by the table; `reason` says why in a sentence and names
/// the table with its date.
struct SecurityVerdict {
  unsigned bits = 0;
  std::string reason;
};

/// Exact sizes in bytes of the serialised form and, for `memory`, of the words held in the device's memory.
struct ObjectSizes {
  std::size_t plaintext = 0;
  std::size_t ciphertext = 0;         ///< two parts
  std::size_t ciphertext_seeded = 0;  ///< fresh, by the secret key
  std::size_t ciphertext_three_parts = 0;
  std::size_t secret_key = 0;
  std::size_t public_key = 0;
  std::size_t relinearization_key = 0;  ///< 0: the set has no special prime, so no evaluation keys
  std::size_t rotation_key = 0;         ///< each rotation step adds this much to
  std::size_t rotation_keys_frame = 0;  ///< the frame around all rotation keys
};

/// A parameter set: plain data, comparable. The builders return valid sets; Context::create validates again.
struct Parameters {
  std::size_t n = 0;    ///< ring dimension, power of two, 2 ... 2^17
  std::uint64_t t = 0;  ///< plaintext modulus, 2 <= t < 2^60, coprime to every q, small enough for fresh
                        ///< ciphertexts to decrypt
  std::vector<std::uint64_t>
      q;  ///< ciphertext modulus Q = product of these distinct primes, each = 1 (mod 2n), < 2^62
  std::uint64_t p = 0;  ///< special prime of the keys; 0: none, and then no relinearization or rotation
  SecretDistribution secret = SecretDistribution::ternary;
  ErrorDistribution error = ErrorDistribution::sigma_3_2;
  SecurityLevel security =
      SecurityLevel::classical128;  ///< the level this set claims (checked against the table)
  SecurityTable security_table = kStrictestTable;

  friend bool operator==(const Parameters&, const Parameters&) = default;

  /// The recommended set for n = 2^10 ... 2^15 at a security level by a table; n = 2^10 above 128 bits is in
  /// hes2018 only. t = 0 picks 65537, or if that leaves no room for noise the smallest prime = 1 (mod 2n), or
  /// 2. Primes are below 2^50 (except n = 2^11: one of 53 or 54 bits), from the top. n = 2^10 and 2^11 have
  /// no special prime: no evaluation keys. throws ParameterError naming n, t, the level or the table.
  static Parameters preset(std::size_t n, std::uint64_t t = 0,
                           SecurityLevel security = SecurityLevel::classical128,
                           SecurityTable table = kStrictestTable);

  /// [Bad18b] Table 4: n = 2^11, 2^12, 2^13, 2^14 with log2 Q = 62, 186, 372, 744, binary secret, sigma = 8.
  /// For reproducing the paper: below 128-bit security today, marked insecure_by_request. throws
  /// ParameterError.
  static Parameters badawi2018(std::size_t n, std::uint64_t t = 2);

  /// An explicit set, validated; weaker than `security` is refused: ask for
  /// SecurityLevel::insecure_by_request by name.
  static Parameters custom(std::size_t n, std::uint64_t t, std::vector<std::uint64_t> q, std::uint64_t p = 0,
                           SecurityLevel security = SecurityLevel::classical128,
                           SecretDistribution secret = SecretDistribution::ternary,
                           ErrorDistribution error = ErrorDistribution::sigma_3_2,
                           SecurityTable table = kStrictestTable);

  /// throws ParameterError naming field, value, allowed range and remedy.
  void validate() const;

  std::size_t limbs() const { return q.size(); }                           ///< k
  std::size_t key_limbs() const { return q.size() + (p != 0 ? 1u : 0u); }  ///< K
  unsigned q_bits() const;                                                 ///< bits of Q
  unsigned modulus_bits() const;  ///< bits of Q p, what security depends on
  bool has_evaluation_keys() const { return p != 0; }
  bool has_batching() const;  ///< t prime and t = 1 (mod 2n): n slots

  /// What a table (the set's own, if none is named) says of this set, whatever level it claims.
  SecurityVerdict security_verdict(SecurityTable table) const;
  SecurityVerdict security_verdict() const { return security_verdict(security_table); }

  /// Largest L such that L levels of products end in a ciphertext that decrypts, by the noise model of
  /// docs/bounds/noise.md. A level: operands that are sums of two, a plaintext added, one rotation, then
  /// multiply and relinearize. Without special prime: 1 if one product decrypts unrelinearized, else 0.
  unsigned promised_depth() const;

  ObjectSizes serialized_sizes() const;
  ObjectSizes memory_sizes() const;

  /// One line for people: "n = 8192, log2 Q = 171 (4 primes) + 43, t = 65537, ternary secret, sigma 3.2,
  /// 128-bit classical security by the 2024 security guidelines (Bossuat et al., table 5.2)".
  std::string describe() const;
};

}  // namespace nttforge::bfv
