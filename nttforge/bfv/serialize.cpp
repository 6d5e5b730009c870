// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/serialize.hpp"

#include <bit>
#include <cmath>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory.hpp"
#include "nttforge/base/secret.hpp"
#include "nttforge/base/stack_wipe.hpp"
#include "nttforge/bfv/format.hpp"

namespace nttforge::bfv {
namespace {

constexpr std::uint8_t kSeeded = 1;           // flag of a ciphertext
constexpr std::uint8_t kCoefficientForm = 0;  // of polynomials; 1, values at the roots, is reserved
constexpr std::size_t kPublicKeyDigits = 0;
constexpr std::size_t kKeyShapeBytes = 8, kPlaintextFields = 8;
constexpr std::uint32_t kBatch = 1;
constexpr std::uint64_t kCorrectionFactor = 1;

std::string text(std::uint64_t value) { return std::to_string(value); }

const Context& require_object(const ContextPtr& context, std::string_view what) {
  if (context == nullptr) throw ContextError(std::string(what) + " is empty: assign it before use");
  return *context;
}

/// Checks frame, kind and parameters; returns the payload.
std::span<const std::uint8_t> open(const ContextPtr& context, ObjectKind kind,
                                   std::span<const std::uint8_t> bytes) {
  if (context == nullptr) throw ContextError("context is null: make one with Context::create");
  const ObjectHeader header = read_header(bytes);
  if (header.kind != kind)
    throw FormatError("header.kind: the bytes hold " + std::string(object_kind_name(header.kind)) +
                      ", expected " + std::string(object_kind_name(kind)));
  if (header.fingerprint != context->fingerprint())
    throw ContextError("header.fingerprint: the " + std::string(object_kind_name(kind)) +
                       " was made with other parameters than this context (" +
                       context->parameters().describe() + ")");
  return bytes.subspan(kHeaderBytes, header.payload_bytes);
}

void require_payload(std::size_t actual, std::size_t expected, std::string_view what) {
  if (actual != expected)
    throw FormatError(std::string(what) + ": the payload has " + text(actual) +
                      " bytes, these parameters need " + text(expected));
}

void write_polynomials(const Context& context, const RingTables& ring, const std::uint64_t* data,
                       std::size_t batch, ByteWriter& writer) {
  std::vector<std::uint64_t> host(batch * ring.words());
  context.backend().download(data, host);
  for (std::size_t row = 0; row < batch * ring.limbs(); ++row)
    pack_row(std::span(host).subspan(row * ring.n(), ring.n()), ring.spec().moduli[row % ring.limbs()],
             writer);
}

void read_polynomials(const Context& context, const RingTables& ring, std::uint64_t* data, std::size_t batch,
                      ByteReader& reader, const std::string& what) {
  std::vector<std::uint64_t> host(batch * ring.words());
  for (std::size_t row = 0; row < batch * ring.limbs(); ++row)
    unpack_row(reader, ring.spec().moduli[row % ring.limbs()],
               std::span(host).subspan(row * ring.n(), ring.n()),
               what + "[" + text(row / ring.limbs()) + "] limb " + text(row % ring.limbs()));
  context.backend().upload(host, data);
}

void write_seed(const Seed& seed, ByteWriter& writer) { writer.bytes(seed.bytes); }

Seed read_seed(ByteReader& reader, std::string_view what) {
  Seed seed;
  const auto bytes = reader.bytes(seed.bytes.size(), what);
  std::copy(bytes.begin(), bytes.end(), seed.bytes.begin());
  return seed;
}

std::size_t key_switch_bytes(const Context& context) {
  return 32 + context.limbs() * rows_bytes(context.n(), context.ring_key().spec().moduli);
}

/// What a key consists of; today all primes of its context, so a loader can check it.
void write_key_shape(const Context& context, std::size_t digits, std::uint32_t count, ByteWriter& writer) {
  writer.u16(static_cast<std::uint16_t>(context.key_limbs()));
  writer.u16(static_cast<std::uint16_t>(digits));
  writer.u32(count);
}

/// Returns the number of keys.
std::uint32_t read_key_shape(const Context& context, std::size_t digits, ByteReader& reader,
                             const std::string& what) {
  require_field(reader.u16(what + ".primes"), context.key_limbs(), what + ".primes");
  require_field(reader.u16(what + ".digits"), digits, what + ".digits");
  return reader.u32(what + ".count");
}

void write_key_switch_key(const KeySwitchKey& key, ByteWriter& writer) {
  const Context& context = *key.context();
  const RingTables& ring = context.ring_key();
  write_seed(key.seed(), writer);
  for (std::size_t i = 0; i < context.limbs(); ++i) {
    poll_interrupt();
    write_polynomials(context, ring, key.data() + i * 2 * ring.words(), 1, writer);
  }
}

KeySwitchKey read_key_switch_key(const ContextPtr& context, std::uint32_t purpose, ByteReader& reader,
                                 const std::string& what) {
  const RingTables& ring = context->ring_key();
  const Backend& backend = context->backend();
  const Seed seed = read_seed(reader, what + ".seed");
  DeviceArray words = backend.allocate(context->limbs() * 2 * ring.words());
  for (std::size_t i = 0; i < context->limbs(); ++i) {
    poll_interrupt();
    std::uint64_t* b = words.data() + i * 2 * ring.words();
    read_polynomials(*context, ring, b, 1, reader, what + " digit " + text(i));
    backend.sample_uniform(ring, {seed, Domain::key_switch_a, purpose << 8 | static_cast<std::uint32_t>(i)},
                           b + ring.words());
  }
  return KeySwitchKey(context, std::move(words), seed, purpose);
}

// A secret key has two bits a coefficient: 0, 1, and 3 for -1. No branch depends on one. Not inlined, so that
// what is kept on the stack lies below the operation's StackWipe.

/// host: residues 0, 1 and q - 1 modulo an odd q.
__attribute__((noinline)) void pack_secret(std::span<const std::uint64_t> host,
                                           std::span<std::uint8_t> payload) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    const std::uint64_t odd = host[i] & 1u, negative = (std::uint64_t{1} - host[i]) >> 63;
    const std::uint64_t bits = (odd | negative) | negative << 1;
    payload[i / 4] = static_cast<std::uint8_t>(payload[i / 4] | bits << (2 * (i % 4)));
  }
}

/// False if a code is 2, or one beyond the last coefficient is not 0.
__attribute__((noinline)) bool unpack_secret(std::span<const std::uint8_t> payload,
                                             std::span<std::int64_t> small) {
  unsigned wrong = 0;
  for (std::size_t i = 0; i < 4 * payload.size(); ++i) {
    const unsigned code = (payload[i / 4] >> (2 * (i % 4))) & 3u;
    wrong |= i < small.size() ? (code >> 1) & ~code & 1u : code;
    if (i < small.size())
      small[i] = static_cast<std::int64_t>(code & 1u) - static_cast<std::int64_t>(code & 2u);
  }
  return wrong == 0;
}

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

std::vector<std::uint8_t> to_bytes(const Parameters& object) {
  object.validate();
  const auto payload = canonical_bytes(object);
  return seal(ObjectKind::parameters, checksum64(payload), payload);
}

Parameters parameters_from_bytes(std::span<const std::uint8_t> bytes, bool allow_insecure) {
  const ObjectHeader header = read_header(bytes);
  if (header.kind != ObjectKind::parameters)
    throw FormatError("header.kind: the bytes hold " + std::string(object_kind_name(header.kind)) +
                      ", expected parameters");
  const auto payload = bytes.subspan(kHeaderBytes, header.payload_bytes);
  if (header.fingerprint != checksum64(payload))
    throw FormatError("header.fingerprint does not match the parameters");
  ByteReader reader(payload);
  Parameters parameters = read_parameters(reader);
  reader.finish("parameters");
  if (parameters.security == SecurityLevel::insecure_by_request && !allow_insecure) {
    throw ParameterError("these parameters claim no security level (" + parameters.describe() +
                         "): pass allow_insecure = true if you ask for that");
  }
  return parameters;
}

std::vector<std::uint8_t> to_bytes(const SecretKey& object) {
  const StackWipe wipe(StackDepth::shallow);
  const Context& context = require_object(object.context(), "secret key");
  const Backend& backend = context.backend();
  const RingTables& ring = context.ring_key();
  DeviceArray words = backend.allocate_secret(ring.words());
  backend.copy(object.data(), words.data(), ring.words());
  backend.inverse(ring, words.data(), 1);
  SecretVector<std::uint64_t> host(ring.words());
  backend.download(words.data(), host);
  SecretVector<std::uint8_t> payload((2 * context.n() + 7) / 8, 0);
  pack_secret(std::span(host).first(context.n()), payload);
  return seal(ObjectKind::secret_key, context.fingerprint(), payload);
}

SecretKey secret_key_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes) {
  const StackWipe wipe(StackDepth::shallow);
  const auto payload = open(context, ObjectKind::secret_key, bytes);
  const std::size_t n = context->n();
  require_payload(payload.size(), (2 * n + 7) / 8, "secret key");
  SecretVector<std::int64_t> small(n);
  if (!unpack_secret(payload, small))
    throw FormatError("secret key: a coefficient has a code that is not 0, 1 or 3");
  try {
    return SecretKey(std::move(context), small);
  } catch (const ParameterError& error) {
    throw FormatError(std::string("secret key: ") + error.what());
  }
}

std::vector<std::uint8_t> to_bytes(const PublicKey& object) {
  const Context& context = require_object(object.context(), "public key");
  ByteWriter writer;
  write_key_shape(context, kPublicKeyDigits, 1, writer);
  write_seed(object.seed(), writer);
  write_polynomials(context, context.ring_key(), object.data(), 1, writer);
  return seal(ObjectKind::public_key, context.fingerprint(), writer.data());
}

PublicKey public_key_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes) {
  const auto payload = open(context, ObjectKind::public_key, bytes);
  const RingTables& ring = context->ring_key();
  require_payload(payload.size(), kKeyShapeBytes + 32 + rows_bytes(ring.n(), ring.spec().moduli),
                  "public key");
  ByteReader reader(payload);
  require_field(read_key_shape(*context, kPublicKeyDigits, reader, "public key"), 1, "public key.count");
  const Seed seed = read_seed(reader, "public key.seed");
  DeviceArray words = context->backend().allocate(2 * ring.words());
  read_polynomials(*context, ring, words.data(), 1, reader, "public key");
  reader.finish("public key");
  context->backend().sample_uniform(ring, {seed, Domain::public_key_a, 0}, words.data() + ring.words());
  return PublicKey(std::move(context), std::move(words), seed);
}

std::vector<std::uint8_t> to_bytes(const RelinearizationKey& object) {
  const Context& context = require_object(object.context(), "relinearization key");
  ByteWriter writer;
  write_key_shape(context, context.limbs(), 1, writer);
  write_key_switch_key(object.key(), writer);
  return seal(ObjectKind::relinearization_key, context.fingerprint(), writer.data());
}

RelinearizationKey relinearization_key_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes) {
  const auto payload = open(context, ObjectKind::relinearization_key, bytes);
  require_payload(payload.size(), kKeyShapeBytes + key_switch_bytes(*context), "relinearization key");
  context->mod_down();  // throws without special prime
  ByteReader reader(payload);
  const std::uint32_t count = read_key_shape(*context, context->limbs(), reader, "relinearization key");
  require_field(count, 1, "relinearization key.count");
  RelinearizationKey key(read_key_switch_key(context, 0, reader, "relinearization key"));
  reader.finish("relinearization key");
  return key;
}

std::vector<std::uint8_t> to_bytes(const RotationKeys& object) {
  const Context& context = require_object(object.context(), "rotation keys");
  ByteWriter writer;
  const auto elements = object.elements();
  const std::size_t bytes = kKeyShapeBytes + elements.size() * (8 + key_switch_bytes(context));
  require_memory(2 * bytes, "the bytes of " + text(elements.size()) + " rotation keys and a copy of them");
  writer.reserve(bytes);
  write_key_shape(context, context.limbs(), static_cast<std::uint32_t>(elements.size()), writer);
  for (std::uint64_t element : elements) {
    writer.u64(element);
    write_key_switch_key(object.key(element), writer);
  }
  return seal(ObjectKind::rotation_keys, context.fingerprint(), writer.data());
}

RotationKeys rotation_keys_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes) {
  const auto payload = open(context, ObjectKind::rotation_keys, bytes);
  ByteReader reader(payload);
  const std::uint64_t count = read_key_shape(*context, context->limbs(), reader, "rotation keys");
  if (count > context->n())
    throw FormatError("rotation keys.count = " + text(count) + " exceeds the " + text(context->n()) +
                      " Galois elements of this ring");
  require_payload(payload.size(), kKeyShapeBytes + count * (8 + key_switch_bytes(*context)), "rotation keys");
  context->mod_down();  // throws without special prime
  require_memory(count * context->parameters().memory_sizes().rotation_key, text(count) + " rotation keys");
  RotationKeys keys(context);
  std::uint64_t previous = 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t element = reader.u64("rotation keys.element");
    if (element % 2 == 0 || element <= previous || element >= 2 * context->n())
      throw FormatError("rotation keys.element = " + text(element) +
                        " is not allowed: odd, in (1, 2n) and in increasing order");
    previous = element;
    keys.insert(read_key_switch_key(context, static_cast<std::uint32_t>(element), reader,
                                    "rotation key of element " + text(element)));
  }
  reader.finish("rotation keys");
  return keys;
}

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
  const auto payload = open(context, ObjectKind::plaintext, bytes);
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
  const auto payload = open(context, ObjectKind::ciphertext, bytes);
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
  if (seeded) context->backend().sample_uniform(ring, {*seed, Domain::encrypt_a, 0}, result.part(1));
  set_noise(result, source, level);
  result.set_seed(seed);
  return result;
}

}  // namespace nttforge::bfv
