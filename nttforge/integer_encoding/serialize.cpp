// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/serialize.hpp"

#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/rlwe/format.hpp"
#include "nttforge/rlwe/payload.hpp"

namespace nttforge::integer_encoding {
namespace {

constexpr std::size_t kPlaintextFields = 8;

}  // namespace

std::vector<std::uint8_t> to_bytes(const Plaintext& object) {
  const StackWipe wipe(StackDepth::shallow);
  if (object.empty()) throw ContextError("plaintext is empty: assign it before use");
  const IntegerContext& context = *object.context();
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
  return seal(context, ObjectKind::plaintext, payload);
}

Plaintext plaintext_from_bytes(IntegerContextPtr context, std::span<const std::uint8_t> bytes) {
  const StackWipe wipe(StackDepth::shallow);
  const auto payload = open_object(context, ObjectKind::plaintext, bytes);
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

}  // namespace nttforge::integer_encoding
