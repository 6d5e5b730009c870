// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "papers/kernels/bad18b/words.hpp"

// [Bad18b] section 6.2: integers to residues modulo primes below 2^31 and back, a thread a coefficient (or a
// residue), arrays [words or residues][n]. Constants are kernel parameters, which cards keep in constant
// memory. Three ways back as in Table 2, and one of ours.

namespace nttforge::cuda::bad18b {

/// Primes of the largest set of the paper: 744 bits. `kMost` of the templates below is at least the number of
/// primes, and of the words of their product.
inline constexpr unsigned kPrimes = 24;

/// Integers of `words` words to residues modulo m_j, j = row: every word times 2^(32 i) mod m_j, reduced by
/// itself, and the sum.
template <unsigned kMost>
struct Crt {
  Shape shape{};
  const Word* in = nullptr;
  Word* out = nullptr;
  Word words = 0;
  Word m[kMost] = {};
  Word powers[kMost * kMost] = {};  ///< [prime][word], 2^(32 i) mod m_j
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const Word p = m[row];
    Wide sum = 0;
    for (unsigned i = 0; i < words; ++i) {
      const Wide x = in[(std::size_t{i} << shape.log_n) + column];
      sum += x * powers[row * kMost + i] % p;
    }
    out[(std::size_t{row} << shape.log_n) + column] = static_cast<Word>(sum % p);
  }
};

/// The same words by lazy products [Har14] and one reduction; ours.
template <unsigned kMost>
struct CrtLazy {
  Shape shape{};
  const Word* in = nullptr;
  Word* out = nullptr;
  Word words = 0;
  Word m[kMost] = {};
  Wide reciprocals[kMost] = {};
  Word powers[kMost * kMost] = {};
  Word quotients[kMost * kMost] = {};  ///< of the powers
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const Word p = m[row];
    Wide sum = 0;
    for (unsigned i = 0; i < words; ++i) {
      const Word x = in[(std::size_t{i} << shape.log_n) + column];
      sum += shoup(x, powers[row * kMost + i], quotients[row * kMost + i], p);
    }
    out[(std::size_t{row} << shape.log_n) + column] = barrett(sum, p, reciprocals[row]);
  }
};

/// Algorithm 4's constants.
template <unsigned kMost>
struct GarnerConstants {
  Word count = 0;  ///< primes
  Word words = 0;  ///< of their product
  Word m[kMost] = {};
  Word c[kMost] = {};                           ///< C_i = (m_0 ... m_(i-1))^-1 mod m_i
  Word minus_c[kMost] = {};                     ///< m_i - C_i
  Word products[kMost * (kMost - 1) / 2] = {};  ///< K_i = m_0 ... m_(i-1), i words from i (i - 1) / 2 on
};

/// x [words] from residues load(i), i < count: [Bad18b] Alg. 4 and appendix A.1. Deviation: u = C_i x_i +
/// (m_i - C_i) (x mod m_i) needs no signed difference.
template <unsigned kMost, class Load>
NTTF_HD void garner(const GarnerConstants<kMost>& k, const Load& load, Word* x) {
  for (unsigned i = 0; i < k.words; ++i) x[i] = 0;
  x[0] = load(0);
  for (unsigned i = 1; i < k.count; ++i) {
    const Word p = k.m[i];
    const unsigned words = i < k.words ? i : k.words;  // of K_i, and x < K_i
    const Wide own = Wide{k.c[i]} * load(i) % p;
    const Wide rest = Wide{k.minus_c[i]} * mod_single(x, words, p) % p;
    add_product(x, k.words, k.products + i * (i - 1) / 2, words, static_cast<Word>((own + rest) % p));
  }
}

template <unsigned kMost>
struct Garner {
  Shape shape{};
  const Word* in = nullptr;
  Word* out = nullptr;
  GarnerConstants<kMost> constants{};
  NTTF_HD void operator()(std::uint32_t, std::uint32_t column) const {
    Word x[kMost];
    garner(constants, [&](unsigned i) { return in[(std::size_t{i} << shape.log_n) + column]; }, x);
    for (unsigned i = 0; i < constants.words; ++i) out[(std::size_t{i} << shape.log_n) + column] = x[i];
  }
};

/// Equation (1)'s constants.
template <unsigned kMost>
struct ClassicConstants {
  Word count = 0, words = 0;
  Word m[kMost] = {};
  Word inverses[kMost] = {};           ///< (M / m_i)^-1 mod m_i
  Word punctured[kMost * kMost] = {};  ///< [prime][word], M / m_i
  Word product[kMost] = {};            ///< M
  Word normalised[kMost] = {};         ///< M 2^shift, highest bit set
  Word shift = 0;
};

enum class Reducing { subtractions, division };

/// Equation (1): the sum is reduced after each term by a conditional subtraction (cuHE's way), or at the end
/// by a division of many words.
template <unsigned kMost, Reducing kReducing>
struct Classic {
  Shape shape{};
  const Word* in = nullptr;
  Word* out = nullptr;
  ClassicConstants<kMost> constants{};
  NTTF_HD void operator()(std::uint32_t, std::uint32_t column) const {
    const auto& k = constants;
    Word x[kMost + 2];
    for (unsigned i = 0; i < k.words + 2; ++i) x[i] = 0;
    for (unsigned i = 0; i < k.count; ++i) {
      const Wide residue = in[(std::size_t{i} << shape.log_n) + column];
      const Word y = static_cast<Word>(residue * k.inverses[i] % k.m[i]);
      add_product(x, k.words + 1, k.punctured + i * kMost, k.words, y);
      if constexpr (kReducing == Reducing::subtractions) {
        if (x[k.words] != 0 || !less(x, k.product, k.words)) {  // below 2M
          const bool carried = less(x, k.product, k.words);
          subtract(x, k.product, k.words);
          if (carried) --x[k.words];
        }
      }
    }
    if constexpr (kReducing == Reducing::division) {
      shift_left(x, k.words + 2, k.shift);
      divide(x, k.words + 1, k.normalised, k.words, nullptr);
      shift_right(x, k.words, k.shift);
    }
    for (unsigned i = 0; i < k.words; ++i) out[(std::size_t{i} << shape.log_n) + column] = x[i];
  }
};

/// Ours: first the digits v_i of the mixed radix, x = v_0 + v_1 m_0 + v_2 m_0 m_1 + ..., in single words by
/// lazy products, then their Horner sum; all loops unrolled, so that both stay in registers.
template <unsigned kCount>
struct MixedRadix {
  Shape shape{};
  const Word* in = nullptr;
  Word* out = nullptr;
  Word words = 0;
  Word m[kCount] = {};
  Wide reciprocals[kCount] = {};
  Word c[kCount] = {}, c_quotients[kCount] = {};
  Word weights[kCount * (kCount - 1) / 2 + 1] = {};  ///< -C_i m_0 ... m_(j-1) mod m_i at i (i - 1) / 2 + j
  Word quotients[kCount * (kCount - 1) / 2 + 1] = {};
  NTTF_HD void operator()(std::uint32_t, std::uint32_t column) const {
    Word v[kCount], x[kCount];
    NTTF_GPU_UNROLL
    for (unsigned i = 0; i < kCount; ++i) {
      const Word residue = in[(std::size_t{i} << shape.log_n) + column];
      Wide sum = i == 0 ? residue : shoup(residue, c[i], c_quotients[i], m[i]);
      NTTF_GPU_UNROLL
      for (unsigned j = 0; j < i; ++j) {
        const unsigned at = i * (i - 1) / 2 + j;
        sum += shoup(v[j], weights[at], quotients[at], m[i]);
      }
      v[i] = i == 0 ? residue : barrett(sum, m[i], reciprocals[i]);
    }
    x[0] = v[kCount - 1];
    NTTF_GPU_UNROLL
    for (unsigned i = 1; i < kCount; ++i) {
      x[i] = multiply_single(x, i, m[kCount - 1 - i], v[kCount - 1 - i]);
    }
    NTTF_GPU_UNROLL
    for (unsigned i = 0; i < kCount; ++i) {
      if (i < words) out[(std::size_t{i} << shape.log_n) + column] = x[i];
    }
  }
};

}  // namespace nttforge::cuda::bad18b
