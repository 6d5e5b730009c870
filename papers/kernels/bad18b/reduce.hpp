// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "papers/kernels/bad18b/words.hpp"

// [Bad18b] Table 1: N integers of 62 bits modulo NFLlib's 30-bit prime 984481793, by the native remainder, by
// NFLlib's algorithm 2, and by Barrett's with the upper half of a 64-bit product.

namespace nttforge::cuda::bad18b {

inline constexpr Word kNflPrime = 984481793;
/// NFLlib's quotient has 32 bits, so its algorithm takes integers below 2^32 p, the largest of 62 bits.
inline constexpr Wide kNflLimit = Wide{kNflPrime} << 32;
inline constexpr unsigned kNflMargin = 2;  ///< 2^32 / 2^2 > p
/// floor(2^64 / p) mod 2^32.
inline constexpr Word kNflQuotient = static_cast<Word>(~Wide{0} / kNflPrime);
inline constexpr Wide kNflReciprocal = ~Wide{0} / kNflPrime;  ///< p is odd: floor(2^64 / p)

enum class Reduction { native, nfllib, barrett };

template <Reduction kReduction>
NTTF_HD Word reduced(Wide x) {
  if constexpr (kReduction == Reduction::native) {
    return static_cast<Word>(x % kNflPrime);
  } else if constexpr (kReduction == Reduction::nfllib) {
    const Wide q = Wide{kNflQuotient} * (x >> 32) + (x << kNflMargin);
    const Word r = static_cast<Word>(x) - static_cast<Word>(q >> 32) * kNflPrime;
    return r >= kNflPrime ? r - kNflPrime : r;
  } else {
    return barrett(x, kNflPrime, kNflReciprocal);
  }
}

/// Reduces each of 2^shape.log_n integers; shape.rows = 1. prime = kNflPrime, which the compiler must not
/// know for the native remainder: it would multiply by a reciprocal instead.
template <Reduction kReduction>
struct Reduce {
  Shape shape{};
  const Wide* in = nullptr;
  Word* out = nullptr;
  Word prime = kNflPrime;
  NTTF_HD void operator()(std::uint32_t, std::uint32_t column) const {
    const Wide x = in[column];
    if constexpr (kReduction == Reduction::native)
      out[column] = static_cast<Word>(x % prime);
    else
      out[column] = reduced<kReduction>(x);
  }
};

}  // namespace nttforge::cuda::bad18b
