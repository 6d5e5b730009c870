// SPDX-License-Identifier: Apache-2.0
// Parameters, the secret and the public key to and from bytes; evaluation keys are in serialize_keys.cpp,
// ciphertexts in serialize_ciphertext.cpp and read_ciphertext.cpp.

#include "nttforge/rlwe/serialize.hpp"

#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/rlwe/bytes/format.hpp"
#include "nttforge/rlwe/bytes/payload.hpp"

namespace nttforge::rlwe {
namespace {

constexpr std::size_t kPublicKeyDigits = 0;
constexpr std::size_t kKeyShapeBytes = 8;

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
  object.validate();
  const auto payload = object.canonical_bytes();
  return seal(object.scheme, ObjectKind::parameters, checksum64(payload), payload);
}

void read_stored(std::span<const std::uint8_t> bytes, RlweParameters& parameters) {
  const Scheme scheme = parameters.scheme;
  const ObjectHeader header = read_header(bytes);
  if (header.kind != ObjectKind::parameters)
    throw FormatError("header.kind: the bytes hold " + std::string(object_kind_name(header.kind)) +
                      ", expected parameters");
  const auto require_scheme = [&](Scheme of_bytes) {
    if (of_bytes != scheme)
      throw FormatError("header.scheme: the bytes hold parameters of " + std::string(scheme_name(of_bytes)) +
                        ", expected " + std::string(scheme_name(scheme)));
  };
  require_scheme(header.scheme);
  const auto payload = bytes.subspan(kHeaderBytes, header.payload_bytes);
  if (header.fingerprint != checksum64(payload))
    throw FormatError("header.fingerprint does not match the parameters");
  ByteReader reader(payload);
  read_parameters(reader, parameters);
  reader.finish("parameters");
  require_scheme(parameters.scheme);
}

void require_security_claim(const RlweParameters& parameters, bool allow_insecure, SecurityTable table) {
  if (allow_insecure) return;
  if (parameters.security == SecurityLevel::insecure_by_request)
    throw ParameterError("these parameters claim no security level (" + parameters.describe() +
                         "): pass allow_insecure = true if you ask for that");
  if (parameters.security_table >= table) return;  // tables are numbered from the weakest to the strictest
  const SecurityVerdict verdict = parameters.security_verdict(table);
  if (verdict.bits < security_level_bits(parameters.security))
    throw ParameterError("these parameters (" + parameters.describe() +
                         ") do not reach that level by the table that is asked for: " + verdict.reason +
                         "; have a set made by it, or pass security_table = " +
                         std::string(security_table_name(parameters.security_table)) +
                         " if you accept theirs");
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
  writer.u16(static_cast<std::uint16_t>(context.key_limbs()));
  writer.u16(static_cast<std::uint16_t>(kPublicKeyDigits));
  writer.u32(1);
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
  require_field(reader.u16("public key.primes"), context->key_limbs(), "public key.primes");
  require_field(reader.u16("public key.digits"), kPublicKeyDigits, "public key.digits");
  require_field(reader.u32("public key.count"), 1, "public key.count");
  const Seed seed = read_seed(reader, "public key.seed");
  DeviceArray words = context->queue().allocate(ring, 2);
  read_polynomials(*context, ring, words.data(), ring.words(), 1, reader,
                   [](std::size_t) { return std::string("public key[0]"); });
  reader.finish("public key");
  context->queue().sample_uniform(ring, {seed, Domain::public_key_a, 0}, words.data() + ring.words());
  return PublicKey(std::move(context), std::move(words), seed);
}

}  // namespace nttforge::rlwe
