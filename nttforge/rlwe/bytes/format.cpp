// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/bytes/format.hpp"

#include <bit>
#include <limits>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/text/bits.hpp"

namespace nttforge::rlwe {
namespace {

constexpr std::uint32_t kMaxStoredLimbs = 64;
constexpr std::uint32_t kMaxStoredLevels = 128;
constexpr std::uint32_t kMaxStoredSpecial = 24;

std::string text(std::uint64_t value) { return std::to_string(value); }

Scheme read_scheme(std::uint16_t value, std::string_view what) {
  if (value < static_cast<std::uint16_t>(Scheme::bfv) || value > static_cast<std::uint16_t>(Scheme::ckks))
    throw FormatError(std::string(what) + " = " + text(value) +
                      " is not supported, this build reads 1 (BFV), 2 (BGV) and 3 (CKKS)");
  return static_cast<Scheme>(value);
}

}  // namespace

void require_field(std::uint64_t value, std::uint64_t expected, std::string_view what) {
  if (value != expected)
    throw FormatError(std::string(what) + " = " + text(value) + " must be " + text(expected) +
                      " in this version of the format");
}

std::vector<std::uint8_t> RlweParameters::canonical_bytes() const {
  ByteWriter writer;
  writer.u64(n);
  writer.u64(plain_number());
  writer.u16(static_cast<std::uint16_t>(scheme));
  writer.u8(static_cast<std::uint8_t>(word_bits));
  writer.u8(static_cast<std::uint8_t>(secret.kind));
  writer.u8(static_cast<std::uint8_t>(error));
  writer.u8(static_cast<std::uint8_t>(security));
  writer.u8(static_cast<std::uint8_t>(security_table));
  writer.u8(static_cast<std::uint8_t>(digit_primes));
  writer.u16(static_cast<std::uint16_t>(q.size()));
  writer.u16(static_cast<std::uint16_t>(special.size()));
  writer.u32(secret.weight);
  writer.words(q);
  writer.words(special);
  if (approximate()) {
    writer.u16(static_cast<std::uint16_t>(levels.size()));
    for (const Window& w : levels) {
      writer.u8(static_cast<std::uint8_t>(w.first));
      writer.u8(static_cast<std::uint8_t>(w.last));
    }
    const std::vector<std::uint64_t> further = further_numbers();
    writer.u16(static_cast<std::uint16_t>(further.size()));
    writer.words(further);
  }
  return writer.take();
}

void read_parameters(ByteReader& reader, RlweParameters& parameters) {
  const std::uint64_t n = reader.u64("parameters.n");
  if (n > std::numeric_limits<std::uint32_t>::max())
    throw FormatError("parameters.n = " + text(n) + " is out of range [2, 131072]");
  parameters.n = static_cast<std::size_t>(n);
  parameters.set_plain_number(reader.u64("parameters.t"));
  parameters.scheme = read_scheme(reader.u16("parameters.scheme"), "parameters.scheme");
  parameters.word_bits = reader.u8("parameters.word bits");
  if (parameters.word_bits != 64 && parameters.word_bits != 32)
    throw FormatError("parameters.word bits = " + text(parameters.word_bits) + " must be 32 or 64");
  parameters.secret.kind = static_cast<SecretDistribution::Kind>(reader.u8("parameters.secret"));
  parameters.error = static_cast<ErrorDistribution>(reader.u8("parameters.error"));
  parameters.security = static_cast<SecurityLevel>(reader.u8("parameters.security"));
  parameters.security_table = static_cast<SecurityTable>(reader.u8("parameters.security_table"));
  parameters.digit_primes = reader.u8("parameters.primes of a digit");
  if (parameters.digit_primes == 0 || parameters.digit_primes > kMaxStoredSpecial)
    throw FormatError("parameters.primes of a digit = " + text(parameters.digit_primes) +
                      " is out of range [1, " + text(kMaxStoredSpecial) + "]");
  const std::uint16_t count = reader.u16("parameters.ciphertext primes");
  if (count == 0 || count > kMaxStoredLimbs)
    throw FormatError("parameters.ciphertext primes = " + text(count) + " is out of range [1, " +
                      text(kMaxStoredLimbs) + "]");
  const std::uint16_t special = reader.u16("parameters.special primes");
  if (special > kMaxStoredSpecial)
    throw FormatError("parameters.special primes = " + text(special) + " is out of range [0, " +
                      text(kMaxStoredSpecial) + "]");
  parameters.secret.weight = reader.u32("parameters.secret weight");
  parameters.q.resize(count);
  reader.words(parameters.q, "parameters.q");
  parameters.special.resize(special);
  reader.words(parameters.special, "parameters.p");
  if (!parameters.approximate()) return;
  const std::uint16_t levels = reader.u16("parameters.levels");
  if (levels > kMaxStoredLevels)
    throw FormatError("parameters.levels = " + text(levels) + " is out of range [0, " +
                      text(kMaxStoredLevels) + "]");
  parameters.levels.resize(levels);
  for (Window& w : parameters.levels) {
    w.first = reader.u8("parameters.first prime of a level");
    w.last = reader.u8("parameters.last prime of a level");
  }
  const std::uint16_t further = reader.u16("parameters.scales");
  if (further > kMaxStoredLevels)
    throw FormatError("parameters.scales = " + text(further) + " is out of range [0, " +
                      text(kMaxStoredLevels) + "]");
  std::vector<std::uint64_t> numbers(further);
  reader.words(numbers, "parameters.scales");
  parameters.set_further_numbers(numbers);
}

std::size_t row_bytes(std::size_t n, std::uint64_t modulus) { return packed_bytes(n, modulus); }

std::size_t rows_bytes(std::size_t n, std::span<const std::uint64_t> moduli) {
  std::size_t total = 0;
  for (std::uint64_t modulus : moduli) total += row_bytes(n, modulus);
  return total;
}

void pack_row(std::span<const std::uint64_t> row, std::uint64_t modulus, ByteWriter& writer) {
  pack_residues(row, modulus, writer.space(row_bytes(row.size(), modulus)));
}

void unpack_row(ByteReader& reader, std::uint64_t modulus, std::span<std::uint64_t> row,
                std::string_view what) {
  if (unpack_residues(reader.bytes(row_bytes(row.size(), modulus), what), modulus, row)) return;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] >= modulus)
      throw FormatError(std::string(what) + ": value " + text(row[i]) + " at position " + text(i) +
                        " is not below its modulus " + text(modulus));
  throw FormatError(std::string(what) + ": padding bits after the last value are not zero");
}

void write_header(const ObjectHeader& header, ByteWriter& writer) {
  writer.u64(kMagic);
  writer.u16(header.version);
  writer.u16(static_cast<std::uint16_t>(header.scheme));
  writer.u16(static_cast<std::uint16_t>(header.kind));
  writer.u16(0);
  writer.u64(header.fingerprint);
  writer.u64(header.payload_bytes);
}

std::vector<std::uint8_t> seal(Scheme scheme, ObjectKind kind, std::uint64_t fingerprint,
                               std::span<const std::uint8_t> payload) {
  ByteWriter writer;
  writer.reserve(kHeaderBytes + payload.size() + kChecksumBytes);  // the payload may be a secret key
  write_header({kVersion, scheme, kind, fingerprint, payload.size()}, writer);
  writer.bytes(payload);
  const std::uint64_t checksum = checksum64(writer.data());
  writer.u64(checksum);
  return writer.take();
}

std::string_view object_kind_name(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::parameters:
      return "parameters";
    case ObjectKind::secret_key:
      return "secret key";
    case ObjectKind::public_key:
      return "public key";
    case ObjectKind::relinearization_key:
      return "relinearization key";
    case ObjectKind::rotation_keys:
      return "rotation keys";
    case ObjectKind::plaintext:
      return "plaintext";
    case ObjectKind::ciphertext:
      return "ciphertext";
    case ObjectKind::evaluation_keys:
      return "evaluation keys";
    case ObjectKind::key_switch_key:
      return "key-switching key";
    case ObjectKind::bootstrap_keys:
      return "bootstrap keys";
  }
  throw ParameterError("unknown object kind " + text(static_cast<std::uint64_t>(kind)));
}

ObjectHeader parse_header(std::span<const std::uint8_t> bytes) {
  ByteReader reader(bytes);
  const std::uint64_t magic = reader.u64("header.magic");
  if (magic != kMagic)
    throw FormatError("header.magic: these bytes are not an object of this library (expected \"nttforge\")");
  ObjectHeader header;
  header.version = reader.u16("header.version");
  if (header.version != kVersion)
    throw FormatError("header.version = " + text(header.version) +
                      " is not supported, this build reads version " + text(kVersion) + ": " +
                      (header.version > kVersion
                           ? "a newer release wrote these bytes, so update nttforge, or have the "
                             "object written again by a release of that version"
                           : "no release wrote such bytes, so make the object again"));
  header.scheme = read_scheme(reader.u16("header.scheme"), "header.scheme");
  const std::uint16_t kind = reader.u16("header.kind");
  if (kind < 1 || kind > 10) throw FormatError("header.kind = " + text(kind) + " is out of range [1, 10]");
  header.kind = static_cast<ObjectKind>(kind);
  require_field(reader.u16("header.reserved"), 0, "header.reserved");
  header.fingerprint = reader.u64("header.fingerprint");
  header.payload_bytes = reader.u64("header.payload_bytes");
  return header;
}

ObjectHeader read_header(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kHeaderBytes + kChecksumBytes)
    throw FormatError("header: " + text(bytes.size()) + " bytes are too few, an object has at least " +
                      text(kHeaderBytes + kChecksumBytes) + "; the bytes are truncated");
  const ObjectHeader header = parse_header(bytes.first(kHeaderBytes));
  const std::size_t payload = bytes.size() - kHeaderBytes - kChecksumBytes;
  if (header.payload_bytes != payload)
    throw FormatError("header.payload_bytes = " + text(header.payload_bytes) + " but " + text(payload) +
                      " bytes follow; the bytes are truncated or have something appended");
  ByteReader tail(bytes.last(kChecksumBytes));
  if (tail.u64("checksum") != checksum64(bytes.first(bytes.size() - kChecksumBytes)))
    throw FormatError("checksum does not match: the bytes were altered");
  return header;
}

}  // namespace nttforge::rlwe
