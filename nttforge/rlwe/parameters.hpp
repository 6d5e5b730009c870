// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nttforge/random/samplers.hpp"
#include "nttforge/random/secret_distribution.hpp"
#include "nttforge/rlwe/security.hpp"
#include "nttforge/rlwe/window.hpp"

namespace nttforge::rlwe {

/// Values are part of the byte format.
enum class Scheme : std::uint16_t { bfv = 1, bgv = 2, ckks = 3 };
std::string_view scheme_name(
    Scheme scheme);  ///< "BFV", "BGV", "CKKS". throws ParameterError for another value

/// Exact sizes in bytes of the serialised form and, for `memory`, of the words held in the device's memory.
struct ObjectSizes {
  std::size_t plaintext = 0;
  std::size_t ciphertext = 0;         ///< two parts
  std::size_t ciphertext_seeded = 0;  ///< fresh, by the secret key
  std::size_t ciphertext_three_parts = 0;
  std::size_t secret_key = 0;
  std::size_t public_key = 0;
  std::size_t relinearization_key = 0;    ///< 0: the set has no special prime, so no evaluation keys
  std::size_t rotation_key = 0;           ///< each rotation step adds this much to
  std::size_t rotation_keys_frame = 0;    ///< the frame around all rotation keys
  std::size_t evaluation_keys_frame = 0;  ///< the frame around all evaluation keys
};

/// Special primes of a set as an argument: none (also as the number 0), one prime, or a list of them.
struct SpecialPrimes {
  SpecialPrimes() = default;
  SpecialPrimes(std::uint64_t prime) {  // NOLINT: implicit on purpose
    if (prime != 0) primes.push_back(prime);
  }
  SpecialPrimes(std::vector<std::uint64_t> list) : primes(std::move(list)) {}  // NOLINT: as above
  SpecialPrimes(std::initializer_list<std::uint64_t> list) : primes(list) {}   // NOLINT: as above
  std::vector<std::uint64_t> primes;
};

/// What the parameter sets of all schemes have: plain data, comparable. A scheme's own type adds its builders
/// and checks.
struct RlweParameters {
  Scheme scheme = Scheme::bfv;
  std::size_t n = 0;  ///< ring dimension, power of two, 2 ... 2^17
  std::vector<std::uint64_t>
      q;  ///< ciphertext modulus Q = product of these distinct primes, each = 1 (mod 2n), < 2^62
  std::vector<std::uint64_t> special;  ///< special primes of the keys, at most 24, P their product; none: no
                                       ///< relinearization or rotation
  SecretDistribution secret{};
  ErrorDistribution error = ErrorDistribution::sigma_3_2;
  SecurityLevel security =
      SecurityLevel::classical128;  ///< the level this set claims (checked against the table)
  SecurityTable security_table = kStrictestTable;
  unsigned word_bits = 64;  ///< of the words that polynomials have on devices: 64, or 32 where every prime of
                            ///< q and special is below 2^32; what is computed does not depend on it
  std::size_t digit_primes = 1;  ///< primes of a digit of key switching, 1 ... 24 and at most k; the last
                                 ///< digit may have fewer
  /// Primes of the levels 1, 2, ..., each with more bits than the one below; the last has all of q. Empty:
  /// level l has the first l primes.
  std::vector<Window> levels;

  virtual ~RlweParameters() = default;
  friend bool operator==(const RlweParameters&, const RlweParameters&) = default;

  // What schemes differ in.
  /// throws ParameterError naming field, value, allowed range and remedy.
  virtual void validate() const = 0;
  /// What plaintexts need beside the ring, as one number of the bytes: t where they are integers modulo t.
  virtual std::uint64_t plain_number() const = 0;
  virtual void set_plain_number(std::uint64_t value) = 0;
  /// Further numbers of approximate messages, in bytes behind the levels.
  virtual std::vector<std::uint64_t> further_numbers() const { return {}; }
  virtual void set_further_numbers(std::span<const std::uint64_t> /*values*/) {}
  /// Whether messages are n/2 complex numbers, multiplied with a scale; else n integers.
  virtual bool approximate() const { return false; }
  /// What plaintexts are, in describe(): "t = 65537".
  virtual std::string describe_plain() const = 0;

  /// The fields of an explicit set, unchecked.
  /// digit_primes 0: as many as there are special primes.
  void assign(std::size_t n, std::vector<std::uint64_t> q, SpecialPrimes special, SecurityLevel security,
              SecretDistribution secret, ErrorDistribution error, SecurityTable table, unsigned word_bits,
              std::size_t digit_primes);

  std::size_t limbs() const { return q.size(); }                       ///< k
  std::size_t key_limbs() const { return q.size() + special.size(); }  ///< K
  std::size_t top_level() const { return levels.empty() ? q.size() : levels.size(); }
  /// The primes of ciphertexts of a level, 1 ... top_level().
  Window window(std::size_t level) const { return levels.empty() ? Window{0, level} : levels[level - 1]; }
  std::span<const std::uint64_t> moduli(std::size_t level) const;
  /// The primes of keys of a level: of ciphertexts of this level and below.
  Window key_window(std::size_t level) const;
  std::size_t digits() const { return digits(top_level()); }       ///< of key switching
  std::size_t digits(std::size_t level) const;                     ///< of keys of a level
  std::vector<std::uint64_t> key_moduli() const;                   ///< q, then the special primes
  std::vector<std::uint64_t> key_moduli(std::size_t level) const;  ///< of keys of a level, then the special
  unsigned q_bits() const;                                         ///< bits of Q
  unsigned modulus_bits() const;                                   ///< bits of Q P, what security depends on
  bool has_evaluation_keys() const { return !special.empty(); }

  /// What a table (the set's own, if none is named) says of this set, whatever level it claims.
  SecurityVerdict security_verdict(SecurityTable table) const;
  SecurityVerdict security_verdict() const { return security_verdict(security_table); }

  /// batch: of the plaintexts and ciphertexts; level: of ciphertexts that are not seeded and of evaluation
  /// keys, 0: the highest. throws ParameterError unless the batch is in [1, kMaxBatch] and the level in [0,
  /// top_level()].
  ObjectSizes serialized_sizes(std::size_t batch = 1, std::size_t level = 0) const;
  ObjectSizes memory_sizes(std::size_t batch = 1, std::size_t level = 0) const;

  /// What objects of the set belong to: equal sets have equal ones (docs/format.md, the payload of
  /// parameters).
  std::vector<std::uint8_t> canonical_bytes() const;

  /// One line for people: "n = 8192, log2 Q = 171 (4 primes) + 43, t = 65537, ternary secret, sigma 3.2,
  /// 128-bit classical security by the 2024 security guidelines (Bossuat et al., table 5.2)". A set with
  /// several special primes also says what these cost and save against one of them.
  std::string describe() const;
};

/// The checks of every scheme: enumerations, n and the primes. throws ParameterError naming
/// field, value, allowed range and remedy.
void check_ring(const RlweParameters& parameters);
/// That the set reaches the level that it claims. throws ParameterError saying what is allowed.
void check_security(const RlweParameters& parameters);

}  // namespace nttforge::rlwe
