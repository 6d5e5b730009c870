// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "papers/kernels/bad18b/rows.hpp"

// [Bad18b] section 6.5: polynomials at random as the paper draws them, a thread a coefficient: words of
// cuRAND's kind (Philox4x32-10 here, [Sal11]), remainders without rejection, Box and Muller's pairs. They
// stand here to be timed: the generator is not cryptographic and the remainders are biased. nttforge/random
// has what keys are made of.

namespace nttforge::cuda::bad18b {

/// Four words of counter and key.
NTTF_HD void philox(Word c0, Word c1, Word c2, Word c3, Word k0, Word k1, Word* out) {
  for (unsigned round = 0; round < 10; ++round) {
    const Wide a = Wide{0xD2511F53u} * c0, b = Wide{0xCD9E8D57u} * c2;
    const Word next0 = static_cast<Word>(b >> 32) ^ c1 ^ k0, next2 = static_cast<Word>(a >> 32) ^ c3 ^ k1;
    c1 = static_cast<Word>(b);
    c3 = static_cast<Word>(a);
    c0 = next0;
    c2 = next2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

/// What names a polynomial's words: the key, and a number for each use.
struct RandomName {
  Word key[2] = {};
  Word use = 0;
};

/// out [batch][primes][n]; shape.rows = batch.
struct SampleUniform {
  Shape shape{};
  Word* out = nullptr;
  PrimeList primes{};
  RandomName name{};
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    Word words[4] = {};
    for (unsigned j = 0; j < primes.count; ++j) {
      if (j % 4 == 0) philox(column, row, name.use, j / 4, name.key[0], name.key[1], words);
      out[((std::size_t{row} * primes.count + j) << shape.log_n) + column] = words[j % 4] % primes.p[j];
    }
  }
};

/// 0 or 1 in every residue.
struct SampleBinary {
  Shape shape{};
  Word* out = nullptr;
  PrimeList primes{};
  RandomName name{};
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    Word words[4];
    philox(column, row, name.use, 0, name.key[0], name.key[1], words);
    for (unsigned j = 0; j < primes.count; ++j)
      out[((std::size_t{row} * primes.count + j) << shape.log_n) + column] = words[0] & 1;
  }
};

/// Box and Muller's pair of standard deviation sigma, rounded, cut off at +- bound: two coefficients a
/// thread; shape.log_n is one less than a row's.
struct SampleError {
  Shape shape{};
  Word* out = nullptr;
  PrimeList primes{};
  RandomName name{};
  float sigma = 8;
  float bound = 48;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    Word words[4];
    philox(column, row, name.use, 0, name.key[0], name.key[1], words);
    const float u = (static_cast<float>(words[0]) + 1.0f) * 0x1p-32f;  // in (0, 1]
    const float angle = static_cast<float>(words[1]) * (0x1p-32f * 6.2831853f);
    const float radius = sigma * sqrtf(-2.0f * logf(u));
    store(row, column, radius * cosf(angle));
    store(row, column + (std::uint32_t{1} << shape.log_n), radius * sinf(angle));
  }

 private:
  NTTF_HD void store(std::uint32_t row, std::uint32_t column, float value) const {
    const float cut = value > bound ? bound : value < -bound ? -bound : value;
    const int e = static_cast<int>(rintf(cut));
    for (unsigned j = 0; j < primes.count; ++j) {
      const std::size_t at = ((std::size_t{row} * primes.count + j) << (shape.log_n + 1)) + column;
      out[at] = e < 0 ? primes.p[j] - static_cast<Word>(-e) : static_cast<Word>(e);
    }
  }
};

}  // namespace nttforge::cuda::bad18b
