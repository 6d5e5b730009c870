// SPDX-License-Identifier: Apache-2.0
// Parameters and keys to and from bytes; ciphertexts are in serialize_ciphertext.cpp.

#include "nttforge/rlwe/serialize.hpp"

#include <algorithm>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/rlwe/bytes/format.hpp"
#include "nttforge/rlwe/bytes/payload.hpp"

namespace nttforge::rlwe {
namespace {

constexpr std::size_t kPublicKeyDigits = 0;
constexpr std::size_t kKeyShapeBytes = 8;
constexpr std::size_t kBundleBytes = 8;
constexpr std::uint32_t kHasRelinearization = 1, kHasRotations = 2;  // bits of a bundle's parts

std::string text(std::uint64_t value) { return std::to_string(value); }

std::size_t key_switch_bytes(const RlweContext& context) {
  return 32 + context.parameters().digits() * rows_bytes(context.n(), context.ring_key().spec().moduli);
}

/// What a key consists of; today all primes of its context, so a loader can check it.
void write_key_shape(const RlweContext& context, std::size_t digits, std::uint32_t count,
                     ByteWriter& writer) {
  writer.u16(static_cast<std::uint16_t>(context.key_limbs()));
  writer.u16(static_cast<std::uint16_t>(digits));
  writer.u32(count);
}

/// Returns the number of keys.
std::uint32_t read_key_shape(const RlweContext& context, std::size_t digits, ByteReader& reader,
                             const std::string& what) {
  require_field(reader.u16(what + ".primes"), context.key_limbs(), what + ".primes");
  require_field(reader.u16(what + ".digits"), digits, what + ".digits");
  return reader.u32(what + ".count");
}

/// Bytes of keys have a seed in place of what follows from it.
const Seed& require_seed(const std::optional<Seed>& seed, const std::string& what) {
  if (!seed.has_value())
    throw UnsupportedError("the " + what +
                           " has the words of another library and no seed, which its bytes would begin with: "
                           "keep the bytes that it was read from, and read them again");
  return *seed;
}

void write_key_switch_key(const KeySwitchKey& key, ByteWriter& writer) {
  const RlweContext& context = *key.context();
  const RingTables& ring = context.ring_key();
  write_seed(require_seed(key.seed(), "key"), writer);
  const DeviceArray words = key.words();
  for (std::size_t i = 0; i < context.parameters().digits(); ++i) {
    poll_interrupt();
    write_polynomials(context, ring, words.data() + i * 2 * ring.words(), 1, writer);
  }
}

KeySwitchKey read_key_switch_key(const RlweContextPtr& context, std::uint32_t purpose, ByteReader& reader,
                                 const std::string& what) {
  const RingTables& ring = context->ring_key();
  const Queue& queue = context->queue();
  const Seed seed = read_seed(reader, what + ".seed");
  const std::size_t digits = context->parameters().digits();
  DeviceArray words = queue.allocate(ring, digits * 2);
  read_polynomials(*context, ring, words.data(), 2 * ring.words(), digits, reader,
                   [&](std::size_t i) { return what + " digit " + text(i) + "[0]"; });
  queue.sample_uniforms(ring, {seed, Domain::key_switch_a, purpose << 8}, words.data() + ring.words(),
                        2 * ring.words(), digits);
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

}  // namespace

std::vector<std::uint8_t> to_bytes(const RlweParameters& object) {
  check_ring(object);
  check_security(object);
  const auto payload = canonical_bytes(object);
  return seal(object.scheme, ObjectKind::parameters, checksum64(payload), payload);
}

RlweParameters stored_parameters(std::span<const std::uint8_t> bytes, Scheme scheme) {
  const ObjectHeader header = read_header(bytes);
  require_first_version(header);
  if (header.kind != ObjectKind::parameters)
    throw FormatError("header.kind: the bytes hold " + std::string(object_kind_name(header.kind)) +
                      ", expected parameters");
  const auto payload = bytes.subspan(kHeaderBytes, header.payload_bytes);
  if (header.fingerprint != checksum64(payload))
    throw FormatError("header.fingerprint does not match the parameters");
  ByteReader reader(payload);
  RlweParameters parameters = read_parameters(reader);
  reader.finish("parameters");
  if (header.scheme != scheme || parameters.scheme != scheme)
    throw FormatError("header.scheme: the bytes hold parameters of " +
                      std::string(scheme_name(header.scheme)) + ", expected " +
                      std::string(scheme_name(scheme)));
  return parameters;
}

void require_security_claim(const RlweParameters& parameters, bool allow_insecure) {
  if (parameters.security == SecurityLevel::insecure_by_request && !allow_insecure)
    throw ParameterError("these parameters claim no security level (" + parameters.describe() +
                         "): pass allow_insecure = true if you ask for that");
}

std::vector<std::uint8_t> to_bytes(const SecretKey& object) {
  const StackWipe wipe(StackDepth::shallow);
  const RlweContext& context = require_object(object.context(), "secret key");
  const Queue& queue = context.queue();
  const RingTables& ring = context.ring_key();
  DeviceArray words = queue.allocate_secret(ring, 1);
  queue.copy(object.data(), words.data(), ring.words());
  queue.inverse(ring, words.data(), 1);
  SecretVector<std::uint64_t> host(ring.words());
  queue.download(words.data(), host);
  SecretVector<std::uint8_t> payload((2 * context.n() + 7) / 8, 0);
  pack_secret(std::span(host).first(context.n()), payload);
  return seal(context, ObjectKind::secret_key, payload);
}

SecretKey secret_key_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes) {
  const StackWipe wipe(StackDepth::shallow);
  const auto payload = open_object(context, ObjectKind::secret_key, bytes);
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
  const RlweContext& context = require_object(object.context(), "public key");
  ByteWriter writer;
  write_key_shape(context, kPublicKeyDigits, 1, writer);
  write_seed(require_seed(object.seed(), "public key"), writer);
  write_polynomials(context, context.ring_key(), object.data(), 1, writer);
  return seal(context, ObjectKind::public_key, writer.data());
}

PublicKey public_key_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes) {
  const auto payload = open_object(context, ObjectKind::public_key, bytes);
  const RingTables& ring = context->ring_key();
  require_payload(payload.size(), kKeyShapeBytes + 32 + rows_bytes(ring.n(), ring.spec().moduli),
                  "public key");
  ByteReader reader(payload);
  require_field(read_key_shape(*context, kPublicKeyDigits, reader, "public key"), 1, "public key.count");
  const Seed seed = read_seed(reader, "public key.seed");
  DeviceArray words = context->queue().allocate(ring, 2);
  read_polynomials(*context, ring, words.data(), ring.words(), 1, reader,
                   [](std::size_t) { return std::string("public key[0]"); });
  reader.finish("public key");
  context->queue().sample_uniform(ring, {seed, Domain::public_key_a, 0}, words.data() + ring.words());
  return PublicKey(std::move(context), std::move(words), seed);
}

namespace {

void write_relinearization(const RelinearizationKey& key, ByteWriter& writer) {
  write_key_shape(*key.context(), key.context()->parameters().digits(), 1, writer);
  write_key_switch_key(key.key(), writer);
}

RelinearizationKey read_relinearization(const RlweContextPtr& context, ByteReader& reader) {
  const std::uint32_t count =
      read_key_shape(*context, context->parameters().digits(), reader, "relinearization key");
  require_field(count, 1, "relinearization key.count");
  return RelinearizationKey(read_key_switch_key(context, 0, reader, "relinearization key"));
}

std::size_t rotations_bytes(const RlweContext& context, std::size_t count) {
  return kKeyShapeBytes + count * (8 + key_switch_bytes(context));
}

void write_rotations(const RotationKeys& keys, ByteWriter& writer) {
  const RlweContext& context = *keys.context();
  const auto elements = keys.elements();
  write_key_shape(context, context.parameters().digits(), static_cast<std::uint32_t>(elements.size()),
                  writer);
  for (std::uint64_t element : elements) {
    writer.u64(element);
    write_key_switch_key(keys.key(element), writer);
  }
}

/// The rest of the payload is rotation keys; `bytes` of it are left.
RotationKeys read_rotations(const RlweContextPtr& context, ByteReader& reader, std::size_t bytes,
                            std::optional<std::size_t> offload) {
  const std::uint64_t count =
      read_key_shape(*context, context->parameters().digits(), reader, "rotation keys");
  if (count > context->n())
    throw FormatError("rotation keys.count = " + text(count) + " exceeds the " + text(context->n()) +
                      " Galois elements of this ring");
  require_payload(bytes, rotations_bytes(*context, count), "rotation keys");
  context->require_evaluation_keys();
  require_memory_of_keys(*context, count, offload);
  RotationKeys keys(context);
  if (offload.has_value()) keys.offload(*offload);
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
  return keys;
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const RelinearizationKey& object) {
  const RlweContext& context = require_object(object.context(), "relinearization key");
  ByteWriter writer;
  write_relinearization(object, writer);
  return seal(context, ObjectKind::relinearization_key, writer.data());
}

RelinearizationKey relinearization_key_from_bytes(RlweContextPtr context,
                                                  std::span<const std::uint8_t> bytes) {
  const auto payload = open_object(context, ObjectKind::relinearization_key, bytes);
  require_payload(payload.size(), kKeyShapeBytes + key_switch_bytes(*context), "relinearization key");
  context->require_evaluation_keys();
  ByteReader reader(payload);
  RelinearizationKey key = read_relinearization(context, reader);
  reader.finish("relinearization key");
  return key;
}

std::vector<std::uint8_t> to_bytes(const RotationKeys& object) {
  const RlweContext& context = require_object(object.context(), "rotation keys");
  const std::size_t count = object.elements().size(), bytes = rotations_bytes(context, count);
  require_memory(2 * bytes, "the bytes of " + text(count) + " rotation keys and a copy of them");
  ByteWriter writer;
  writer.reserve(bytes);
  write_rotations(object, writer);
  return seal(context, ObjectKind::rotation_keys, writer.data());
}

RotationKeys rotation_keys_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes,
                                      std::optional<std::size_t> offload) {
  const auto payload = open_object(context, ObjectKind::rotation_keys, bytes);
  ByteReader reader(payload);
  RotationKeys keys = read_rotations(context, reader, payload.size(), offload);
  reader.finish("rotation keys");
  return keys;
}

std::vector<std::uint8_t> to_bytes(const EvaluationKeys& object) {
  const RlweContext& context = require_object(object.context(), "evaluation keys");
  const bool relinearizes = !object.relinearization.empty(), rotates = object.rotations.context() != nullptr;
  if (relinearizes && rotates) require_compatible(context, object.rotations.context(), "rotation keys");
  const std::size_t count = object.rotations.elements().size();
  std::size_t bytes = kBundleBytes;
  if (relinearizes) bytes += kKeyShapeBytes + key_switch_bytes(context);
  if (rotates) bytes += rotations_bytes(context, count);
  require_memory(2 * bytes, "the bytes of the evaluation keys and a copy of them");
  ByteWriter writer;
  writer.reserve(bytes);
  writer.u32((relinearizes ? kHasRelinearization : 0u) | (rotates ? kHasRotations : 0u));
  writer.u32(0);
  if (relinearizes) write_relinearization(object.relinearization, writer);
  if (rotates) write_rotations(object.rotations, writer);
  return seal(context, ObjectKind::evaluation_keys, writer.data());
}

EvaluationKeys evaluation_keys_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes,
                                          std::optional<std::size_t> offload) {
  const auto payload = open_object(context, ObjectKind::evaluation_keys, bytes);
  ByteReader reader(payload);
  const std::uint32_t parts = reader.u32("evaluation keys.parts");
  if (parts == 0 || parts > (kHasRelinearization | kHasRotations))
    throw FormatError("evaluation keys.parts = " + text(parts) + " is out of range [1, 3]");
  require_field(reader.u32("evaluation keys.reserved"), 0, "evaluation keys.reserved");
  const bool relinearizes = (parts & kHasRelinearization) != 0, rotates = (parts & kHasRotations) != 0;
  const std::size_t own = kBundleBytes + (relinearizes ? kKeyShapeBytes + key_switch_bytes(*context) : 0);
  if (payload.size() < own || (!rotates && payload.size() != own))
    throw FormatError("evaluation keys: the payload has " + text(payload.size()) +
                      " bytes, these parameters need " + text(own) + (rotates ? " or more" : ""));
  context->require_evaluation_keys();
  EvaluationKeys keys;
  if (relinearizes) keys.relinearization = read_relinearization(context, reader);
  if (relinearizes && offload.has_value()) keys.relinearization.offload(std::min<std::size_t>(*offload, 1));
  if (rotates) keys.rotations = read_rotations(context, reader, payload.size() - own, offload);
  reader.finish("evaluation keys");
  return keys;
}

}  // namespace nttforge::rlwe
