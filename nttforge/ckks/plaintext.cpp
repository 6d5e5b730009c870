// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/plaintext.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/ckks/scale.hpp"
#include "nttforge/embedding/small_integers.hpp"

namespace nttforge::ckks {
namespace {

/// What the polynomial says, with its error. throws as the constructors.
Meta meta_of(const Context& context, const Encode& options) {
  const std::size_t level = options.level == 0 ? context.top_level() : options.level;
  if (level > context.top_level())
    throw ParameterError("level = " + std::to_string(level) + " is out of range [1, " +
                         std::to_string(context.top_level()) + "] of these parameters");
  if (!(options.bound > 0 && std::isfinite(options.bound)))
    throw ParameterError("bound = " + std::to_string(options.bound) + " must be positive and finite");
  Meta meta{{level, Form::coefficients, options.encoding}};
  meta.scale = options.scale.value_or(context.scale(level));
  meta.slots = static_cast<std::uint32_t>(options.slots == 0 ? context.slots() : options.slots);
  // Both parts of a complex number may reach the bound.
  meta.numbers = {std::log2(options.bound) + (options.real ? 0 : 0.5), options.real};
  context.require_message(meta);
  return meta;
}

[[noreturn]] void refuse_values(double largest, const Encode& options) {
  throw ParameterError("values reach " + std::to_string(largest) +
                       " and bound = " + std::to_string(options.bound) +
                       ": state a bound that holds for all (bound=" + std::to_string(std::ceil(largest)) +
                       "); it is public, and the precision that is promised depends on it");
}

/// [batch][limbs][n] from the coefficients of each element, a stride apart. bits: of coefficients at most, by
/// what is stated of them.
void write_rows(const Context& context, const RingTables& ring, std::span<const Coefficient> coefficients,
                std::size_t batch, double bits, WordPtr out) {
  const std::size_t n = ring.n(), count = coefficients.size() / batch, stride = n / count;
  const Queue& queue = context.queue();
  if (const std::uint64_t t = lifting_modulus(bits); t != 0) {
    SecretVector<std::uint64_t> row(batch * n);
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      const auto word = static_cast<std::uint64_t>(coefficients[i]);
      row[i * stride] = word + (t & (std::uint64_t{0} - (word >> 63)));
    }
    DeviceArray words = queue.allocate_secret(row.size());
    queue.upload(row, words.data());
    queue.lift_plain(ring, t, words.data(), out, batch);
    return;
  }
  upload_coefficients(queue, ring, coefficients, out, batch);
}

/// Numbers where a queue reads them: as they are, or copied to its memory.
class UploadedNumbers {
 public:
  explicit UploadedNumbers(const NumberRows& rows) : rows_(rows) {}
  UploadedNumbers(const Queue& queue, const double* values, const NumberRows& shape, std::size_t batch)
      : rows_(shape) {
    const std::size_t count = batch * shape.length * shape.parts;
    if (queue.device().memory_space() == "host") {
      rows_.words = static_cast<const std::uint64_t*>(static_cast<const void*>(values));
      return;
    }
    words_ = queue.allocate_secret(count);
    queue.upload_written(count, words_.data(), [&](std::size_t first, std::span<std::uint64_t> out) {
      std::memcpy(out.data(), values + first, out.size_bytes());
    });
    rows_.words = std::as_const(words_).data();
  }
  const NumberRows& rows() const { return rows_; }

 private:
  NumberRows rows_;
  DeviceArray words_;
};

/// Values per message. throws SizeError unless the messages have one length of at most `most`.
std::size_t length_of(std::size_t size, const Encode& options, std::size_t most) {
  const std::size_t length = options.batch == 0 ? 0 : size / options.batch;
  if (length == 0 || length * options.batch != size || length > most)
    throw SizeError("values has " + std::to_string(size) +
                    " numbers for batch = " + std::to_string(options.batch) + ": 1 ... " +
                    std::to_string(most) + " are needed for each message");
  return length;
}

}  // namespace

Meta encoded_meta(const Context& context, const Encode& options) {
  Meta meta = meta_of(context, options);
  require_scale(meta.scale);
  meta.form = options.form;
  meta.noise = rlwe::rounded(context.noise_model().encoding(message_log2(meta), meta.scale));
  meta.source = NoiseSource::computed;
  return meta;
}

Plaintext::Plaintext(ContextPtr context, std::span<const std::complex<double>> values, const Encode& options)
    : Plaintext(context, values.size(), options, [&](std::size_t length) {
        return UploadedNumbers(context->queue(), reinterpret_cast<const double*>(values.data()),
                               {.length = length, .parts = 2}, options.batch);
      }) {}

Plaintext::Plaintext(ContextPtr context, const NumberRows& numbers, const Encode& options)
    : Plaintext(std::move(context), numbers.length * options.batch, options,
                [&](std::size_t) { return UploadedNumbers(numbers); }) {}

template <class Place>
Plaintext::Plaintext(ContextPtr context, std::size_t size, const Encode& options, const Place& place) {
  require_context(context);
  const StackWipe wipe(StackDepth::deep);
  Encode as = options;
  as.encoding = Encoding::slots;
  const Meta meta = encoded_meta(*context, as);
  const UploadedNumbers numbers = place(length_of(size, options, meta.slots));
  Ciphertext polynomial(context, 1, meta, options.batch);
  const EncodedRange range =
      context->queue().encode(context->embedding(meta.slots), context->ring_q(meta.level), numbers.rows(),
                              meta.scale, message_log2(meta), options.form, polynomial.data(), options.batch);
  require_encoded(range.finite, range.inside, meta.scale);
  if (options.real && range.imaginary != 0)
    throw ParameterError("values: real was said, and an imaginary part is not 0; leave real out");
  const double largest = std::max(range.real, range.imaginary);
  if (largest > options.bound) refuse_values(largest, options);
  polynomial_ = std::move(polynomial);
}

Plaintext::Plaintext(ContextPtr context, std::span<const double> coefficients, const Encode& options) {
  require_context(context);
  const StackWipe wipe(StackDepth::deep);
  Encode as = options;
  as.encoding = Encoding::coefficients;
  as.real = true;
  Meta meta = meta_of(*context, as);
  const std::size_t n = context->n(), length = length_of(coefficients.size(), options, n);
  SecretVector<Coefficient> whole(n * options.batch);
  double largest = 0;
  bool finite = true;
  for (std::size_t e = 0; e < options.batch; ++e)
    for (std::size_t i = 0; i < length; ++i) {
      const double value = coefficients[e * length + i];
      finite = finite & std::isfinite(value);
      largest = std::max(largest, std::abs(value));
      whole[e * n + i] = scaled_coefficient(finite ? value : 0, meta.scale);
    }
  if (!finite) throw ParameterError("values: NaN or infinity cannot be encoded; every value must be finite");
  if (largest > options.bound) refuse_values(largest, options);
  // At a root the coefficients add up.
  meta.numbers.bound += std::log2(static_cast<double>(n));
  context->require_message(meta);
  Ciphertext polynomial(context, 1, meta, options.batch);
  write_rows(*context, context->ring_q(meta.level), whole, options.batch, message_log2(meta),
             polynomial.data());
  meta.noise = rlwe::rounded(context->noise_model().encoding(message_log2(meta), meta.scale));
  meta.source = NoiseSource::computed;
  polynomial.set_meta(meta);
  polynomial_ = std::move(polynomial);
}

namespace {

/// Slots of the shortest messages that are transformed in a ring of their own.
constexpr std::size_t kLeastPeriod = 16;

/// The number of slots after which every message repeats, kLeastPeriod at least where the ring has them: a
/// power of two of which n / (2 slots) is not 2, which no kernel is for.
std::size_t period_of(std::span<const std::complex<double>> values, std::size_t slots, std::size_t n) {
  const auto repeats = [&](std::size_t half) {
    for (std::size_t e = 0; e < values.size(); e += slots)
      for (std::size_t i = 0; i < half; ++i)
        if (values[e + i] != values[e + i + half]) return false;
    return true;
  };
  std::size_t period = std::max(slots, std::min(kLeastPeriod, n / 2));
  while (period > kLeastPeriod && repeats(period / 2)) period /= 2;
  return n / (2 * period) == 2 ? 2 * period : period;
}

}  // namespace

EmbeddedRange range_of(const Context& context, const NumberRows& numbers, std::size_t batch) {
  // Any encoding of them says it: at the lowest level, where it is the shortest.
  const StackWipe wipe(StackDepth::deep);
  const RingTables& ring = context.ring_q(1);
  DeviceArray words = context.queue().allocate_secret(ring, batch);
  return context.queue().encode(context.embedding(context.slots()), ring, numbers, {1, 0}, 0,
                                Form::coefficients, words.data(), batch);
}

Polynomial encode_factors(const ContextPtr& context, std::span<const std::complex<double>> values,
                          std::size_t slots, const DoubleDouble& scale, std::size_t level) {
  const StackWipe wipe(StackDepth::deep);
  const std::size_t batch = values.size() / slots, period = period_of(values, slots, context->n()),
                    repeat = context->n() / (2 * period);
  const EmbeddingTables& embedding = context->embedding(period);
  // Polynomials in X^repeat, transformed in the ring of as many coefficients as they have.
  NttSpec spec = validated(context->ring_key(level).spec());
  spec.n /= repeat;
  for (std::size_t j = 0; j < spec.moduli.size(); ++j)
    spec.roots[j] = Modulus(spec.moduli[j]).pow(spec.roots[j], repeat);
  const std::shared_ptr<const RingTables> ring = context->device().make_ring(spec);
  DeviceArray words = context->queue().allocate_secret(*ring, batch);
  SecretVector<std::complex<double>> messages(batch * period);
  std::vector<double> norms;
  double most = 0;
  for (std::size_t e = 0; e < batch; ++e) {
    double largest = 0;  // at the roots, where coefficients of errors are bounded too
    for (std::size_t i = 0; i < period; ++i) {
      messages[e * period + i] = values[e * slots + i % slots];
      largest = std::max(largest, std::abs(messages[e * period + i]));
    }
    const double bits = std::log2(largest * scale.hi + 1);
    const Noise error = context->noise_model().encoding(bits, scale);
    norms.push_back(largest * scale.hi + std::exp2(error.proved.canonical));
    most = std::max(most, bits);
  }
  require_scale(scale);
  const UploadedNumbers numbers(context->queue(), reinterpret_cast<const double*>(messages.data()),
                                {.length = period, .parts = 2}, batch);
  const EncodedRange range = context->queue().encode(embedding, *ring, numbers.rows(), scale, most,
                                                     Form::values, words.data(), batch);
  require_encoded(range.finite, range.inside, scale);
  return Polynomial(context, Encoding::slots, std::move(words), std::move(norms), level, repeat);
}

}  // namespace nttforge::ckks
