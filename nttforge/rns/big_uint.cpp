// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/big_uint.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/macros.hpp"

namespace nttforge {
namespace {

constexpr std::uint64_t kDecimalChunk =
    10'000'000'000'000'000'000u;  // 10^19, the largest power of ten in a word
constexpr unsigned kDecimalDigits = 19;

std::uint64_t low(u128 x) { return static_cast<std::uint64_t>(x); }
std::uint64_t high(u128 x) { return static_cast<std::uint64_t>(x >> 64); }

/// Divides two words by one with products instead of a division: Moeller and Granlund, "Improved division by
/// invariant integers" (2011), algorithm 4, for divisors whose highest bit is set.
struct Reciprocal {
  std::uint64_t divisor;
  std::uint64_t value = low(~u128{0} / divisor);  // of 2^64 + value

  /// The quotient of (rest, word), for rest < divisor; `rest` becomes the remainder.
  std::uint64_t quotient(std::uint64_t& rest, std::uint64_t word) const {
    const u128 estimate = static_cast<u128>(value) * rest + ((static_cast<u128>(rest) << 64) | word);
    std::uint64_t quotient = high(estimate) + 1;
    rest = word - quotient * divisor;
    if (rest > low(estimate)) {
      --quotient;
      rest += divisor;
    }
    if (rest >= divisor) {
      ++quotient;
      rest -= divisor;
    }
    return quotient;
  }
};

}  // namespace

BigUint::BigUint(std::uint64_t value) {
  if (value != 0) words_.push_back(value);
}

BigUint BigUint::from_words(std::span<const std::uint64_t> little_endian) {
  BigUint result;
  result.words_.assign(little_endian.begin(), little_endian.end());
  result.trim();
  return result;
}

BigUint BigUint::from_decimal(std::string_view text) {
  if (text.empty()) throw FormatError("decimal integer is empty: need at least one digit 0 ... 9");
  BigUint result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9')
      throw FormatError("decimal integer \"" + std::string(text) + "\" has character '" +
                        std::string(1, text[i]) + "' at position " + std::to_string(i) +
                        ": only digits 0 ... 9 are allowed");
    result *= 10;
    result += BigUint(static_cast<std::uint64_t>(text[i] - '0'));
  }
  return result;
}

BigUint BigUint::product(std::span<const std::uint64_t> factors) {
  BigUint result(1);
  for (const std::uint64_t factor : factors) result *= factor;
  return result;
}

void BigUint::trim() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

unsigned BigUint::bits() const {
  if (words_.empty()) return 0;
  return static_cast<unsigned>(64 * (words_.size() - 1)) +
         static_cast<unsigned>(std::bit_width(words_.back()));
}

double BigUint::log2() const {
  if (words_.empty()) return -std::numeric_limits<double>::infinity();
  // The top 64 bits hold more than a double can; what lies below changes nothing.
  const unsigned shift = bits() > 64 ? bits() - 64 : 0;
  const BigUint top = shifted_right(shift);
  return std::log2(static_cast<double>(top.words_[0])) + shift;
}

std::string BigUint::to_decimal() const {
  if (words_.empty()) return "0";
  std::string reversed;
  BigUint rest = *this;
  while (!rest.is_zero()) {
    std::uint64_t chunk = 0;
    rest = rest.divided_by(kDecimalChunk, &chunk);
    for (unsigned digit = 0; digit < kDecimalDigits && (chunk != 0 || !rest.is_zero()); ++digit) {
      reversed.push_back(static_cast<char>('0' + chunk % 10));
      chunk /= 10;
    }
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

BigUint& BigUint::operator+=(const BigUint& other) {
  if (words_.size() < other.words_.size()) words_.resize(other.words_.size(), 0);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const u128 sum = static_cast<u128>(words_[i]) + (i < other.words_.size() ? other.words_[i] : 0) + carry;
    words_[i] = low(sum);
    carry = high(sum);
  }
  if (carry != 0) words_.push_back(carry);
  return *this;
}

BigUint& BigUint::operator-=(const BigUint& other) {
  if (*this < other)
    throw ParameterError("difference of " + to_decimal() + " and " + other.to_decimal() + " is negative");
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const u128 difference =
        static_cast<u128>(words_[i]) - (i < other.words_.size() ? other.words_[i] : 0) - borrow;
    words_[i] = low(difference);
    borrow = high(difference) & 1;
  }
  trim();
  return *this;
}

BigUint& BigUint::operator*=(std::uint64_t factor) {
  std::uint64_t carry = 0;
  for (std::uint64_t& word : words_) {
    const u128 product = static_cast<u128>(word) * factor + carry;
    word = low(product);
    carry = high(product);
  }
  if (carry != 0) words_.push_back(carry);
  trim();
  return *this;
}

BigUint operator*(const BigUint& a, const BigUint& b) {
  BigUint result;
  result.words_.assign(a.words_.size() + b.words_.size(), 0);
  for (std::size_t i = 0; i < a.words_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.words_.size(); ++j) {
      const u128 sum = static_cast<u128>(a.words_[i]) * b.words_[j] + result.words_[i + j] + carry;
      result.words_[i + j] = low(sum);
      carry = high(sum);
    }
    result.words_[i + b.words_.size()] = carry;
  }
  result.trim();
  return result;
}

BigUint BigUint::shifted_right(unsigned count) const {
  const std::size_t skip = count / 64;
  const unsigned shift = count % 64;
  BigUint result;
  for (std::size_t i = skip; i < words_.size(); ++i) {
    const std::uint64_t next = i + 1 < words_.size() ? words_[i + 1] : 0;
    result.words_.push_back(low(((static_cast<u128>(next) << 64) | words_[i]) >> shift));
  }
  result.trim();
  return result;
}

std::uint64_t BigUint::mod(std::uint64_t q) const {
  std::uint64_t remainder = 0;
  (void)divided_by(q, &remainder);
  return remainder;
}

BigUint BigUint::divided_by(std::uint64_t divisor, std::uint64_t* remainder) const {
  if (divisor == 0) throw ParameterError("divisor = 0: must be at least 1");
  BigUint quotient;
  quotient.words_.assign(words_.size(), 0);
  const unsigned shift = static_cast<unsigned>(std::countl_zero(divisor));
  const Reciprocal reciprocal{.divisor = divisor << shift};
  const auto shifted = [shift](std::uint64_t above, std::uint64_t below) {
    return high(((static_cast<u128>(above) << 64) | below) << shift);
  };
  std::uint64_t rest = words_.empty() ? 0 : shifted(0, words_.back());
  for (std::size_t i = words_.size(); i-- > 0;)
    quotient.words_[i] = reciprocal.quotient(rest, shifted(words_[i], i == 0 ? 0 : words_[i - 1]));
  quotient.trim();
  if (remainder != nullptr) *remainder = rest >> shift;
  return quotient;
}

std::strong_ordering operator<=>(const BigUint& a, const BigUint& b) {
  if (a.words_.size() != b.words_.size()) return a.words_.size() <=> b.words_.size();
  for (std::size_t i = a.words_.size(); i-- > 0;)
    if (a.words_[i] != b.words_[i]) return a.words_[i] <=> b.words_[i];
  return std::strong_ordering::equal;
}

}  // namespace nttforge
