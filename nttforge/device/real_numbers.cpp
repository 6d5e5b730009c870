// SPDX-License-Identifier: Apache-2.0
#include "nttforge/device/real_numbers.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/embedding/small_integers.hpp"

namespace nttforge {
namespace {

/// x modulo q of a signed x, without a branch on it.
std::uint64_t residue(const Modulus& q, Coefficient x) {
  const auto sign = static_cast<u128>(x >> 127);  // all ones where it is negative
  const std::uint64_t size = q.reduce128((static_cast<u128>(x) ^ sign) - sign);
  const std::uint64_t negative = q.negate(size);
  return size ^ ((size ^ negative) & static_cast<std::uint64_t>(sign));
}

}  // namespace

void upload_coefficients(const RealNumbers& queue, const RingTables& ring,
                         std::span<const Coefficient> coefficients, WordPtr out, std::size_t batch) {
  const std::size_t n = ring.n(), count = coefficients.size() / batch, stride = n / count;
  SecretVector<std::uint64_t> rows(ring.words());
  for (std::size_t e = 0; e < batch; ++e) {
    poll_interrupt();
    for (std::size_t j = 0; j < ring.limbs(); ++j) {
      const Modulus q(ring.spec().moduli[j]);
      for (std::size_t i = 0; i < count; ++i)
        rows[j * n + i * stride] = residue(q, coefficients[e * count + i]);
    }
    queue.upload(rows, out + e * ring.words());
  }
}

EncodedRange RealNumbers::encode(const EmbeddingTables& embedding, const RingTables& ring,
                                 const NumberRows& numbers, const DoubleDouble& scale, double, Form form,
                                 WordPtr out, std::size_t batch) const {
  SecretVector<std::uint64_t> words(batch * numbers.length * numbers.parts);
  SecretVector<double> host(words.size());
  download(numbers.words, words);
  std::memcpy(host.data(), words.data(), words.size() * sizeof(double));
  const EncodedRange range = encode_by_host(embedding_kernels(Target::scalar), embedding, ring, host.data(),
                                            numbers, scale, out, batch);
  if (form == Form::values) forward(ring, out, batch);
  return range;
}

EncodedRange RealNumbers::encode_by_host(const EmbeddingKernels& kernels, const EmbeddingTables& embedding,
                                         const RingTables& ring, const double* numbers,
                                         const NumberRows& shape, const DoubleDouble& scale, WordPtr out,
                                         std::size_t batch) const {
  const std::size_t slots = embedding.slots(), apart = shape.length * shape.parts;
  EncodedRange range{kernels.range(numbers, batch * shape.length, shape.parts)};
  if (!range.finite) return range;
  SecretVector<Coefficient> coefficients(2 * slots);
  SecretVector<double> scratch(Embedding::kScratch * slots);
  for (std::size_t e = 0; e < batch; ++e) {
    const bool inside = embedding.embedding().encode(
        kernels, {numbers + e * apart, shape.length, shape.parts}, scale, coefficients, scratch.data());
    range.inside = range.inside && inside;
    upload_coefficients(*this, ring, coefficients, out + e * ring.words(), 1);
  }
  return range;
}

void RealNumbers::decode(const EmbeddingTables& embedding, const RingTables& ring, ConstWordPtr phase,
                         const DoubleDouble& scale, double bits, bool real, WordPtr out,
                         std::size_t batch) const {
  const std::size_t slots = embedding.slots();
  SecretVector<std::uint64_t> rows(primes_that_hold(ring.spec().moduli, bits) * ring.n()), words(2 * slots);
  SecretVector<double> numbers(2 * slots);
  for (std::size_t e = 0; e < batch; ++e) {
    poll_interrupt();
    download(phase + e * ring.words(), rows);
    decode_on_host(embedding_kernels(Target::scalar), embedding, ring, rows.data(), scale, bits, real,
                   numbers.data());
    std::memcpy(words.data(), numbers.data(), words.size() * sizeof(double));
    upload(words, out + e * 2 * slots);
  }
}

void RealNumbers::decode_on_host(const EmbeddingKernels& kernels, const EmbeddingTables& embedding,
                                 const RingTables& ring, const std::uint64_t* phase,
                                 const DoubleDouble& scale, double bits, bool real, double* out) {
  const std::size_t slots = embedding.slots(), n = ring.n(), stride = n / (2 * slots);
  const std::span<const std::uint64_t> moduli = ring.spec().moduli;
  const SmallIntegers integers(moduli.first(primes_that_hold(moduli, bits)));
  SecretVector<Coefficient> coefficients(2 * slots);
  SecretVector<double> scratch(Embedding::kScratch * slots);
  SecretVector<std::uint64_t> residues(integers.size()), digits(integers.size());
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    for (std::size_t j = 0; j < residues.size(); ++j) residues[j] = phase[j * n + i * stride];
    coefficients[i] = integers.centred(residues, digits);
  }
  embedding.embedding().decode(kernels, coefficients, scale, real, out, scratch.data());
}

}  // namespace nttforge
