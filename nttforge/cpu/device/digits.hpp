// SPDX-License-Identifier: Apache-2.0
#pragma once

// Key switching goes limb by limb: the rows of one limb wait in the second-level cache from the forward
// transform of its digits to the division that ends them.

#include <algorithm>
#include <bit>

#include "nttforge/cpu/conversion/cpu_step.hpp"
#include "nttforge/cpu/device/limb_by_limb.hpp"
#include "nttforge/cpu/device/word_views.hpp"

namespace nttforge::cpu {

/// Digits of key switching wait for their products in groups of this many words, but four at least, so that
/// they are still in the second-level cache then.
inline constexpr std::size_t kDigitWords = std::size_t{1} << 16;
inline constexpr std::size_t kLeastDigits = 4;
/// So many scaled residues of a digit stay in that cache while they are converted.
inline constexpr std::size_t kConvertedWords = std::size_t{1} << 16;
/// Where several polynomials are multiplied with one key, so many of its words stay in that cache at a time.
inline constexpr std::size_t kKeyWords = std::size_t{1} << 16;
inline constexpr std::size_t kLeastColumns = 128;  // that a kernel takes at a time

/// Whether limb j of a sum of products stays as it is until the end of its division.
inline bool stays(const SwitchTables& level, std::size_t j, Form form) {
  return form == Form::values && j < level.ring->limbs();
}

/// `count` rows of n words, `stride` apart, one behind the other.
inline void copy_rows(ConstWordPtr first, std::size_t count, std::size_t stride, std::size_t n,
                      std::uint64_t* out) {
  with_word(first, [&](auto zero) {
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(first.as<decltype(zero)>() + i * stride, n, out + i * n);
  });
}

/// The digits of one polynomial c [l][n]. Digits of several primes wait as their scaled residues, from which
/// the row of any limb is a sum. The rows of a digit's own primes are those of c: in values they are there.
class CpuQueue::Digits {
 public:
  Digits(const CpuQueue& queue, const SwitchTables& level, ConstWordPtr c, Form form)
      : ring(own<CpuRing>(*level.key_ring)), count(level.digits.size()), form_(form), c_(c), begins_{0} {
    const std::size_t n = ring.n(), limbs = level.ring->limbs();
    bool several = false;
    for (const auto& digit : level.digits) {
      begins_.push_back(begins_.back() + digit->sources());
      stages_.push_back(own<CpuStep>(*digit).conversion());
      several = several || digit->sources() > 1;
    }
    if (count == 1 && ring.limbs() == limbs) return;  // nothing is converted
    const bool there = form == Form::coefficients && c.word_bits() == 64;
    if (several || !there) converted_ = queue.memory_.allocate(limbs * n, false);
    std::uint64_t* const to = converted_.get();
    coefficients_ = there ? c.as<std::uint64_t>() : to;
    if (!there)
      queue.parallel(limbs, limbs * n, [&](std::size_t j) {
        if (form == Form::coefficients)
          copy_rows(c + j * n, 1, 0, n, to + j * n);
        else
          queue.inverse_row(ring.limb[j], c + j * n, to + j * n, n);
      });
    if (!several) return;
    queue.parallel(count, limbs * n, [&](std::size_t i) {
      const std::size_t at = begins_[i] * n;
      if (begins_[i + 1] - begins_[i] > 1) stages_[i]->scale(coefficients_ + at, to + at, n, n);
    });
    std::size_t most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, begins_[i + 1] - begins_[i]);
    if (most * n > kConvertedWords) convert_all(queue, most);
  }

  /// out [n] = digit i modulo limb j, transformed.
  void row(std::size_t i, std::size_t j, std::uint64_t* out) const {
    const std::size_t n = ring.n(), first = begins_[i], primes = begins_[i + 1] - first;
    const CpuLimb& limb = ring.limb[j];
    if (j - first < primes) {
      const ConstWordPtr own_row = c_ + j * n;
      if (form_ == Form::coefficients && own_row.word_bits() == 64)
        return limb.forward(own_row.as<std::uint64_t>(), out);
      copy_rows(own_row, 1, 0, n, out);
      if (form_ == Form::coefficients) limb.forward(out, out);
      return;
    }
    if (primes != 1 && rows_ != nullptr) return limb.forward(rows_.get() + (i * ring.limbs() + j) * n, out);
    if (primes != 1)
      stages_[i]->convert_targets(j, j + 1, {converted_.get() + first * n, n}, out, n, n);
    else if (ring.limb[first].q <= limb.q)
      return limb.forward(coefficients_ + first * n, out);
    else
      ring.limb[first].kernels->reduce(limb.row_modulus, coefficients_ + first * n, out, n);
    limb.forward(out, out);
  }

  const CpuRing& ring;
  const std::size_t count;

 private:
  /// Rows of all limbs, some columns at a time: the scaled residues of these are read from the caches for
  /// every limb, where whole rows would come from memory each time.
  void convert_all(const CpuQueue& queue, std::size_t most) {
    const std::size_t n = ring.n(), limbs = ring.limbs();
    const std::size_t columns = std::min(n, std::bit_floor(kConvertedWords / most)), blocks = n / columns;
    rows_ = queue.memory_.allocate(count * limbs * n, false);
    queue.parallel(count * blocks, count * limbs * n, [&](std::size_t task) {
      const std::size_t i = task / blocks, c = task % blocks * columns, first = begins_[i],
                        primes = begins_[i + 1] - first;
      if (primes == 1) return;
      const std::shared_ptr<std::uint64_t> near = queue.memory_.allocate(primes * columns, false);
      for (std::size_t k = 0; k < primes; ++k)
        std::copy_n(converted_.get() + (first + k) * n + c, columns, near.get() + k * columns);
      const auto convert = [&](std::size_t begin, std::size_t end) {
        stages_[i]->convert_targets(begin, end, {near.get(), columns},
                                    rows_.get() + (i * limbs + begin) * n + c, n, columns);
      };
      convert(0, first);
      convert(first + primes, limbs);
    });
  }

  Form form_;
  ConstWordPtr c_;
  const std::uint64_t* coefficients_ = nullptr;  // of c
  std::vector<std::size_t> begins_;              // of the digits' primes, and their end
  std::vector<const CpuStage*> stages_;
  std::shared_ptr<std::uint64_t> converted_;  // c in coefficients, digits of several primes scaled
  std::shared_ptr<std::uint64_t> rows_;       // [digits][limbs][n] in coefficients, null: made one by one
};

template <class Row>
void CpuQueue::key_switch_limb(const CpuRing& ring, std::size_t digits, std::size_t j, const KeyRows& key,
                               std::uint64_t* out, std::size_t out_part, const Row& row) const {
  const CpuLimb& limb = ring.limb[j];
  const std::size_t n = ring.n(), key_words = key.limbs * n;
  const std::size_t group = std::min(digits, std::max(kLeastDigits, kDigitWords / n));
  const std::shared_ptr<std::uint64_t> rows = memory_.allocate(group * n, false);
  for (std::size_t first = 0; first < digits; first += group) {
    const std::size_t count = std::min(group, digits - first);
    for (std::size_t i = 0; i < count; ++i) row(first + i, rows.get() + i * n);
    const ConstWordPtr y = key.words + first * 2 * key_words + key.row(j, ring.limbs()) * n;
    if (y.word_bits() == 32)
      limb.kernels->dot_pair32(limb.row_modulus, count, limb.chunk, rows.get(), n, y.as<std::uint32_t>(),
                               2 * key_words, key_words, out, out_part, first != 0, n);
    else
      limb.kernels->dot_pair(limb.row_modulus, count, limb.chunk, rows.get(), n, y.as<std::uint64_t>(),
                             2 * key_words, key_words, out, out_part, first != 0, n);
  }
}

}  // namespace nttforge::cpu
