// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/batch_encoder.hpp"

#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/integer_encoding/encode.hpp"

namespace nttforge::integer_encoding {
namespace {

Plaintext transform_slots(const IntegerContextPtr& context, const DeviceArray& by_slot, std::size_t batch,
                          const PermutationTables& slot) {
  const Queue& queue = context->queue();
  Plaintext result = Plaintext::uninitialized(context, Encoding::slots, batch);
  queue.gather(slot, by_slot.data(), result.data(), batch);
  queue.inverse(context->ring_t(), result.data(), batch);
  return result;
}

template <class T>
Plaintext upload_slots(const IntegerContextPtr& context, std::span<const T> values, std::size_t batch,
                       const PermutationTables& slot) {
  require_batch(batch);
  DeviceArray by_slot = context->queue().allocate_secret(batch * context->n());
  upload_values(*context, values, batch, by_slot.data());
  return transform_slots(context, by_slot, batch, slot);
}

/// The values of a plaintext in the order of its slots, and as many words more.
DeviceArray slots_of(const IntegerContext& context, const Plaintext& plaintext,
                     const PermutationTables& position) {
  require_compatible(context, plaintext.context(), "plaintext");
  require_same_encoding(Encoding::slots, "this encoder's data", plaintext.encoding(), "plaintext");
  const Queue& queue = context.queue();
  const std::size_t words = plaintext.words();
  DeviceArray by_slot = queue.allocate_secret(2 * words);
  const WordPtr values = by_slot.data() + words;
  queue.forward_into(context.ring_t(), plaintext.data(), values, plaintext.batch());
  queue.gather(position, values, by_slot.data(), plaintext.batch());
  return by_slot;
}

}  // namespace

BatchEncoder::BatchEncoder(IntegerContextPtr context) : context_(std::move(context)) {
  require_context(context_);
  context_->ring_t();  // throws without batching
  position_ = context_->slot_tables().position;
  slot_ = context_->slot_tables().slot;
}

Plaintext BatchEncoder::encode(std::span<const std::uint64_t> values, std::size_t batch) const {
  const StackWipe wipe(StackDepth::shallow);
  return upload_slots(context_, values, batch, *slot_);
}

Plaintext BatchEncoder::encode(std::span<const std::int64_t> values, std::size_t batch) const {
  const StackWipe wipe(StackDepth::shallow);
  return upload_slots(context_, values, batch, *slot_);
}

Plaintext BatchEncoder::encode(const DeviceIntegers& values) const {
  const StackWipe wipe(StackDepth::shallow);
  require_batch(values.batch);
  DeviceArray by_slot = context_->queue().allocate_secret(values.batch * context_->n());
  reduce_on_device(*context_, values, by_slot.data());
  return transform_slots(context_, by_slot, values.batch, *slot_);
}

void BatchEncoder::decode(const Plaintext& plaintext, std::span<std::uint64_t> out) const {
  const StackWipe wipe(StackDepth::shallow);
  require_compatible(*context_, plaintext.context(), "plaintext");
  require_same_encoding(Encoding::slots, "this encoder's data", plaintext.encoding(), "plaintext");
  require_values(out.size(), plaintext);
  const DeviceArray by_slot = slots_of(*context_, plaintext, *position_);
  context_->queue().download(by_slot.data(), out);
}

void BatchEncoder::decode(const Plaintext& plaintext, WordPtr out, bool centred) const {
  const StackWipe wipe(StackDepth::shallow);
  const DeviceArray by_slot = slots_of(*context_, plaintext, *position_);
  write_on_device(*context_, by_slot.data(), plaintext.words(), out, centred);
}

void BatchEncoder::decode_signed(const Plaintext& plaintext, std::span<std::int64_t> out) const {
  decode_centred(*this, plaintext, out);
}

std::vector<std::uint64_t> BatchEncoder::decode(const Plaintext& plaintext) const {
  std::vector<std::uint64_t> result(plaintext.words());
  decode(plaintext, result);
  return result;
}

std::vector<std::int64_t> BatchEncoder::decode_signed(const Plaintext& plaintext) const {
  std::vector<std::int64_t> result(plaintext.words());
  decode_signed(plaintext, result);
  return result;
}

}  // namespace nttforge::integer_encoding
