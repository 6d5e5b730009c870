// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/integer_encoding/parameters.hpp"

namespace nttforge::bfv {

using namespace integer_encoding;  // NOLINT: a scheme's names are those of the layers and its own

/// A parameter set of BFV. The builders return valid sets; Context::create validates again.
struct Parameters : integer_encoding::IntegerParameters {
  /// The recommended set for n = 2^10 ... 2^15 at a security level by a table; n = 2^10 above 128 bits is in
  /// hes2018 only. t = 0 picks 65537, or if that leaves no room for noise the smallest prime = 1 (mod 2n), or
  /// 2. Primes are below 2^50 (except n = 2^11: one of 53 or 54 bits), from the top. n = 2^10 and 2^11 have
  /// no special prime: no evaluation keys. word_bits 32: primes below 2^30, about three digits of key
  /// switching (presets.hpp). digit_primes: digits of that many primes, and as many special ones, from the
  /// same number of primes; 0: the recommended split. throws ParameterError naming the argument.
  static Parameters preset(std::size_t n, std::uint64_t t = 0,
                           SecurityLevel security = SecurityLevel::classical128,
                           SecurityTable table = kStrictestTable, unsigned word_bits = 64,
                           std::size_t digit_primes = 0);

  /// [Bad18b] Table 4: n = 2^11, 2^12, 2^13, 2^14 with log2 Q = 62, 186, 372, 744, binary secret, sigma = 8.
  /// For reproducing the paper: below 128-bit security today, marked insecure_by_request. throws
  /// ParameterError.
  static Parameters badawi2018(std::size_t n, std::uint64_t t = 2);

  /// An explicit set, validated; weaker than `security` is refused: ask for
  /// SecurityLevel::insecure_by_request by name. digit_primes 0: as many as there are special primes.
  static Parameters custom(std::size_t n, std::uint64_t t, std::vector<std::uint64_t> q,
                           SpecialPrimes special = {}, SecurityLevel security = SecurityLevel::classical128,
                           SecretDistribution secret = SecretDistribution::ternary,
                           ErrorDistribution error = ErrorDistribution::sigma_3_2,
                           SecurityTable table = kStrictestTable, unsigned word_bits = 64,
                           std::size_t digit_primes = 0);

  void validate() const override;

  /// Ciphertexts go down to this level: the fewest first primes with room for messages, Q >= 4 t, or all.
  std::size_t lowest_level() const;

  /// Largest L such that L levels of products end in a ciphertext that decrypts, by the noise model of
  /// docs/bounds/noise.md. A level: operands that are sums of two, a plaintext added, one rotation, then
  /// multiply and relinearize. Without special prime: 1 if one product decrypts unrelinearized, else 0.
  unsigned promised_depth() const;
  /// The same by the proved bound, which fails with a probability below 2^-128 whatever the circuit is.
  unsigned proved_depth() const;
};

/// A parameter set from bytes, checked (rlwe/serialize.hpp).
Parameters parameters_from_bytes(std::span<const std::uint8_t> bytes, bool allow_insecure = false,
                                 SecurityTable table = kStrictestTable);

}  // namespace nttforge::bfv
