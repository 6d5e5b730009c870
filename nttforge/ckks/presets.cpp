// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ckks/parameters.hpp"
#include "nttforge/ckks/scale.hpp"
#include "nttforge/rns/big_uint.hpp"

namespace nttforge::ckks {
namespace {

using Primes = std::vector<std::uint64_t>;

constexpr unsigned kMostPrimeBits = 60;
constexpr std::size_t kLeastN = std::size_t{1} << 12;

std::string text(std::uint64_t value) { return std::to_string(value); }

bool taken(const Primes& primes, std::uint64_t prime) {
  return std::find(primes.begin(), primes.end(), prime) != primes.end();
}

/// The prime = 1 (mod 2n) nearest to a number that is not taken, below 2^62.
std::uint64_t nearest_prime(std::size_t n, double wanted, const Primes& used) {
  const std::uint64_t step = 2 * static_cast<std::uint64_t>(n);
  const auto center = static_cast<std::uint64_t>(std::llround(wanted / static_cast<double>(step)));
  for (std::uint64_t distance = 0; distance < center; ++distance)
    for (const std::uint64_t k : {center + distance, center - distance}) {
      const std::uint64_t prime = k * step + 1;
      if (is_prime(prime) && !taken(used, prime)) return prime;
    }
  throw ParameterError("n = " + text(n) + ": there are too few primes near 2^" +
                       std::to_string(std::log2(wanted)) + "; use a larger scale");
}

/// The largest ones below a number.
Primes primes_below(std::size_t n, double bound, std::size_t count, const Primes& used) {
  const std::uint64_t step = 2 * static_cast<std::uint64_t>(n);
  Primes result;
  for (std::uint64_t k = static_cast<std::uint64_t>(bound) / step; result.size() < count && k > 0; --k)
    if (const std::uint64_t prime = k * step + 1;
        static_cast<double>(prime) < bound && is_prime(prime) && !taken(used, prime))
      result.push_back(prime);
  return result;
}

/// A recommended shape: log2 of the lowest level's prime, levels above it, special primes and their bits.
struct Shape {
  unsigned lowest;
  std::size_t levels, special;
  unsigned special_bits;
};

std::size_t special_primes(std::size_t n, unsigned scale_bits) {
  switch (n) {
    case std::size_t{1} << 12:
    case std::size_t{1} << 13:
      return 1;
    case std::size_t{1} << 14:
      return 2;
    case std::size_t{1} << 15:
      return 3;
    case std::size_t{1} << 16:
      return scale_bits <= 40 ? 7 : 6;
    default:
      return 8;
  }
}

/// Numbers have `room` bits before the point at the lowest level. P is some 2^10 above a digit where bits are
/// left for it, so that key switching adds less than rescaling does; a single special prime 2^4 above the
/// lowest one.
Shape shape_of(std::size_t n, unsigned scale_bits, unsigned bits) {
  const unsigned room = n == kLeastN ? 6 : scale_bits > 40 ? 7 : 10;
  const unsigned lowest = std::min(kMostPrimeBits, scale_bits + room);
  const std::size_t special = special_primes(n, scale_bits);
  const unsigned above = special == 1 ? 4 : scale_bits > 40 ? 1 : 0;
  const unsigned special_bits = n >= std::size_t{1} << 16 && scale_bits > 40
                                    ? kMostPrimeBits
                                    : std::min(kMostPrimeBits, lowest + above);
  const std::size_t fixed = lowest + special * special_bits;
  return {lowest, bits <= fixed ? 0 : (bits - fixed) / scale_bits, special, special_bits};
}

/// The special primes that the bits which are left have room for.
void add_special(Parameters& parameters, std::size_t count, unsigned size, unsigned bits) {
  const double left = bits - 0.02 - BigUint::product(parameters.q).log2();
  const double each = std::min<double>(size, left / static_cast<double>(count));
  parameters.special = primes_below(parameters.n, std::exp2(each), count, parameters.q);
}

/// A prime a level, chosen from the top so that scales stay near 2^scale_bits: scale^2 / q at each level.
void fill_prefixes(Parameters& parameters, unsigned scale_bits, const Shape& shape, unsigned bits) {
  const double center = std::exp2(scale_bits);
  parameters.scale = center;
  Primes chain;
  double scale = center;
  for (std::size_t i = 0; i < shape.levels; ++i) {
    chain.push_back(nearest_prime(parameters.n, scale * scale / center, chain));
    scale = scale * scale / static_cast<double>(chain.back());
  }
  chain.push_back(primes_below(parameters.n, std::exp2(shape.lowest), 1, chain).at(0));
  std::reverse(chain.begin(), chain.end());
  parameters.q = std::move(chain);
  parameters.digit_primes = std::min(shape.special, parameters.q.size());
  add_special(parameters, shape.special, shape.special_bits, bits);
}

struct WindowShape {
  std::size_t n, mains, digit, special;
  unsigned special_bits;
};
/// Special primes of 30 bits are below 2^30, where key switching on GPUs is fastest. With one more than a
/// digit has, P is above a digit all the same; at 2^14, where there is no room for one more, it is as large
/// as one. At 2^15 there is none either, and primes of 31 bits keep P 2^4 times a digit, which rotations'
/// noise needs.
constexpr WindowShape kWindowShapes[] = {{std::size_t{1} << 14, 9, 2, 2, 30},
                                         {std::size_t{1} << 15, 21, 4, 4, 31},
                                         {std::size_t{1} << 16, 41, 12, 13, 30}};

/// Four primes of 25 bits, then `mains` below 2^30: level 1 + i has 50 + 40 i bits in three kinds of windows,
/// (mains, terminals) = (3, 0), (1, 4), (4, 2), (7, 0), ... [Cheddar24], as long as there are mains; level 1
/// has (1, 1), 55 bits, of which one stays on the way down to it. Keys have every prime of any level; so has
/// the highest level, whose scale is larger for it.
void fill_windows(Parameters& parameters, const WindowShape& shape, unsigned bits) {
  constexpr unsigned kTerminals = 4, kOfKind[] = {2, 0, 4};
  Primes& q = parameters.q;
  for (unsigned i = 0; i < kTerminals; ++i) q.push_back(nearest_prime(parameters.n, 0x1p25, q));
  const Primes mains = primes_below(parameters.n, 0x1p30, shape.mains, q);
  q.insert(q.end(), mains.begin(), mains.end());
  parameters.levels.push_back({kTerminals - 1, kTerminals + 1});
  for (std::size_t i = 1;; ++i) {
    const std::size_t terminals = kOfKind[i % 3], of_level = (50 + 40 * i - 25 * terminals) / 30;
    if (of_level > shape.mains) break;
    parameters.levels.push_back({kTerminals - terminals, kTerminals + of_level});
  }
  parameters.levels.push_back({0, q.size()});
  parameters.digit_primes = shape.digit;
  double scale = 0x1p45;
  for (std::size_t level = 2; level <= parameters.top_level(); ++level)
    scale = parameters.step_from(level).scale_above(scale);
  parameters.scale = scale;
  add_special(parameters, shape.special, shape.special_bits, bits);
}

[[noreturn]] void refuse_levels(std::size_t levels, std::size_t most) {
  throw ParameterError("levels = " + text(levels) + " is out of range [1, " + text(most) +
                       "]; use a larger n or a smaller scale for more");
}

}  // namespace

Parameters Parameters::preset(std::size_t n, unsigned scale_bits, SecurityLevel security, SecurityTable table,
                              unsigned word_bits, std::size_t levels) {
  if (security == SecurityLevel::insecure_by_request)
    throw ParameterError("security = insecure_by_request has no preset: use custom");
  const unsigned bits = max_modulus_bits(n, security, table);
  if (n < kLeastN || n > std::size_t{1} << 17 || bits == 0)
    throw ParameterError("n = " + text(n) + ": " + std::string(security_table_title(table)) +
                         " has presets for n = 2^12 ... 2^17 where it names a limit at this level");
  Parameters parameters;
  parameters.n = n;
  parameters.security = security;
  parameters.security_table = table;
  parameters.word_bits = word_bits;
  if (word_bits == 64) {
    if (scale_bits < 30 || scale_bits > 55)
      throw ParameterError("scale_bits = " + text(scale_bits) +
                           " is out of range [30, 55]; 40 is a good start");
    Shape shape = shape_of(n, scale_bits, bits);
    if (shape.levels == 0)
      throw ParameterError("scale_bits = " + text(scale_bits) + " leaves no level at n = " + text(n) +
                           ", whose " + "modulus has " + text(bits) +
                           " bits at most; use a larger n or a smaller scale");
    if (levels > shape.levels) refuse_levels(levels, shape.levels);
    if (levels != 0) shape.levels = levels;
    fill_prefixes(parameters, scale_bits, shape, bits);
  } else if (word_bits == 32) {
    const auto* row = std::find_if(std::begin(kWindowShapes), std::end(kWindowShapes),
                                   [n](const WindowShape& shape) { return shape.n == n; });
    if (scale_bits != 40 || row == std::end(kWindowShapes) || security != SecurityLevel::classical128 ||
        levels != 0)
      throw ParameterError(
          "word_bits = 32: presets have scale_bits = 40, n = 2^14 ... 2^16, 128 bits of security "
          "and all levels that fit; use word_bits = 64 or custom");
    fill_windows(parameters, *row, bits);
  } else {
    throw ParameterError("word_bits = " + text(word_bits) + " is not allowed: 32 or 64");
  }
  parameters.validate();
  return parameters;
}

}  // namespace nttforge::ckks
