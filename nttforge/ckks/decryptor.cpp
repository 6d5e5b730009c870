// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/decryptor.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/ckks/evaluator.hpp"
#include "nttforge/ckks/scale.hpp"
#include "nttforge/embedding/small_integers.hpp"
#include "nttforge/random/samplers.hpp"

namespace nttforge::ckks {
namespace {

constexpr double kMostBits = 125;  // of a phase that is decoded
constexpr unsigned kLeastSharedBits = 20, kMostSharedBits = 128;
constexpr Domain kFlooding{11};

double phase_log2(const Meta& meta) { return log2_sum(message_log2(meta), meta.noise.canonical); }

/// What is decoded: products that are too large for it are divided first, after the secret key.
Meta decoded(const Context& context, Meta meta) {
  while (meta.level > 1 && phase_log2(meta) >= kMostBits) {
    Meta lower = meta.computed(context.noise_model().switch_modulus(meta.noise, meta.level, 1));
    static_cast<CiphertextKind&>(lower) = context.below(meta);
    meta = lower;
  }
  return meta;
}

std::string text(double value) {
  const auto tenths = std::llround(std::abs(value) * 10);
  return (value < 0 ? "-" : "") + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

/// log2 of what the error of the phase stays within, by what flooding is derived from.
double hidden_log2(const Meta& meta, const Sharing& sharing) {
  if (sharing.error.has_value()) return std::log2(*sharing.error) + log2_of_scale(meta.scale);
  return sharing.bound == NoiseBound::proved ? meta.noise.proved.canonical : meta.noise.canonical;
}

/// Coefficients of each message that are decoded.
double decoded_coefficients(const Context& context, const Meta& meta) {
  return static_cast<double>(meta.encoding == Encoding::coefficients ? context.n()
                                                                     : std::size_t{2} * meta.slots);
}

/// Adds x - F, x uniform in [0, 2 F), to each coefficient of one element.
void flood(std::span<Coefficient> coefficients, unsigned log2_f, const StreamName& name) {
  const std::size_t words = log2_f / 64 + 1;  // log2_f + 1 bits, at most 125
  const u128 f = u128{1} << log2_f;
  SecretVector<std::uint64_t> stream(words * coefficients.size());
  stream_words(name, 0, 0, stream);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    u128 x = stream[i * words];
    if (words == 2) x |= static_cast<u128>(stream[i * words + 1]) << 64;
    coefficients[i] += static_cast<Coefficient>(x & (2 * f - 1)) - static_cast<Coefficient>(f);
  }
}

void require_precision(const Ciphertext& ciphertext, const std::optional<Sharing>& sharing) {
  const Meta meta = decoded(*context_as<Context>(ciphertext.context(), "ciphertext"), ciphertext.meta());
  const std::string remedy = std::string("; use a larger scale, a bound nearer to the numbers, ") +
                             (sharing.has_value() ? "fewer security_bits, " : "") + "or fewer operations";
  const double error = sharing.has_value() ? error_log2(ciphertext, *sharing) : error_log2(ciphertext);
  if (!meta.noise.known())
    throw PrecisionError("ciphertext: nothing is known of its error, so nothing of it can be relied on" +
                         remedy);
  if (error >= meta.numbers.bound)
    throw PrecisionError("ciphertext: numbers are below 2^" + text(meta.numbers.bound) +
                         ", and the error may be 2^" + text(error) + ": no bit is left" + remedy);
  const NoiseModel& model = context_as<Context>(ciphertext.context(), "ciphertext")->noise_model();
  const double bits = phase_log2(meta), room = std::min(model.modulus_log2(meta.level) - 1, kMostBits);
  if (bits >= room)
    throw PrecisionError("ciphertext: numbers and error take " + text(bits) + " bits of the " + text(room) +
                         " that level " + std::to_string(meta.level) + " has" + remedy);
}

}  // namespace

double error_log2(const Ciphertext& ciphertext, NoiseBound bound) {
  const auto context = context_as<Context>(ciphertext.context(), "ciphertext");
  const Meta meta = decoded(*context, ciphertext.meta());
  const double of_phase = bound == NoiseBound::proved ? meta.noise.proved.canonical : meta.noise.canonical;
  return log2_sum(of_phase, context->noise_model().decoding(message_log2(meta), meta.scale)) -
         log2_of_scale(meta.scale);
}

unsigned flooding_log2(const Ciphertext& ciphertext, const Sharing& sharing) {
  if (sharing.security_bits < kLeastSharedBits || sharing.security_bits > kMostSharedBits)
    throw ParameterError("security_bits = " + std::to_string(sharing.security_bits) + " is out of range [" +
                         std::to_string(kLeastSharedBits) + ", " + std::to_string(kMostSharedBits) + "]");
  if (sharing.error.has_value() && !(*sharing.error > 0 && std::isfinite(*sharing.error)))
    throw ParameterError("error = " + std::to_string(*sharing.error) + " must be positive and finite");
  const auto context = context_as<Context>(ciphertext.context(), "ciphertext");
  const Meta meta = decoded(*context, ciphertext.meta());
  const double hidden = hidden_log2(meta, sharing);
  if (!std::isfinite(hidden))
    throw PrecisionError(
        sharing.bound == NoiseBound::proved
            ? "ciphertext: nothing is proved of its error, as bytes prove nothing; state the error that the "
              "computation leaves, from your own run of it (proved_error = f(x).proved_error), or rely on "
              "what its maker says (bound = \"heuristic\")"
            : "ciphertext: nothing is known of its error, so that nothing can hide it");
  // Integers that are to be hidden are at most V + 1 apart.
  const double bits = std::max(0.0, std::ceil(log2_sum(hidden, 0) - 1 + sharing.security_bits +
                                              std::log2(decoded_coefficients(*context, meta))));
  const double phase = log2_sum(message_log2(meta), hidden),
               room = std::min(context->noise_model().modulus_log2(meta.level) - 1, kMostBits);
  if (phase >= room || bits >= kMostBits)
    throw PrecisionError("ciphertext: numbers and error take " + text(phase) + " bits of the " + text(room) +
                         " that level " + std::to_string(meta.level) + " has, and flooding " + text(bits) +
                         " of " + text(kMostBits) +
                         "; use fewer security_bits, a bound nearer to the numbers, or fewer operations");
  return static_cast<unsigned>(bits);
}

double error_log2(const Ciphertext& ciphertext, const Sharing& sharing) {
  // Standard deviations of a coefficient are F / sqrt(3), and the sum of all at a root stays within 9 sqrt(2)
  // of its own [docs/bounds/ckks_noise.md].
  const auto context = context_as<Context>(ciphertext.context(), "ciphertext");
  const Meta meta = decoded(*context, ciphertext.meta());
  const double log2_f = flooding_log2(ciphertext, sharing),
               flooding =
                   log2_f + std::log2(13.0) + std::log2(decoded_coefficients(*context, meta) / 3.0) / 2;
  const double own = sharing.error.has_value() ? std::log2(*sharing.error) : error_log2(ciphertext);
  const double lost = context->noise_model().decoding(log2_sum(message_log2(meta), flooding), meta.scale);
  return log2_sum(own, log2_sum(flooding, lost) - log2_of_scale(meta.scale));
}

Decryptor::Decryptor(SecretKey key)
    : context_(context_as<Context>(key.context(), "secret key")), phase_(std::move(key)) {}

DeviceArray Decryptor::phase(const Ciphertext& ciphertext, const Meta& wanted) const {
  DeviceArray phase = phase_.of(ciphertext);
  if (wanted.level == ciphertext.level()) return phase;
  Meta meta = ciphertext.meta();
  meta.form = Form::coefficients;
  Ciphertext message(context_, 1, meta, ciphertext.batch());
  context_->queue().copy(phase.data(), message.data(), message.words());
  while (message.level() > wanted.level) message = Evaluator(context_).rescale(message);
  context_->queue().copy(message.data(), phase.data(), message.words());
  return phase;
}

void Decryptor::integers(const Ciphertext& ciphertext, std::size_t stride, const Meta& wanted,
                         const std::optional<Sharing>& sharing, std::span<Coefficient> out) const {
  const DeviceArray phase = this->phase(ciphertext, wanted);
  const RingTables& ring = context_->ring_q(wanted.level);
  const std::size_t n = context_->n(), count = n / stride;
  const std::span<const std::uint64_t> moduli = ring.spec().moduli;
  const double of_phase =
      sharing.has_value() ? log2_sum(message_log2(wanted), hidden_log2(wanted, *sharing)) : 0;
  const std::size_t rows = primes_that_hold(moduli, std::max(phase_log2(wanted), of_phase));
  const SmallIntegers compose(moduli.first(rows));
  SecretVector<std::uint64_t> host(rows * n), residues(rows), digits(rows);
  const Seed seed = sharing.has_value() ? os_seed() : Seed{};
  const unsigned log2_f = sharing.has_value() ? flooding_log2(ciphertext, *sharing) : 0;
  for (std::size_t e = 0; e < ciphertext.batch(); ++e) {
    poll_interrupt();
    context_->queue().download(phase.data() + e * ring.words(), host);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < rows; ++j) residues[j] = host[j * n + i * stride];
      out[e * count + i] = compose.centred(residues, digits);
    }
    if (sharing.has_value())
      flood(out.subspan(e * count, count), log2_f, {seed, kFlooding, static_cast<std::uint32_t>(e)});
  }
}

Meta Decryptor::decrypted(const Ciphertext& ciphertext, const std::optional<Sharing>& sharing) const {
  require_compatible(*context_, ciphertext.context(), "ciphertext");
  require_slots(ciphertext.encoding(), "ciphertext", "decrypt");
  require_precision(ciphertext, sharing);
  const Meta meta = decoded(*context_, ciphertext.meta());
  require_scale(meta.scale, kMaxProductScale);
  return meta;
}

void Decryptor::decode(const Ciphertext& ciphertext, const Meta& meta, WordPtr out) const {
  const DeviceArray phase = this->phase(ciphertext, meta);
  context_->queue().decode(context_->embedding(meta.slots), context_->ring_q(meta.level), phase.data(),
                           meta.scale, phase_log2(meta), meta.numbers.real, out, ciphertext.batch());
}

void Decryptor::decrypt(const Ciphertext& ciphertext, WordPtr out) const {
  const StackWipe wipe(StackDepth::deep);
  decode(ciphertext, decrypted(ciphertext, std::nullopt), out);
}

std::vector<std::complex<double>> Decryptor::decrypt(const Ciphertext& ciphertext,
                                                     const std::optional<Sharing>& sharing) const {
  const StackWipe wipe(StackDepth::deep);
  const Meta meta = decrypted(ciphertext, sharing);
  const std::size_t slots = meta.slots, batch = ciphertext.batch();
  std::vector<std::complex<double>> values(batch * slots);
  if (!sharing.has_value()) {
    const Queue& queue = context_->queue();
    auto* const words = static_cast<std::uint64_t*>(static_cast<void*>(values.data()));
    if (queue.device().memory_space() == "host") {
      decode(ciphertext, meta, words);
    } else {
      DeviceArray decoded = queue.allocate_secret(2 * values.size());
      decode(ciphertext, meta, decoded.data());
      queue.download(decoded.data(), {words, 2 * values.size()});
    }
    return values;
  }
  SecretVector<Coefficient> coefficients(batch * 2 * slots);
  integers(ciphertext, context_->n() / (2 * slots), meta, sharing, coefficients);
  const Embedding& embedding = context_->embedding(slots).embedding();
  for (std::size_t e = 0; e < batch; ++e)
    embedding.decode(std::span(coefficients).subspan(e * 2 * slots, 2 * slots), meta.scale,
                     std::span(values).subspan(e * slots, slots));
  if (meta.numbers.real)
    for (std::complex<double>& value : values) value.imag(0);
  return values;
}

std::vector<double> Decryptor::decrypt_coefficients(const Ciphertext& ciphertext,
                                                    const std::optional<Sharing>& sharing) const {
  const StackWipe wipe(StackDepth::deep);
  require_compatible(*context_, ciphertext.context(), "ciphertext");
  require_same_encoding(Encoding::coefficients, "decrypt_coefficients", ciphertext.encoding(), "ciphertext");
  require_precision(ciphertext, sharing);
  const std::size_t n = context_->n();
  const Meta meta = decoded(*context_, ciphertext.meta());
  SecretVector<Coefficient> coefficients(ciphertext.batch() * n);
  integers(ciphertext, 1, meta, sharing, coefficients);
  std::vector<double> values(coefficients.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = unscaled_coefficient(coefficients[i], meta.scale);
  return values;
}

}  // namespace nttforge::ckks
