// SPDX-License-Identifier: Apache-2.0
// Plaintexts and ciphertexts to and from bytes.

#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/bfv/format.hpp"
#include "nttforge/bfv/payload.hpp"
#include "nttforge/bfv/serialize.hpp"

namespace nttforge::bfv {
namespace {

constexpr std::uint8_t kSeeded = 1;           // flag of a ciphertext
constexpr std::uint8_t kCoefficientForm = 0;  // of polynomials; 1, values at the roots, is reserved
constexpr std::size_t kPlaintextFields = 8;
constexpr std::uint32_t kBatch = 1;
constexpr std::uint64_t kCorrectionFactor = 1;

std::string text(std::uint64_t value) { return std::to_string(value); }

Encoding read_encoding(ByteReader& reader, const Context& context, const std::string& what) {
  const std::uint8_t value = reader.u8(what + ".encoding");
  if (value != static_cast<std::uint8_t>(Encoding::slots) &&
      value != static_cast<std::uint8_t>(Encoding::coefficients))
    throw FormatError(what + ".encoding = " + text(value) + " must be 1 (slots) or 2 (coefficients)");
  if (value == static_cast<std::uint8_t>(Encoding::slots) && !context.has_batching())
    throw FormatError(what + ".encoding = 1: t = " + text(context.t()) + " has no slots");
  return static_cast<Encoding>(value);
}

void write_noise(const Ciphertext& object, bool noise, ByteWriter& writer) {
  const NoiseSource source = noise ? object.noise_source() : NoiseSource::unknown;
  writer.u8(static_cast<std::uint8_t>(source));
  const bool computed = source == NoiseSource::computed;
  writer.u32(static_cast<std::uint32_t>(
      computed ? object.context()->noise_model().stored_level(object.noise()) : 0));
}

void set_noise(Ciphertext& object, NoiseSource source, std::int32_t level) {
  if (source == NoiseSource::computed)
    object.set_noise(object.context()->noise_model().from_stored_level(level));
  else if (source != NoiseSource::unknown)
    object.set_fresh_noise(source);
}

/// Checks what write_noise wrote.
std::pair<NoiseSource, std::int32_t> read_noise(ByteReader& reader, const NoiseModel& model) {
  const unsigned source = reader.u8("ciphertext.noise source");
  if (source > static_cast<unsigned>(NoiseSource::computed))
    throw FormatError("ciphertext.noise source = " + text(source) + " is out of range [0, 3]");
  const auto level = static_cast<std::int32_t>(reader.u32("ciphertext.noise level"));
  const bool computed = source == static_cast<unsigned>(NoiseSource::computed);
  const std::int32_t low = computed ? model.lowest_stored_level() : 0;
  const std::int32_t high = computed ? model.highest_stored_level() : 0;
  if (level < low || level > high)
    throw FormatError("ciphertext.noise level = " + std::to_string(level) + " is out of range [" +
                      std::to_string(low) + ", " + std::to_string(high) + "]");
  return {static_cast<NoiseSource>(source), level};
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const Plaintext& object) {
  const StackWipe wipe(StackDepth::shallow);
  const Context& context = require_object(object.context(), "plaintext");
  SecretVector<std::uint64_t> coefficients(context.n());
  object.coefficients(coefficients);
  ByteWriter writer;
  writer.reserve(kPlaintextFields + row_bytes(context.n(), context.t()));
  writer.u8(static_cast<std::uint8_t>(object.encoding()));
  writer.u8(kCoefficientForm);
  writer.u16(0);
  writer.u32(kBatch);
  pack_row(coefficients, context.t(), writer);
  auto payload = writer.take();
  const WipeAtExit wipe_payload(payload);
  return seal(ObjectKind::plaintext, context.fingerprint(), payload);
}

Plaintext plaintext_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes) {
  const StackWipe wipe(StackDepth::shallow);
  const auto payload = open_object(context, ObjectKind::plaintext, bytes);
  require_payload(payload.size(), kPlaintextFields + row_bytes(context->n(), context->t()), "plaintext");
  ByteReader reader(payload);
  const Encoding encoding = read_encoding(reader, *context, "plaintext");
  require_field(reader.u8("plaintext.form"), kCoefficientForm, "plaintext.form");
  require_field(reader.u16("plaintext.reserved"), 0, "plaintext.reserved");
  require_field(reader.u32("plaintext.batch"), kBatch, "plaintext.batch");
  SecretVector<std::uint64_t> coefficients(context->n());
  unpack_row(reader, context->t(), coefficients, "plaintext");
  reader.finish("plaintext");
  return Plaintext(std::move(context), coefficients, encoding);
}

std::vector<std::uint8_t> to_bytes(const Ciphertext& object, bool noise) {
  const Context& context = require_object(object.context(), "ciphertext");
  const bool seeded = object.seed().has_value();
  ByteWriter writer;
  writer.u16(static_cast<std::uint16_t>(object.size()));
  writer.u16(static_cast<std::uint16_t>(context.limbs()));
  writer.u32(kBatch);
  writer.u8(kCoefficientForm);
  writer.u8(static_cast<std::uint8_t>(object.encoding()));
  writer.u8(seeded ? kSeeded : 0);
  write_noise(object, noise, writer);
  writer.u64(kCorrectionFactor);
  if (seeded) write_seed(*object.seed(), writer);
  write_polynomials(context, context.ring_q(), object.data(), seeded ? 1 : object.size(), writer);
  return seal(ObjectKind::ciphertext, context.fingerprint(), writer.data());
}

Ciphertext ciphertext_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes) {
  const auto payload = open_object(context, ObjectKind::ciphertext, bytes);
  const RingTables& ring = context->ring_q();
  ByteReader reader(payload);
  const std::uint16_t size = reader.u16("ciphertext.parts");
  if (size != 2 && size != 3) throw FormatError("ciphertext.parts = " + text(size) + " must be 2 or 3");
  require_field(reader.u16("ciphertext.limbs"), context->limbs(), "ciphertext.limbs");
  require_field(reader.u32("ciphertext.batch"), kBatch, "ciphertext.batch");
  require_field(reader.u8("ciphertext.form"), kCoefficientForm, "ciphertext.form");
  const Encoding encoding = read_encoding(reader, *context, "ciphertext");
  const std::uint8_t flags = reader.u8("ciphertext.flags");
  if (flags > kSeeded || (flags == kSeeded && size != 2))
    throw FormatError("ciphertext.flags = " + text(flags) + " must be 0, or 1 (seeded) with two parts");
  const auto [source, level] = read_noise(reader, context->noise_model());
  if (size != 2 && (source == NoiseSource::fresh_secret || source == NoiseSource::fresh_public))
    throw FormatError("ciphertext.noise source = " + text(static_cast<std::uint64_t>(source)) +
                      ": a fresh ciphertext has two parts");
  require_field(reader.u64("ciphertext.correction factor"), kCorrectionFactor,
                "ciphertext.correction factor");
  const bool seeded = flags == kSeeded;
  const std::size_t stored = seeded ? 1 : size;
  require_payload(payload.size(),
                  reader.offset() + (seeded ? 32u : 0u) + stored * rows_bytes(ring.n(), ring.spec().moduli),
                  "ciphertext");
  std::optional<Seed> seed;
  if (seeded) seed = read_seed(reader, "ciphertext.seed");
  Ciphertext result(context, size, encoding);
  read_polynomials(*context, ring, result.data(), stored, reader, "ciphertext part");
  reader.finish("ciphertext");
  if (seeded) context->queue().sample_uniform(ring, {*seed, Domain::encrypt_a, 0}, result.part(1));
  set_noise(result, source, level);
  result.set_seed(seed);
  return result;
}

}  // namespace nttforge::bfv
