// SPDX-License-Identifier: Apache-2.0
// Ciphertexts from bytes; serialize_ciphertext.cpp writes them.

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

std::string text(std::uint64_t value) { return std::to_string(value); }

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

/// A ciphertext's bytes, of which all is checked but its residues.
struct Stored {
  Fields fields;
  std::size_t parts;  ///< that the bytes hold
  std::span<const std::uint8_t> polynomials;
};

Stored open_ciphertext(const RlweContextPtr& context, std::span<const std::uint8_t> bytes,
                       std::optional<std::uint64_t> most_bytes) {
  const auto payload = open_object(context, ObjectKind::ciphertext, bytes);
  ByteReader reader(payload);
  Fields f = read_fields(reader, *context);
  const RingTables& ring = context->ring_q(f.meta.level);
  const std::size_t parts = f.seeded ? 1 : f.size;
  std::size_t element = parts * rows_bytes(ring.n(), ring.spec().moduli);
  if (f.meta.rounded()) {
    element = 0;
    for (std::size_t i = 0; i < f.size; ++i)
      element += row_bytes(ring.n(), std::uint64_t{1} << f.meta.stored_bits[i]);
  }
  const std::uint64_t polynomials = std::uint64_t{f.batch} * element;
  require_payload(payload.size(), reader.offset() + (f.seeded ? 32u : 0u) + polynomials, "ciphertext");
  require_expansion(*context, f, bytes.size(), most_bytes);
  if (f.seeded) f.meta.seed = read_seed(reader, "ciphertext.seed");
  const auto rest = reader.bytes(static_cast<std::size_t>(polynomials), "ciphertext");
  return {std::move(f), parts, rest};
}

void read_rounded(Ciphertext& object, std::span<const std::uint8_t> packed) {
  const RlweContext& context = *object.context();
  const StoredBits& bits = object.meta().stored_bits;
  ByteReader reader(packed);
  DeviceArray h = context.queue().allocate(context.n());
  std::vector<std::uint64_t> host(context.n());
  for (std::size_t e = 0; e < object.batch(); ++e)
    for (std::size_t i = 0; i < object.size(); ++i) {
      poll_interrupt();
      unpack_row(reader, std::uint64_t{1} << bits[i], host, "ciphertext part[" + text(i) + "]");
      context.queue().upload(host, h.data());
      context.rounding(object.level(), bits[i]).up(h.data(), object.part(i, e), 1);
    }
}

/// The polynomials of elements first ..., which stand one after the other, but for parts that are sampled
/// again.
void read_stored_parts(Ciphertext& object, std::size_t parts, std::size_t first,
                       std::span<const std::uint8_t> packed) {
  const RingTables& ring = object.context()->ring_q(object.level());
  const std::size_t stride = parts == object.size() ? ring.words() : object.element_words();
  const std::size_t count = packed.size() / rows_bytes(ring.n(), ring.spec().moduli);
  ByteReader reader(packed);
  read_polynomials(*object.context(), ring, object.part(0, first), stride, count, reader, [&](std::size_t i) {
    const std::string part = "part[" + text(i % parts) + "]";
    const std::string element = "ciphertext element " + text(first + i / parts) + ", ";
    return (object.batch() == 1 ? "ciphertext " : element) + part;
  });
}

/// Parts 1 of elements first ... from the seed, which gives their coefficients.
void sample_again(Ciphertext& object, const Seed& seed, std::size_t first, std::size_t count) {
  const RlweContext& context = *object.context();
  const RingTables& ring = context.ring_q(object.level());
  context.queue().sample_uniforms(ring, {seed, Domain::encrypt_a, 0}, object.part(1, first),
                                  object.element_words(), count);
  if (object.form() == Form::values)
    for (std::size_t e = first; e < first + count; ++e) context.queue().forward(ring, object.part(1, e), 1);
}

Ciphertext read_opened(const RlweContextPtr& context, const Stored& s) {
  Ciphertext result(context, s.fields.size, s.fields.meta, s.fields.batch);
  if (s.fields.meta.rounded())
    read_rounded(result, s.polynomials);
  else
    read_stored_parts(result, s.parts, 0, s.polynomials);
  if (s.fields.seeded) sample_again(result, *s.fields.meta.seed, 0, result.batch());
  return result;
}

/// Whether both are single ciphertexts that agree in all that a batch of them has once, not rounded.
bool are_alike(const Fields& a, const Fields& b) {
  return a.batch == 1 && b.batch == 1 && a.size == b.size && a.seeded == b.seeded &&
         static_cast<const CiphertextKind&>(a.meta) == b.meta && !a.meta.rounded() && !b.meta.rounded();
}

}  // namespace

Ciphertext Ciphertext::from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes) {
  return ciphertext_from_bytes(std::move(context), bytes);
}

Ciphertext ciphertext_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes,
                                 std::optional<std::uint64_t> most_bytes) {
  return read_opened(context, open_ciphertext(context, bytes, most_bytes));
}

Ciphertext stack_from_bytes(const RlweContextPtr& context,
                            std::span<const std::span<const std::uint8_t>> objects) {
  if (objects.empty()) throw SizeError("objects is empty: a batch has at least one ciphertext");
  std::vector<Stored> all;
  for (const auto& bytes : objects) all.push_back(open_ciphertext(context, bytes, std::nullopt));
  const Stored& first = all.front();
  if (all.size() == 1) return read_opened(context, first);
  const auto alike = [&](const Stored& s) { return are_alike(first.fields, s.fields); };
  if (!std::all_of(all.begin(), all.end(), alike)) {
    std::vector<Ciphertext> read;
    std::vector<const Ciphertext*> terms;
    for (const Stored& s : all) read.push_back(read_opened(context, s));
    for (const Ciphertext& one : read) terms.push_back(&one);
    return Ciphertext::stack(terms);
  }
  Meta meta = first.fields.meta.without_seed();
  for (const Stored& s : all) meta.include(s.fields.meta);
  Ciphertext result(context, first.fields.size, meta, all.size());
  if (context->device().memory_space() == "host") {
    for (std::size_t e = 0; e < all.size(); ++e)
      read_stored_parts(result, first.parts, e, all[e].polynomials);
  } else {  // one copy to the device
    std::vector<std::uint8_t> packed;
    packed.reserve(all.size() * first.polynomials.size());
    for (const Stored& s : all) packed.insert(packed.end(), s.polynomials.begin(), s.polynomials.end());
    read_stored_parts(result, first.parts, 0, packed);
  }
  for (std::size_t e = 0; e < all.size(); ++e)
    if (first.fields.seeded) sample_again(result, *all[e].fields.meta.seed, e, 1);
  return result;
}

}  // namespace nttforge::rlwe
