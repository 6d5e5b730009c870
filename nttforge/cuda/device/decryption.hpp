// SPDX-License-Identifier: Apache-2.0
#pragma once

// What decryption, and encryption with the secret key, do between transforms. Whoever reads a secret word for
// the last time puts a zero in its place.

#include "nttforge/cuda/device/encryption.hpp"

namespace nttforge::cuda {

/// Part 1, and part 2 if there are three, of ciphertexts [batch][parts][limbs][n] to
/// [batch][parts - 1][limbs][n]. Rows: batch * (parts - 1) * limbs.
template <class Word>
struct CollectParts {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  std::uint32_t limbs, parts;
  const Word* in;
  Word* out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t member = row / ((parts - 1) * limbs);
    const std::size_t first = std::size_t{column} * step, from = row + std::size_t{member + 1} * limbs;
    Word words[kWords];
    load_few<kWords>(in + (from << log_n) + first, step, words);
    store_few<kWords>(out + (std::size_t{row} << log_n) + first, step, words);
  }
};

/// products [batch][limbs][n] = x_1 s, or x_1 s + x_2 s^2, of x [batch][terms][limbs][n], transformed. Rows:
/// batch * limbs.
template <class Word>
struct MultiplyBySecret {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;
  const Word* secret;
  const Word* square;  ///< or null: there is one term
  const Word* x;
  Word* products;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t member = row / ring.limbs, limb = row - member * ring.limbs;
    const WideModulus<Word> m = ring.limb<Word>(limb);
    const std::size_t first = std::size_t{column} * step, part = std::size_t{ring.limbs} << log_n;
    const std::size_t inside = (std::size_t{limb} << log_n) + first;
    const Word* const from = x + (square == nullptr ? 1 : 2) * member * part + inside;
    Word a[kWords], s[kWords];
    load_few<kWords>(from, step, a);
    load_few<kWords>(secret + inside, step, s);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k) a[k] = product_of(a[k], s[k], m);
    if (square != nullptr) {
      Word b[kWords];
      load_few<kWords>(from + part, step, b);
      load_few<kWords>(square + inside, step, s);
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kWords; ++k) a[k] = product_of(b[k], s[k], m, a[k]);
    }
    store_few<kWords>(products + (std::size_t{row} << log_n) + first, step, a);
  }
};

/// x [batch][limbs][n] += part 0 of ciphertexts [batch][parts][limbs][n]. Rows: batch * limbs.
template <class Word>
struct AddFirstParts {
  static constexpr unsigned kWords = Pack<Word>::kWords;
  Grid shape;
  std::uint32_t log_n, step;  ///< step: words of a thread, kWords or 1
  RingRows ring;
  std::uint32_t parts;
  const Word* ciphertexts;
  Word* x;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t member = row / ring.limbs, limb = row - member * ring.limbs;
    const auto q = static_cast<Word>(ring.moduli[limb].q);
    const std::size_t first = std::size_t{column} * step, at = (std::size_t{row} << log_n) + first;
    const std::size_t from = std::size_t{member} * parts * ring.limbs + limb;
    Word a[kWords], b[kWords];
    load_few<kWords>(x + at, step, a);
    load_few<kWords>(ciphertexts + (from << log_n) + first, step, b);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kWords; ++k) a[k] = sum_mod(a[k], b[k], q);
    store_few<kWords>(x + at, step, a);
  }
};

/// The end of a decryption: the step of products + part 0 to the modulus of plaintexts. It leaves zeros in
/// the products, and a 1 in *exceeded where a correction passes the limit. A thread has a coefficient.
/// kShort: the step's constants are below 2^32. Rows: batch.
template <class Word, bool kShort>
struct RecoverPlain {
  static constexpr unsigned kThreads = 64;
  static constexpr unsigned kAhead = 4;
  static constexpr unsigned kProducts = sizeof(Word) == 4 ? 64 : 15;  ///< by 62-bit words, in 128 bits
  Grid shape;
  RingRows ring;
  std::uint32_t parts;
  const Word* ciphertexts;  ///< [batch][parts][limbs][n]
  Word* products;           ///< [batch][limbs][n]
  StepConstants step;
  WriteWords out;       ///< [batch][n]
  WriteWords exceeded;  ///< or null

  static NTTF_HD u128 product(Word digit, std::uint64_t constant) {
    if constexpr (kShort) return u128{std::uint64_t{digit} * static_cast<std::uint32_t>(constant)};
    return u128{digit} * constant;
  }

  NTTF_HD void operator()(std::uint32_t member, std::uint32_t column) const {
    const std::size_t n = std::size_t{1} << shape.log_n;
    Word* const rows = products + std::size_t{member} * ring.limbs * n + column;
    const Word* const part = ciphertexts + std::size_t{member} * parts * ring.limbs * n + column;
    u128 distance = 0, value = step.offset == nullptr ? 0 : load_constant(step.offset);
    unsigned count = 0;
    for (std::uint32_t i0 = 0; i0 < ring.limbs; i0 += kAhead) {
      Word x[kAhead] = {}, first[kAhead] = {};
      NTTF_GPU_UNROLL
      for (std::uint32_t a = 0; a < kAhead; ++a)
        if (i0 + a < ring.limbs) x[a] = rows[(i0 + a) * n], first[a] = part[(i0 + a) * n];
      NTTF_GPU_UNROLL
      for (std::uint32_t a = 0; a < kAhead; ++a) {
        const std::uint32_t i = i0 + a;
        if (i < ring.limbs) {
          rows[i * n] = 0;
          const WideModulus<Word> m = ring.limb<Word>(i);
          Word digit = sum_mod(x[a], first[a], static_cast<Word>(m.q));
          if (step.scale != nullptr)
            digit = product_of(digit, static_cast<Word>(load_constant(step.scale + i)), m);
          if (count == kProducts) {
            value = reduce_wide(value, step.target);
            if (step.correction.q != 0) distance = reduce_wide(distance, step.correction);
            count = 0;
          }
          ++count;
          value += product(digit, load_constant(step.factors + i));
          if (step.correction.q != 0) distance += product(digit, load_constant(step.weights + i));
        }
      }
    }
    if (step.correction.q != 0) {
      const std::uint64_t r = reduce_wide(distance, step.correction), p = step.correction.q;
      const bool negative = r > (p - 1) / 2;
      const std::uint64_t size = negative ? p - r : r, t = step.target.q;
      if (exceeded.address != nullptr && step.limit != 0 && size > step.limit) exceeded.set(0, 1);
      const std::uint64_t excess = load_constant(step.excess);
      value = reduce_wide(value, step.target);
      value += u128{reduced_word(size, step.target)} * (negative ? opposite_mod(excess, t) : excess);
    }
    out.set((std::size_t{member} << shape.log_n) + column, reduce_wide(value, step.target));
  }
};

/// The end of an encryption with the secret key: part 0 of out [batch][2][limbs][n] =
/// error factor - products, plus the message. It leaves zeros in products [batch][limbs][n] and in errors
/// [batch][n]. A thread has a coefficient in all limbs. Rows: batch.
template <class Word>
struct FinishSecretEncryption {
  static constexpr unsigned kThreads = 64;
  static constexpr unsigned kAhead = 4;
  Grid shape;
  RingRows ring;
  Word* products;
  std::int8_t* errors;
  std::uint64_t error_factor;
  AddedMessage<Word> message;
  Word* out;
  NTTF_HD void operator()(std::uint32_t member, std::uint32_t column) const {
    const std::size_t n = std::size_t{1} << shape.log_n, words = ring.limbs * n;
    bool below = false;
    const std::uint64_t plain = message.is_plain() ? message.correction(member * n + column, below) : 0;
    Word* const product = products + member * words + column;
    Word* const to = out + 2 * member * words + column;
    const Word* const added = message.words == nullptr ? nullptr : message.words + member * words + column;
    const std::int32_t sample = errors[member * n + column];
    errors[member * n + column] = 0;
    for (std::uint32_t j0 = 0; j0 < ring.limbs; j0 += kAhead) {
      Word x[kAhead] = {}, more[kAhead] = {};
      NTTF_GPU_UNROLL
      for (std::uint32_t a = 0; a < kAhead; ++a)
        if (j0 + a < ring.limbs) {
          x[a] = product[(j0 + a) * n];
          if (added != nullptr) more[a] = added[(j0 + a) * n];
        }
      NTTF_GPU_UNROLL
      for (std::uint32_t a = 0; a < kAhead; ++a)
        if (j0 + a < ring.limbs) {
          const std::uint32_t j = j0 + a;
          const WideModulus<Word> m = ring.limb<Word>(j);
          const auto q = static_cast<Word>(m.q);
          const Word factor = error_factor == 1 ? Word{1} : reduced_word(error_factor, m);
          product[j * n] = 0;
          if (message.is_plain()) more[a] = message.of_limb(j, plain, below, m);
          to[j * n] = sum_mod(difference_mod(lifted(sample, factor, m), x[a], q), more[a], q);
        }
    }
  }
};

/// X -> X^element of transformed polynomials. Rows: batch * limbs.
template <class Word>
struct MapTransformed {
  Grid shape;
  const Word* in;
  Word* out;
  std::uint64_t element;
  bool reversed_order;
  NTTF_HD std::uint32_t place(std::uint32_t k) const { return reversed_order ? reversed(k, shape.log_n) : k; }
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint64_t n = std::uint64_t{1} << shape.log_n;
    const std::uint64_t root = element * (2 * std::uint64_t{place(column)} + 1) & (2 * n - 1);
    const std::size_t base = std::size_t{row} << shape.log_n;
    out[base + column] = in[base + place(static_cast<std::uint32_t>(root >> 1))];
  }
};

/// Packed rows (base/text/bits.hpp) to words, the first polynomial's at `out`. Sets *wrong to 1 where a row
/// is not well formed. Rows: batch * limbs.
template <class Word>
struct UnpackRows {
  Grid shape;
  RingRows ring;
  const std::uint64_t* packed;  ///< in whole words
  std::size_t polynomial_bytes;
  Word* out;
  std::size_t stride;
  std::uint64_t* wrong;
  std::size_t row_bytes[kMostLimbs + 1];  ///< where each limb's row begins, and the last ends
  /// `width` bits, at most 62; none are read where width is 0.
  NTTF_HD std::uint64_t bits_at(std::size_t bit, unsigned width) const {
    if (width == 0) return 0;
    const unsigned shift = bit % 64;
    std::uint64_t bits = packed[bit / 64] >> shift;
    if (shift + width > 64) bits |= packed[bit / 64 + 1] << (64 - shift);
    return bits & ((std::uint64_t{1} << width) - 1);
  }
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t member = row / ring.limbs, limb = row - member * ring.limbs;
    const std::uint64_t q = ring.moduli[limb].q;
    unsigned width = 0;
    for (std::uint64_t rest = q - 1; rest != 0; rest >>= 1) ++width;
    const std::size_t begin = 8 * (member * polynomial_bytes + row_bytes[limb]);
    const std::size_t bit = begin + std::size_t{column} * width;
    const std::uint64_t value = bits_at(bit, width);
    out[member * stride + (std::size_t{limb} << shape.log_n) + column] = static_cast<Word>(value);
    bool bad = value >= q;
    if (column + 1 == std::uint32_t{1} << shape.log_n) {
      const std::size_t left = begin + 8 * (row_bytes[limb + 1] - row_bytes[limb]) - (bit + width);
      bad |= bits_at(bit + width, static_cast<unsigned>(left)) != 0;
    }
    if (bad) *wrong = 1;
  }
};

/// What is instantiated for cards.
#define NTTF_ENCRYPTION_OF_WORD(apply, Word)                                                               \
  apply(MultiplyByKey<Word>) apply(FinishEncryption<Word, 1>) apply(FinishEncryption<Word, kMostDivisors>) \
      apply(AddErrors<Word>) apply(AddPlaintexts<Word>) apply(FinishMaskedPairs<Word>)                     \
          apply(SampleCall<Word>) apply(CollectParts<Word>) apply(MultiplyBySecret<Word>)                  \
              apply(AddFirstParts<Word>) apply(RecoverPlain<Word, false>)                                  \
                  apply(FinishSecretEncryption<Word>) apply(MapTransformed<Word>) apply(UnpackRows<Word>)
#define NTTF_ENCRYPTION_OPERATIONS(apply)                                                \
  apply(RecoverPlain<std::uint32_t, true>) NTTF_ENCRYPTION_OF_WORD(apply, std::uint64_t) \
      NTTF_ENCRYPTION_OF_WORD(apply, std::uint32_t)

}  // namespace nttforge::cuda
