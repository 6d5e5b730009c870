// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/cpu/device/cpu_queue.hpp"

namespace nttforge::cpu {

void CpuQueue::add(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
                   std::size_t batch) const {
  for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
    limb.row->add(limb.row_modulus, a + at, b + at, out + at, ring.n());
  });
}

void CpuQueue::sub(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
                   std::size_t batch) const {
  for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
    limb.row->sub(limb.row_modulus, a + at, b + at, out + at, ring.n());
  });
}

void CpuQueue::negate(const RingTables& ring, const std::uint64_t* a, std::uint64_t* out,
                      std::size_t batch) const {
  for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
    limb.row->negate(limb.row_modulus, a + at, out + at, ring.n());
  });
}

void CpuQueue::multiply(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b,
                        std::uint64_t* out, std::size_t batch) const {
  for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
    limb.row->multiply(limb.row_modulus, a + at, b + at, out + at, ring.n());
  });
}

void CpuQueue::multiply_accumulate(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b,
                                   std::uint64_t* accumulator, std::size_t batch) const {
  for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
    limb.row->multiply_accumulate(limb.row_modulus, a + at, b + at, accumulator + at, ring.n());
  });
}

void CpuQueue::multiply_scalar(const RingTables& ring, const std::uint64_t* a,
                               std::span<const std::uint64_t> scalars, std::uint64_t* out,
                               std::size_t batch) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  if (scalars.size() != ring.limbs())
    throw SizeError("scalars has " + std::to_string(scalars.size()) + " values: the ring has " +
                    std::to_string(ring.limbs()) + " limbs");
  for_rows(own_ring, batch, [&](const CpuLimb& limb, std::size_t at) {
    const std::uint64_t scalar = scalars[at / ring.n() % ring.limbs()];
    limb.row->multiply_scalar(limb.row_modulus, a + at, scalar, out + at, ring.n());
  });
}

void CpuQueue::multiply_broadcast(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b,
                                  std::uint64_t* out, std::size_t batch) const {
  for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
    limb.row->multiply(limb.row_modulus, a + at, b + at % ring.words(), out + at, ring.n());
  });
}

void CpuQueue::tensor(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b,
                      std::uint64_t* out, bool accumulate, std::size_t batch) const {
  const std::size_t words = ring.words();
  for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
    const std::size_t first = at / words * words;  // of the polynomial
    conversion_kernels(target_, is_narrow(limb.q))
        .tensor(limb.conversion, a + first + at, words, b + first + at, words, out + 2 * first + at, words,
                accumulate, ring.n());
  });
}

void CpuQueue::automorphism(const RingTables& ring, const std::uint64_t* in, std::uint64_t element,
                            std::uint64_t* out, std::size_t batch) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  const std::uint64_t n = ring.n();
  const std::uint64_t mask = 2 * n - 1;
  if (element % 2 == 0 || element > mask)
    throw ParameterError("element = " + std::to_string(element) +
                         " must be odd and below 2n = " + std::to_string(2 * n));
  // out[j] = +-in[i] with i element = j (mod 2n), minus from n on. Newton's iteration for element^-1 mod
  // 2^64.
  std::uint64_t inverse = element;
  for (int step = 0; step < 6; ++step) inverse *= 2 - element * inverse;
  for_rows(own_ring, batch, [&](const CpuLimb& limb, std::size_t at) {
    own_ring.kernels.automorphism(limb.q, n, inverse & mask, in + at, out + at);
  });
}

void CpuQueue::gather(const PermutationTables& permutation, const std::uint64_t* in, std::uint64_t* out,
                      std::size_t rows) const {
  const std::vector<std::uint32_t>& index = own<CpuPermutation>(permutation).index;
  const std::size_t n = index.size();
  parallel(rows, rows * n, [&](std::size_t row) {
    const std::uint64_t* x = in + row * n;
    std::uint64_t* y = out + row * n;
    for (std::size_t i = 0; i < n; ++i) y[i] = x[index[i]];
  });
}

void CpuQueue::lift_plain(const RingTables& ring, std::uint64_t t, const std::uint64_t* plain,
                          std::uint64_t* out, std::size_t batch) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  const std::size_t n = ring.n();
  const std::uint64_t first_negative = t - t / 2;  // v >= t/2 stands for v - t
  for_rows(own_ring, batch, [&](const CpuLimb& limb, std::size_t at) {
    const std::uint64_t* values = plain + at / ring.words() * n;
    const bool reduced = t / 2 < limb.q;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t v = values[i];
      const std::uint64_t negative = std::uint64_t{0} - ((first_negative - 1 - v) >> 63);
      std::uint64_t magnitude = (v ^ negative) - negative + (t & negative);  // v or t - v, at most t/2
      if (!reduced) magnitude = limb.modulus.reduce(magnitude);
      const std::uint64_t nonzero = std::uint64_t{0} - static_cast<std::uint64_t>(magnitude != 0);
      out[at + i] = ((magnitude ^ negative) - negative) + (limb.q & negative & nonzero);
    }
  });
}

void CpuQueue::sum_centred(std::uint64_t t, const std::uint64_t* plain, std::size_t n, std::uint64_t* out,
                           std::size_t batch) const {
  parallel(batch, batch * n, [&](std::size_t b) {
    std::uint64_t low = 0, high = 0;
    for (std::size_t i = b * n; i < (b + 1) * n; ++i) {
      const std::uint64_t v = plain[i], opposite = t - v;
      const std::uint64_t larger = std::uint64_t{0} - ((opposite - v) >> 63);
      low += v ^ ((v ^ opposite) & larger);  // low is below 2^63 and the term below 2^62
      high += low >> 63;
      low &= ~std::uint64_t{0} >> 1;
    }
    out[2 * b] = low | high << 63;
    out[2 * b + 1] = high >> 1;
  });
}

}  // namespace nttforge::cpu
