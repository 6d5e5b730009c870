// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "papers/kernels/bad18b/crt.hpp"

// What [Bad18b] computes between bases, a thread a coefficient: fast base conversion (equation 3), its forms
// with a correction (Alg. 2 and 3), and the textbook's way over integers of many words.

namespace nttforge::cuda::bad18b {

/// Sources and targets of a conversion: 24 primes, as many for the auxiliary base with those that the bound
/// of section 5.3 adds, and m_sk.
inline constexpr unsigned kBase = 28;

/// The constants of a step (nttforge/rns/step.hpp) in 32-bit words.
struct StepConstants {
  Word sources = 0, targets = 0;
  Word takes_own = 0;
  Word modulus = 0;  ///< of the correction; 0: none
  Word s[kBase] = {}, scale[kBase] = {}, weights[kBase] = {};
  Word q[kBase] = {}, own[kBase] = {}, excess[kBase] = {};
  Word factors[kBase * kBase] = {};  ///< [target][source]
};

/// Sources [batch][sources][n], own words [batch][targets][n] -> out [batch][targets][n], which may be the
/// own words; shape.rows = batch. A thread a coefficient, as in the reconstruction; native remainders.
struct ApplyStep {
  Shape shape{};
  const Word* in = nullptr;
  const Word* own = nullptr;
  Word* out = nullptr;
  StepConstants k{};
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const Word* const x = in + (std::size_t{row} * k.sources << shape.log_n) + column;
    Word y[kBase];
    Wide correction = 0;
    for (unsigned i = 0; i < k.sources; ++i) {
      y[i] = static_cast<Word>(Wide{x[std::size_t{i} << shape.log_n]} * k.scale[i] % k.s[i]);
      if (k.modulus != 0) correction = (correction + Wide{y[i]} * k.weights[i]) % k.modulus;
    }
    for (unsigned j = 0; j < k.targets; ++j) {
      const std::size_t at = ((std::size_t{row} * k.targets + j) << shape.log_n) + column;
      const Word q = k.q[j];
      Wide sum = k.takes_own != 0 ? Wide{own[at]} * k.own[j] % q : 0;
      for (unsigned i = 0; i < k.sources; ++i) sum = (sum + Wide{y[i]} * k.factors[j * kBase + i]) % q;
      if (k.modulus != 0) sum = (sum + centred(correction, q) * k.excess[j]) % q;
      out[at] = static_cast<Word>(sum);
    }
  }

 private:
  /// The correction modulo q: above half the modulus it stands for correction - modulus.
  NTTF_HD Wide centred(Wide correction, Word q) const {
    if (correction <= (k.modulus - 1) / 2) return correction % q;
    const Wide negative = (k.modulus - correction) % q;
    return negative == 0 ? 0 : q - negative;
  }
};

/// The digits of the relinearization by residues: out [i][j] = |x_i scale_i|_(q_i) mod q_j, i, j < count;
/// shape.rows = count^2.
struct ResidueDigits {
  Shape shape{};
  const Word* in = nullptr;
  Word* out = nullptr;
  Word count = 0;
  Word q[kPrimes] = {}, scale[kPrimes] = {};
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const Word i = row / count, j = row - i * count;
    const Wide y = Wide{in[(std::size_t{i} << shape.log_n) + column]} * scale[i] % q[i];
    out[(std::size_t{row} << shape.log_n) + column] = static_cast<Word>(y % q[j]);
  }
};

/// Primes that hold the product of two ciphertexts over the integers: n Q^2 of 1503 bits, and the sign.
inline constexpr unsigned kTextbookPrimes = 52;

/// The textbook's rounding: the integer x of a coefficient, centred, by Garner; times t, divided by Q and
/// rounded (if `divides`); modulo each target. A thread a coefficient and member of the batch.
struct Positional {
  static constexpr unsigned kMost = kTextbookPrimes;
  Shape shape{};  ///< rows = batch
  const Word* in = nullptr;
  Word* out = nullptr;
  GarnerConstants<kMost> constants{};
  Word half[kMost + 1] = {};   ///< floor(M / 2), M the product of the sources
  Word whole[kMost + 1] = {};  ///< M
  Word divides = 0, t = 1;
  Word half_q[kMost] = {};        ///< floor(Q / 2)
  Word normalised_q[kMost] = {};  ///< Q 2^shift, highest bit set
  Word q_words = 0, shift = 0;
  Word targets = 0;
  Word p[kMost] = {};
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    Word x[kMost + 3], quotient[kMost + 3];
    const Word* const from = in + (std::size_t{row} * constants.count << shape.log_n) + column;
    garner(constants, [&](unsigned i) { return from[std::size_t{i} << shape.log_n]; }, x);
    unsigned words = constants.words;
    const bool negative = less(half, x, words);
    if (negative) subtract_from(x, whole, words);
    const Word* value = x;
    if (divides != 0) {
      x[words] = multiply_single(x, words, t, 0);
      ++words;
      add_product(x, words, half_q, q_words, 1);
      x[words] = x[words + 1] = 0;
      shift_left(x, words + 1, shift);
      divide(x, words + 1, normalised_q, q_words, quotient);
      words = words + 2 - q_words;
      value = quotient;
    }
    Word* const to = out + (std::size_t{row} * targets << shape.log_n) + column;
    for (unsigned j = 0; j < targets; ++j) {
      const Word r = mod_single(value, words, p[j]);
      to[std::size_t{j} << shape.log_n] = negative && r != 0 ? p[j] - r : r;
    }
  }
};

/// The digits of the textbook's relinearization in base 2^31: out [i][j] = digit i of x mod q_j, i, j <
/// count; shape.rows = 1.
struct BinaryDigits {
  static constexpr unsigned kBits = 31;
  Shape shape{};
  const Word* in = nullptr;
  Word* out = nullptr;
  GarnerConstants<kPrimes> constants{};
  NTTF_HD void operator()(std::uint32_t, std::uint32_t column) const {
    Word x[kPrimes + 1];
    garner(constants, [&](unsigned i) { return in[(std::size_t{i} << shape.log_n) + column]; }, x);
    x[constants.words] = 0;
    for (unsigned i = 0; i < constants.count; ++i) {
      const unsigned at = i * kBits / 32, bit = i * kBits % 32;
      const Wide pair = at < constants.words ? Wide{x[at + 1]} << 32 | x[at] : 0;
      const Word digit = static_cast<Word>(pair >> bit) & ((Word{1} << kBits) - 1);
      for (unsigned j = 0; j < constants.count; ++j)
        out[(std::size_t{i * constants.count + j} << shape.log_n) + column] = digit % constants.m[j];
    }
  }
};

}  // namespace nttforge::cuda::bad18b
