// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nttforge {

/// Unsigned integer of any size, little-endian 64-bit words; for set-up, CRT at the edges and noise
/// measurement, never in the critical path. Not constant time.
class BigUint {
 public:
  BigUint() = default;
  BigUint(std::uint64_t value);  // NOLINT: implicit on purpose
  static BigUint from_words(std::span<const std::uint64_t> little_endian);
  static BigUint from_decimal(std::string_view text);  ///< throws FormatError
  static BigUint product(std::span<const std::uint64_t> factors);

  bool is_zero() const { return words_.empty(); }
  unsigned bits() const;                                           ///< 0 for zero
  double log2() const;                                             ///< -infinity for zero
  std::span<const std::uint64_t> words() const { return words_; }  ///< no leading zero words
  std::string to_decimal() const;

  BigUint& operator+=(const BigUint& other);
  BigUint& operator-=(const BigUint& other);  ///< throws ParameterError if the result would be negative
  BigUint& operator*=(std::uint64_t factor);
  friend BigUint operator+(BigUint a, const BigUint& b) { return a += b; }
  friend BigUint operator-(BigUint a, const BigUint& b) { return a -= b; }
  friend BigUint operator*(BigUint a, std::uint64_t b) { return a *= b; }
  friend BigUint operator*(const BigUint& a, const BigUint& b);
  BigUint shifted_right(unsigned bits) const;

  std::uint64_t mod(std::uint64_t q) const;  ///< throws ParameterError for q = 0
  BigUint divided_by(std::uint64_t divisor, std::uint64_t* remainder = nullptr) const;

  friend std::strong_ordering operator<=>(const BigUint& a, const BigUint& b);
  friend bool operator==(const BigUint& a, const BigUint& b) = default;

 private:
  void trim();
  std::vector<std::uint64_t> words_;
};

}  // namespace nttforge
