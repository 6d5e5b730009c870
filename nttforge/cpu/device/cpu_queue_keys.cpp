// SPDX-License-Identifier: Apache-2.0
// Key switching, limb by limb: the rows of one limb wait in the second-level cache from the forward transform
// of its digits to the division that ends them.

#include <algorithm>
#include <bit>
#include <deque>

#include "nttforge/cpu/conversion/cpu_step.hpp"
#include "nttforge/cpu/device/limb_by_limb.hpp"
#include "nttforge/cpu/device/word_views.hpp"

namespace nttforge::cpu {
namespace {

/// Digits of key switching wait for their products in groups of this many words, but four at least, so that
/// they are still in the second-level cache then.
constexpr std::size_t kDigitWords = std::size_t{1} << 16;
constexpr std::size_t kLeastDigits = 4;
/// So many scaled residues of a digit stay in that cache while they are converted.
constexpr std::size_t kConvertedWords = std::size_t{1} << 16;
/// Where several polynomials are multiplied with one key, so many of its words stay in that cache at a time.
constexpr std::size_t kKeyWords = std::size_t{1} << 16;
/// Images that are multiplied with many factors are taken so few words at a time that those fit beside them.
constexpr std::size_t kImageWords = std::size_t{1} << 14;
constexpr std::size_t kLeastColumns = 128;  // that a kernel takes at a time
/// So many images of a polynomial share its digits: more would hold more memory, and gain little.
constexpr std::size_t kImages = 8;

/// Whether limb j of a sum of products stays as it is until the end of its division.
bool stays(const SwitchTables& level, std::size_t j, Form form) {
  return form == Form::values && j < level.ring->limbs();
}

/// `count` rows of n words, `stride` apart, one behind the other.
void copy_rows(ConstWordPtr first, std::size_t count, std::size_t stride, std::size_t n, std::uint64_t* out) {
  with_word(first, [&](auto zero) {
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(first.as<decltype(zero)>() + i * stride, n, out + i * n);
  });
}

}  // namespace

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

/// out [n] = inverse(x), which may have words of 32 bits.
void CpuQueue::inverse_row(const CpuLimb& limb, ConstWordPtr x, std::uint64_t* out, std::size_t n) const {
  if (x.word_bits() == 64) return limb.inverse(x.as<std::uint64_t>(), out);
  // Half as many vectors.
  const std::shared_ptr<std::uint64_t> place = memory_.allocate((n + 1) / 2, true);
  auto* const row = reinterpret_cast<std::uint32_t*>(place.get());
  limb.inverse(x.as<std::uint32_t>(), row);
  std::copy_n(row, n, out);
}

void CpuQueue::decompose(const SwitchTables& level, BatchRows c, Form form, WordPtr out,
                         std::size_t batch) const {
  const std::size_t n = level.ring->n(), limbs = level.key_ring->limbs(), count = level.digits.size();
  const Output all(*this, out, batch * count * limbs * n, false, false);
  for_polynomials(batch, [&](std::size_t b, bool) {
    const Digits digits(*this, level, c.words + b * c.stride, form);
    std::uint64_t* const first = all.words() + b * count * limbs * n;
    parallel(count * limbs, count * limbs * n,
             [&](std::size_t row) { digits.row(row / limbs, row % limbs, first + row * n); });
  });
}

void CpuQueue::inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key, WordPtr out,
                             std::size_t batch, bool accumulate) const {
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const std::size_t n = ring.n(), limbs = ring.limbs(), words = ring.words(), count = level.digits.size();
  const Input in(*this, digits, batch * count * words);
  const Output sums(*this, out, batch * 2 * words, accumulate);
  // Words that are widened are widened for all polynomials at once.
  const std::size_t fits = std::max(kLeastColumns, std::bit_floor(kKeyWords / (2 * count)));
  const bool whole = batch == 1 || out.word_bits() == 32;
  const std::size_t columns = whole ? n : std::min(n, fits), blocks = n / columns;
  parallel(limbs * blocks, batch * count * words, [&](std::size_t task) {
    const std::size_t j = task / blocks, c = task % blocks * columns;
    const CpuLimb& limb = ring.limb[j];
    const InputRows key_rows(*this, key.words + key.row(j, limbs) * n + c, 2 * count, key.limbs * n, columns);
    for (std::size_t b = 0; b < batch; ++b)
      limb.kernels->dot_pair(limb.row_modulus, count, limb.chunk,
                             in.words() + (b * count * limbs + j) * n + c, words, key_rows.words,
                             2 * key_rows.step, key_rows.step, sums.words() + (2 * b * limbs + j) * n + c,
                             words, accumulate, columns);
  });
}

void CpuQueue::sums_of_products(const RingTables& ring, ConstWordPtr factors, ConstWordPtr x, WordPtr out,
                                std::size_t groups, std::size_t terms, std::size_t parts) const {
  const CpuRing& tables = own<CpuRing>(ring);
  const std::size_t n = ring.n(), limbs = ring.limbs(), words = ring.words();
  const bool narrow = out.word_bits() == 32;
  const std::size_t fits = std::max(kLeastColumns, std::bit_floor(kKeyWords / (parts * terms)));
  const std::size_t columns = groups == 1 && !narrow ? n : std::min(n, fits), blocks = n / columns;
  parallel(limbs * blocks, groups * terms * parts * words, [&](std::size_t task) {
    const std::size_t j = task / blocks, at = j * n + task % blocks * columns;
    const CpuLimb& limb = tables.limb[j];
    const InputRows b(*this, x + at, terms * parts, words, columns, true);
    for (std::size_t g = 0; g < groups; ++g) {
      const InputRows a(*this, factors + g * terms * words + at, terms, words, columns, true);
      const std::shared_ptr<std::uint64_t> place = narrow ? memory_.allocate(parts * columns, true) : nullptr;
      const std::size_t step = narrow ? columns : words;
      std::uint64_t* const sums = narrow ? place.get() : out.as<std::uint64_t>() + g * parts * words + at;
      for (std::size_t part = 0; part < parts; part += 2) {
        // The last of an odd number of parts is computed twice, to one place.
        const bool two = part + 1 < parts;
        limb.kernels->dot_pair(limb.row_modulus, terms, limb.chunk, a.words, a.step, b.words + part * b.step,
                               parts * b.step, two ? b.step : 0, sums + part * step, two ? step : 0, false,
                               columns);
      }
      for (std::size_t part = 0; part < parts && narrow; ++part)
        std::transform(sums + part * step, sums + part * step + columns,
                       out.as<std::uint32_t>() + (g * parts + part) * words + at,
                       [](std::uint64_t word) { return static_cast<std::uint32_t>(word); });
    }
  });
}

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

void CpuQueue::key_switch(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key, WordPtr out,
                          std::size_t batch) const {
  const std::size_t n = level.key_ring->n(), limbs = level.key_ring->limbs(), words = limbs * n;
  const Output sums(*this, out, batch * 2 * words, false, false);
  for_polynomials(batch, [&](std::size_t b, bool) {
    const Digits digits(*this, level, c.words + b * c.stride, form);
    parallel(limbs, digits.count * words, [&](std::size_t j) {
      key_switch_limb(digits.ring, digits.count, j, key, sums.words() + 2 * b * words + j * n, words,
                      [&](std::size_t i, std::uint64_t* to) { digits.row(i, j, to); });
    });
  });
}

void CpuQueue::mod_down(const SwitchTables& level, WordPtr x, BatchRows addend, std::size_t addend_parts,
                        Form form, WordPtr out, std::size_t batch) const {
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const std::size_t n = ring.n(), words = ring.words(), own_words = level.ring->words();
  const Input in(*this, x, batch * 2 * words, false),
      added(*this, addend, addend_parts * own_words, batch, false);
  const Output result(*this, out, batch * 2 * own_words, false, false);
  for_polynomials(batch, [&](std::size_t b, bool serial) {
    const std::uint64_t* const sums = in.words() + 2 * b * words;
    divide_one(level.division.get(), own<CpuRing>(*level.ring),
               {added.of(b), addend_parts, result.words() + 2 * b * own_words}, form, serial,
               [&](std::size_t j, std::uint64_t* to, std::size_t part) {
                 for (std::size_t i = 0; i < 2; ++i) {
                   const std::uint64_t* const row = sums + i * words + j * n;
                   if (stays(level, j, form))
                     std::copy_n(row, n, to + i * part);
                   else
                     ring.limb[j].inverse(row, to + i * part);
                 }
               });
  });
}

/// out [batch] = divisions of x in values, whose dropped rows [batch][dropped][n] are in `rests` in
/// coefficients (overwritten).
void CpuQueue::rescale_rows(const StepTables& division, const CpuRing& from, const RingTables& to,
                            ConstWordPtr x, std::uint64_t* rests, std::uint64_t* out,
                            std::size_t batch) const {
  const CpuRing& ring_q = own<CpuRing>(to);
  const RnsStep& step = division.chain().front();
  const std::vector<std::size_t> kept = places_in(from, to.spec().moduli);
  const std::size_t n = from.n(), rest_words = step.sources.size() * n;
  std::vector<DividedRows> polynomials;
  for (std::size_t b = 0; b < batch; ++b)
    polynomials.push_back({rests + b * rest_words, nullptr, out + b * to.words()});
  divide_rows(
      division, ring_q, polynomials, [](std::size_t, std::size_t, std::uint64_t*) {},
      [&](std::size_t b, std::size_t j, std::uint64_t* row) {
        if (step.own.empty() || kept[j] == from.limbs()) return;
        const InputRows own_row(*this, x + b * from.words() + kept[j] * n, 1, n, n, true);
        join_row(ring_q, j, step.own[j], own_row.words, row, row);
      });
}

void CpuQueue::rescale(const StepTables& division, const RingTables& from, const RingTables& to,
                       ConstWordPtr in, Form form, WordPtr out, std::size_t batch) const {
  if (form == Form::coefficients) return Queue::rescale(division, from, to, in, form, out, batch);
  const CpuRing& ring = own<CpuRing>(from);
  const std::vector<std::size_t> sources = places_in(from, division.chain().front().sources);
  const std::size_t n = from.n(), dropped = sources.size();
  const Output result(*this, out, batch * to.words());
  // Polynomials of one thread go through each limb together.
  const std::size_t together = pool_.threads() > 1 && batch >= pool_.threads() ? 1 : batch;
  for_polynomials(batch / together, [&](std::size_t b, bool) {
    const ConstWordPtr x = in + b * from.words();
    const std::shared_ptr<std::uint64_t> rests = memory_.allocate(together * dropped * n, true);
    parallel(together * dropped, together * dropped * n, [&](std::size_t row) {
      const std::size_t source = sources[row % dropped];
      inverse_row(ring.limb[source], x + row / dropped * from.words() + source * n, rests.get() + row * n, n);
    });
    rescale_rows(division, ring, to, x, rests.get(), result.words() + b * to.words(), together);
  });
}

void CpuQueue::switch_key_rescaled(const SwitchTables& level, const RescaleTables& to, BatchRows c,
                                   const KeyRows& key, BatchRows addend, std::size_t addend_parts, Form form,
                                   WordPtr out, std::size_t batch) const {
  if (form == Form::coefficients)
    return Queue::switch_key_rescaled(level, to, c, key, addend, addend_parts, form, out, batch);
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const std::size_t n = ring.n(), limbs = ring.limbs(), words = ring.words(), own_limbs = level.ring->limbs();
  // Where the row of a limb is among those that are dropped, if it is.
  const std::vector<std::size_t> sources = places_in(*level.key_ring, to.division->chain().front().sources);
  std::vector<std::size_t> place(limbs, sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) place[sources[i]] = i;
  const Output result(*this, out, batch * 2 * to.ring->words(), false, false);
  for_polynomials(batch, [&](std::size_t b, bool) {
    const Digits digits(*this, level, c.words + b * c.stride, form);
    const ConstWordPtr added = addend.words + b * addend.stride;
    const std::size_t rest_words = sources.size() * n;
    const std::shared_ptr<std::uint64_t> sums = memory_.allocate(2 * words, false),
                                         rests = memory_.allocate(2 * rest_words, false);
    parallel(limbs, digits.count * words, [&](std::size_t j) {
      std::uint64_t* const rows = sums.get() + j * n;
      key_switch_limb(ring, digits.count, j, key, rows, words,
                      [&](std::size_t i, std::uint64_t* to_row) { digits.row(i, j, to_row); });
      for (std::size_t part = 0; part < 2; ++part) {
        std::uint64_t* const row = rows + part * words;
        if (part < addend_parts && j < own_limbs) {
          const InputRows x(*this, added + (part * own_limbs + j) * n, 1, n, n);
          join_row(ring, j, level.special[j], x.words, row, row);
        }
        if (place[j] < sources.size())
          ring.limb[j].inverse(row, rests.get() + part * rest_words + place[j] * n);
      }
    });
    rescale_rows(*to.division, ring, *to.ring, sums.get(), rests.get(),
                 result.words() + 2 * b * to.ring->words(), 2);
  });
}

void CpuQueue::switch_key(const SwitchTables& level, BatchRows c, const KeyRows& key, BatchRows addend,
                          std::size_t addend_parts, Form form, WordPtr out, std::size_t batch) const {
  const std::size_t words = level.ring->words();
  const Input added(*this, addend, addend_parts * words, batch, false);
  const Output result(*this, out, batch * 2 * words, false, false);
  for_polynomials(batch, [&](std::size_t b, bool serial) {
    const Digits digits(*this, level, c.words + b * c.stride, form);
    divide_one(level.division.get(), own<CpuRing>(*level.ring),
               {added.of(b), addend_parts, result.words() + 2 * b * words}, form, serial,
               [&](std::size_t j, std::uint64_t* x, std::size_t part) {
                 key_switch_limb(digits.ring, digits.count, j, key, x, part,
                                 [&](std::size_t i, std::uint64_t* to) { digits.row(i, j, to); });
                 if (stays(level, j, form)) return;
                 digits.ring.limb[j].inverse(x, x);
                 digits.ring.limb[j].inverse(x + part, x + part);
               });
  });
}

/// key_switch_limb of the image of digits whose rows [digits][n] are given.
void CpuQueue::switch_image_limb(const CpuRing& ring, std::size_t digits, std::size_t j,
                                 const SwitchedImage& image, const std::uint64_t* rows, std::uint64_t* out,
                                 std::size_t out_part) const {
  const CpuPermutation& permutation = own<CpuPermutation>(*image.image);
  const CpuLimb& limb = ring.limb[j];
  const KeyRows& key = image.key;
  const std::size_t n = ring.n(), key_words = key.limbs * n;
  if (permutation.in_blocks && limb.kernels->dot_pair_picked != nullptr) {
    const ConstWordPtr y = key.words + key.row(j, ring.limbs()) * n;
    const std::uint32_t* const index = permutation.index.data();
    if (y.word_bits() == 32)
      return limb.kernels->dot_pair_picked32(limb.row_modulus, digits, limb.chunk, rows, n, index,
                                             y.as<std::uint32_t>(), 2 * key_words, key_words, out, out_part,
                                             n);
    return limb.kernels->dot_pair_picked(limb.row_modulus, digits, limb.chunk, rows, n, index,
                                         y.as<std::uint64_t>(), 2 * key_words, key_words, out, out_part, n);
  }
  key_switch_limb(ring, digits, j, key, out, out_part, [&](std::size_t i, std::uint64_t* to) {
    permutation.gather(*limb.kernels, rows + i * n, to);
  });
}

/// The digits of a limb are made once for many images and wait in the caches, instead of going through
/// memory.
void CpuQueue::switch_images(const SwitchTables& level, BatchRows c, Form form, std::size_t count,
                             const std::function<SwitchedImage(std::size_t)>& image,
                             std::size_t batch) const {
  const CpuRing &ring = own<CpuRing>(*level.key_ring), &ring_q = own<CpuRing>(*level.ring);
  const std::size_t n = ring.n(), words = ring_q.words();
  for (std::size_t first = 0; first < count; first += kImages) {
    std::vector<SwitchedImage> images;
    std::deque<Input> addends;
    std::deque<Output> outs;
    for (std::size_t i = first; i < std::min(count, first + kImages); ++i) {
      const SwitchedImage& x = images.emplace_back(with_moved_addend(level, image(i), batch));
      addends.emplace_back(*this, x.addend, x.addend_parts * words, batch, false);
      outs.emplace_back(*this, x.out, batch * 2 * words, false, false);
    }
    for_polynomials(batch, [&](std::size_t b, bool serial) {
      const Digits digits(*this, level, c.words + b * c.stride, form);
      std::vector<Divided> results;
      for (std::size_t i = 0; i < images.size(); ++i)
        results.push_back({addends[i].of(b), images[i].addend_parts, outs[i].words() + 2 * b * words});
      divide(level.division.get(), ring_q, results, form, serial,
             [&](std::size_t j, std::size_t part, const auto& place, const auto& done) {
               const std::shared_ptr<std::uint64_t> rows = memory_.allocate(digits.count * n, false);
               for (std::size_t i = 0; i < digits.count; ++i) digits.row(i, j, rows.get() + i * n);
               for (std::size_t r = 0; r < images.size(); ++r) {
                 std::uint64_t* const x = place(r);
                 switch_image_limb(ring, digits.count, j, images[r], rows.get(), x, part);
                 if (!stays(level, j, form)) {
                   ring.limb[j].inverse(x, x);
                   ring.limb[j].inverse(x + part, x + part);
                 }
                 done(r);
               }
             });
    });
  }
}

/// Limb by limb, as the images of one stay in the caches until they are added up.
void CpuQueue::add_image(const SwitchTables& level, ConstWordPtr digits, const SwitchedImage& image,
                         ConstWordPtr addend, WordPtr out) const {
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const CpuPermutation& permutation = own<CpuPermutation>(*image.image);
  const std::size_t n = ring.n(), words = ring.words(), count = level.digits.size();
  parallel(ring.limbs(), 2 * count * words, [&](std::size_t j) {
    const CpuLimb& limb = ring.limb[j];
    const std::shared_ptr<std::uint64_t> place = memory_.allocate((count + 3) * n, false);
    std::uint64_t *const rows = place.get(), *const sums = rows + count * n, *const moved = sums + 2 * n;
    copy_rows(digits + j * n, count, words, n, rows);
    switch_image_limb(ring, count, j, image, rows, sums, n);
    if (addend != nullptr) {
      copy_rows(addend + j * n, 1, 0, n, rows);
      permutation.gather(*limb.kernels, rows, moved);
      limb.row->add(limb.row_modulus, sums, moved, sums, n);
    }
    for (std::size_t part = 0; part < 2; ++part) {
      const WordPtr to = out + part * words + j * n;
      copy_rows(to, 1, 0, n, rows);
      limb.row->add(limb.row_modulus, rows, sums + part * n, rows, n);
      with_word(to, [&](auto zero) {
        using Word = decltype(zero);
        std::transform(rows, rows + n, to.as<Word>(), [](std::uint64_t x) { return static_cast<Word>(x); });
      });
    }
  });
}

namespace {

template <std::size_t kRepeat, class Word>
void repeat_each(const Word* from, std::uint64_t* to, std::size_t count) {
  for (std::size_t i = 0; i < count / kRepeat; ++i)
    for (std::size_t k = 0; k < kRepeat; ++k) to[i * kRepeat + k] = from[i];
}

/// Each word `repeat` times, `count` in all; both are powers of two.
template <class Word>
void repeat_words(const Word* from, std::size_t repeat, std::uint64_t* to, std::size_t count) {
  switch (std::min(repeat, count)) {
    case 1:
      return repeat_each<1>(from, to, count);
    case 2:
      return repeat_each<2>(from, to, count);
    case 4:
      return repeat_each<4>(from, to, count);
    default:
      for (std::size_t i = 0; i < count; i += std::min(repeat, count))
        std::fill_n(to + i, std::min(repeat, count), from[i / repeat]);
  }
}

}  // namespace

void CpuQueue::sums_of_images(const SwitchTables& level, ConstWordPtr digits, ConstWordPtr parts,
                              const MapFactors& factors,
                              const std::function<SwitchedImage(std::size_t)>& image, WordPtr out) const {
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const std::size_t n = ring.n(), words = ring.words(), own_limbs = level.ring->limbs(),
                    count = level.digits.size(), terms = factors.terms, repeat = factors.repeat;
  std::vector<SwitchedImage> images;
  for (std::size_t t = 0; t < terms; ++t) images.push_back(image(t));
  const std::size_t columns = std::min(n, std::max(kLeastColumns, std::bit_floor(kImageWords / (2 * terms))));
  parallel(ring.limbs(), 2 * terms * count * words, [&](std::size_t j) {
    const CpuLimb& limb = ring.limb[j];
    const std::shared_ptr<std::uint64_t> place =
        memory_.allocate((count + 1 + 2 * terms) * n + (terms + 2) * columns, false);
    std::uint64_t *const rows = place.get(), *const moved = rows + count * n, *const all = moved + n,
                         *const f = all + 2 * terms * n, *const sums = f + terms * columns;
    copy_rows(digits + j * n, count, words, n, rows);
    // P times the parts, 0 modulo the special primes.
    const auto add_part = [&](std::size_t part, const CpuPermutation* permutation, std::uint64_t* to) {
      if (j >= own_limbs) return;
      const std::shared_ptr<std::uint64_t> row = memory_.allocate(n, false);
      copy_rows(parts + (part * own_limbs + j) * n, 1, 0, n, row.get());
      if (permutation != nullptr) permutation->gather(*limb.kernels, row.get(), moved);
      join_row(ring, j, level.special[j], permutation == nullptr ? row.get() : moved, to, to);
    };
    for (std::size_t t = 0; t < terms; ++t) {
      std::uint64_t* const y = all + 2 * t * n;
      if (images[t].image == nullptr) {
        std::fill_n(y, 2 * n, 0);
        for (std::size_t part = 0; part < 2; ++part) add_part(part, nullptr, y + part * n);
        continue;
      }
      switch_image_limb(ring, count, j, images[t], rows, y, n);
      add_part(0, &own<CpuPermutation>(*images[t].image), y);
    }
    for (std::size_t c = 0; c < n; c += columns)
      for (std::size_t g = 0; g < factors.groups; ++g) {
        const ConstWordPtr row = factors.words + (g * terms * words + j * n) / repeat;
        // Factors that do not repeat are read where they are.
        const bool whole = repeat == 1 && row.word_bits() == 64;
        if (!whole)
          with_word(row, [&](auto zero) {
            const auto* const from = row.as<decltype(zero)>();
            for (std::size_t t = 0; t < terms; ++t)
              repeat_words(from + (t * words + c) / repeat, repeat, f + t * columns, columns);
          });
        limb.kernels->dot_pair(limb.row_modulus, terms, limb.chunk, whole ? row.as<std::uint64_t>() + c : f,
                               whole ? words : columns, all + c, 2 * n, n, sums, columns, false, columns);
        for (std::size_t part = 0; part < 2; ++part) {
          const WordPtr to = out + (2 * g + part) * words + j * n + c;
          with_word(to, [&](auto zero) {
            using Word = decltype(zero);
            std::transform(sums + part * columns, sums + (part + 1) * columns, to.as<Word>(),
                           [](std::uint64_t x) { return static_cast<Word>(x); });
          });
        }
      }
  });
}

}  // namespace nttforge::cpu
