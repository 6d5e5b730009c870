// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "papers/kernels/bad18b/steps.hpp"

// What [Bad18b]'s scheme does residue by residue, arrays [batch][primes][n] in 32-bit words, native
// remainders; values of a DGT have their real parts in the first half of a row and the imaginary ones in the
// second.

namespace nttforge::cuda::bad18b {

struct PrimeList {
  Word count = 0;
  Word p[kBase + kTextbookPrimes] = {};
};

NTTF_HD Word difference(Word a, Word b, Word p) { return a >= b ? a - b : a + (p - b); }

/// out[row] = sum of a[k][row] b[k][row % period], k < terms, subtracted from minuend[row] if there is one,
/// or added to out if `accumulate`. Term k stands k steps further: a_step and b_step in words. Values of a
/// DGT if kComplex; then shape.log_n counts complex numbers, one less than a row's.
template <bool kComplex>
struct SumOfProducts {
  Shape shape{};
  const Word *a = nullptr, *b = nullptr;
  Word* out = nullptr;
  PrimeList primes{};
  std::ptrdiff_t a_step = 0, b_step = 0;
  Word terms = 1;
  Word period = 0;  ///< rows of b; 0: as many as of out
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const Word p = primes.p[row % primes.count];
    const unsigned log_row = shape.log_n + (kComplex ? 1 : 0);
    const std::size_t half = std::size_t{1} << shape.log_n;
    const std::size_t at = (std::size_t{row} << log_row) + column;
    const std::size_t at_b = (std::size_t{period == 0 ? row : row % period} << log_row) + column;
    Wide re = 0, im = 0;
    for (unsigned k = 0; k < terms; ++k) {
      const Word* const x = a + at + static_cast<std::ptrdiff_t>(k) * a_step;
      const Word* const y = b + at_b + static_cast<std::ptrdiff_t>(k) * b_step;
      if constexpr (kComplex) {
        const Wide positive = re + Wide{x[0]} * y[0] % p, negative = Wide{x[half]} * y[half] % p;
        re = (positive + p - negative) % p;
        im = (im + Wide{x[0]} * y[half] % p + Wide{x[half]} * y[0] % p) % p;
      } else {
        re = (re + Wide{x[0]} * y[0]) % p;
      }
    }
    out[at] = static_cast<Word>(re);
    if constexpr (kComplex) out[at + half] = static_cast<Word>(im);
  }
};

/// out = a + b, or a - b.
template <bool kSubtract>
struct AddRows {
  Shape shape{};
  const Word *a = nullptr, *b = nullptr;
  Word* out = nullptr;
  PrimeList primes{};
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const Word p = primes.p[row % primes.count];
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    out[at] = difference(a[at], kSubtract ? b[at] : b[at] == 0 ? 0 : p - b[at], p);
  }
};

/// out = -(a + e) + factor m: a public pair's first part. m [primes][n] serves every member of the batch,
/// with factors [batch][primes] (null: no message).
struct Mask {
  Shape shape{};
  const Word *a = nullptr, *e = nullptr, *m = nullptr;
  Word* out = nullptr;
  PrimeList primes{};
  const Word* factors = nullptr;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const Word limb = row % primes.count, p = primes.p[limb];
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    const Wide message =
        factors == nullptr ? 0 : Wide{m[(std::size_t{limb} << shape.log_n) + column]} * factors[row] % p;
    out[at] = static_cast<Word>((message + p - a[at] + p - e[at]) % p);
  }
};

/// out = x + Delta m, m [n] modulo t, in part 0 of a ciphertext; factors Delta mod each prime.
struct AddMessage {
  Shape shape{};
  const Word *x = nullptr, *m = nullptr;
  Word* out = nullptr;
  PrimeList primes{};
  Word factors[kPrimes] = {};
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const Word p = primes.p[row];
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    out[at] = static_cast<Word>((Wide{m[column]} * factors[row] + x[at]) % p);
  }
};

}  // namespace nttforge::cuda::bad18b
