// SPDX-License-Identifier: Apache-2.0
// Key switching, limb by limb: the rows of one limb wait in the second-level cache from the forward transform
// of its digits to the division that ends them.

#include <algorithm>
#include <bit>

#include "nttforge/cpu/conversion/cpu_step.hpp"
#include "nttforge/cpu/device/limb_by_limb.hpp"

namespace nttforge::cpu {
namespace {

/// Digits of key switching wait for their products in groups of this many words, but four at least, so that
/// they are still in the second-level cache then.
constexpr std::size_t kDigitWords = std::size_t{1} << 16;
constexpr std::size_t kLeastDigits = 4;
/// Where several polynomials are multiplied with one key, so many of its words stay in that cache at a time.
constexpr std::size_t kKeyWords = std::size_t{1} << 16;
constexpr std::size_t kLeastColumns = 128;  // that a kernel takes at a time
/// So many images of a polynomial share its digits: more would hold more memory, and gain little.
constexpr std::size_t kImages = 8;

}  // namespace

/// The digits of one polynomial c [l][n]. Digits of several primes wait as their scaled residues, from which
/// the row of any limb is a sum.
class CpuQueue::Digits {
 public:
  Digits(const CpuQueue& queue, const SwitchTables& level, const std::uint64_t* c)
      : ring(own<CpuRing>(*level.key_ring)),
        count(level.digits.size()),
        c_(c),
        limbs_(level.ring->limbs()),
        primes_(level.digits.front()->sources()) {
    if (primes_ == 1) return;
    const std::size_t n = ring.n();
    for (const auto& digit : level.digits) stages_.push_back(own<CpuStep>(*digit).conversion());
    scaled_ = queue.memory_.allocate(level.ring->words(), false);
    queue.parallel(count, level.ring->words(), [&](std::size_t i) {
      stages_[i]->scale(c + i * primes_ * n, scaled_.get() + i * primes_ * n, n, n);
    });
  }

  /// out [n] = digit i modulo limb j, transformed.
  void row(std::size_t i, std::size_t j, std::uint64_t* out) const {
    const std::size_t n = ring.n(), first = i * primes_;
    const CpuLimb& limb = ring.limb[j];
    if (j - first < std::min(primes_, limbs_ - first)) return limb.forward(c_ + j * n, out);
    if (primes_ != 1)
      stages_[i]->convert_target(j, {scaled_.get() + first * n, n}, out, n);
    else if (ring.limb[i].q <= limb.q)
      return limb.forward(c_ + i * n, out);
    else
      ring.kernels.reduce(limb.row_modulus, c_ + i * n, out, n);
    limb.forward(out, out);
  }

  const CpuRing& ring;
  const std::size_t count;

 private:
  const std::uint64_t* c_;
  std::size_t limbs_, primes_;  // of c, and of every digit but the last, which may have fewer
  std::vector<const CpuStage*> stages_;
  std::shared_ptr<std::uint64_t> scaled_;
};

void CpuQueue::decompose(const SwitchTables& level, BatchRows c, Form form, WordPtr out,
                         std::size_t batch) const {
  if (out.word_bits() == 32 || form == Form::values) return Queue::decompose(level, c, form, out, batch);
  const std::size_t n = level.ring->n(), limbs = level.key_ring->limbs(), count = level.digits.size();
  for_polynomials(batch, [&](std::size_t b, bool) {
    const Digits digits(*this, level, c.words.as<std::uint64_t>() + b * c.stride);
    std::uint64_t* const first = out.as<std::uint64_t>() + b * count * limbs * n;
    parallel(count * limbs, count * limbs * n,
             [&](std::size_t row) { digits.row(row / limbs, row % limbs, first + row * n); });
  });
}

void CpuQueue::inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key, WordPtr out,
                             std::size_t batch, bool accumulate) const {
  if (out.word_bits() == 32) return Queue::inner_product(level, digits, key, out, batch, accumulate);
  const auto *in = digits.as<std::uint64_t>(), *key_in = key.words.as<std::uint64_t>();
  auto* const sums = out.as<std::uint64_t>();
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const std::size_t n = ring.n(), limbs = ring.limbs(), words = ring.words(), count = level.digits.size();
  const std::size_t key_words = key.limbs * n;
  const std::size_t fits = std::max(kLeastColumns, std::bit_floor(kKeyWords / (2 * count)));
  const std::size_t columns = batch == 1 ? n : std::min(n, fits), blocks = n / columns;
  parallel(limbs * blocks, batch * count * words, [&](std::size_t task) {
    const std::size_t j = task / blocks, c = task % blocks * columns;
    for (std::size_t b = 0; b < batch; ++b)
      ring.kernels.dot_pair(ring.limb[j].row_modulus, count, ring.chunk, in + (b * count * limbs + j) * n + c,
                            words, key_in + key.row(j, limbs) * n + c, 2 * key_words, key_words,
                            sums + (2 * b * limbs + j) * n + c, words, accumulate, columns);
  });
}

template <class Row>
void CpuQueue::key_switch_limb(const CpuRing& ring, std::size_t digits, std::size_t j, const KeyRows& key,
                               std::uint64_t* out, std::size_t out_part, const Row& row) const {
  const std::size_t n = ring.n(), key_words = key.limbs * n;
  const std::uint64_t* const key_row = key.words.as<std::uint64_t>() + key.row(j, ring.limbs()) * n;
  const std::size_t group = std::min(digits, std::max(kLeastDigits, kDigitWords / n));
  const std::shared_ptr<std::uint64_t> rows = memory_.allocate(group * n, false);
  for (std::size_t first = 0; first < digits; first += group) {
    const std::size_t count = std::min(group, digits - first);
    for (std::size_t i = 0; i < count; ++i) row(first + i, rows.get() + i * n);
    ring.kernels.dot_pair(ring.limb[j].row_modulus, count, ring.chunk, rows.get(), n,
                          key_row + first * 2 * key_words, 2 * key_words, key_words, out, out_part,
                          first != 0, n);
  }
}

void CpuQueue::key_switch(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key, WordPtr out,
                          std::size_t batch) const {
  if (out.word_bits() == 32 || form == Form::values)
    return Queue::key_switch(level, c, form, key, out, batch);
  const std::size_t n = level.key_ring->n(), limbs = level.key_ring->limbs(), words = limbs * n;
  for_polynomials(batch, [&](std::size_t b, bool) {
    const Digits digits(*this, level, c.words.as<std::uint64_t>() + b * c.stride);
    parallel(limbs, digits.count * words, [&](std::size_t j) {
      key_switch_limb(digits.ring, digits.count, j, key, out.as<std::uint64_t>() + 2 * b * words + j * n,
                      words, [&](std::size_t i, std::uint64_t* to) { digits.row(i, j, to); });
    });
  });
}

void CpuQueue::mod_down(const SwitchTables& level, WordPtr x, BatchRows addend, std::size_t addend_parts,
                        Form form, WordPtr out, std::size_t batch) const {
  if (out.word_bits() == 32 || form == Form::values)
    return Queue::mod_down(level, x, addend, addend_parts, form, out, batch);
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const std::size_t n = ring.n(), words = ring.words();
  for_polynomials(batch, [&](std::size_t b, bool serial) {
    const std::uint64_t* const sums = x.as<std::uint64_t>() + 2 * b * words;
    divide_one(level.division.get(), own<CpuRing>(*level.ring),
               {addend.words.as<std::uint64_t>() + b * addend.stride, addend_parts,
                out.as<std::uint64_t>() + 2 * b * level.ring->words()},
               serial, [&](std::size_t j, std::uint64_t* to, std::size_t part) {
                 ring.limb[j].inverse(sums + j * n, to);
                 ring.limb[j].inverse(sums + words + j * n, to + part);
               });
  });
}

void CpuQueue::switch_key(const SwitchTables& level, BatchRows c, const KeyRows& key, BatchRows addend,
                          std::size_t addend_parts, Form form, WordPtr out, std::size_t batch) const {
  if (out.word_bits() == 32 || form == Form::values)
    return Queue::switch_key(level, c, key, addend, addend_parts, form, out, batch);
  for_polynomials(batch, [&](std::size_t b, bool serial) {
    const Digits digits(*this, level, c.words.as<std::uint64_t>() + b * c.stride);
    divide_one(level.division.get(), own<CpuRing>(*level.ring),
               {addend.words.as<std::uint64_t>() + b * addend.stride, addend_parts,
                out.as<std::uint64_t>() + 2 * b * level.ring->words()},
               serial, [&](std::size_t j, std::uint64_t* x, std::size_t part) {
                 key_switch_limb(digits.ring, digits.count, j, key, x, part,
                                 [&](std::size_t i, std::uint64_t* to) { digits.row(i, j, to); });
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
  const KeyRows& key = image.key;
  const std::size_t n = ring.n(), key_words = key.limbs * n;
  if (permutation.in_blocks && ring.kernels.dot_pair_picked != nullptr)
    return ring.kernels.dot_pair_picked(ring.limb[j].row_modulus, digits, ring.chunk, rows, n,
                                        permutation.index.data(),
                                        key.words.as<std::uint64_t>() + key.row(j, ring.limbs()) * n,
                                        2 * key_words, key_words, out, out_part, n);
  key_switch_limb(ring, digits, j, key, out, out_part, [&](std::size_t i, std::uint64_t* to) {
    permutation.gather(ring.kernels, rows + i * n, to);
  });
}

/// The digits of a limb are made once for many images and wait in the caches, instead of going through
/// memory.
void CpuQueue::switch_images(const SwitchTables& level, BatchRows c, Form form, std::size_t count,
                             const std::function<SwitchedImage(std::size_t)>& image,
                             std::size_t batch) const {
  if (c.words.word_bits() == 32 || form == Form::values)
    return Queue::switch_images(level, c, form, count, image, batch);
  const CpuRing &ring = own<CpuRing>(*level.key_ring), &ring_q = own<CpuRing>(*level.ring);
  const std::size_t n = ring.n();
  for (std::size_t first = 0; first < count; first += kImages) {
    std::vector<SwitchedImage> images;
    for (std::size_t i = first; i < std::min(count, first + kImages); ++i) images.push_back(image(i));
    for_polynomials(batch, [&](std::size_t b, bool serial) {
      const Digits digits(*this, level, c.words.as<std::uint64_t>() + b * c.stride);
      std::vector<Divided> results;
      for (const SwitchedImage& x : images)
        results.push_back({x.addend.words.as<std::uint64_t>() + b * x.addend.stride, x.addend_parts,
                           x.out.as<std::uint64_t>() + 2 * b * ring_q.words()});
      divide(level.division.get(), ring_q, results, serial,
             [&](std::size_t j, std::size_t part, const auto& place, const auto& done) {
               const std::shared_ptr<std::uint64_t> rows = memory_.allocate(digits.count * n, false);
               for (std::size_t i = 0; i < digits.count; ++i) digits.row(i, j, rows.get() + i * n);
               for (std::size_t r = 0; r < images.size(); ++r) {
                 std::uint64_t* const x = place(r);
                 switch_image_limb(ring, digits.count, j, images[r], rows.get(), x, part);
                 ring.limb[j].inverse(x, x);
                 ring.limb[j].inverse(x + part, x + part);
                 done(r);
               }
             });
    });
  }
}

}  // namespace nttforge::cpu
