// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/scale.hpp"

#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"

namespace nttforge::ckks {
namespace {

constexpr int kMostSpread = 600;         // bits between the last ones of both parts of a scale
constexpr unsigned kQuotientBits = 420;  // of what is rounded to a double-double

BigUint shifted_left(const BigUint& x, unsigned bits) {
  std::vector<std::uint64_t> words(bits / 64, 0);
  words.insert(words.end(), x.words().begin(), x.words().end());
  return BigUint::from_words(words) * (std::uint64_t{1} << (bits % 64));
}

/// mantissa 2^exponent.
struct Exact {
  BigUint mantissa;
  int exponent;
};

/// A positive double, exactly.
std::pair<std::uint64_t, int> parts_of(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return {static_cast<std::uint64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

Exact exact(const DoubleDouble& x) {
  if (!(x.hi > 0 && std::isfinite(x.hi) && std::isfinite(x.lo)))
    throw ParameterError("scale = " + std::to_string(x.hi) + " must be positive and finite");
  const auto [high, exponent] = parts_of(x.hi);
  if (x.lo == 0) return {high, exponent};
  const auto [low, low_exponent] = parts_of(std::abs(x.lo));
  const int spread = exponent - low_exponent;
  if (spread < 0 || spread > kMostSpread)
    throw ParameterError("scale: its parts " + std::to_string(x.hi) + " and " + std::to_string(x.lo) +
                         " are no double-double");
  BigUint mantissa = shifted_left(high, static_cast<unsigned>(spread));
  if (x.lo > 0)
    mantissa += low;
  else
    mantissa -= low;
  return {std::move(mantissa), low_exponent};
}

/// The double nearest to x, ties to even.
double nearest_double(const BigUint& x) {
  const unsigned bits = x.bits();
  if (bits <= 64 && (x.is_zero() || (x.words()[0] >> 53) == 0))
    return x.is_zero() ? 0 : static_cast<double>(x.words()[0]);
  const unsigned dropped = bits - 53;
  const BigUint top = x.shifted_right(dropped);
  const BigUint rest = x - shifted_left(top, dropped), half = shifted_left(1, dropped - 1);
  std::uint64_t mantissa = top.words()[0];
  if (rest > half || (rest == half && (mantissa & 1) != 0)) ++mantissa;
  return std::ldexp(static_cast<double>(mantissa), static_cast<int>(dropped));
}

/// That double as an integer.
BigUint integer_of(double x) {
  const auto [mantissa, exponent] = parts_of(x);
  return exponent >= 0 ? shifted_left(mantissa, static_cast<unsigned>(exponent))
                       : BigUint(mantissa).shifted_right(static_cast<unsigned>(-exponent));
}

/// x 2^exponent, plus something below 2^exponent if more is left: rounded to nearest.
DoubleDouble nearest(BigUint x, int exponent, bool more) {
  // A last bit says that something is left: no rounding takes what is above a tie for one.
  x = x * 2 + BigUint(more ? 1 : 0);
  --exponent;
  const double hi = nearest_double(x);
  const BigUint of_hi = integer_of(hi);
  const double lo = x >= of_hi ? nearest_double(x - of_hi) : -nearest_double(of_hi - x);
  return {std::ldexp(hi, exponent), std::ldexp(lo, exponent)};
}

/// floor(x / y), and whether something is left.
std::pair<BigUint, bool> divide(BigUint x, const BigUint& y) {
  BigUint quotient;
  const unsigned bits = x.bits() < y.bits() ? 0 : x.bits() - y.bits() + 1;
  for (unsigned i = bits; i-- > 0;) {
    const BigUint part = shifted_left(y, i);
    quotient *= 2;
    if (part <= x) {
      x -= part;
      quotient += BigUint(1);
    }
  }
  return {std::move(quotient), !x.is_zero()};
}

}  // namespace

DoubleDouble scale_of(const DoubleDouble& a, const DoubleDouble& b, std::span<const std::uint64_t> times,
                      std::span<const std::uint64_t> by) {
  const Exact x = exact(a), y = exact(b);
  BigUint numerator = x.mantissa * y.mantissa * BigUint::product(times);
  int exponent = x.exponent + y.exponent;
  const unsigned wanted = kQuotientBits + BigUint::product(by).bits();
  if (numerator.bits() < wanted) {
    const unsigned shift = wanted - numerator.bits();
    numerator = shifted_left(numerator, shift);
    exponent -= static_cast<int>(shift);
  }
  std::uint64_t left = 0;
  for (const std::uint64_t divisor : by) {
    std::uint64_t remainder = 0;
    numerator = numerator.divided_by(divisor, &remainder);
    left |= remainder;
  }
  return nearest(numerator, exponent, left != 0);
}

DoubleDouble quotient_of(const DoubleDouble& a, const DoubleDouble& b) {
  const Exact x = exact(a), y = exact(b);
  const unsigned shift = kQuotientBits + y.mantissa.bits();
  const auto [quotient, remains] = divide(shifted_left(x.mantissa, shift), y.mantissa);
  return nearest(quotient, x.exponent - y.exponent - static_cast<int>(shift), remains);
}

BigUint nearest_integer(const DoubleDouble& a, std::span<const std::uint64_t> times, const DoubleDouble& b,
                        std::span<const std::uint64_t> by) {
  const Exact x = exact(a), y = exact(b);
  BigUint numerator = x.mantissa * BigUint::product(times) * 2;
  BigUint denominator = y.mantissa * BigUint::product(by) * 2;
  const int exponent = x.exponent - y.exponent;
  if (exponent >= 0)
    numerator = shifted_left(numerator, static_cast<unsigned>(exponent));
  else
    denominator = shifted_left(denominator, static_cast<unsigned>(-exponent));
  numerator += denominator.shifted_right(1);
  return divide(std::move(numerator), denominator).first;  // floor(x / y + 1/2)
}

bool same_scale(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble difference = add(a, -b);
  return std::abs(difference.hi) < a.hi * 0x1p-100;
}

double log2_of_scale(const DoubleDouble& scale) { return std::log2(scale.hi); }

}  // namespace nttforge::ckks
