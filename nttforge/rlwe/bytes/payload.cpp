// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/bytes/payload.hpp"

#include <algorithm>
#include <limits>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/rlwe/bytes/format.hpp"

namespace nttforge::rlwe {
namespace {

std::string text(std::uint64_t value) { return std::to_string(value); }

}  // namespace

const RlweContext& require_object(const RlweContextPtr& context, std::string_view what) {
  if (context == nullptr) throw ContextError(std::string(what) + " is empty: assign it before use");
  return *context;
}

void require_header(const RlweContextPtr& context, ObjectKind kind, const ObjectHeader& header) {
  if (header.kind != kind)
    throw FormatError("header.kind: the bytes hold " + std::string(object_kind_name(header.kind)) +
                      ", expected " + std::string(object_kind_name(kind)));
  if (header.scheme != context->parameters().scheme)
    throw FormatError("header.scheme: the bytes hold an object of " +
                      std::string(scheme_name(header.scheme)) + ", this context is of " +
                      std::string(scheme_name(context->parameters().scheme)));
  if (header.fingerprint != context->fingerprint())
    throw ContextError("header.fingerprint: the " + std::string(object_kind_name(kind)) +
                       " was made with other parameters than this context (" +
                       context->parameters().describe() + ")");
}

std::span<const std::uint8_t> open_object(const RlweContextPtr& context, ObjectKind kind,
                                          std::span<const std::uint8_t> bytes) {
  if (context == nullptr) throw ContextError("context is null: make one with Context::create");
  const ObjectHeader header = read_header(bytes);
  require_header(context, kind, header);
  return bytes.subspan(kHeaderBytes, header.payload_bytes);
}

std::vector<std::uint8_t> seal(const RlweContext& context, ObjectKind kind,
                               std::span<const std::uint8_t> payload) {
  return seal(context.parameters().scheme, kind, context.fingerprint(), payload);
}

Encoding read_encoding(ByteReader& reader, const RlweContext& context, const std::string& what) {
  const std::uint8_t value = reader.u8(what + ".encoding");
  if (value != static_cast<std::uint8_t>(Encoding::slots) &&
      value != static_cast<std::uint8_t>(Encoding::coefficients))
    throw FormatError(what + ".encoding = " + text(value) + " must be 1 (slots) or 2 (coefficients)");
  try {
    context.require_encoding(static_cast<Encoding>(value));
  } catch (const UnsupportedError& error) {
    throw FormatError(what + ".encoding = " + text(value) + ": " + error.what());
  }
  return static_cast<Encoding>(value);
}

std::size_t read_batch(ByteReader& reader, const std::string& what) {
  const std::uint32_t batch = reader.u32(what + ".batch");
  if (batch < 1 || batch > kMaxBatch)
    throw FormatError(what + ".batch = " + text(batch) + " is out of range [1, " + text(kMaxBatch) + "]");
  return batch;
}

void require_payload(std::uint64_t actual, std::uint64_t expected, std::string_view what) {
  if (actual != expected)
    throw FormatError(std::string(what) + ": the payload has " + text(actual) +
                      " bytes, these parameters need " + text(expected));
}

void require_addressable(std::uint64_t bytes, std::string_view what) {
  if (bytes > std::numeric_limits<std::size_t>::max())
    throw FormatError(std::string(what) + ": " + text(bytes) +
                      " bytes in memory are more than this machine has addresses for");
}

void write_polynomials(const RlweContext& context, const RingTables& ring, ConstWordPtr data,
                       std::size_t batch, ByteWriter& writer) {
  std::vector<std::uint64_t> host(batch * ring.words());
  context.queue().download(data, host);
  for (std::size_t row = 0; row < batch * ring.limbs(); ++row)
    pack_row(std::span(host).subspan(row * ring.n(), ring.n()), ring.spec().moduli[row % ring.limbs()],
             writer);
}

void read_polynomials(const RlweContext& context, const RingTables& ring, WordPtr data, std::size_t stride,
                      std::size_t batch, ByteReader& reader,
                      const std::function<std::string(std::size_t b)>& name) {
  const std::vector<std::uint64_t>& moduli = ring.spec().moduli;
  const auto packed = reader.bytes(batch * rows_bytes(ring.n(), moduli), name(0));
  if (context.queue().unpack(ring, packed, data, stride, batch)) return;
  ByteReader again(packed);
  SecretVector<std::uint64_t> row(ring.n());
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t j = 0; j < moduli.size(); ++j)
      unpack_row(again, moduli[j], row, name(b) + " limb " + text(j));
  throw Error("residues were out of range and are not any more: the memory is unreliable");
}

const Seed& require_seed(const std::optional<Seed>& seed, const std::string& what) {
  if (!seed.has_value())
    throw UnsupportedError("the " + what +
                           " has the words of another library and no seed, which its bytes would begin with: "
                           "keep the bytes that it was read from, and read them again");
  return *seed;
}

void write_seed(const Seed& seed, ByteWriter& writer) { writer.bytes(seed.bytes); }

Seed read_seed(ByteReader& reader, std::string_view what) {
  Seed seed;
  const auto bytes = reader.bytes(seed.bytes.size(), what);
  std::copy(bytes.begin(), bytes.end(), seed.bytes.begin());
  return seed;
}

}  // namespace nttforge::rlwe
