// SPDX-License-Identifier: Apache-2.0
// The fused operations as compositions of the others: their definition, and what a device runs that does not
// override them.

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/text/bits.hpp"
#include "nttforge/device/queue.hpp"

namespace nttforge {

std::unique_ptr<Capture> Queue::begin_capture() const {
  throw UnsupportedError(device().name() + " records no graphs: call the operations themselves");
}

bool Queue::copy_from(const Queue& /*from*/, ConstWordPtr /*in*/, WordPtr /*out*/,
                      std::size_t /*words*/) const {
  return false;
}

void Queue::sample_small(const RingTables& ring, const SmallPolynomial& polynomial, WordPtr out) const {
  switch (polynomial.kind) {
    case SmallPolynomial::Kind::ternary:
      sample_ternary(ring, polynomial.name, out);
      break;
    case SmallPolynomial::Kind::binary:
      sample_binary(ring, polynomial.name, out);
      break;
    case SmallPolynomial::Kind::error:
      sample_error(ring, polynomial.name, polynomial.error, out);
      break;
  }
  if (polynomial.factor == 1) return;
  std::vector<std::uint64_t> factors;
  for (const std::uint64_t q : ring.spec().moduli) factors.push_back(polynomial.factor % q);
  multiply_scalar(ring, out, factors, out, 1);
}

void Queue::upload_written(std::size_t words, WordPtr device, const WriteWords& write) const {
  SecretVector<std::uint64_t> host(words);
  write(0, host);
  upload(host, device);
}

void Queue::forward_into(const RingTables& ring, ConstWordPtr in, WordPtr out, std::size_t batch) const {
  copy(in, out, batch * ring.words());
  forward(ring, out, batch);
}

void Queue::sample_uniforms(const RingTables& ring, const StreamName& name, WordPtr out, std::size_t stride,
                            std::size_t batch) const {
  StreamName now = name;
  for (std::size_t b = 0; b < batch; ++b, ++now.index, out += stride) {
    poll_interrupt();
    sample_uniform(ring, now, out);
  }
}

bool Queue::unpack(const RingTables& ring, std::span<const std::uint8_t> packed, WordPtr out,
                   std::size_t stride, std::size_t batch) const {
  std::vector<std::uint64_t> host(ring.words());
  for (std::size_t b = 0; b < batch; ++b, out += stride) {
    poll_interrupt();
    for (std::size_t j = 0; j < ring.limbs(); ++j) {
      const std::uint64_t q = ring.spec().moduli[j];
      const std::size_t bytes = packed_bytes(ring.n(), q);
      if (!unpack_residues(packed.first(bytes), q, std::span(host).subspan(j * ring.n(), ring.n())))
        return false;
      packed = packed.subspan(bytes);
    }
    upload(host, out);
  }
  return true;
}

void Queue::multiply_transformed(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, ConstWordPtr addend,
                                 WordPtr out, std::size_t batch) const {
  copy(a, out, batch * ring.words());
  forward(ring, out, batch);
  multiply_broadcast(ring, out, b, out, batch);
  inverse(ring, out, batch);
  if (addend != nullptr) add(ring, out, addend, out, batch);
}

void Queue::tensor_product(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                           bool accumulate, bool finish, std::size_t batch) const {
  const std::size_t words = batch * 2 * ring.words();
  DeviceArray x = allocate(ring, 2 * batch), y = allocate(ring, 2 * batch);
  copy(a, x.data(), words);
  copy(b, y.data(), words);
  forward(ring, x.data(), 2 * batch);
  forward(ring, y.data(), 2 * batch);
  tensor(ring, x.data(), y.data(), out, accumulate, batch);
  if (finish) inverse(ring, out, 3 * batch);
}

void Queue::sums_of_products(const RingTables& ring, ConstWordPtr factors, ConstWordPtr x, WordPtr out,
                             std::size_t groups, std::size_t terms, std::size_t parts) const {
  const std::size_t words = ring.words();
  fill_zero(out, groups * parts * words);
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t i = 0; i < terms; ++i)
      for (std::size_t part = 0; part < parts; ++part)
        multiply_accumulate(ring, factors + (g * terms + i) * words, x + (i * parts + part) * words,
                            out + (g * parts + part) * words, 1);
}

namespace {

/// Rows of polynomials of a ring one after the other: where they are, if they follow each other, or copies in
/// `place`, with zeros where `rows` names none of the ring's.
BatchRows rows_of(const Queue& queue, const RingTables& ring, ConstWordPtr in,
                  const std::vector<std::size_t>& rows, std::size_t batch, DeviceArray& place) {
  const std::size_t n = ring.n(), count = rows.size();
  bool consecutive = rows.back() < ring.limbs();
  for (std::size_t i = 1; i < count; ++i) consecutive = consecutive && rows[i] == rows[i - 1] + 1;
  if (consecutive) return {in + rows.front() * n, ring.words()};
  place = queue.allocate_secret(batch * count * n, ring.spec().word_bits);
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t i = 0; i < count; ++i) {
      const WordPtr to = place.data() + (b * count + i) * n;
      if (rows[i] < ring.limbs())
        queue.copy(in + (b * ring.limbs() + rows[i]) * n, to, n);
      else
        queue.fill_zero(to, n);
    }
  return {place.data(), count * n};
}

/// The row of each modulus in a ring, or its number of limbs.
std::vector<std::size_t> places_in(const RingTables& ring, std::span<const std::uint64_t> moduli) {
  const std::vector<std::uint64_t>& all = ring.spec().moduli;
  std::vector<std::size_t> result;
  for (const std::uint64_t q : moduli)
    result.push_back(static_cast<std::size_t>(std::find(all.begin(), all.end(), q) - all.begin()));
  return result;
}

}  // namespace

void Queue::rescale(const StepTables& division, const RingTables& from, const RingTables& to, ConstWordPtr in,
                    Form form, WordPtr out, std::size_t batch) const {
  if (form == Form::values) {
    DeviceArray x = allocate_secret(from, batch);
    copy(in, x.data(), batch * from.words());
    inverse(from, x.data(), batch);
    rescale(division, from, to, x.data(), Form::coefficients, out, batch);
    return forward(to, out, batch);
  }
  DeviceArray sources, own;
  const BatchRows dropped =
      rows_of(*this, from, in, places_in(from, division.chain().front().sources), batch, sources);
  const BatchRows kept = division.own_words() == 0
                             ? BatchRows{}
                             : rows_of(*this, from, in, places_in(from, to.spec().moduli), batch, own);
  apply(division, dropped, kept, out, batch, nullptr);
}

void Queue::decompose(const SwitchTables& level, BatchRows c, Form form, WordPtr out,
                      std::size_t batch) const {
  if (form == Form::values) {
    const std::size_t rows = level.ring->words();
    DeviceArray x = allocate(*level.ring, batch);
    for (std::size_t b = 0; b < batch; ++b) copy(c.words + b * c.stride, x.data() + b * rows, rows);
    inverse(*level.ring, x.data(), batch);
    return decompose(level, {x.data(), rows}, Form::coefficients, out, batch);
  }
  const std::size_t n = level.ring->n(), words = level.key_ring->words();
  for (std::size_t b = 0; b < batch; ++b) {
    ConstWordPtr sources = c.words + b * c.stride;
    for (const auto& digit : level.digits) {
      apply(*digit, sources, nullptr, out, 1);
      forward(*level.key_ring, out, 1);
      sources += digit->sources() * n;
      out += words;
    }
  }
}

void Queue::inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key, WordPtr out,
                          std::size_t batch, bool accumulate) const {
  const RingTables& ring = *level.key_ring;
  const std::size_t n = ring.n(), words = ring.words(), count = level.digits.size();
  DeviceArray rows = allocate(ring, 1);
  if (!accumulate) fill_zero(out, batch * 2 * words);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t part = 0; part < 2; ++part) {
      ConstWordPtr polynomial = key.words + (2 * i + part) * key.limbs * n;
      for (std::size_t j = 0; j < ring.limbs(); ++j)
        copy(polynomial + key.row(j, ring.limbs()) * n, rows.data() + j * n, n);
      for (std::size_t b = 0; b < batch; ++b)
        multiply_accumulate(ring, digits + (b * count + i) * words, rows.data(), out + (2 * b + part) * words,
                            1);
    }
}

void Queue::mod_down(const SwitchTables& level, WordPtr x, BatchRows addend, std::size_t addend_parts,
                     Form form, WordPtr out, std::size_t batch) const {
  const std::size_t words = level.ring->words();
  if (form == Form::coefficients) inverse(*level.key_ring, x, 2 * batch);
  if (level.division == nullptr)
    copy(x, out, batch * 2 * words);
  else
    rescale(*level.division, *level.key_ring, *level.ring, x, form, out, 2 * batch);
  if (addend_parts == 0) return;
  for (std::size_t b = 0; b < batch; ++b, out += 2 * words)
    add(*level.ring, out, addend.words + b * addend.stride, out, addend_parts);
}

void Queue::key_switch(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key, WordPtr out,
                       std::size_t batch) const {
  DeviceArray digits = allocate(*level.key_ring, batch * level.digits.size());
  decompose(level, c, form, digits.data(), batch);
  inner_product(level, digits.data(), key, out, batch, false);
}

void Queue::switch_key(const SwitchTables& level, BatchRows c, const KeyRows& key, BatchRows addend,
                       std::size_t addend_parts, Form form, WordPtr out, std::size_t batch) const {
  DeviceArray sum = allocate(*level.key_ring, batch * 2);
  key_switch(level, c, form, key, sum.data(), batch);
  mod_down(level, sum.data(), addend, addend_parts, form, out, batch);
}

void Queue::switch_digits(const SwitchTables& level, ConstWordPtr digits, const PermutationTables& image,
                          const KeyRows& key, BatchRows addend, std::size_t addend_parts, Form form,
                          WordPtr out, std::size_t batch) const {
  const RingTables& ring = *level.key_ring;
  const std::size_t count = batch * level.digits.size();
  DeviceArray images = allocate(ring, count), sum = allocate(ring, batch * 2);
  gather(image, digits, images.data(), count * ring.limbs());
  inner_product(level, images.data(), key, sum.data(), batch, false);
  mod_down(level, sum.data(), addend, addend_parts, form, out, batch);
}

void Queue::switch_images(const SwitchTables& level, BatchRows c, Form form, std::size_t count,
                          const std::function<SwitchedImage(std::size_t)>& image, std::size_t batch) const {
  DeviceArray digits = allocate(*level.key_ring, batch * level.digits.size());
  decompose(level, c, form, digits.data(), batch);
  for (std::size_t i = 0; i < count; ++i) {
    const SwitchedImage x = image(i);
    switch_digits(level, digits.data(), *x.image, x.key, x.addend, x.addend_parts, form, x.out, batch);
  }
}

void Queue::encrypt(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                    ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
                    ConstWordPtr message, Form form, WordPtr out) const {
  const std::size_t words = ring_key.words();
  DeviceArray mask = allocate_secret(ring_key, 1), error = allocate_secret(ring_key, 1),
              sum = allocate_secret(ring_key, 2);
  sample_small(ring_key, u, mask.data());
  forward(ring_key, mask.data(), 1);
  multiply_broadcast(ring_key, key, mask.data(), sum.data(), 2);
  inverse(ring_key, sum.data(), 2);
  for (std::size_t part = 0; part < 2; ++part) {
    WordPtr x = sum.data() + part * words;
    sample_small(ring_key, errors[part], error.data());
    add(ring_key, x, error.data(), x, 1);
  }
  if (division != nullptr)
    apply_joined(*division, sum.data(), out, 2);
  else
    copy(sum.data(), out, 2 * words);
  if (message != nullptr) add(ring_q, out, message, out, 1);
  if (form == Form::values) forward(ring_q, out, 2);
}

ConstWordPtr Queue::message_of(const RingTables& ring, const MessageRows& message, std::size_t b,
                               DeviceArray& place) const {
  if (message.words == nullptr) return nullptr;
  if (message.step == nullptr) return message.words + b * ring.words();
  if (place.size() == 0) place = allocate_secret(ring, 1);
  apply(*message.step, message.words + b * ring.n(), nullptr, place.data(), 1);
  return place.data();
}

void Queue::encrypt_batch(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                          ConstWordPtr key, const SmallPolynomial& u,
                          std::span<const SmallPolynomial, 2> errors, const MessageRows& message, Form form,
                          WordPtr out, std::size_t batch) const {
  SmallPolynomial mask = u, error[] = {errors[0], errors[1]};
  DeviceArray place;
  for (std::size_t b = 0; b < batch; ++b, out += 2 * ring_q.words()) {
    poll_interrupt();
    encrypt(ring_key, ring_q, division, key, mask, error, message_of(ring_q, message, b, place), form, out);
    ++mask.name.index, ++error[0].name.index, ++error[1].name.index;
  }
}

void Queue::masked_pair(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                        const SmallPolynomial& error, const LimbRows& message, WordPtr out) const {
  const std::size_t words = ring.words(), n = ring.n();
  WordPtr a = out + words;
  sample_uniform(ring, uniform, a);
  DeviceArray noise = allocate_secret(ring, 1);
  sample_small(ring, error, noise.data());
  forward(ring, noise.data(), 1);
  multiply_accumulate(ring, a, secret, noise.data(), 1);
  negate(ring, noise.data(), out, 1);
  if (message.words == nullptr) return;
  fill_zero(noise.data(), words);
  copy(message.words, noise.data() + message.first * n, message.count * n);
  add(ring, out, noise.data(), out, 1);
}

void Queue::key_switch_pairs(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                             const SmallPolynomial& error, ConstWordPtr from,
                             std::span<const std::uint64_t> scalars, std::size_t limbs, std::size_t per_digit,
                             WordPtr out, std::size_t digits) const {
  DeviceArray scaled = allocate_secret(ring, 1);
  multiply_scalar(ring, from, scalars, scaled.data(), 1);
  StreamName name = uniform;
  SmallPolynomial noise = error;
  for (std::size_t i = 0; i < digits; ++i, ++name.index, ++noise.name.index, out += 2 * ring.words()) {
    poll_interrupt();
    const std::size_t first = i * per_digit, count = std::min(per_digit, limbs - first);
    masked_pair(ring, secret, name, noise, {scaled.data() + first * ring.n(), first, count}, out);
  }
}

void Queue::encrypt_by_secret(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                              const SmallPolynomial& error, const MessageRows& message, Form form,
                              WordPtr out, std::size_t batch) const {
  const std::size_t words = ring.words();
  DeviceArray product = allocate_secret(ring, 1), noise = allocate_secret(ring, 1), place;
  StreamName name = uniform;
  SmallPolynomial sample = error;
  for (std::size_t b = 0; b < batch; ++b, ++name.index, ++sample.name.index, out += 2 * words) {
    poll_interrupt();
    sample_uniform(ring, name, out + words);
    multiply_transformed(ring, out + words, secret, nullptr, product.data(), 1);
    sample_small(ring, sample, noise.data());
    const ConstWordPtr added = message_of(ring, message, b, place);
    if (added != nullptr) add(ring, noise.data(), added, noise.data(), 1);
    sub(ring, noise.data(), product.data(), out, 1);
    if (form == Form::values) forward(ring, out, 2);
  }
}

void Queue::phase(const RingTables& ring, ConstWordPtr ciphertexts, std::size_t parts, Form form,
                  ConstWordPtr secret, ConstWordPtr square, WordPtr out, std::size_t batch) const {
  const std::size_t words = ring.words();
  if (form == Form::values) {
    for (std::size_t b = 0; b < batch; ++b, ciphertexts += parts * words) {
      const WordPtr x = out + b * words;
      copy(ciphertexts, x, words);
      multiply_accumulate(ring, ciphertexts + words, secret, x, 1);
      if (parts == 3) multiply_accumulate(ring, ciphertexts + 2 * words, square, x, 1);
    }
    return inverse(ring, out, batch);
  }
  DeviceArray products = parts == 3 ? allocate_secret(ring, 2) : DeviceArray();
  for (std::size_t b = 0; b < batch; ++b, ciphertexts += parts * words, out += words) {
    if (parts == 2) {
      multiply_transformed(ring, ciphertexts + words, secret, ciphertexts, out, 1);
      continue;
    }
    copy(ciphertexts + words, products.data(), 2 * words);
    forward(ring, products.data(), 2);
    multiply(ring, products.data(), secret, out, 1);
    multiply_accumulate(ring, products.data() + words, square, out, 1);
    inverse(ring, out, 1);
    add(ring, out, ciphertexts, out, 1);
  }
}

void Queue::decrypt(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts,
                    std::size_t parts, Form form, ConstWordPtr secret, ConstWordPtr square, WordPtr out,
                    std::size_t batch, WordPtr exceeded) const {
  DeviceArray x = allocate_secret(ring, batch);
  phase(ring, ciphertexts, parts, form, secret, square, x.data(), batch);
  apply(recover, x.data(), nullptr, out, batch, exceeded);
}

bool Queue::decrypt_checked(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts,
                            std::size_t parts, Form form, ConstWordPtr secret, ConstWordPtr square,
                            WordPtr out, std::size_t batch) const {
  DeviceArray exceeded = allocate(1);
  decrypt(ring, recover, ciphertexts, parts, form, secret, square, out, batch, exceeded.data());
  std::uint64_t word = 0;
  download(exceeded.data(), {&word, 1});
  return word != 0;
}

void Queue::automorphism_transformed(const RingTables& ring, ConstWordPtr in, std::uint64_t element,
                                     WordPtr out, std::size_t batch) const {
  DeviceArray x = allocate_secret(ring, batch);
  copy(in, x.data(), batch * ring.words());
  inverse(ring, x.data(), batch);
  automorphism(ring, x.data(), element, out, batch);
  forward(ring, out, batch);
}

}  // namespace nttforge
