// SPDX-License-Identifier: Apache-2.0
// Key switching and encryption, limb by limb: the rows of one limb wait in the second-level cache from the
// forward transform of its digits to the division that ends them.

#include <algorithm>
#include <bit>

#include "nttforge/cpu/conversion/cpu_step.hpp"
#include "nttforge/cpu/device/cpu_queue.hpp"

namespace nttforge::cpu {
namespace {

/// Digits of key switching wait for their products in groups of this many words, but four at least, so that
/// they are still in the second-level cache then.
constexpr std::size_t kDigitWords = std::size_t{1} << 16;
constexpr std::size_t kLeastDigits = 4;
/// Where several polynomials are multiplied with one key, so many of its words stay in that cache at a time.
constexpr std::size_t kKeyWords = std::size_t{1} << 16;
constexpr std::size_t kLeastColumns = 128;  // that a kernel takes at a time

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

/// body(b, serial) for each polynomial of the batch: on a thread of its own, serially, if there are enough.
template <class Body>
void CpuQueue::for_polynomials(std::size_t batch, const Body& body) const {
  if (pool_.threads() > 1 && batch >= pool_.threads())
    pool_.parallel_for(batch, [&](std::size_t b) { body(b, true); });
  else
    for (std::size_t b = 0; b < batch; ++b) body(b, pool_.threads() == 1);
}

void CpuQueue::decompose(const SwitchTables& level, BatchRows c, WordPtr out, std::size_t batch) const {
  if (out.word_bits() == 32) return Queue::decompose(level, c, out, batch);
  const std::size_t n = level.ring->n(), limbs = level.key_ring->limbs(), count = level.digits.size();
  for_polynomials(batch, [&](std::size_t b, bool) {
    const Digits digits(*this, level, c.words.as<std::uint64_t>() + b * c.stride);
    std::uint64_t* const first = out.as<std::uint64_t>() + b * count * limbs * n;
    parallel(count * limbs, count * limbs * n,
             [&](std::size_t row) { digits.row(row / limbs, row % limbs, first + row * n); });
  });
}

void CpuQueue::inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key, WordPtr out,
                             std::size_t batch) const {
  if (out.word_bits() == 32) return Queue::inner_product(level, digits, key, out, batch);
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
                            sums + (2 * b * limbs + j) * n + c, words, false, columns);
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

void CpuQueue::key_switch(const SwitchTables& level, BatchRows c, const KeyRows& key, WordPtr out,
                          std::size_t batch) const {
  if (out.word_bits() == 32) return Queue::key_switch(level, c, key, out, batch);
  const std::size_t n = level.key_ring->n(), limbs = level.key_ring->limbs(), words = limbs * n;
  for_polynomials(batch, [&](std::size_t b, bool) {
    const Digits digits(*this, level, c.words.as<std::uint64_t>() + b * c.stride);
    parallel(limbs, digits.count * words, [&](std::size_t j) {
      key_switch_limb(digits.ring, digits.count, j, key, out.as<std::uint64_t>() + 2 * b * words + j * n,
                      words, [&](std::size_t i, std::uint64_t* to) { digits.row(i, j, to); });
    });
  });
}

/// out [2][k][n] = division(x) + addend, or x + addend without a division; rows(j, x, part) writes the two
/// polynomials x modulo limb j in coefficient form, `part` words apart. Serially, the limb of one prime to
/// divide by comes first, so that every other limb is finished while its rows are at hand; threads would have
/// to wait for it.
template <class Rows>
void CpuQueue::divide(const StepTables* division, const CpuRing& ring_q, const std::uint64_t* addend,
                      std::size_t addend_parts, std::uint64_t* out, bool serial, const Rows& rows) const {
  const std::size_t n = ring_q.n(), k = ring_q.limbs();
  const CpuStage* stage = division == nullptr ? nullptr : own<CpuStep>(*division).division();
  if (!serial || stage == nullptr) {
    const std::size_t limbs = k + (division == nullptr ? 0 : division->sources());
    std::shared_ptr<std::uint64_t> sums;
    if (division != nullptr) sums = memory_.allocate(2 * limbs * n, true);
    std::uint64_t* x = division == nullptr ? out : sums.get();
    parallel(limbs, 2 * limbs * n, [&](std::size_t j) { rows(j, x + j * n, limbs * n); });
    if (division != nullptr) apply_joined(*division, x, out, 2);
    if (addend_parts != 0) add(ring_q, out, addend, out, addend_parts);
    return;
  }
  const std::shared_ptr<std::uint64_t> rest = memory_.allocate(2 * n, true);
  rows(k, rest.get(), n);
  for (std::size_t part = 0; part < 2; ++part)
    stage->correct(rest.get() + part * n, rest.get() + part * n, n);
  for (std::size_t j = 0; j < k; ++j) {
    rows(j, out + j * n, k * n);
    for (std::size_t part = 0; part < 2; ++part) {
      const std::size_t at = (part * k + j) * n;
      stage->run_target(j, rest.get() + part * n, out + at, out + at, n);
      if (part < addend_parts)
        ring_q.limb[j].row->add(ring_q.limb[j].row_modulus, out + at, addend + at, out + at, n);
    }
  }
}

void CpuQueue::mod_down(const SwitchTables& level, WordPtr x, BatchRows addend, std::size_t addend_parts,
                        WordPtr out, std::size_t batch) const {
  if (out.word_bits() == 32) return Queue::mod_down(level, x, addend, addend_parts, out, batch);
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const std::size_t n = ring.n(), words = ring.words();
  for_polynomials(batch, [&](std::size_t b, bool serial) {
    const std::uint64_t* const sums = x.as<std::uint64_t>() + 2 * b * words;
    divide(level.division.get(), own<CpuRing>(*level.ring),
           addend.words.as<std::uint64_t>() + b * addend.stride, addend_parts,
           out.as<std::uint64_t>() + 2 * b * level.ring->words(), serial,
           [&](std::size_t j, std::uint64_t* to, std::size_t part) {
             ring.limb[j].inverse(sums + j * n, to);
             ring.limb[j].inverse(sums + words + j * n, to + part);
           });
  });
}

void CpuQueue::switch_key(const SwitchTables& level, BatchRows c, const KeyRows& key, BatchRows addend,
                          std::size_t addend_parts, WordPtr out, std::size_t batch) const {
  if (out.word_bits() == 32) return Queue::switch_key(level, c, key, addend, addend_parts, out, batch);
  for_polynomials(batch, [&](std::size_t b, bool serial) {
    const Digits digits(*this, level, c.words.as<std::uint64_t>() + b * c.stride);
    divide(level.division.get(), own<CpuRing>(*level.ring),
           addend.words.as<std::uint64_t>() + b * addend.stride, addend_parts,
           out.as<std::uint64_t>() + 2 * b * level.ring->words(), serial,
           [&](std::size_t j, std::uint64_t* x, std::size_t part) {
             key_switch_limb(digits.ring, digits.count, j, key, x, part,
                             [&](std::size_t i, std::uint64_t* to) { digits.row(i, j, to); });
             digits.ring.limb[j].inverse(x, x);
             digits.ring.limb[j].inverse(x + part, x + part);
           });
  });
}

void CpuQueue::switch_digits(const SwitchTables& level, ConstWordPtr digits, const PermutationTables& image,
                             const KeyRows& key, BatchRows addend, std::size_t addend_parts, WordPtr out,
                             std::size_t batch) const {
  if (out.word_bits() == 32)
    return Queue::switch_digits(level, digits, image, key, addend, addend_parts, out, batch);
  const CpuRing& ring = own<CpuRing>(*level.key_ring);
  const CpuPermutation& permutation = own<CpuPermutation>(image);
  const std::size_t n = ring.n(), words = ring.words(), count = level.digits.size();
  for_polynomials(batch, [&](std::size_t b, bool serial) {
    const std::uint64_t* const first = digits.as<std::uint64_t>() + b * count * words;
    divide(level.division.get(), own<CpuRing>(*level.ring),
           addend.words.as<std::uint64_t>() + b * addend.stride, addend_parts,
           out.as<std::uint64_t>() + 2 * b * level.ring->words(), serial,
           [&](std::size_t j, std::uint64_t* x, std::size_t part) {
             key_switch_limb(ring, count, j, key, x, part, [&](std::size_t i, std::uint64_t* to) {
               permutation.gather(ring.kernels, first + i * words + j * n, to);
             });
             ring.limb[j].inverse(x, x);
             ring.limb[j].inverse(x + part, x + part);
           });
  });
}

void CpuQueue::encrypt(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                       ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
                       ConstWordPtr message, WordPtr out) const {
  if (out.word_bits() == 32) return Queue::encrypt(ring_key, ring_q, division, key, u, errors, message, out);
  const CpuRing& ring = own<CpuRing>(ring_key);
  const std::size_t n = ring.n(), words = ring.words();
  const std::shared_ptr<std::uint64_t> small = memory_.allocate(3 * n, true);
  std::int64_t* samples = reinterpret_cast<std::int64_t*>(small.get());
  sample_signed(u, std::span(samples, n));
  for (std::size_t part = 0; part < 2; ++part)
    sample_signed(errors[part], std::span(samples + (part + 1) * n, n));
  const bool multiplied = errors[0].factor != 1 || errors[1].factor != 1;
  const auto rows = [&](std::size_t j, std::uint64_t* x, std::size_t part_words) {
    const CpuLimb& limb = ring.limb[j];
    const std::shared_ptr<std::uint64_t> mask = memory_.allocate((multiplied ? 2 : 1) * n, true);
    lift_row(ring, j, samples, u.factor, mask.get());
    limb.forward(mask.get(), mask.get());
    for (std::size_t part = 0; part < 2; ++part) {
      std::uint64_t* row = x + part * part_words;
      limb.row->multiply(limb.row_modulus, mask.get(), key.as<std::uint64_t>() + part * words + j * n, row,
                         n);
      limb.inverse(row, row);
      const std::int64_t* error = samples + (part + 1) * n;
      if (errors[part].factor == 1) {
        ring.kernels.add_signed(limb.q, error, row, row, n);
      } else {
        lift_row(ring, j, error, errors[part].factor, mask.get() + n);
        limb.row->add(limb.row_modulus, row, mask.get() + n, row, n);
      }
    }
  };
  divide(division, own<CpuRing>(ring_q), message.as<std::uint64_t>(), message == nullptr ? 0 : 1,
         out.as<std::uint64_t>(), pool_.threads() == 1, rows);
}

}  // namespace nttforge::cpu
