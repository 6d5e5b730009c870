// SPDX-License-Identifier: Apache-2.0
// Whole operations limb by limb. A row is 8n bytes and the rows of one limb wait in the second-level cache
// from its forward transform to its last step; the plain composition sends every polynomial through memory
// once for each step instead.

#include <algorithm>

#include "nttforge/cpu/conversion/cpu_step.hpp"
#include "nttforge/cpu/device/cpu_queue.hpp"

namespace nttforge::cpu {
namespace {

/// Digits of key switching wait for their products in groups of this many words, but four at least, so that
/// they are still in the second-level cache then.
constexpr std::size_t kDigitWords = std::size_t{1} << 16;
constexpr std::size_t kLeastDigits = 4;

void forward_row(const CpuLimb& limb, const std::uint64_t* in, std::uint64_t* out, std::size_t n) {
  limb.plan->forward(std::span(in, n), std::span(out, n));
}

void inverse_row(const CpuLimb& limb, std::uint64_t* x, std::size_t n) {
  limb.plan->inverse(std::span(x, n), std::span(x, n));
}

}  // namespace

void CpuQueue::multiply_transformed(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b,
                                    const std::uint64_t* addend, std::uint64_t* out,
                                    std::size_t batch) const {
  const std::size_t n = ring.n();
  for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
    std::uint64_t* row = out + at;
    forward_row(limb, a + at, row, n);
    limb.row->multiply(limb.row_modulus, row, b + at % ring.words(), row, n);
    inverse_row(limb, row, n);
    if (addend != nullptr) limb.row->add(limb.row_modulus, row, addend + at, row, n);
  });
}

void CpuQueue::tensor_product(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b,
                              std::uint64_t* out, bool accumulate, bool finish) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  const std::size_t n = ring.n(), words = ring.words();
  parallel(ring.limbs(), 7 * words, [&](std::size_t j) {
    const CpuLimb& limb = own_ring.limb[j];
    const std::size_t at = j * n;
    const std::shared_ptr<std::uint64_t> scratch = memory_.allocate((a == b ? 2 : 4) * n, false);
    std::uint64_t* x = scratch.get();
    std::uint64_t* y = a == b ? x : x + 2 * n;
    forward_row(limb, a + at, x, n);
    forward_row(limb, a + words + at, x + n, n);
    if (a != b) {
      forward_row(limb, b + at, y, n);
      forward_row(limb, b + words + at, y + n, n);
    }
    conversion_kernels(target_, is_narrow(limb.q))
        .tensor(limb.conversion, x, n, y, n, out + at, words, accumulate, n);
    for (std::size_t part = 0; part < 3 && finish; ++part) inverse_row(limb, out + part * words + at, n);
  });
}

void CpuQueue::key_switch_limb(const CpuRing& ring, std::size_t j, const std::uint64_t* c, std::size_t k,
                               const KeyRows& key, std::uint64_t* out, std::size_t out_part) const {
  const std::size_t n = ring.n(), key_words = key.limbs * n;
  const std::uint64_t* const key_row = key.words + key.row(j, ring.limbs()) * n;
  const CpuLimb& limb = ring.limb[j];
  const std::size_t group = std::min(k, std::max(kLeastDigits, kDigitWords / n));
  const std::shared_ptr<std::uint64_t> digits = memory_.allocate(group * n, false);
  for (std::size_t first = 0; first < k; first += group) {
    const std::size_t count = std::min(group, k - first);
    for (std::size_t i = first; i < first + count; ++i) {
      std::uint64_t* digit = digits.get() + (i - first) * n;
      if (ring.limb[i].q <= limb.q) {
        forward_row(limb, c + i * n, digit, n);
      } else {
        ring.kernels.reduce(limb.conversion, c + i * n, digit, n);
        forward_row(limb, digit, digit, n);
      }
    }
    ring.kernels.dot_pair(limb.conversion, count, ring.chunk, digits.get(), n,
                          key_row + first * 2 * key_words, 2 * key_words, key_words, out, out_part,
                          first != 0, n);
  }
}

void CpuQueue::key_switch(const RingTables& ring, const std::uint64_t* c, std::size_t k, const KeyRows& key,
                          std::uint64_t* out) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  parallel(ring.limbs(), k * ring.words(),
           [&](std::size_t j) { key_switch_limb(own_ring, j, c, k, key, out + j * ring.n(), ring.words()); });
}

/// out [2][k][n] = division(x) + addend; rows(j, x, part) writes the two polynomials x modulo limb j in
/// coefficient form, `part` words apart. On one thread the limb of one prime to divide by comes first, so
/// that every other limb is finished while its rows are at hand; threads would have to wait for it.
template <class Rows>
void CpuQueue::divide_by_last(const StepTables& division, const CpuRing& ring_q, const std::uint64_t* addend,
                              std::size_t addend_parts, std::uint64_t* out, const Rows& rows) const {
  const std::size_t n = ring_q.n(), k = ring_q.limbs();
  const CpuStage* stage = own<CpuStep>(division).division();
  if (pool_.threads() > 1 || stage == nullptr) {
    const std::size_t limbs = k + division.sources();
    const std::shared_ptr<std::uint64_t> x = memory_.allocate(2 * limbs * n, true);
    parallel(limbs, 2 * limbs * n, [&](std::size_t j) { rows(j, x.get() + j * n, limbs * n); });
    apply_joined(division, x.get(), out, 2);
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

void CpuQueue::switch_key(const RingTables& ring_key, const RingTables& ring_q, const StepTables& division,
                          const std::uint64_t* c, const KeyRows& key, const std::uint64_t* addend,
                          std::size_t addend_parts, std::uint64_t* out) const {
  const CpuRing& ring = own<CpuRing>(ring_key);
  divide_by_last(division, own<CpuRing>(ring_q), addend, addend_parts, out,
                 [&](std::size_t j, std::uint64_t* x, std::size_t part) {
                   key_switch_limb(ring, j, c, ring_q.limbs(), key, x, part);
                   inverse_row(ring.limb[j], x, ring.n());
                   inverse_row(ring.limb[j], x + part, ring.n());
                 });
}

void CpuQueue::encrypt(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                       const std::uint64_t* key, const SmallPolynomial& u,
                       std::span<const SmallPolynomial, 2> errors, const std::uint64_t* message,
                       std::uint64_t* out) const {
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
    forward_row(limb, mask.get(), mask.get(), n);
    for (std::size_t part = 0; part < 2; ++part) {
      std::uint64_t* row = x + part * part_words;
      limb.row->multiply(limb.row_modulus, mask.get(), key + part * words + j * n, row, n);
      inverse_row(limb, row, n);
      const std::int64_t* error = samples + (part + 1) * n;
      if (errors[part].factor == 1) {
        ring.kernels.add_signed(limb.q, error, row, row, n);
      } else {
        lift_row(ring, j, error, errors[part].factor, mask.get() + n);
        limb.row->add(limb.row_modulus, row, mask.get() + n, row, n);
      }
    }
  };
  const std::size_t parts = message == nullptr ? 0 : 1;
  if (division != nullptr) return divide_by_last(*division, own<CpuRing>(ring_q), message, parts, out, rows);
  parallel(ring.limbs(), 2 * words, [&](std::size_t j) { rows(j, out + j * n, words); });
  if (parts != 0) add(ring_q, out, message, out, 1);
}

void CpuQueue::masked_pair(const RingTables& ring, const std::uint64_t* secret, const StreamName& uniform,
                           const SmallPolynomial& error, const LimbRows& message, std::uint64_t* out) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  const std::size_t n = ring.n();
  const std::shared_ptr<std::uint64_t> small = memory_.allocate(n, true);
  std::int64_t* samples = reinterpret_cast<std::int64_t*>(small.get());
  sample_signed(error, std::span(samples, n));
  parallel(ring.limbs(), ring.words(), [&](std::size_t j) {
    const CpuLimb& l = own_ring.limb[j];
    const std::size_t at = j * n;
    std::uint64_t *b = out + at, *a = out + ring.words() + at;
    nttforge::sample_uniform(uniform, static_cast<std::uint32_t>(j), l.q, std::span(a, n), target_);
    const std::shared_ptr<std::uint64_t> noise = memory_.allocate(n, true);
    lift_row(own_ring, j, samples, error.factor, noise.get());
    forward_row(l, noise.get(), noise.get(), n);
    l.row->multiply_accumulate(l.row_modulus, a, secret + at, noise.get(), n);
    l.row->negate(l.row_modulus, noise.get(), b, n);
    if (message.words != nullptr && j - message.first < message.count)
      l.row->add(l.row_modulus, b, message.words + (j - message.first) * n, b, n);
  });
}

}  // namespace nttforge::cpu
