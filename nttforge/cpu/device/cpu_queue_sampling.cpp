// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/interrupt.hpp"
#include "nttforge/cpu/device/word_views.hpp"
#include "nttforge/random/samplers.hpp"

namespace nttforge::cpu {

void CpuQueue::sample_uniform(const RingTables& ring, const StreamName& name, WordPtr out) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  with_word(out, [&](auto zero) {
    auto* const words = out.as<decltype(zero)>();
    parallel(ring.limbs(), ring.words(), [&](std::size_t i) {
      nttforge::sample_uniform(name, static_cast<std::uint32_t>(i), own_ring.limb[i].q,
                               std::span(words + i * ring.n(), ring.n()), target_);
    });
  });
}

/// All rows of all polynomials are shared between the threads.
void CpuQueue::sample_uniforms(const RingTables& ring, const StreamName& name, WordPtr out,
                               std::size_t stride, std::size_t batch) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  const std::size_t n = ring.n(), limbs = ring.limbs();
  with_word(out, [&](auto zero) {
    auto* const words = out.as<decltype(zero)>();
    parallel(batch * limbs, batch * ring.words(), [&](std::size_t row) {
      poll_interrupt();
      const std::size_t b = row / limbs, j = row % limbs;
      StreamName now = name;
      now.index += static_cast<std::uint32_t>(b);
      nttforge::sample_uniform(now, static_cast<std::uint32_t>(j), own_ring.limb[j].q,
                               std::span(words + b * stride + j * n, n), target_);
    });
  });
}

void CpuQueue::sample_signed(const SmallPolynomial& polynomial, std::span<std::int64_t> out) const {
  switch (polynomial.kind) {
    case SmallPolynomial::Kind::ternary:
      return nttforge::sample_ternary(polynomial.name, out, target_);
    case SmallPolynomial::Kind::binary:
      return nttforge::sample_binary(polynomial.name, out, target_);
    case SmallPolynomial::Kind::error:
      return nttforge::sample_error(polynomial.name, polynomial.error, out, target_);
  }
}

/// One row of a small polynomial: samples times factor modulo limb j.
void CpuQueue::lift_row(const CpuRing& ring, std::size_t j, const std::int64_t* samples, std::uint64_t factor,
                        std::uint64_t* out) {
  const CpuLimb& limb = ring.limb[j];
  limb.kernels->add_signed(limb.q, samples, nullptr, out, ring.n());
  if (factor != 1)
    limb.row->multiply_scalar(limb.row_modulus, out, limb.modulus.reduce(factor), out, ring.n());
}

void CpuQueue::sample_lifted(const RingTables& ring, const SmallPolynomial& polynomial, WordPtr out) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  const std::shared_ptr<std::uint64_t> buffer = memory_.allocate(ring.n(), true);
  std::int64_t* samples = reinterpret_cast<std::int64_t*>(buffer.get());
  sample_signed(polynomial, std::span(samples, ring.n()));
  const Output result(*this, out, ring.words());
  parallel(ring.limbs(), ring.words(), [&](std::size_t j) {
    lift_row(own_ring, j, samples, polynomial.factor, result.words() + j * ring.n());
  });
}

void CpuQueue::sample_ternary(const RingTables& ring, const StreamName& name, WordPtr out) const {
  sample_lifted(ring, {SmallPolynomial::Kind::ternary, name, {}}, out);
}

void CpuQueue::sample_binary(const RingTables& ring, const StreamName& name, WordPtr out) const {
  sample_lifted(ring, {SmallPolynomial::Kind::binary, name, {}}, out);
}

void CpuQueue::sample_error(const RingTables& ring, const StreamName& name, ErrorDistribution distribution,
                            WordPtr out) const {
  sample_lifted(ring, {SmallPolynomial::Kind::error, name, distribution}, out);
}

}  // namespace nttforge::cpu
