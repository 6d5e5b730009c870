// SPDX-License-Identifier: Apache-2.0
// Encryption and decryption. Elements of a batch go to threads of their own where there are enough of them,
// since the limbs of one are too few and too short to be shared; each is named by its own streams, so that
// the words do not depend on the threads.

#include <algorithm>

#include "nttforge/base/interrupt.hpp"
#include "nttforge/cpu/device/limb_by_limb.hpp"

namespace nttforge::cpu {
namespace {

StreamName later(StreamName name, std::size_t elements) {
  name.index += static_cast<std::uint32_t>(elements);
  return name;
}

SmallPolynomial later(SmallPolynomial polynomial, std::size_t elements) {
  polynomial.name = later(polynomial.name, elements);
  return polynomial;
}

}  // namespace

/// serial: no loop of this encryption is shared between threads.
void CpuQueue::encrypt_one(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                           ConstWordPtr key, const SmallPolynomial& u,
                           std::span<const SmallPolynomial, 2> errors, ConstWordPtr message, Form form,
                           WordPtr out, bool serial) const {
  if (out.word_bits() == 32)
    return encrypt_short(ring_key, ring_q, division, key, u, errors, message, form, out);
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
        limb.kernels->add_signed(limb.q, error, row, row, n);
      } else {
        lift_row(ring, j, error, errors[part].factor, mask.get() + n);
        limb.row->add(limb.row_modulus, row, mask.get() + n, row, n);
      }
    }
  };
  const CpuRing& ring_out = own<CpuRing>(ring_q);
  const auto *added = message.as<std::uint64_t>(), *keys = key.as<std::uint64_t>();
  if (form == Form::coefficients)
    return divide_one(division, ring_out,
                      {added, added == nullptr ? std::size_t{0} : 1, out.as<std::uint64_t>()}, form, serial,
                      rows);
  // In values the products stay as they are modulo the primes that stay; error, message and what the division
  // takes from the others go through one transform for each row.
  const std::size_t k = ring_q.limbs(), dropped = ring.limbs() - k;
  const std::shared_ptr<std::uint64_t> place = memory_.allocate(2 * (k + dropped) * n, true);
  std::uint64_t *const masks = place.get(), *const own_words = masks + k * n,
                       *const rests = own_words + k * n;
  parallel(ring.limbs(), words, [&](std::size_t j) {
    if (j >= k) return rows(j, rests + (j - k) * n, dropped * n);
    lift_row(ring, j, samples, u.factor, masks + j * n);
    ring.limb[j].forward(masks + j * n, masks + j * n);
  });
  for (std::size_t part = 0; part < 2; ++part) {
    std::uint64_t* const result = out.as<std::uint64_t>() + part * k * n;
    const auto add_message = [&](std::size_t, std::size_t j, std::uint64_t* row) {
      const CpuLimb& limb = ring.limb[j];
      if (part == 0 && added != nullptr) limb.row->add(limb.row_modulus, row, added + j * n, row, n);
    };
    const auto add_product = [&](std::size_t, std::size_t j, std::uint64_t* row) {
      const CpuLimb& limb = ring.limb[j];
      std::uint64_t* const product = own_words + j * n;
      limb.row->multiply(limb.row_modulus, masks + j * n, keys + part * words + j * n, product, n);
      join_row(ring_out, j, division == nullptr ? 1 : division->chain().front().own[j], product, row, row);
    };
    const auto lift_error = [&](std::size_t j, std::uint64_t* row) {
      lift_row(ring, j, samples + (part + 1) * n, errors[part].factor, row);
    };
    parallel(k, k * n, [&](std::size_t j) {
      if (division != nullptr) return lift_error(j, own_words + j * n);
      lift_error(j, result + j * n);
      add_message(0, j, result + j * n);
      ring.limb[j].forward(result + j * n, result + j * n);
      add_product(0, j, result + j * n);
    });
    if (division == nullptr) continue;
    const DividedRows polynomial[] = {{rests + part * dropped * n, own_words, result}};
    divide_rows(*division, ring_out, polynomial, add_message, add_product);
  }
}

void CpuQueue::encrypt(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                       ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
                       ConstWordPtr message, Form form, WordPtr out) const {
  encrypt_one(ring_key, ring_q, division, key, u, errors, message, form, out, pool_.threads() == 1);
}

void CpuQueue::encrypt_batch(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                             ConstWordPtr key, const SmallPolynomial& u,
                             std::span<const SmallPolynomial, 2> errors, const MessageRows& message,
                             Form form, WordPtr out, std::size_t batch) const {
  for_polynomials(batch, [&](std::size_t b, bool serial) {
    poll_interrupt();
    const SmallPolynomial error[] = {later(errors[0], b), later(errors[1], b)};
    DeviceArray place;
    encrypt_one(ring_key, ring_q, division, key, later(u, b), error, message_of(ring_q, message, b, place),
                form, out + b * 2 * ring_q.words(), serial);
  });
}

void CpuQueue::encrypt_by_secret(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                                 const SmallPolynomial& error, const MessageRows& message, Form form,
                                 WordPtr out, std::size_t batch) const {
  for_polynomials(batch, [&](std::size_t b, bool) {
    DeviceArray place;
    const MessageRows one(message_of(ring, message, b, place));
    Queue::encrypt_by_secret(ring, secret, later(uniform, b), later(error, b), one, form,
                             out + b * 2 * ring.words(), 1);
  });
}

DeviceArray CpuQueue::opposite_of(const RingTables& ring, ConstWordPtr secret) const {
  DeviceArray opposite = allocate_secret(ring, 1);
  negate(ring, secret, opposite.data(), 1);
  return opposite;
}

void CpuQueue::key_switch_pairs(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                                const SmallPolynomial& error, ConstWordPtr from,
                                std::span<const std::uint64_t> scalars, std::span<const std::size_t> ends,
                                WordPtr out) const {
  DeviceArray scaled = allocate_secret(ring, 1);
  multiply_scalar(ring, from, scalars, scaled.data(), 1);
  const bool short_words = out.word_bits() == 32;
  const DeviceArray opposite = short_words ? opposite_of(ring, secret) : DeviceArray();
  for_polynomials(ends.size(), [&](std::size_t i, bool) {
    poll_interrupt();
    const std::size_t first = i == 0 ? 0 : ends[i - 1];
    const LimbRows message{scaled.data() + first * ring.n(), first, ends[i] - first};
    const WordPtr pair = out + i * 2 * ring.words();
    if (short_words)
      masked_pair_short(ring, opposite.data(), later(uniform, i), later(error, i), message, pair);
    else
      masked_pair(ring, secret, later(uniform, i), later(error, i), message, pair);
  });
}

void CpuQueue::phase(const RingTables& ring, ConstWordPtr ciphertexts, std::size_t parts, Form form,
                     ConstWordPtr secret, ConstWordPtr square, WordPtr out, std::size_t batch) const {
  const std::size_t words = ring.words();
  for_polynomials(batch, [&](std::size_t b, bool) {
    Queue::phase(ring, ciphertexts + b * parts * words, parts, form, secret, square, out + b * words, 1);
  });
}

}  // namespace nttforge::cpu
