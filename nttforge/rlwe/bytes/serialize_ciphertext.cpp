// SPDX-License-Identifier: Apache-2.0
// Ciphertexts to and from bytes.

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/rlwe/bytes/format.hpp"
#include "nttforge/rlwe/bytes/payload.hpp"
#include "nttforge/rlwe/levels/rounding.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::rlwe {
namespace {

// Flags of a ciphertext.
constexpr std::uint8_t kSeeded = 1;
constexpr std::uint8_t kRounded = 2;  // from version 3 on

std::string text(std::uint64_t value) { return std::to_string(value); }

/// Without noise, that the predicted budget is above 0 is all that is told: level 0. throws NoiseError where
/// it is not.
void write_noise(const Ciphertext& object, bool noise, ByteWriter& writer) {
  const NoiseSource source = noise ? object.noise_source() : NoiseSource::computed;
  std::int32_t level = 0;
  if (!noise) {
    const auto bits = object.predicted_noise_budget_bits();
    if (!bits.has_value() || *bits <= 0)
      throw NoiseError(
          std::string("ciphertext: bytes without noise say that the predicted budget is above 0 bits, and ") +
          (bits.has_value() ? "it is not: use parameters with more room or fewer operations"
                            : "nothing is known of it: compute from ciphertexts that have their noise") +
          ", or write it with its noise (to_bytes(noise=True))");
  } else if (source == NoiseSource::computed) {
    level = object.context()->noise_model().stored_level(object.noise(), object.level());
  }
  writer.u8(static_cast<std::uint8_t>(source));
  writer.u32(static_cast<std::uint32_t>(level));
}

void set_noise(Ciphertext& object, NoiseSource source, std::int32_t stored) {
  if (source == NoiseSource::computed)
    object.set_noise(object.context()->noise_model().from_stored_level(stored, object.level()));
  else if (source != NoiseSource::unknown)
    object.set_fresh_noise(source, false);
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

/// What comes before the polynomials, checked.
struct Fields {
  std::size_t size, level, batch;
  Encoding encoding;
  std::uint8_t flags;
  NoiseSource source;
  std::int32_t stored_noise;
  std::uint64_t factor;
  StoredBits bits{};

  bool seeded() const { return (flags & kSeeded) != 0; }
  bool rounded() const { return (flags & kRounded) != 0; }
};

StoredBits read_stored_bits(ByteReader& reader, const RlweContext& context, std::size_t level,
                            std::size_t size) {
  StoredBits bits{};
  const double modulus = context.noise_model().modulus_log2(level);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const std::string what = "ciphertext.bits of part " + text(i);
    bits[i] = reader.u8(what);
    if (i >= size) {
      require_field(bits[i], 0, what);
    } else if (bits[i] < PartRounding::kLeastBits || bits[i] > PartRounding::kMostBits ||
               bits[i] + 1 > modulus) {
      throw FormatError(what + " = " + text(bits[i]) + " is out of range [" + text(PartRounding::kLeastBits) +
                        ", " + text(PartRounding::kMostBits) +
                        "], or 2^bits is not below half of the modulus");
    }
  }
  for (int i = 0; i < 5; ++i) require_field(reader.u8("ciphertext.zero"), 0, "ciphertext.zero");
  return bits;
}

Fields read_fields(ByteReader& reader, const RlweContext& context, std::uint16_t version) {
  Fields f{};
  f.size = reader.u16("ciphertext.parts");
  if (f.size != 2 && f.size != 3) throw FormatError("ciphertext.parts = " + text(f.size) + " must be 2 or 3");
  f.level = reader.u16("ciphertext.limbs");
  if (f.level < context.lowest_level() || f.level > context.limbs())
    throw FormatError("ciphertext.limbs = " + text(f.level) + " is out of range [" +
                      text(context.lowest_level()) + ", " + text(context.limbs()) + "]");
  f.batch = read_batch(reader, "ciphertext");
  require_field(reader.u8("ciphertext.form"), kCoefficientForm, "ciphertext.form");
  f.encoding = read_encoding(reader, context, "ciphertext");
  f.flags = reader.u8("ciphertext.flags");
  if ((f.flags != 0 && f.flags != kSeeded && f.flags != kRounded) || (f.seeded() && f.size != 2))
    throw FormatError("ciphertext.flags = " + text(f.flags) +
                      " must be 0, 1 (seeded) with two parts, or 2 (rounded)");
  if (f.rounded() && version < kVersionOfLevels)
    throw FormatError("ciphertext.flags = 2: rounded ciphertexts have version " + text(kVersionOfLevels) +
                      " of the format, not " + text(version));
  std::tie(f.source, f.stored_noise) = read_noise(reader, context.noise_model(), f.level);
  const bool fresh = f.source == NoiseSource::fresh_secret || f.source == NoiseSource::fresh_public;
  if ((fresh || f.seeded()) && f.level != context.limbs())
    throw FormatError("ciphertext.limbs = " + text(f.level) + ": a fresh ciphertext has all " +
                      text(context.limbs()));
  const bool lower = context.parameters().scheme == Scheme::bfv && f.level != context.limbs();
  if (lower && version < kVersionOfLevels)
    throw FormatError("ciphertext.limbs = " + text(f.level) + ": ciphertexts of BFV below level " +
                      text(context.limbs()) + " have version " + text(kVersionOfLevels) +
                      " of the format, not " + text(version));
  if (version >= kVersionOfLevels && !lower && !f.rounded())  // one object has one form in bytes
    throw FormatError("ciphertext of version " + text(version) + " has limbs = " + text(f.level) +
                      " and is not rounded: such a ciphertext has version " + text(kVersion));
  if (fresh && (f.size != 2 || f.rounded()))
    throw FormatError("ciphertext.noise source = " + text(static_cast<std::uint64_t>(f.source)) +
                      ": a fresh ciphertext has two parts, and they are not rounded");
  f.factor = reader.u64("ciphertext.correction factor");
  try {
    context.require_factor(f.factor);
  } catch (const ParameterError& error) {
    throw FormatError(std::string("ciphertext.") + error.what());
  }
  if ((fresh || f.seeded()) && f.factor != 1)
    throw FormatError("ciphertext.correction factor = " + text(f.factor) +
                      ": a fresh ciphertext has the factor 1");
  if (f.rounded()) f.bits = read_stored_bits(reader, context, f.level, f.size);
  return f;
}

/// throws FormatError if the ciphertext would take more memory than whoever reads it takes.
void require_expansion(const RlweContext& context, const Fields& f, std::size_t bytes,
                       std::optional<std::uint64_t> most_bytes) {
  const RlweParameters& parameters = context.parameters();
  const ObjectSizes sizes = parameters.memory_sizes(f.batch, f.level);
  const std::uint64_t memory = f.size == 2 ? sizes.ciphertext : sizes.ciphertext_three_parts;
  const std::uint64_t most =
      most_bytes.value_or(std::max(kMostExpansion * bytes, parameters.memory_sizes().ciphertext_three_parts));
  if (memory > most)
    throw FormatError("ciphertext: " + text(bytes) + " bytes would take " + text(memory) +
                      " bytes in memory, more than " + text(most) +
                      " that are allowed: state what you expect (most_bytes)");
}

/// body(e, i, rounding of part i, room for a row on the device and on the host) for all parts of the first
/// ciphertext, of the second, ...
template <class Body>
void for_rounded_rows(const Ciphertext& object, const StoredBits& bits, const Body& body) {
  const RlweContext& context = *object.context();
  DeviceArray h = context.queue().allocate(context.n());
  std::vector<std::uint64_t> host(context.n());
  std::vector<PartRounding> rounding;
  for (std::size_t i = 0; i < object.size(); ++i) rounding.emplace_back(context, object.level(), bits[i]);
  for (std::size_t e = 0; e < object.batch(); ++e)
    for (std::size_t i = 0; i < object.size(); ++i) {
      poll_interrupt();
      body(e, i, rounding[i], h.data(), host);
    }
}

/// Rows of rounded parts, each value in as many bits as its part has.
void write_rounded(const Ciphertext& object, ByteWriter& writer) {
  const StoredBits& bits = object.stored_bits();
  for_rounded_rows(object, bits,
                   [&](std::size_t e, std::size_t i, const PartRounding& rounding, WordPtr h, auto& host) {
                     rounding.down({object.part(i, e), 0}, h, 1);
                     object.context()->queue().download(h, host);
                     pack_row(host, std::uint64_t{1} << bits[i], writer);
                   });
}

void read_rounded(Ciphertext& object, const StoredBits& bits, ByteReader& reader) {
  for_rounded_rows(
      object, bits, [&](std::size_t e, std::size_t i, const PartRounding& rounding, WordPtr h, auto& host) {
        unpack_row(reader, std::uint64_t{1} << bits[i], host, "ciphertext part[" + text(i) + "]");
        object.context()->queue().upload(host, h);
        rounding.up(h, object.part(i, e), 1);
      });
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const Ciphertext& object, bool noise) {
  const RlweContext& context = require_object(object.context(), "ciphertext");
  const bool seeded = object.seed().has_value(), rounded = object.is_rounded();
  const bool lower = context.parameters().scheme == Scheme::bfv && object.level() != context.limbs();
  ByteWriter writer;
  writer.u16(static_cast<std::uint16_t>(object.size()));
  writer.u16(static_cast<std::uint16_t>(object.level()));
  writer.u32(static_cast<std::uint32_t>(object.batch()));
  writer.u8(kCoefficientForm);
  writer.u8(static_cast<std::uint8_t>(object.encoding()));
  writer.u8(seeded ? kSeeded : rounded ? kRounded : 0);
  write_noise(object, noise, writer);
  writer.u64(object.factor());
  if (seeded) write_seed(*object.seed(), writer);
  if (rounded) {
    writer.bytes(object.stored_bits());
    for (int i = 0; i < 5; ++i) writer.u8(0);
    write_rounded(object, writer);
  } else {
    for (std::size_t e = 0; e < object.batch(); ++e)
      write_polynomials(context, context.ring_q(object.level()), object.part(0, e),
                        seeded ? 1 : object.size(), writer);
  }
  return seal(context, ObjectKind::ciphertext, writer.data(), rounded || lower ? kVersionOfLevels : kVersion);
}

Ciphertext Ciphertext::from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes) {
  return ciphertext_from_bytes(std::move(context), bytes);
}

Ciphertext ciphertext_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes,
                                 std::optional<std::uint64_t> most_bytes) {
  std::uint16_t version = 0;
  const auto payload = open_object(context, ObjectKind::ciphertext, bytes, &version);
  ByteReader reader(payload);
  const Fields f = read_fields(reader, *context, version);
  const RingTables& ring = context->ring_q(f.level);
  const bool seeded = f.seeded();
  const std::size_t stored = seeded ? 1 : f.size;
  std::size_t element = stored * rows_bytes(ring.n(), ring.spec().moduli);
  if (f.rounded()) {
    element = 0;
    for (std::size_t i = 0; i < f.size; ++i) element += row_bytes(ring.n(), std::uint64_t{1} << f.bits[i]);
  }
  require_payload(payload.size(), reader.offset() + (seeded ? 32u : 0u) + f.batch * element, "ciphertext");
  require_expansion(*context, f, bytes.size(), most_bytes);
  std::optional<Seed> seed;
  if (seeded) seed = read_seed(reader, "ciphertext.seed");
  Ciphertext result(context, f.size, f.encoding, f.level, f.batch);
  if (f.rounded()) {
    read_rounded(result, f.bits, reader);
  } else {
    // Polynomials of elements stand one after the other, but for parts that are sampled again.
    const std::size_t stride = seeded ? f.size * ring.words() : ring.words();
    read_polynomials(*context, ring, result.data(), stride, f.batch * stored, reader, [&](std::size_t i) {
      const std::string part = "part[" + text(i % stored) + "]";
      return (f.batch == 1 ? "ciphertext " : "ciphertext element " + text(i / stored) + ", ") + part;
    });
    if (seeded)
      context->queue().sample_uniforms(ring, {*seed, Domain::encrypt_a, 0}, result.part(1), stride, f.batch);
  }
  reader.finish("ciphertext");
  set_noise(result, f.source, f.stored_noise);
  result.set_factor(f.factor);
  result.set_seed(seed);
  result.set_stored_bits(f.bits);
  return result;
}

}  // namespace nttforge::rlwe
