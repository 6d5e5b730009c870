// SPDX-License-Identifier: Apache-2.0
// Ciphertexts to and from bytes.

#include <algorithm>
#include <bit>
#include <string>
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
constexpr std::uint8_t kRounded = 2;

std::string text(std::uint64_t value) { return std::to_string(value); }

/// Without noise, that decryption is predicted to be right is all that is told: level 0. throws NoiseError
/// where it is not.
void write_noise(const Ciphertext& object, bool noise, ByteWriter& writer) {
  const NoiseSource source = noise ? object.meta().source : NoiseSource::computed;
  const RlweNoiseModel& model = object.context()->noise_model();
  std::int32_t level = 0;
  if (!noise) {
    const bool known = object.noise().known();
    if (!known || model.stored_level(object.noise(), object.level()) < 0)
      throw NoiseError(
          std::string("ciphertext: bytes without noise say that the predicted budget is above 0 bits, and ") +
          (known ? "it is not: use parameters with more room or fewer operations"
                 : "nothing is known of it: compute from ciphertexts that have their noise") +
          ", or write it with its noise (to_bytes(noise=True))");
  } else if (source == NoiseSource::computed) {
    level = model.stored_level(object.noise(), object.level());
  }
  writer.u8(static_cast<std::uint8_t>(source));
  writer.u32(static_cast<std::uint32_t>(level));
}

/// What the source and the level that read_noise read say.
Meta with_noise(const Meta& kind, const RlweNoiseModel& model, NoiseSource source, std::int32_t stored) {
  if (source == NoiseSource::computed) return kind.computed(model.from_stored_level(stored, kind.level));
  return source == NoiseSource::unknown ? kind : kind.fresh(model, source, false);
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

/// What comes before the polynomials, checked; a seed comes after it.
struct Fields {
  std::size_t size, batch;
  bool seeded;
  Meta meta;
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

/// What whoever encrypted said of the numbers: nothing here depends on them.
void write_numbers(const Meta& meta, ByteWriter& writer) {
  for (const double number : {meta.scale.hi, meta.scale.lo, meta.numbers.bound})
    writer.u64(std::bit_cast<std::uint64_t>(number));
  writer.u32(meta.slots);
  writer.u8(meta.numbers.real ? 1 : 0);
  for (int i = 0; i < 3; ++i) writer.u8(0);
}

void read_numbers(ByteReader& reader, Meta& meta) {
  for (double* number : {&meta.scale.hi, &meta.scale.lo, &meta.numbers.bound})
    *number = std::bit_cast<double>(reader.u64("ciphertext.scale or bound"));
  meta.slots = reader.u32("ciphertext.slots");
  const std::uint8_t real = reader.u8("ciphertext.real");
  if (real > 1) throw FormatError("ciphertext.real = " + text(real) + " must be 0 or 1");
  meta.numbers.real = real == 1;
  for (int i = 0; i < 3; ++i) require_field(reader.u8("ciphertext.zero"), 0, "ciphertext.zero");
}

Form read_form(ByteReader& reader) {
  const std::uint8_t form = reader.u8("ciphertext.form");
  if (form > static_cast<std::uint8_t>(Form::values))
    throw FormatError("ciphertext.form = " + text(form) + " must be 0 (coefficients) or 1 (values)");
  return static_cast<Form>(form);
}

Fields read_fields(ByteReader& reader, const RlweContext& context) {
  Meta kind;
  const std::size_t size = reader.u16("ciphertext.parts");
  if (size != 2 && size != 3) throw FormatError("ciphertext.parts = " + text(size) + " must be 2 or 3");
  kind.level = reader.u16("ciphertext.limbs");
  if (kind.level < context.lowest_level() || kind.level > context.top_level())
    throw FormatError("ciphertext.limbs = " + text(kind.level) + " is out of range [" +
                      text(context.lowest_level()) + ", " + text(context.top_level()) + "]");
  const std::size_t batch = read_batch(reader, "ciphertext");
  kind.form = read_form(reader);
  kind.encoding = read_encoding(reader, context, "ciphertext");
  const std::uint8_t flags = reader.u8("ciphertext.flags");
  const bool seeded = flags == kSeeded, rounded = flags == kRounded;
  if ((flags != 0 && !seeded && !rounded) || (seeded && size != 2) ||
      (rounded && kind.form != Form::coefficients))
    throw FormatError("ciphertext.flags = " + text(flags) +
                      " must be 0, 1 (seeded) with two parts, or 2 (rounded) in coefficients");
  const auto [source, stored_noise] = read_noise(reader, context.noise_model(), kind.level);
  const bool fresh = source == NoiseSource::fresh_secret || source == NoiseSource::fresh_public;
  if ((fresh || seeded) && kind.level != context.top_level())
    throw FormatError("ciphertext.limbs = " + text(kind.level) +
                      ": a fresh ciphertext has the highest level, " + text(context.top_level()));
  if (fresh && (size != 2 || rounded))
    throw FormatError("ciphertext.noise source = " + text(static_cast<std::uint64_t>(source)) +
                      ": a fresh ciphertext has two parts, and they are not rounded");
  kind.factor = reader.u64("ciphertext.correction factor");
  if (context.parameters().approximate()) read_numbers(reader, kind);
  try {
    context.require_message(kind);
  } catch (const ParameterError& error) {
    throw FormatError(std::string("ciphertext.") + error.what());
  }
  if ((fresh || seeded) && kind.factor != 1)
    throw FormatError("ciphertext.correction factor = " + text(kind.factor) +
                      ": a fresh ciphertext has the factor 1");
  Meta meta = with_noise(kind, context.noise_model(), source, stored_noise);
  if (rounded) meta.stored_bits = read_stored_bits(reader, context, kind.level, size);
  return {size, batch, seeded, meta};
}

/// throws FormatError if the ciphertext would take more memory than whoever reads it takes.
void require_expansion(const RlweContext& context, const Fields& f, std::size_t bytes,
                       std::optional<std::uint64_t> most_bytes) {
  const RlweParameters& parameters = context.parameters();
  const ObjectSizes sizes = parameters.memory_sizes(1, f.meta.level);
  const std::uint64_t memory =
      std::uint64_t{f.batch} * (f.size == 2 ? sizes.ciphertext : sizes.ciphertext_three_parts);
  const std::uint64_t most = most_bytes.value_or(std::max<std::uint64_t>(
      kMostExpansion * std::uint64_t{bytes}, parameters.memory_sizes().ciphertext_three_parts));
  if (memory > most)
    throw FormatError("ciphertext: " + text(bytes) + " bytes would take " + text(memory) +
                      " bytes in memory, more than " + text(most) +
                      " that are allowed: state what you expect (most_bytes)");
  require_addressable(memory, "ciphertext");
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
  const StoredBits& bits = object.meta().stored_bits;
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

/// Parts 1 from the seed, which gives their coefficients.
void sample_again(Ciphertext& object) {
  const RlweContext& context = *object.context();
  const RingTables& ring = context.ring_q(object.level());
  context.queue().sample_uniforms(ring, {*object.meta().seed, Domain::encrypt_a, 0}, object.part(1),
                                  object.element_words(), object.batch());
  if (object.form() == Form::values)
    for (std::size_t e = 0; e < object.batch(); ++e) context.queue().forward(ring, object.part(1, e), 1);
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const Ciphertext& object, bool noise) {
  const RlweContext& context = require_object(object.context(), "ciphertext");
  if (object.size() == 1)
    throw ParameterError("this is a plaintext, which has bytes of its own: encrypt it first");
  const Meta& meta = object.meta();
  const bool seeded = meta.seed.has_value();
  ByteWriter writer;
  writer.u16(static_cast<std::uint16_t>(object.size()));
  writer.u16(static_cast<std::uint16_t>(meta.level));
  writer.u32(static_cast<std::uint32_t>(object.batch()));
  writer.u8(static_cast<std::uint8_t>(meta.form));
  writer.u8(static_cast<std::uint8_t>(meta.encoding));
  writer.u8(seeded ? kSeeded : meta.rounded() ? kRounded : 0);
  write_noise(object, noise, writer);
  writer.u64(meta.factor);
  if (context.parameters().approximate()) write_numbers(meta, writer);
  if (seeded) write_seed(*meta.seed, writer);
  if (meta.rounded()) {
    writer.bytes(meta.stored_bits);
    for (int i = 0; i < 5; ++i) writer.u8(0);
    write_rounded(object, writer);
  } else {
    for (std::size_t e = 0; e < object.batch(); ++e)
      write_polynomials(context, context.ring_q(meta.level), object.part(0, e), seeded ? 1 : object.size(),
                        writer);
  }
  return seal(context, ObjectKind::ciphertext, writer.data());
}

Ciphertext Ciphertext::from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes) {
  return ciphertext_from_bytes(std::move(context), bytes);
}

Ciphertext ciphertext_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes,
                                 std::optional<std::uint64_t> most_bytes) {
  const auto payload = open_object(context, ObjectKind::ciphertext, bytes);
  ByteReader reader(payload);
  Fields f = read_fields(reader, *context);
  const RingTables& ring = context->ring_q(f.meta.level);
  const bool rounded = f.meta.rounded();
  const std::size_t stored = f.seeded ? 1 : f.size;
  std::size_t element = stored * rows_bytes(ring.n(), ring.spec().moduli);
  if (rounded) {
    element = 0;
    for (std::size_t i = 0; i < f.size; ++i)
      element += row_bytes(ring.n(), std::uint64_t{1} << f.meta.stored_bits[i]);
  }
  require_payload(payload.size(), reader.offset() + (f.seeded ? 32u : 0u) + std::uint64_t{f.batch} * element,
                  "ciphertext");
  require_expansion(*context, f, bytes.size(), most_bytes);
  if (f.seeded) f.meta.seed = read_seed(reader, "ciphertext.seed");
  Ciphertext result(context, f.size, f.meta, f.batch);
  if (rounded) {
    read_rounded(result, f.meta.stored_bits, reader);
  } else {
    // Polynomials of elements stand one after the other, but for parts that are sampled again.
    const std::size_t stride = f.seeded ? f.size * ring.words() : ring.words();
    read_polynomials(*context, ring, result.data(), stride, f.batch * stored, reader, [&](std::size_t i) {
      const std::string part = "part[" + text(i % stored) + "]";
      return (f.batch == 1 ? "ciphertext " : "ciphertext element " + text(i / stored) + ", ") + part;
    });
    if (f.seeded) sample_again(result);
  }
  reader.finish("ciphertext");
  return result;
}

}  // namespace nttforge::rlwe
