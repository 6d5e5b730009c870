// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/payload.hpp"

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/format.hpp"

namespace nttforge::bfv {
namespace {

std::string text(std::uint64_t value) { return std::to_string(value); }

}  // namespace

const Context& require_object(const ContextPtr& context, std::string_view what) {
  if (context == nullptr) throw ContextError(std::string(what) + " is empty: assign it before use");
  return *context;
}

std::span<const std::uint8_t> open_object(const ContextPtr& context, ObjectKind kind,
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

void write_polynomials(const Context& context, const RingTables& ring, ConstWordPtr data, std::size_t batch,
                       ByteWriter& writer) {
  std::vector<std::uint64_t> host(batch * ring.words());
  context.queue().download(data, host);
  for (std::size_t row = 0; row < batch * ring.limbs(); ++row)
    pack_row(std::span(host).subspan(row * ring.n(), ring.n()), ring.spec().moduli[row % ring.limbs()],
             writer);
}

void read_polynomials(const Context& context, const RingTables& ring, WordPtr data, std::size_t batch,
                      ByteReader& reader, const std::string& what) {
  std::vector<std::uint64_t> host(batch * ring.words());
  for (std::size_t row = 0; row < batch * ring.limbs(); ++row)
    unpack_row(reader, ring.spec().moduli[row % ring.limbs()],
               std::span(host).subspan(row * ring.n(), ring.n()),
               what + "[" + text(row / ring.limbs()) + "] limb " + text(row % ring.limbs()));
  context.queue().upload(host, data);
}

void write_seed(const Seed& seed, ByteWriter& writer) { writer.bytes(seed.bytes); }

Seed read_seed(ByteReader& reader, std::string_view what) {
  Seed seed;
  const auto bytes = reader.bytes(seed.bytes.size(), what);
  std::copy(bytes.begin(), bytes.end(), seed.bytes.begin());
  return seed;
}

}  // namespace nttforge::bfv
