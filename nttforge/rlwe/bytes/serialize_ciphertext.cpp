// SPDX-License-Identifier: Apache-2.0
// Ciphertexts to and from bytes.

#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/rlwe/bytes/format.hpp"
#include "nttforge/rlwe/bytes/payload.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::rlwe {
namespace {

constexpr std::uint8_t kSeeded = 1;  // flag of a ciphertext

std::string text(std::uint64_t value) { return std::to_string(value); }

void write_noise(const Ciphertext& object, bool noise, ByteWriter& writer) {
  const NoiseSource source = noise ? object.noise_source() : NoiseSource::unknown;
  writer.u8(static_cast<std::uint8_t>(source));
  const bool computed = source == NoiseSource::computed;
  writer.u32(static_cast<std::uint32_t>(
      computed ? object.context()->noise_model().stored_level(object.noise(), object.level()) : 0));
}

void set_noise(Ciphertext& object, NoiseSource source, std::int32_t stored) {
  if (source == NoiseSource::computed)
    object.set_noise(object.context()->noise_model().from_stored_level(stored, object.level()));
  else if (source != NoiseSource::unknown)
    object.set_fresh_noise(source);
}

/// Checks what write_noise wrote.
std::pair<NoiseSource, std::int32_t> read_noise(ByteReader& reader, const RlweNoiseModel& model,
                                                std::size_t level) {
  const unsigned source = reader.u8("ciphertext.noise source");
  if (source > static_cast<unsigned>(NoiseSource::computed))
    throw FormatError("ciphertext.noise source = " + text(source) + " is out of range [0, 3]");
  const auto stored = static_cast<std::int32_t>(reader.u32("ciphertext.noise level"));
  const bool computed = source == static_cast<unsigned>(NoiseSource::computed);
  const std::int32_t low = computed ? model.lowest_stored_level(level) : 0;
  const std::int32_t high = computed ? model.highest_stored_level(level) : 0;
  if (stored < low || stored > high)
    throw FormatError("ciphertext.noise level = " + std::to_string(stored) + " is out of range [" +
                      std::to_string(low) + ", " + std::to_string(high) + "]");
  return {static_cast<NoiseSource>(source), stored};
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const Ciphertext& object, bool noise) {
  const RlweContext& context = require_object(object.context(), "ciphertext");
  const bool seeded = object.seed().has_value();
  ByteWriter writer;
  writer.u16(static_cast<std::uint16_t>(object.size()));
  writer.u16(static_cast<std::uint16_t>(object.level()));
  writer.u32(static_cast<std::uint32_t>(object.batch()));
  writer.u8(kCoefficientForm);
  writer.u8(static_cast<std::uint8_t>(object.encoding()));
  writer.u8(seeded ? kSeeded : 0);
  write_noise(object, noise, writer);
  writer.u64(object.factor());
  if (seeded) write_seed(*object.seed(), writer);
  for (std::size_t e = 0; e < object.batch(); ++e)
    write_polynomials(context, context.ring_q(object.level()), object.part(0, e), seeded ? 1 : object.size(),
                      writer);
  return seal(context, ObjectKind::ciphertext, writer.data());
}

Ciphertext ciphertext_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes) {
  const auto payload = open_object(context, ObjectKind::ciphertext, bytes);
  ByteReader reader(payload);
  const std::uint16_t size = reader.u16("ciphertext.parts");
  if (size != 2 && size != 3) throw FormatError("ciphertext.parts = " + text(size) + " must be 2 or 3");
  const std::uint16_t limbs = reader.u16("ciphertext.limbs");
  if (limbs < context->lowest_level() || limbs > context->limbs())
    throw FormatError("ciphertext.limbs = " + text(limbs) + " is out of range [" +
                      text(context->lowest_level()) + ", " + text(context->limbs()) + "]");
  const RingTables& ring = context->ring_q(limbs);
  const std::size_t batch = read_batch(reader, "ciphertext");
  require_field(reader.u8("ciphertext.form"), kCoefficientForm, "ciphertext.form");
  const Encoding encoding = read_encoding(reader, *context, "ciphertext");
  const std::uint8_t flags = reader.u8("ciphertext.flags");
  if (flags > kSeeded || (flags == kSeeded && size != 2))
    throw FormatError("ciphertext.flags = " + text(flags) + " must be 0, or 1 (seeded) with two parts");
  const auto [source, stored_noise] = read_noise(reader, context->noise_model(), limbs);
  const bool fresh = source == NoiseSource::fresh_secret || source == NoiseSource::fresh_public;
  if ((fresh || flags == kSeeded) && limbs != context->limbs())
    throw FormatError("ciphertext.limbs = " + text(limbs) + ": a fresh ciphertext has all " +
                      text(context->limbs()));
  if (size != 2 && fresh)
    throw FormatError("ciphertext.noise source = " + text(static_cast<std::uint64_t>(source)) +
                      ": a fresh ciphertext has two parts");
  const std::uint64_t factor = reader.u64("ciphertext.correction factor");
  try {
    context->require_factor(factor);
  } catch (const ParameterError& error) {
    throw FormatError(std::string("ciphertext.") + error.what());
  }
  const bool seeded = flags == kSeeded;
  if ((fresh || seeded) && factor != 1)
    throw FormatError("ciphertext.correction factor = " + text(factor) +
                      ": a fresh ciphertext has the factor 1");
  const std::size_t stored = seeded ? 1 : size;
  require_payload(
      payload.size(),
      reader.offset() + (seeded ? 32u : 0u) + batch * stored * rows_bytes(ring.n(), ring.spec().moduli),
      "ciphertext");
  std::optional<Seed> seed;
  if (seeded) seed = read_seed(reader, "ciphertext.seed");
  Ciphertext result(context, size, encoding, limbs, batch);
  // Polynomials of elements stand one after the other, but for parts that are sampled again.
  const std::size_t stride = seeded ? size * ring.words() : ring.words();
  read_polynomials(*context, ring, result.data(), stride, batch * stored, reader, [&](std::size_t i) {
    const std::string part = "part[" + text(i % stored) + "]";
    return (batch == 1 ? "ciphertext " : "ciphertext element " + text(i / stored) + ", ") + part;
  });
  reader.finish("ciphertext");
  if (seeded)
    context->queue().sample_uniforms(ring, {*seed, Domain::encrypt_a, 0}, result.part(1), stride, batch);
  set_noise(result, source, stored_noise);
  result.set_factor(factor);
  result.set_seed(seed);
  return result;
}

}  // namespace nttforge::rlwe
