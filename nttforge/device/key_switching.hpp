// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "nttforge/device/form.hpp"
#include "nttforge/device/ring_operations.hpp"

namespace nttforge {

/// Polynomials of a batch: the rows of polynomial b begin at words + b stride, n words apart.
struct BatchRows {
  ConstWordPtr words{};
  std::size_t stride = 0;
};

/// A key-switching key in device memory, [digits][2][limbs][n], transformed. It is made once for primes
/// {q_0 ..., special primes} in a fixed order and serves every level within them: a ring {q_first ...
/// q_(first+l-1), special primes} takes l rows from `first` on and the last `special` rows of each
/// polynomial. `words` are those of the first digit that has a prime of the level.
struct KeyRows {
  ConstWordPtr words{};
  std::size_t limbs = 0;    ///< of the ring the key was made in
  std::size_t special = 0;  ///< special primes, the last of that ring and of every ring that uses the key
  std::size_t first = 0;    ///< the key's row for the first prime of the level

  /// The key's row for limb j of a ring of `ring_limbs` limbs.
  std::size_t row(std::size_t j, std::size_t ring_limbs) const {
    return j + special < ring_limbs ? first + j : j + limbs - ring_limbs;
  }
};

/// An image of a polynomial under an automorphism of its transformed rows, and how it is switched: operands
/// of switch_digits. key_words and addend_words may hold memory that is to live as long as this.
struct SwitchedImage {
  std::shared_ptr<const PermutationTables> image{};
  KeyRows key{};
  BatchRows addend{};
  std::size_t addend_parts = 0;
  bool moves_addend = false;  ///< the addend is permuted by `image` too; only in values
  WordPtr out{};
  DeviceArray key_words{}, addend_words{};
};

/// The factors of a linear map, [groups][terms][K][n / repeat] in values: every word stands for `repeat`
/// neighbouring ones of a row. So polynomials in X^repeat look, whose slots have a period of n / (2 repeat):
/// the words are their transform in bit-reversed order in the ring of n / repeat coefficients.
struct MapFactors {
  ConstWordPtr words{};
  std::size_t groups = 1, terms = 1;
  std::size_t repeat = 1;  ///< a power of two that divides n
};

/// Rows of integers, one behind the other, as the memory of a device holds what others wrote.
struct IntegerRows {
  ConstWordPtr words{};
  bool is_signed = false;  ///< two's complement
  std::size_t width = 0;   ///< integers in a row
};

/// Conversions between bases, divisions and key switching (queue.hpp says what holds for all).
class KeySwitching : public RingOperations {
 public:
  // Steps between bases, coefficient form.
  /// Each coefficient through the steps of the chain, one after the other, as rns/step.hpp defines them word
  /// for word: sources [batch][sources][n], own words [batch][targets of the first step][n] or null -> out
  /// [batch][targets][n]. out may be the own words of a single step; else it overlaps nothing. Constant time.
  /// exceeded (may be null): one word of the device's memory, 1 if the correction of any coefficient in any
  /// step passes that step's limit, else 0.
  virtual void apply(const StepTables& step, BatchRows sources, BatchRows own, WordPtr out, std::size_t batch,
                     WordPtr exceeded) const = 0;
  /// The same for contiguous arrays.
  void apply(const StepTables& step, ConstWordPtr sources, ConstWordPtr own, WordPtr out, std::size_t batch,
             WordPtr exceeded = nullptr) const {
    const std::size_t n = step.n();
    apply(step, {sources, step.sources() * n}, {own, step.own_words() * n}, out, batch, exceeded);
  }
  /// The same for arrays [batch][own words, then sources][n]: division by the last primes of a base. out may
  /// be `in` if batch = 1.
  void apply_joined(const StepTables& step, ConstWordPtr in, WordPtr out, std::size_t batch) const {
    const std::size_t own = step.own_words() * step.n(), stride = own + step.sources() * step.n();
    apply(step, {in + own, stride}, {in, stride}, out, batch, nullptr);
  }

  /// Division by the primes of `from` that `to` lacks, one or several in one rounding: in [batch] polynomials
  /// of `from` -> out [batch] of `to`, both in `form`. division: one step whose sources are those primes in
  /// the order of `from` and whose targets are the primes of `to` (mod_down.hpp); of the own words, those of
  /// primes that `from` lacks are zeros. out overlaps nothing. Constant time.
  virtual void rescale(const StepTables& division, const RingTables& from, const RingTables& to,
                       ConstWordPtr in, Form form, WordPtr out, std::size_t batch) const;

  /// plain [batch][n] in [0, t), read as centred in [-t/2, t/2) -> out [batch][limbs][n].
  virtual void lift_plain(const RingTables& ring, std::uint64_t t, ConstWordPtr plain, WordPtr out,
                          std::size_t batch) const = 0;
  /// in [rows][in.width], at most n integers a row -> out [rows][n], words of 64 bits: each integer modulo t
  /// < 2^62, and zeros behind each row. outside (may be null): one word of 64 bits, 1 if any integer is not
  /// in [low, low + t), else 0; -t < low <= 0. out overlaps nothing. Constant time.
  virtual void reduce_integers(std::uint64_t t, const IntegerRows& in, std::int64_t low, WordPtr out,
                               std::size_t n, std::size_t rows, WordPtr outside) const;
  /// in [words] in [0, t) -> out [words]: the representatives in [signed_low(t), signed_high(t)]
  /// (arith/integer_range.hpp) as two's complement in the words of out, which hold them. Constant time.
  virtual void centre(std::uint64_t t, ConstWordPtr in, WordPtr out, std::size_t words) const;
  /// plain [batch][n] in [0, t) -> out [batch][2]: the sum of the absolute values of its centred
  /// coefficients, low word and high word (of
  /// out's size). Constant time.
  virtual void sum_centred(std::uint64_t t, ConstWordPtr plain, std::size_t n, WordPtr out,
                           std::size_t batch) const = 0;

  // Key switching at a level: polynomials have l limbs modulo level.ring and K modulo level.key_ring. The key
  // has at least as many digits as the level. decompose's digits may go through gather by automorphism_index
  // and so serve many rotations (hoisting).
  /// Digits of c [batch][l][n] in `form` -> out [batch][digits][K][n], transformed.
  virtual void decompose(const SwitchTables& level, BatchRows c, Form form, WordPtr out,
                         std::size_t batch) const;
  /// out [batch][2][K][n] = sum_i digits[.][i] key[i], transformed; digits [batch][digits][K][n]. If
  /// accumulate, adds to out. Of the level it reads the ring of keys and the number of digits.
  virtual void inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key, WordPtr out,
                             std::size_t batch, bool accumulate) const;
  /// out [batch][2][l][n] = division(x) + addend: x [batch][2][K][n] transformed, overwritten; addend, in
  /// `form` as out, holds the first addend_parts (0 ... 2) of two parts. out overlaps nothing.
  virtual void mod_down(const SwitchTables& level, WordPtr x, BatchRows addend, std::size_t addend_parts,
                        Form form, WordPtr out, std::size_t batch) const;

  /// Key switching of an image of c from the digits of c, which decompose gave (hoisting): mod_down of
  /// inner_product of the digits [batch][digits][K][n], permuted. Addend and out are in `form`.
  virtual void switch_digits(const SwitchTables& level, ConstWordPtr digits, const SwitchedImage& image,
                             Form form, std::size_t batch) const;

  /// inner_product(decompose(c), key), c in `form`.
  virtual void key_switch(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key, WordPtr out,
                          std::size_t batch) const;
  /// mod_down(key_switch(c, key)); c, addend and out in `form`.
  virtual void switch_key(const SwitchTables& level, BatchRows c, const KeyRows& key, BatchRows addend,
                          std::size_t addend_parts, Form form, WordPtr out, std::size_t batch) const;
  /// Key switching of the image of c, in values: switch_key of c, permuted. key and addend as in
  /// switch_digits.
  virtual void switch_image(const SwitchTables& level, BatchRows c, const SwitchedImage& image,
                            std::size_t batch) const;
  /// switch_key with a division by more than the special primes, in one rounding: out [batch][2][k][n], k
  /// primes of to.ring, = division(key_switch(c, key) + P addend), P the product of the special primes. c,
  /// addend and out in `form`.
  virtual void switch_key_rescaled(const SwitchTables& level, const RescaleTables& to, BatchRows c,
                                   const KeyRows& key, BatchRows addend, std::size_t addend_parts, Form form,
                                   WordPtr out, std::size_t batch) const;
  /// For i in [0, count): switch_digits of the digits of c [batch][l][n] by what image(i) says, which is
  /// asked for in order, on this thread, before it is needed (hoisting). c, addends and results in `form`.
  virtual void switch_images(const SwitchTables& level, BatchRows c, Form form, std::size_t count,
                             const std::function<SwitchedImage(std::size_t)>& image, std::size_t batch) const;

  // Linear maps, all transformed.
  /// out [batch][2][K][n] += inner_product of the images of the digits [batch][digits][K][n] with its key,
  /// and the image of `addend` [K][n] (may be null) in part 0.
  virtual void add_image(const SwitchTables& level, ConstWordPtr digits, const SwitchedImage& image,
                         BatchRows addend, WordPtr out, std::size_t batch) const;
  /// out [groups][batch][2][K][n] = sum_j factors[.][j] y_j. y_j is what add_image makes of zeros, its addend
  /// P times the first of parts [2][l][n] and zeros modulo the special primes, whose product is P; or P times
  /// `parts` with such zeros where image(j) has no permutation. image(j) is asked for as switch_images does,
  /// for one element after the other or once for all; its addend and out are not read. out overlaps nothing.
  virtual void sums_of_images(const SwitchTables& level, ConstWordPtr digits, BatchRows parts,
                              const MapFactors& factors,
                              const std::function<SwitchedImage(std::size_t)>& image, WordPtr out,
                              std::size_t batch) const;
  /// Elements of a batch that share what sums_of_images reads: more at once gain nothing.
  virtual std::size_t images_together() const { return 1; }

 protected:
  /// The image with its addend permuted, where that is left to do.
  SwitchedImage with_moved_addend(const SwitchTables& level, SwitchedImage image, std::size_t batch) const;
};

}  // namespace nttforge
