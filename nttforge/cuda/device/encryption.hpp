// SPDX-License-Identifier: Apache-2.0
#pragma once

// What encryption and key generation do between sampling and transforms. Whoever reads a secret word for the
// last time puts a zero in its place, so that no operation needs a launch that wipes.

#include <cstddef>
#include <cstdint>

#include "nttforge/cuda/device/residues.hpp"
#include "nttforge/cuda/device/samplers.hpp"

namespace nttforge::cuda {

/// products [batch][2][limbs][n]: u [batch][limbs][n], transformed, times both polynomials of the key
/// [2][limbs][n]. Rows: batch * limbs.
template <class Word>
struct MultiplyByKey {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;
  const Word* key;
  const Word* masks;
  Word* products;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t member = row / ring.limbs, limb = row - member * ring.limbs;
    const WideModulus<Word> m = ring.limb<Word>(limb);
    const std::size_t first = std::size_t{column} * step, part = std::size_t{ring.limbs} << log_n;
    const std::size_t inside = (std::size_t{limb} << log_n) + first;
    Word u[kWords], a[kWords], b[kWords];
    load_few<kWords>(masks + member * part + inside, step, u);
    load_few<kWords>(key + inside, step, a);
    load_few<kWords>(key + part + inside, step, b);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k) a[k] = product_of(u[k], a[k], m), b[k] = product_of(u[k], b[k], m);
    store_few<kWords>(products + 2 * member * part + inside, step, a);
    store_few<kWords>(products + (2 * member + 1) * part + inside, step, b);
  }
};

/// The constants of one step between bases (rns/step.hpp), for kernels that have a step beside other work. A
/// null pointer stands for an empty list; the moduli are those of the rings that the step lies between.
struct StepConstants {
  const std::uint64_t* own = nullptr;        ///< [targets]
  const std::uint64_t* offset = nullptr;     ///< [targets]
  const std::uint64_t* excess = nullptr;     ///< [targets]
  const std::uint64_t* factors = nullptr;    ///< [targets][sources]
  const std::uint64_t* scale = nullptr;      ///< [sources]
  const std::uint64_t* weights = nullptr;    ///< [sources]
  const std::uint64_t* fractions = nullptr;  ///< [sources]
  Wide correction;                           ///< q = 0: none
  Wide target;                               ///< of the only target
  std::uint64_t limit = 0;                   ///< 0: none
  std::uint32_t sources = 0, targets = 0, fraction_bits = 0;
  bool nearest = false;
  bool is_short = false;  ///< moduli and constants are below 2^32
};
inline constexpr std::uint32_t kMostDivisors = 8;  ///< primes that encryption divides by in its own kernel

/// What an encryption adds to part 0: a polynomial [limbs][n], or a plaintext's words [n] by a step that is a
/// correction alone. Both null: nothing. Of the first of a batch.
template <class Word>
struct AddedMessage {
  const Word* words = nullptr;
  ReadWords plain;
  StepConstants step;

  NTTF_HD bool is_plain() const { return plain.address != nullptr; }
  /// The correction of a plaintext's word and its sign.
  NTTF_HD std::uint64_t correction(std::size_t at, bool& negative) const {
    const std::uint64_t r = wide_product(plain[at], load_constant(step.weights), step.correction);
    negative = r > (step.correction.q - 1) / 2;
    return negative ? step.correction.q - r : r;
  }
  NTTF_HD Word of_limb(std::uint32_t j, std::uint64_t size, bool negative, const WideModulus<Word>& m) const {
    const auto excess = static_cast<Word>(load_constant(step.excess + j));
    const Word value = product_of(reduced_word(size, m), excess, m);
    return negative ? opposite_mod(value, static_cast<Word>(m.q)) : value;
  }
};

/// The last part of an encryption: sums [batch][2][ring.limbs][n] and the errors [batch][2][n] to out
/// [batch][2][limbs][n] = division(sum + error factor), the message added to part 0. It
/// leaves zeros in sums, errors and masks [batch][ring.limbs][n]. A thread has one or two coefficients in all
/// limbs; where they are few threads, in a group of limbs, and nothing is left zero. Rows: batch * 2 *
/// groups.
template <class Word, std::uint32_t kMostSources>
struct FinishEncryption {
  static constexpr unsigned kThreads = 64;
  using Sum = typename WideSum<Word>::Sum;
  static constexpr unsigned kWords = 8 / sizeof(Word), kAhead = 4;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;              ///< of the key
  std::uint32_t limbs;        ///< of the ciphertext
  std::uint32_t products;     ///< that a sum takes beside a residue
  Word* sums;
  Word* masks;
  std::int8_t* errors;
  std::uint64_t error_factors[2];
  AddedMessage<Word> message;
  Word* out;
  StepConstants division;  ///< by the last primes of the ring; no targets: none
  std::uint32_t groups = 1;

  /// Adds the products of a division one by one.
  struct Accumulator {
    const WideModulus<Word>& m;
    std::uint32_t most, count;
    Sum sum;
    NTTF_HD void add(Word a, Word b) {
      if (count == most) sum = reduce_wide(sum, m), count = 0;
      sum += Sum{a} * b;
      ++count;
    }
  };

  NTTF_HD static Word constant(const std::uint64_t* list, std::size_t i, Word otherwise) {
    return list == nullptr ? otherwise : static_cast<Word>(load_constant(list + i));
  }

  /// |c| of the step and its sign, from digits.
  NTTF_HD std::uint64_t correction(const Word (*digits)[kWords], unsigned k, bool& negative) const {
    negative = false;
    if (division.fractions != nullptr) {
      u128 sum = division.nearest ? u128{1} << (division.fraction_bits - 1) : 0;
      NTTF_GPU_UNROLL
      for (std::uint32_t i = 0; i < kMostSources; ++i)
        if (i < division.sources) sum += u128{digits[i][k]} * load_constant(division.fractions + i);
      return static_cast<std::uint64_t>(sum >> division.fraction_bits);
    }
    if (division.correction.q == 0) return 0;
    const WideModulus<Word> p = modulus_of<Word>(division.correction);
    Word r = 0;
    NTTF_GPU_UNROLL
    for (std::uint32_t i = 0; i < kMostSources; ++i)
      if (i < division.sources) {
        const Word weight = constant(division.weights, i, 0);
        r = static_cast<Word>(product_of(digits[i][k], weight, p, r));
      }
    negative = r > (p.q - 1) / 2;
    return negative ? p.q - r : r;
  }

  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t polynomial = row / groups, member = polynomial / 2, part = polynomial % 2;
    const std::uint32_t group = row - polynomial * groups, in_group = (limbs + groups - 1) / groups;
    const std::uint32_t begin = group * in_group, end = begin + in_group < limbs ? begin + in_group : limbs;
    const bool wipes = groups == 1;
    const std::size_t n = std::size_t{1} << log_n, first = std::size_t{column} * step;
    Word* const sum = sums + std::size_t{polynomial} * ring.limbs * n + first;
    if (wipes && part == 1) {
      for (std::uint32_t j = 0; j < ring.limbs; ++j)
        zero_few<kWords>(masks + (std::size_t{member} * ring.limbs + j) * n + first, step);
    }
    Word* const to = out + std::size_t{polynomial} * limbs * n + first;
    const Word* const added =
        part == 0 && message.words != nullptr ? message.words + member * limbs * n + first : nullptr;
    const bool embeds = part == 0 && message.is_plain();
    bool below[kWords] = {};
    std::uint64_t plain[kWords] = {};
    if (embeds) {
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kWords; ++k)
        if (k < step) plain[k] = message.correction(member * n + first + k, below[k]);
    }
    const std::uint64_t factor = error_factors[part];
    std::int8_t* const error = errors + polynomial * n + first;
    std::int8_t sample[kWords];
    load_few<kWords>(error, step, sample);
    if (wipes) zero_few<kWords>(error, step);
    const auto error_of = [&](unsigned k, const WideModulus<Word>& m) {
      return lifted(sample[k], factor == 1 ? Word{1} : reduced_word(factor, m), m);
    };

    Word digits[kMostSources][kWords] = {};
    NTTF_GPU_UNROLL
    for (std::uint32_t i = 0; i < kMostSources; ++i) {
      if (i < division.sources) {
        const WideModulus<Word> m = ring.limb<Word>(limbs + i);
        load_few<kWords>(sum + (limbs + i) * n, step, digits[i]);
        if (wipes) zero_few<kWords>(sum + (limbs + i) * n, step);
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < kWords; ++k) {
          const Word x = sum_mod(digits[i][k], error_of(k, m), static_cast<Word>(m.q));
          digits[i][k] = division.scale == nullptr ? x : product_of(x, constant(division.scale, i, 1), m);
        }
      }
    }
    bool negative[kWords] = {};
    std::uint64_t size[kWords] = {};
    if (division.excess != nullptr) {
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kWords; ++k) size[k] = correction(digits, k, negative[k]);
    }

    for (std::uint32_t j0 = begin; j0 < end; j0 += kAhead) {
      Word x[kAhead][kWords], more[kAhead][kWords] = {};
      NTTF_GPU_UNROLL
      for (std::uint32_t a = 0; a < kAhead; ++a)
        if (j0 + a < end) {
          load_few<kWords>(sum + (j0 + a) * n, step, x[a]);
          if (added != nullptr) load_few<kWords>(added + (j0 + a) * n, step, more[a]);
        }
      NTTF_GPU_UNROLL
      for (std::uint32_t a = 0; a < kAhead; ++a)
        if (j0 + a < end) {
          const std::uint32_t j = j0 + a;
          const WideModulus<Word> m = ring.limb<Word>(j);
          const auto q = static_cast<Word>(m.q);
          NTTF_GPU_UNROLL
          for (unsigned k = 0; k < kWords; ++k) {
            Word value = sum_mod(x[a][k], error_of(k, m), q);
            if (division.targets != 0) value = divided(j, k, value, digits, size[k], negative[k], m);
            if (embeds) more[a][k] = message.of_limb(j, plain[k], below[k], m);
            x[a][k] = sum_mod(value, more[a][k], q);
          }
          store_few<kWords>(to + j * n, step, x[a]);
          if (wipes) zero_few<kWords>(sum + j * n, step);
        }
    }
  }

  NTTF_HD Word divided(std::uint32_t j, unsigned k, Word own, const Word (*digits)[kWords],
                       std::uint64_t size, bool negative, const WideModulus<Word>& m) const {
    Accumulator result{m, products, 0, constant(division.offset, j, 0)};
    result.add(own, constant(division.own, j, 0));
    if (division.excess != nullptr) {
      const Word excess = constant(division.excess, j, 0);
      result.add(reduced_word(size, m), negative ? opposite_mod(excess, static_cast<Word>(m.q)) : excess);
    }
    if (division.factors != nullptr) {
      NTTF_GPU_UNROLL
      for (std::uint32_t i = 0; i < kMostSources; ++i)
        if (i < division.sources)
          result.add(digits[i][k], constant(division.factors, std::size_t{j} * division.sources + i, 0));
    }
    return reduce_wide(result.sum, m);
  }
};

/// Adds errors [batch][2][n] times their factors to sums [batch][2][limbs][n], before a division that is a
/// step of its own. Rows: batch * 2 * limbs.
template <class Word>
struct AddErrors {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;
  Word* sums;
  const std::int8_t* errors;
  std::uint64_t error_factors[2];
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t polynomial = row / ring.limbs, limb = row - polynomial * ring.limbs;
    const WideModulus<Word> m = ring.limb<Word>(limb);
    const std::uint64_t factor = error_factors[polynomial % 2];
    const Word by = factor == 1 ? Word{1} : reduced_word(factor, m);
    const std::size_t first = std::size_t{column} * step, at = (std::size_t{row} << log_n) + first;
    Word x[kWords];
    std::int8_t sample[kWords];
    load_few<kWords>(sums + at, step, x);
    load_few<kWords>(errors + (std::size_t{polynomial} << log_n) + first, step, sample);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k)
      x[k] = sum_mod(x[k], lifted(sample[k], by, m), static_cast<Word>(m.q));
    store_few<kWords>(sums + at, step, x);
  }
};

/// Adds plaintexts, as message.is_plain(), to part 0 of out [batch][2][limbs][n]. A thread has kLimbs limbs.
/// Rows: batch * groups.
template <class Word>
struct AddPlaintexts {
  static constexpr unsigned kWords = Pack<Word>::kWords, kLimbs = 4;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  std::uint32_t groups;       ///< of kLimbs limbs
  RingRows ring;
  AddedMessage<Word> message;
  Word* out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t member = row / groups, begin = (row - member * groups) * kLimbs;
    const std::size_t first = std::size_t{column} * step;
    Word* const to = out + ((std::size_t{2} * member * ring.limbs + begin) << log_n) + first;
    Word x[kLimbs][kWords];
    NTTF_GPU_UNROLL
    for (unsigned j = 0; j < kLimbs; ++j)
      if (begin + j < ring.limbs) load_few<kWords>(to + (std::size_t{j} << log_n), step, x[j]);
    std::uint64_t size[kWords] = {};
    bool negative[kWords] = {};
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k)
      if (k < step) size[k] = message.correction((std::size_t{member} << log_n) + first + k, negative[k]);
    NTTF_GPU_UNROLL
    for (unsigned j = 0; j < kLimbs; ++j) {
      if (begin + j >= ring.limbs) continue;
      const WideModulus<Word> m = ring.limb<Word>(begin + j);
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kWords; ++k)
        x[j][k] =
            sum_mod(x[j][k], message.of_limb(begin + j, size[k], negative[k], m), static_cast<Word>(m.q));
      store_few<kWords>(to + (std::size_t{j} << log_n), step, x[j]);
    }
  }
};

/// The message of masked pairs first_pair ...: a pair takes the limbs that name it.
inline constexpr std::uint8_t kNoPair = 255;
template <class Word>
struct PairMessages {
  const Word* words = nullptr;                  ///< or null
  std::uint32_t first_pair = 0, first_row = 0;  ///< first_row: the limb that words begin with
  std::uint8_t pair_of[kMostLimbs] = {};        ///< of each limb of the ring, or kNoPair
  bool scaled = false;
  std::uint64_t scalars[kMostLimbs] = {};  ///< if scaled: of each limb of the ring
};

/// out [pairs][2][limbs][n]: the first part -(a s + e) plus the message's limbs, from the second part, a, and
/// errors e [pairs][limbs][n], transformed. It leaves zeros in e. Rows: pairs * limbs.
template <class Word>
struct FinishMaskedPairs {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;
  const Word* secret;
  Word* errors;
  Word* out;
  PairMessages<Word> message;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t member = row / ring.limbs, limb = row - member * ring.limbs;
    const WideModulus<Word> m = ring.limb<Word>(limb);
    const auto q = static_cast<Word>(m.q);
    const std::size_t first = std::size_t{column} * step, part = std::size_t{ring.limbs} << log_n;
    Word* const to = out + 2 * member * part + (std::size_t{limb} << log_n) + first;
    Word* const error = errors + (std::size_t{row} << log_n) + first;
    Word a[kWords], s[kWords], e[kWords];
    load_few<kWords>(to + part, step, a);
    load_few<kWords>(secret + (std::size_t{limb} << log_n) + first, step, s);
    load_few<kWords>(error, step, e);
    zero_few<kWords>(error, step);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k) a[k] = opposite_mod(product_of(a[k], s[k], m, e[k]), q);
    if (message.words != nullptr && message.pair_of[limb] == message.first_pair + member) {
      load_few<kWords>(message.words + (std::size_t{limb - message.first_row} << log_n) + first, step, s);
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kWords; ++k) {
        if (message.scaled) s[k] = product_of(s[k], static_cast<Word>(message.scalars[limb]), m);
        a[k] = sum_mod(a[k], s[k], q);
      }
    }
    store_few<kWords>(to, step, a);
  }
};

}  // namespace nttforge::cuda
