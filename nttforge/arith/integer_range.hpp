// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/arith/barrett.hpp"

namespace nttforge {

/// How integers in words of 64 bits become residues modulo t, 2 <= t < 2^62, and which are allowed:
/// [low, low + t) with -t < low <= 0. On host and device; no branch depends on a word.
struct IntegerRange {
  std::uint64_t t, ratio, wrap, offset, bound;

  IntegerRange(std::uint64_t modulus, bool is_signed, std::int64_t low)
      : t(modulus),
        ratio(static_cast<std::uint64_t>((u128{1} << 64) / modulus)),
        wrap(is_signed ? static_cast<std::uint64_t>((u128{1} << 64) % modulus) : 0),
        offset(is_signed ? std::uint64_t{0} - static_cast<std::uint64_t>(low) : 0),
        bound(is_signed ? modulus : modulus + static_cast<std::uint64_t>(low)) {}
};

/// word modulo t in [0, t): a negative word stands for itself less 2^64. outside becomes odd, and stays so,
/// where the word is not allowed: above < bound < 2^63 only if neither above nor ~(above - bound) has its
/// highest bit set.
NTTF_HOST_DEVICE std::uint64_t reduce_integer(std::uint64_t word, const IntegerRange& range,
                                              std::uint64_t& outside) {
  const std::uint64_t negative = std::uint64_t{0} - (word >> 63);
  std::uint64_t r = barrett_reduce(word, range.t, range.ratio) - (range.wrap & negative);
  r += range.t & (std::uint64_t{0} - (r >> 63));
  const std::uint64_t above = word + range.offset;
  outside |= (above | ~(above - range.bound)) >> 63;
  return r;
}

/// Signed integers stand for residues modulo t in [signed_low(t), signed_high(t)]: -floor(t/2) and
/// floor((t-1)/2), but 0 and 1 for t = 2, where residues are bits.
NTTF_HOST_DEVICE std::int64_t signed_low(std::uint64_t t) {
  return t == 2 ? 0 : -static_cast<std::int64_t>(t / 2);
}
NTTF_HOST_DEVICE std::int64_t signed_high(std::uint64_t t) {
  return signed_low(t) + static_cast<std::int64_t>(t - 1);
}

/// A residue in [0, t) as the representative in [signed_low(t), signed_high(t)], in two's complement.
NTTF_HOST_DEVICE std::uint64_t centred_integer(std::uint64_t residue, std::uint64_t t) {
  const std::uint64_t high = static_cast<std::uint64_t>(signed_high(t));
  return residue - (t & (std::uint64_t{0} - ((high - residue) >> 63)));
}

}  // namespace nttforge
