// SPDX-License-Identifier: Apache-2.0
// Whole operations limb by limb. A row is 8n bytes and the rows of one limb wait in the second-level cache
// from its forward transform to its last step; the plain composition sends every polynomial through memory
// once for each step instead.

#include "nttforge/cpu/device/word_views.hpp"

namespace nttforge::cpu {

void CpuQueue::multiply_transformed(const RingTables& ring, ConstWordPtr a, ConstWordPtr b,
                                    ConstWordPtr addend, WordPtr out, std::size_t batch) const {
  with_word(out, [&](auto zero) {
    using Word = decltype(zero);
    const auto *in = a.as<Word>(), *values = b.as<Word>(), *extra = addend.as<Word>();
    const std::size_t n = ring.n();
    for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
      const RowOpsTable<Word>& ops = limb.ops<Word>();
      Word* const row = out.as<Word>() + at;
      limb.forward(in + at, row);
      ops.multiply(limb.row_modulus, row, values + at % ring.words(), row, n);
      limb.inverse(row, row);
      if (extra != nullptr) ops.add(limb.row_modulus, row, extra + at, row, n);
    });
  });
}

void CpuQueue::tensor_product(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                              bool accumulate, bool finish, std::size_t batch) const {
  if (out.word_bits() == 32) return tensor_product_short(ring, a, b, out, accumulate, finish, batch);
  const auto *left = a.as<std::uint64_t>(), *right = b.as<std::uint64_t>();
  const CpuRing& own_ring = own<CpuRing>(ring);
  const std::size_t n = ring.n(), words = ring.words(), limbs = ring.limbs();
  parallel(batch * limbs, batch * 7 * words, [&](std::size_t row) {
    const CpuLimb& limb = own_ring.limb[row % limbs];
    const std::size_t in_at = row / limbs * 2 * words + row % limbs * n;
    std::uint64_t* sums = out.as<std::uint64_t>() + row / limbs * 3 * words + row % limbs * n;
    const std::shared_ptr<std::uint64_t> scratch = memory_.allocate((a == b ? 2 : 4) * n, false);
    std::uint64_t* x = scratch.get();
    std::uint64_t* y = a == b ? x : x + 2 * n;
    limb.forward(left + in_at, x);
    limb.forward(left + words + in_at, x + n);
    if (a != b) {
      limb.forward(right + in_at, y);
      limb.forward(right + words + in_at, y + n);
    }
    limb.kernels->tensor(limb.row_modulus, x, n, y, n, sums, words, accumulate, n);
    for (std::size_t part = 0; part < 3 && finish; ++part)
      limb.inverse(sums + part * words, sums + part * words);
  });
}

void CpuQueue::masked_pair(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                           const SmallPolynomial& error, const LimbRows& message, WordPtr out) const {
  if (out.word_bits() == 32) {
    const DeviceArray opposite = opposite_of(ring, secret);
    return masked_pair_short(ring, opposite.data(), uniform, error, message, out);
  }
  const CpuRing& own_ring = own<CpuRing>(ring);
  const std::size_t n = ring.n();
  const std::shared_ptr<std::uint64_t> small = memory_.allocate(n, true);
  std::int64_t* samples = reinterpret_cast<std::int64_t*>(small.get());
  sample_signed(error, std::span(samples, n));
  parallel(ring.limbs(), ring.words(), [&](std::size_t j) {
    const CpuLimb& l = own_ring.limb[j];
    const std::size_t at = j * n;
    std::uint64_t *b = out.as<std::uint64_t>() + at, *a = b + ring.words();
    nttforge::sample_uniform(uniform, static_cast<std::uint32_t>(j), l.q, std::span(a, n), target_);
    const std::shared_ptr<std::uint64_t> noise = memory_.allocate(n, true);
    lift_row(own_ring, j, samples, error.factor, noise.get());
    l.forward(noise.get(), noise.get());
    l.row->multiply_accumulate(l.row_modulus, a, secret.as<std::uint64_t>() + at, noise.get(), n);
    l.row->negate(l.row_modulus, noise.get(), b, n);
    if (message.words != nullptr && j - message.first < message.count)
      l.row->add(l.row_modulus, b, message.words.as<std::uint64_t>() + (j - message.first) * n, b, n);
  });
}

}  // namespace nttforge::cpu
