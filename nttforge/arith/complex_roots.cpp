// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/complex_roots.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "nttforge/arith/shoup.hpp"
#include "nttforge/base/error.hpp"

namespace nttforge {
namespace {

/// A number in [0, 2^64) with 256 bits behind the point, little-endian.
struct Fixed {
  std::array<std::uint64_t, 5> word{};

  static Fixed one() { return {{0, 0, 0, 0, 1}}; }
  friend bool operator<(const Fixed& a, const Fixed& b) {
    for (std::size_t i = a.word.size(); i-- > 0;)
      if (a.word[i] != b.word[i]) return a.word[i] < b.word[i];
    return false;
  }
  friend Fixed operator+(const Fixed& a, const Fixed& b) {
    Fixed sum;
    u128 carry = 0;
    for (std::size_t i = 0; i < sum.word.size(); ++i) {
      carry += u128{a.word[i]} + b.word[i];
      sum.word[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    return sum;
  }
  /// b <= a.
  friend Fixed operator-(const Fixed& a, const Fixed& b) {
    Fixed inverted;
    for (std::size_t i = 0; i < inverted.word.size(); ++i) inverted.word[i] = ~b.word[i];
    return a + inverted + Fixed{{1}};
  }
  /// Rounded down.
  friend Fixed operator*(const Fixed& a, const Fixed& b) {
    std::array<std::uint64_t, 10> product{};
    for (std::size_t i = 0; i < 5; ++i) {
      u128 carry = 0;
      for (std::size_t j = 0; j < 5; ++j) {
        carry += u128{a.word[i]} * b.word[j] + product[i + j];
        product[i + j] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
      }
      product[i + 5] = static_cast<std::uint64_t>(carry);
    }
    Fixed result;
    for (std::size_t i = 0; i < 5; ++i) result.word[i] = product[i + 4];
    return result;
  }
  Fixed half() const {
    Fixed result;
    for (std::size_t i = 0; i < 5; ++i) result.word[i] = word[i] >> 1 | (i + 1 < 5 ? word[i + 1] << 63 : 0);
    return result;
  }
  unsigned bits() const {
    for (std::size_t i = 5; i-- > 0;)
      if (word[i] != 0) return static_cast<unsigned>(64 * i) + static_cast<unsigned>(std::bit_width(word[i]));
    return 0;
  }
  bool bit(unsigned i) const { return (word[i / 64] >> (i % 64) & 1) != 0; }
};

/// 53 bits of a number and the power of two of the last of them.
struct Rounded {
  std::uint64_t mantissa = 0;
  unsigned shift = 0;
};

/// To nearest, ties to even.
Rounded rounded(const Fixed& x) {
  const unsigned bits = x.bits();
  if (bits <= 53) return {x.word[0], 0};
  Rounded result{0, bits - 53};
  for (unsigned i = bits; i-- > result.shift;) result.mantissa = 2 * result.mantissa + x.bit(i);
  bool rest = false;
  for (unsigned i = 0; i + 1 < result.shift; ++i) rest = rest || x.bit(i);
  if (x.bit(result.shift - 1) && (rest || (result.mantissa & 1) != 0)) ++result.mantissa;
  return result;
}

Fixed fixed(const Rounded& r) {
  Fixed x;
  for (unsigned i = 0; i < 54; ++i)
    if ((r.mantissa >> i & 1) != 0) x.word[(r.shift + i) / 64] |= std::uint64_t{1} << ((r.shift + i) % 64);
  return x;
}

double to_double(const Rounded& r) {
  return std::ldexp(static_cast<double>(r.mantissa), static_cast<int>(r.shift) - 256);
}

DoubleDouble nearest(const Fixed& x) {
  const Rounded hi = rounded(x);
  const Fixed whole = fixed(hi);
  const bool below = x < whole;
  const double lo = to_double(rounded(below ? whole - x : x - whole));
  return {to_double(hi), below ? -lo : lo};
}

/// 1 / sqrt(x) for x in [1/2, 1], by Newton's steps from a double's.
Fixed inverse_square_root(const Fixed& x) {
  const Fixed three{{0, 0, 0, 0, 3}};
  const double start = 1 / std::sqrt(to_double(rounded(x)));
  Fixed y = fixed({static_cast<std::uint64_t>(std::ldexp(start, 50)), 256 - 50});
  for (int i = 0; i < 4; ++i) y = (y * (three - x * y * y)).half();
  return y;
}

/// Cosine and sine of an angle in [0, pi/2].
struct Angle {
  Fixed cosine, sine;

  friend Angle operator+(const Angle& a, const Angle& b) {
    return {a.cosine * b.cosine - a.sine * b.sine, a.cosine * b.sine + a.sine * b.cosine};
  }
};

/// Angles i / 2^bits of a quarter turn, each found within 2^-240.
class QuarterTurn {
 public:
  explicit QuarterTurn(unsigned bits) : low_bits_(bits / 2) {
    std::vector<Angle> halves(bits + 1, Angle{Fixed{}, Fixed::one()});  // quarter turn / 2^j
    for (unsigned j = 1; j <= bits; ++j) {
      const Angle& whole = halves[j - 1];
      const Fixed square = (Fixed::one() + whole.cosine).half(), inverse = inverse_square_root(square);
      halves[j] = {square * inverse, (whole.sine * inverse).half()};
    }
    low_ = sums(halves, bits, low_bits_);
    high_ = sums(halves, bits - low_bits_, bits - low_bits_);
  }
  Angle at(std::uint64_t i) const {
    const Angle &a = high_[i >> low_bits_], &b = low_[i & ((std::uint64_t{1} << low_bits_) - 1)];
    return a + b;
  }

 private:
  /// i / 2^depth of a quarter turn for i in [0, 2^count).
  static std::vector<Angle> sums(const std::vector<Angle>& halves, unsigned depth, unsigned count) {
    std::vector<Angle> result{{Fixed::one(), Fixed{}}};
    for (unsigned bit = 0; bit < count; ++bit)
      for (std::size_t i = 0, size = result.size(); i < size; ++i)
        result.push_back(result[i] + halves[depth - bit]);
    return result;
  }

  unsigned low_bits_;
  std::vector<Angle> low_, high_;
};

}  // namespace

std::vector<ComplexRoot> complex_roots(const std::vector<std::uint64_t>& exponents, unsigned order_bits) {
  if (order_bits < 2 || order_bits > kMaxRootOrderBits)
    throw ParameterError("order_bits = " + std::to_string(order_bits) + " is out of range [2, " +
                         std::to_string(kMaxRootOrderBits) + "]");
  const std::uint64_t quarter = std::uint64_t{1} << (order_bits - 2);
  const QuarterTurn turn(order_bits - 2);
  std::vector<ComplexRoot> roots;
  roots.reserve(exponents.size());
  for (const std::uint64_t exponent : exponents) {
    const std::uint64_t i = exponent % quarter;
    const Angle angle = turn.at(i);
    DoubleDouble c = i == 0 ? DoubleDouble{1, 0} : nearest(angle.cosine);
    DoubleDouble s = i == 0 ? DoubleDouble{0, 0} : nearest(angle.sine);
    switch (exponent / quarter % 4) {
      case 0:
        roots.push_back({c, s});
        break;
      case 1:
        roots.push_back({-s, c});
        break;
      case 2:
        roots.push_back({-c, -s});
        break;
      default:
        roots.push_back({s, -c});
    }
  }
  return roots;
}

}  // namespace nttforge
