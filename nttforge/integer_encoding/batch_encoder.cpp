// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/batch_encoder.hpp"

#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/integer_encoding/encode.hpp"
#include "nttforge/rlwe/galois.hpp"

namespace nttforge::integer_encoding {
namespace {

Plaintext transform_slots(const IntegerContextPtr& context, std::span<const std::uint64_t> values,
                          const PermutationTables& slot) {
  const Queue& queue = context->queue();
  DeviceArray by_slot = queue.allocate_secret(context->n());
  queue.upload(values, by_slot.data());
  Plaintext result(context, Encoding::slots);
  queue.gather(slot, by_slot.data(), result.data(), 1);
  queue.inverse(context->ring_t(), result.data(), 1);
  return result;
}

}  // namespace

BatchEncoder::BatchEncoder(IntegerContextPtr context) : context_(std::move(context)) {
  require_context(context_);
  context_->ring_t();  // throws without batching
  const std::vector<std::uint32_t> position = slot_positions(context_->n());
  std::vector<std::uint32_t> slot(position.size());
  for (std::size_t i = 0; i < position.size(); ++i) slot[position[i]] = static_cast<std::uint32_t>(i);
  position_ = context_->device().make_permutation(position);
  slot_ = context_->device().make_permutation(slot);
}

Plaintext BatchEncoder::encode(std::span<const std::uint64_t> values) const {
  const StackWipe wipe(StackDepth::shallow);
  return transform_slots(context_, checked_values(*context_, values), *slot_);
}

Plaintext BatchEncoder::encode(std::span<const std::int64_t> values) const {
  const StackWipe wipe(StackDepth::shallow);
  return transform_slots(context_, checked_values(*context_, values), *slot_);
}

void BatchEncoder::decode(const Plaintext& plaintext, std::span<std::uint64_t> out) const {
  const StackWipe wipe(StackDepth::shallow);
  require_compatible(*context_, plaintext.context(), "plaintext");
  require_same_encoding(Encoding::slots, "this encoder's data", plaintext.encoding(), "plaintext");
  if (out.size() != slots())
    throw SizeError("out.size() = " + std::to_string(out.size()) +
                    ", expected n = " + std::to_string(slots()));
  const Queue& queue = context_->queue();
  DeviceArray values = queue.allocate_secret(slots()), by_slot = queue.allocate_secret(slots());
  queue.copy(plaintext.data(), values.data(), slots());
  queue.forward(context_->ring_t(), values.data(), 1);
  queue.gather(*position_, values.data(), by_slot.data(), 1);
  queue.download(by_slot.data(), out);
}

void BatchEncoder::decode_signed(const Plaintext& plaintext, std::span<std::int64_t> out) const {
  decode_centred(*this, plaintext, out);
}

std::vector<std::uint64_t> BatchEncoder::decode(const Plaintext& plaintext) const {
  std::vector<std::uint64_t> result(slots());
  decode(plaintext, result);
  return result;
}

std::vector<std::int64_t> BatchEncoder::decode_signed(const Plaintext& plaintext) const {
  std::vector<std::int64_t> result(slots());
  decode_signed(plaintext, result);
  return result;
}

}  // namespace nttforge::integer_encoding
