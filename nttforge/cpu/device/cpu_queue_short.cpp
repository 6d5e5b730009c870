// SPDX-License-Identifier: Apache-2.0
// Keys and encryption in words of 32 bits, limb by limb like those of 64: rows are sampled, transformed and
// multiplied in the words in which they stay.

#include "nttforge/cpu/device/word_views.hpp"
#include "nttforge/random/samplers.hpp"

namespace nttforge::cpu {

/// Small polynomials, or their opposites, sampled once for all limbs.
class CpuQueue::SmallRows {
 public:
  SmallRows(const CpuQueue& queue, std::size_t n, std::initializer_list<SmallPolynomial> polynomials,
            bool opposite = false)
      : n_(n), place_(queue.memory_.allocate(n + (n * polynomials.size() + 1) / 2, true)) {
    const std::span samples(reinterpret_cast<std::int64_t*>(place_.get()), n);
    std::int32_t* row = rows();
    for (const SmallPolynomial& polynomial : polynomials) {
      queue.sample_signed(polynomial, samples);
      for (std::size_t i = 0; i < n; ++i)
        row[i] = static_cast<std::int32_t>(opposite ? -samples[i] : samples[i]);
      row += n;
      factors_.push_back(polynomial.factor);
    }
  }
  /// out [n] = polynomial i modulo the limb's prime.
  void lift(std::size_t i, const CpuLimb& limb, std::uint32_t* out) const {
    const std::int32_t* const row = rows() + i * n_;
    const auto q = static_cast<std::uint32_t>(limb.q);
    for (std::size_t k = 0; k < n_; ++k)
      out[k] = static_cast<std::uint32_t>(row[k]) + (q & static_cast<std::uint32_t>(row[k] >> 31));
    if (factors_[i] != 1) {
      const auto factor = static_cast<std::uint32_t>(limb.modulus.reduce(factors_[i]));
      limb.row32->multiply_scalar(limb.row_modulus, out, factor, out, n_);
    }
  }

 private:
  std::int32_t* rows() const { return reinterpret_cast<std::int32_t*>(place_.get() + n_); }

  std::size_t n_;
  std::shared_ptr<std::uint64_t> place_;
  std::vector<std::uint64_t> factors_;
};

/// The pair -(a s + e), a as a (-s) + (-e): with the opposites of secret and error no row of it is negated.
void CpuQueue::masked_pair_short(const RingTables& ring, ConstWordPtr opposite, const StreamName& uniform,
                                 const SmallPolynomial& error, const LimbRows& message, WordPtr out) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  const std::size_t n = ring.n();
  const SmallRows small(*this, n, {error}, true);
  parallel(ring.limbs(), ring.words(), [&](std::size_t j) {
    const CpuLimb& l = own_ring.limb[j];
    auto *const b = out.as<std::uint32_t>() + j * n, *const a = b + ring.words();
    nttforge::sample_uniform(uniform, static_cast<std::uint32_t>(j), l.q, std::span(a, n), target_);
    small.lift(0, l, b);
    l.forward(b, b);
    l.row32->multiply_accumulate(l.row_modulus, a, opposite.as<std::uint32_t>() + j * n, b, n);
    if (message.words != nullptr && j - message.first < message.count)
      l.row32->add(l.row_modulus, b, message.words.as<std::uint32_t>() + (j - message.first) * n, b, n);
  });
}

void CpuQueue::encrypt_short(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                             ConstWordPtr key, const SmallPolynomial& u,
                             std::span<const SmallPolynomial, 2> errors, ConstWordPtr message, Form form,
                             WordPtr out) const {
  const CpuRing& ring = own<CpuRing>(ring_key);
  const std::size_t n = ring.n(), words = ring.words();
  const SmallRows small(*this, n, {u, errors[0], errors[1]});
  DeviceArray place = division == nullptr ? DeviceArray() : allocate_secret(ring_key, 2);
  const WordPtr sums = division == nullptr ? out : place.data();
  parallel(ring.limbs(), 3 * words, [&](std::size_t j) {
    const CpuLimb& limb = ring.limb[j];
    const std::shared_ptr<std::uint64_t> scratch = memory_.allocate(n, true);
    auto *const mask = reinterpret_cast<std::uint32_t*>(scratch.get()), *const error = mask + n;
    small.lift(0, limb, mask);
    limb.forward(mask, mask);
    for (std::size_t part = 0; part < 2; ++part) {
      const std::size_t at = part * words + j * n;
      auto* const row = sums.as<std::uint32_t>() + at;
      limb.row32->multiply(limb.row_modulus, mask, key.as<std::uint32_t>() + at, row, n);
      limb.inverse(row, row);
      small.lift(part + 1, limb, error);
      limb.row32->add(limb.row_modulus, row, error, row, n);
    }
  });
  if (division != nullptr) apply_joined(*division, sums, out, 2);
  if (message != nullptr) add(ring_q, out, message, out, 1);
  if (form == Form::values) forward(ring_q, out, 2);
}

/// Transforms in words of 32 bits; of these, blocks of columns are widened for their products.
void CpuQueue::tensor_product_short(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                                    bool accumulate, bool finish, std::size_t batch) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  const std::size_t n = ring.n(), words = ring.words(), limbs = ring.limbs(), factors = a == b ? 2 : 4;
  parallel(batch * limbs, batch * 7 * words, [&](std::size_t row) {
    const CpuLimb& limb = own_ring.limb[row % limbs];
    const std::size_t polynomial = row / limbs, at = row % limbs * n;
    const std::shared_ptr<std::uint64_t> place = memory_.allocate((factors * n + 1) / 2 + 7 * kBlock, false);
    std::uint64_t *const x = place.get(), *const y = a == b ? x : x + 2 * kBlock,
                         *const sums = x + 4 * kBlock;
    auto* const rows = reinterpret_cast<std::uint32_t*>(x + 7 * kBlock);
    for (std::size_t i = 0; i < factors; ++i) {
      const auto* const from = (i < 2 ? a : b).as<std::uint32_t>() + (2 * polynomial + i % 2) * words + at;
      limb.forward(from, rows + i * n);
    }
    const auto result = [&](std::size_t part) {
      return out.as<std::uint32_t>() + (3 * polynomial + part) * words + at;
    };
    for (std::size_t c = 0; c < n; c += kBlock) {
      const std::size_t count = std::min(kBlock, n - c);
      for (std::size_t i = 0; i < factors; ++i) std::copy_n(rows + i * n + c, count, x + i * kBlock);
      for (std::size_t part = 0; part < 3 && accumulate; ++part)
        std::copy_n(result(part) + c, count, sums + part * kBlock);
      limb.kernels->tensor(limb.row_modulus, x, kBlock, y, kBlock, sums, kBlock, accumulate, count);
      for (std::size_t part = 0; part < 3; ++part)
        for (std::size_t i = 0; i < count; ++i)
          result(part)[c + i] = static_cast<std::uint32_t>(sums[part * kBlock + i]);
    }
    for (std::size_t part = 0; part < 3 && finish; ++part) limb.inverse(result(part), result(part));
  });
}

}  // namespace nttforge::cpu
