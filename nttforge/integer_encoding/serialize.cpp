// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/serialize.hpp"

#include <span>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/rlwe/bytes/format.hpp"
#include "nttforge/rlwe/bytes/payload.hpp"

namespace nttforge::integer_encoding {
namespace {

constexpr std::size_t kPlaintextFields = 8;

}  // namespace

std::vector<std::uint8_t> to_bytes(const Plaintext& object) {
  const StackWipe wipe(StackDepth::shallow);
  if (object.empty()) throw ContextError("plaintext is empty: assign it before use");
  const IntegerContext& context = *object.context();
  const std::size_t n = context.n();
  SecretVector<std::uint64_t> coefficients(object.words());
  object.coefficients(coefficients);
  ByteWriter writer;
  writer.reserve(kPlaintextFields + object.batch() * row_bytes(n, context.t()));
  writer.u8(static_cast<std::uint8_t>(object.encoding()));
  writer.u8(static_cast<std::uint8_t>(Form::coefficients));
  writer.u16(0);
  writer.u32(static_cast<std::uint32_t>(object.batch()));
  for (std::size_t e = 0; e < object.batch(); ++e)
    pack_row(std::span(coefficients).subspan(e * n, n), context.t(), writer);
  auto payload = writer.take();
  const WipeAtExit wipe_payload(payload);
  return seal(context, ObjectKind::plaintext, payload);
}

ObjectSizes IntegerParameters::serialized_sizes(std::size_t batch, std::size_t level) const {
  ObjectSizes sizes = RlweParameters::serialized_sizes(batch, level);
  sizes.plaintext = kHeaderBytes + kPlaintextFields + batch * row_bytes(n, t) + kChecksumBytes;
  return sizes;
}

Plaintext plaintext_from_bytes(IntegerContextPtr context, std::span<const std::uint8_t> bytes) {
  const StackWipe wipe(StackDepth::shallow);
  const auto payload = open_object(context, ObjectKind::plaintext, bytes);
  ByteReader reader(payload);
  const Encoding encoding = read_encoding(reader, *context, "plaintext");
  require_field(reader.u8("plaintext.form"), static_cast<std::uint8_t>(Form::coefficients), "plaintext.form");
  require_field(reader.u16("plaintext.reserved"), 0, "plaintext.reserved");
  const std::size_t batch = read_batch(reader, "plaintext"), n = context->n();
  require_payload(payload.size(), kPlaintextFields + std::uint64_t{batch} * row_bytes(n, context->t()),
                  "plaintext");
  require_addressable(std::uint64_t{batch} * n * sizeof(std::uint64_t), "plaintext");
  SecretVector<std::uint64_t> coefficients(batch * n);
  for (std::size_t e = 0; e < batch; ++e)
    unpack_row(reader, context->t(), std::span(coefficients).subspan(e * n, n),
               batch == 1 ? "plaintext" : "plaintext element " + std::to_string(e));
  reader.finish("plaintext");
  return Plaintext(std::move(context), coefficients, encoding, batch);
}

}  // namespace nttforge::integer_encoding
