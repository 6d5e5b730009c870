// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/base/macros.hpp"

namespace nttforge {

/// q^-1 modulo the word, q odd: q q = 1 (mod 8), and each Newton step doubles the bits that are right, from 3
/// on.
template <class Word>
NTTF_INLINE constexpr Word inverse_of_odd(Word q) {
  Word x = q;
  for (int i = 0; i < 5; ++i) x = static_cast<Word>(x * (2 - q * x));
  return x;
}

}  // namespace nttforge
