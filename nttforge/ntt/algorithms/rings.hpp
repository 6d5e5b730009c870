// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arithmetic modulo one prime as the reference algorithms use it: every operand and result fully reduced, so
// that the values after each stage are the same whatever the arithmetic.

#include <cstdint>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/shoup.hpp"

namespace nttforge::algorithms {

/// A constant to multiply by, in [0, q), with its Shoup quotient (0 for Goldilocks).
template <class Word>
struct Factor {
  Word value = 0;
  Word quotient = 0;
};

/// q < 2^62.
struct ShoupRing64 {
  using Word = std::uint64_t;
  Word q;

  NTTF_INLINE Word add(Word a, Word b) const { return a + b - (q & mask(a + b >= q)); }
  NTTF_INLINE Word sub(Word a, Word b) const { return a - b + (q & mask(a < b)); }
  NTTF_INLINE Word mul(Word a, Factor<Word> w) const { return mul_shoup(a, {w.value, w.quotient}, q); }
  Factor<Word> factor(std::uint64_t w) const { return {w, shoup_quotient(w, q)}; }

 private:
  static NTTF_INLINE Word mask(bool condition) { return Word{0} - static_cast<Word>(condition); }
};

/// q < 2^32: 32-bit words in memory, 64-bit intermediates. With the quotient floor(w 2^32 / q) and a < 2^32
/// the lazy product is below 2q < 2^33, as in docs/bounds/shoup64.md.
struct ShoupRing32 {
  using Word = std::uint32_t;
  Word q;

  NTTF_INLINE Word add(Word a, Word b) const { return reduce(std::uint64_t{a} + b); }
  NTTF_INLINE Word sub(Word a, Word b) const { return reduce(std::uint64_t{a} + q - b); }
  NTTF_INLINE Word mul(Word a, Factor<Word> w) const {
    const std::uint64_t estimate = (std::uint64_t{a} * w.quotient) >> 32;
    return reduce(std::uint64_t{a} * w.value - estimate * q);
  }
  Factor<Word> factor(std::uint64_t w) const {
    return {static_cast<Word>(w), static_cast<Word>((w << 32) / q)};
  }

 private:
  /// [0, 2q) -> [0, q).
  NTTF_INLINE Word reduce(std::uint64_t x) const {
    return static_cast<Word>(x - (q & (std::uint64_t{0} - static_cast<std::uint64_t>(x >= q))));
  }
};

/// q = 2^64 - 2^32 + 1.
struct GoldilocksRing {
  using Word = std::uint64_t;
  Word q;

  NTTF_INLINE Word add(Word a, Word b) const { return goldilocks::add(a, b); }
  NTTF_INLINE Word sub(Word a, Word b) const { return goldilocks::sub(a, b); }
  NTTF_INLINE Word mul(Word a, Factor<Word> w) const { return goldilocks::mul(a, w.value); }
  Factor<Word> factor(std::uint64_t w) const { return {w, 0}; }
};

}  // namespace nttforge::algorithms
