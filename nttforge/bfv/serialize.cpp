// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/serialize.hpp"

#include <bit>
#include <cmath>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/secret.hpp"
#include "nttforge/bfv/format.hpp"

namespace nttforge::bfv {
namespace {

constexpr std::uint32_t kSeeded = 1;  // flag of a ciphertext

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

void write_key_switch_key(const KeySwitchKey& key, ByteWriter& writer) {
  const Context& context = *key.context();
  const RingTables& ring = context.ring_key();
  write_seed(key.seed(), writer);
  for (std::size_t i = 0; i < context.limbs(); ++i)
    write_polynomials(context, ring, key.data() + i * 2 * ring.words(), 1, writer);
}

KeySwitchKey read_key_switch_key(const ContextPtr& context, std::uint32_t purpose, ByteReader& reader,
                                 const std::string& what) {
  const RingTables& ring = context->ring_key();
  const Backend& backend = context->backend();
  const Seed seed = read_seed(reader, what + ".seed");
  DeviceArray words = backend.allocate(context->limbs() * 2 * ring.words());
  for (std::size_t i = 0; i < context->limbs(); ++i) {
    std::uint64_t* b = words.data() + i * 2 * ring.words();
    read_polynomials(*context, ring, b, 1, reader, what + " digit " + text(i));
    backend.sample_uniform(ring, {seed, Domain::key_switch_a, purpose << 8 | static_cast<std::uint32_t>(i)},
                           b + ring.words());
  }
  return KeySwitchKey(context, std::move(words), seed, purpose);
}

double read_noise(ByteReader& reader, std::string_view what) {
  const double value = std::bit_cast<double>(reader.u64(what));
  if (!std::isfinite(value) || std::abs(value) > kMaxNoiseLog2)
    throw FormatError(std::string(what) + " is not a finite number in [-10^6, 10^6]");
  if (value * 1024 != std::floor(value * 1024))
    throw FormatError(std::string(what) + " is not a multiple of 2^-10");
  return value;
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

// Two bits a coefficient: 0, 1, and 3 for -1.
std::vector<std::uint8_t> to_bytes(const SecretKey& object) {
  const Context& context = require_object(object.context(), "secret key");
  const Backend& backend = context.backend();
  const RingTables& ring = context.ring_key();
  DeviceArray words = backend.allocate_secret(ring.words());
  backend.copy(object.data(), words.data(), ring.words());
  backend.inverse(ring, words.data(), 1);
  SecretVector<std::uint64_t> host(ring.words());
  backend.download(words.data(), host);
  SecretVector<std::uint8_t> payload((2 * context.n() + 7) / 8, 0);
  for (std::size_t i = 0; i < context.n(); ++i) {
    const std::uint64_t code = host[i] & 1u;                                 // q - 1 is even, 1 is odd
    const std::uint64_t negative = static_cast<std::uint64_t>(host[i] > 1);  // q - 1
    const std::uint64_t bits = (code | negative) | negative << 1;
    payload[i / 4] = static_cast<std::uint8_t>(payload[i / 4] | bits << (2 * (i % 4)));
  }
  return seal(ObjectKind::secret_key, context.fingerprint(), payload);
}

SecretKey secret_key_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes) {
  const auto payload = open(context, ObjectKind::secret_key, bytes);
  const std::size_t n = context->n();
  require_payload(payload.size(), (2 * n + 7) / 8, "secret key");
  SecretVector<std::int64_t> small(n);
  bool valid = true;
  for (std::size_t i = 0; i < 4 * payload.size(); ++i) {
    const unsigned code = (payload[i / 4] >> (2 * (i % 4))) & 3u;
    valid = valid & (code != 2) & (i < n || code == 0);
    if (i < n) small[i] = static_cast<std::int64_t>(code & 1u) - static_cast<std::int64_t>(code & 2u);
  }
  if (!valid) throw FormatError("secret key: a coefficient has a code that is not 0, 1 or 3");
  try {
    return SecretKey(std::move(context), small);
  } catch (const ParameterError& error) {
    throw FormatError(std::string("secret key: ") + error.what());
  }
}

std::vector<std::uint8_t> to_bytes(const PublicKey& object) {
  const Context& context = require_object(object.context(), "public key");
  ByteWriter writer;
  write_seed(object.seed(), writer);
  write_polynomials(context, context.ring_key(), object.data(), 1, writer);
  return seal(ObjectKind::public_key, context.fingerprint(), writer.data());
}

PublicKey public_key_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes) {
  const auto payload = open(context, ObjectKind::public_key, bytes);
  const RingTables& ring = context->ring_key();
  require_payload(payload.size(), 32 + rows_bytes(ring.n(), ring.spec().moduli), "public key");
  ByteReader reader(payload);
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
  write_key_switch_key(object.key(), writer);
  return seal(ObjectKind::relinearization_key, context.fingerprint(), writer.data());
}

RelinearizationKey relinearization_key_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes) {
  const auto payload = open(context, ObjectKind::relinearization_key, bytes);
  context->mod_down();  // throws without special prime
  require_payload(payload.size(), key_switch_bytes(*context), "relinearization key");
  ByteReader reader(payload);
  RelinearizationKey key(read_key_switch_key(context, 0, reader, "relinearization key"));
  reader.finish("relinearization key");
  return key;
}

std::vector<std::uint8_t> to_bytes(const RotationKeys& object) {
  const Context& context = require_object(object.context(), "rotation keys");
  ByteWriter writer;
  const auto elements = object.elements();
  writer.u32(static_cast<std::uint32_t>(elements.size()));
  for (std::uint64_t element : elements) {
    writer.u64(element);
    write_key_switch_key(object.key(element), writer);
  }
  return seal(ObjectKind::rotation_keys, context.fingerprint(), writer.data());
}

RotationKeys rotation_keys_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes) {
  const auto payload = open(context, ObjectKind::rotation_keys, bytes);
  context->mod_down();
  ByteReader reader(payload);
  const std::uint64_t count = reader.u32("rotation keys.count");
  if (count > context->n())
    throw FormatError("rotation keys.count = " + text(count) + " exceeds the " + text(context->n()) +
                      " Galois elements of this ring");
  require_payload(payload.size(), 4 + count * (8 + key_switch_bytes(*context)), "rotation keys");
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
  const Context& context = require_object(object.context(), "plaintext");
  SecretVector<std::uint64_t> coefficients(context.n());
  object.coefficients(coefficients);
  ByteWriter writer;
  writer.reserve(row_bytes(context.n(), context.t()));
  pack_row(coefficients, context.t(), writer);
  auto payload = writer.take();
  auto result = seal(ObjectKind::plaintext, context.fingerprint(), payload);
  secure_zero(payload.data(), payload.size());
  return result;
}

Plaintext plaintext_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes) {
  const auto payload = open(context, ObjectKind::plaintext, bytes);
  require_payload(payload.size(), row_bytes(context->n(), context->t()), "plaintext");
  ByteReader reader(payload);
  SecretVector<std::uint64_t> coefficients(context->n());
  unpack_row(reader, context->t(), coefficients, "plaintext");
  reader.finish("plaintext");
  return Plaintext(std::move(context), coefficients);
}

std::vector<std::uint8_t> to_bytes(const Ciphertext& object) {
  const Context& context = require_object(object.context(), "ciphertext");
  ByteWriter writer;
  writer.u32(static_cast<std::uint32_t>(object.size()));
  writer.u32(object.seed().has_value() ? kSeeded : 0);
  writer.u64(std::bit_cast<std::uint64_t>(object.noise().coefficient));
  writer.u64(std::bit_cast<std::uint64_t>(object.noise().canonical));
  if (object.seed().has_value()) write_seed(*object.seed(), writer);
  write_polynomials(context, context.ring_q(), object.data(), object.seed().has_value() ? 1 : object.size(),
                    writer);
  return seal(ObjectKind::ciphertext, context.fingerprint(), writer.data());
}

Ciphertext ciphertext_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes) {
  const auto payload = open(context, ObjectKind::ciphertext, bytes);
  const RingTables& ring = context->ring_q();
  ByteReader reader(payload);
  const std::uint32_t size = reader.u32("ciphertext.size");
  const std::uint32_t flags = reader.u32("ciphertext.flags");
  if (size != 2 && size != 3) throw FormatError("ciphertext.size = " + text(size) + " must be 2 or 3");
  if (flags > kSeeded || (flags == kSeeded && size != 2))
    throw FormatError("ciphertext.flags = " + text(flags) + " must be 0, or 1 (seeded) with two parts");
  Noise noise;
  noise.coefficient = read_noise(reader, "ciphertext.noise.coefficient");
  noise.canonical = read_noise(reader, "ciphertext.noise.canonical");
  const bool seeded = flags == kSeeded;
  const std::size_t stored = seeded ? 1 : size;
  require_payload(payload.size(),
                  reader.offset() + (seeded ? 32u : 0u) + stored * rows_bytes(ring.n(), ring.spec().moduli),
                  "ciphertext");
  std::optional<Seed> seed;
  if (seeded) seed = read_seed(reader, "ciphertext.seed");
  Ciphertext result(context, size);
  read_polynomials(*context, ring, result.data(), stored, reader, "ciphertext part");
  reader.finish("ciphertext");
  if (seeded) context->backend().sample_uniform(ring, {*seed, Domain::encrypt_a, 0}, result.part(1));
  result.set_noise(noise);
  result.set_seed(seed);
  return result;
}

}  // namespace nttforge::bfv
