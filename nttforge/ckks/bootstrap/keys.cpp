// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/bootstrap/keys.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/ckks/bootstrap/bootstrapper.hpp"
#include "nttforge/rlwe/bytes/format.hpp"
#include "nttforge/rlwe/bytes/key_parts.hpp"
#include "nttforge/rlwe/bytes/payload.hpp"
#include "nttforge/rlwe/galois.hpp"
#include "nttforge/rlwe/offload/key_words.hpp"

namespace nttforge::ckks {
namespace {

using namespace rlwe;  // NOLINT: what keys consist of

/// Galois elements of the rotation keys, and the level of each.
std::map<std::uint64_t, std::size_t> levels_of_elements(const Bootstrapper& bootstrapper) {
  const Context& context = *bootstrapper.context();
  std::map<std::uint64_t, std::size_t> levels;
  for (const auto& [step, level] : bootstrapper.rotation_levels())
    levels[context.rotation_element(step)] = level;
  levels[column_swap_element(context.n())] = bootstrapper.sine_level();
  return levels;
}

/// What the keys depend on beside the parameters of their owner.
std::vector<KeyField> fields_of(const Bootstrapper& bootstrapper, const KeyOwner& owner) {
  const Bootstrap& o = bootstrapper.options();
  std::vector<KeyField> fields = owner.fields;
  const KeyField own[] = {{"slots", 4, o.slots},
                          {"weight of the ephemeral secret", 4, o.weight},
                          {"coefficients first", 1, o.order == SlotsToCoefficients::first ? 1u : 0u},
                          {"levels of the sine", 1, bootstrapper.sine_levels()},
                          {"small keys", 1, o.small_keys ? 1u : 0u},
                          {"number of matrices to slots", 1, o.to_slots.size()},
                          {"number of matrices to coefficients", 1, o.to_coefficients.size()}};
  fields.insert(fields.end(), std::begin(own), std::end(own));
  for (const std::size_t layers : o.to_slots) fields.push_back({"layers of a matrix to slots", 1, layers});
  for (const std::size_t layers : o.to_coefficients)
    fields.push_back({"layers of a matrix to coefficients", 1, layers});
  return fields;
}

RlweContextPtr context_of(const Bootstrapper& bootstrapper, const KeyOwner& owner) {
  return owner.context ? owner.context : bootstrapper.context();
}

std::size_t bytes_of(const std::vector<KeyField>& fields) {
  std::size_t bytes = 0;
  for (const KeyField& field : fields) bytes += field.bytes;
  return bytes;
}

std::size_t payload_bytes(const Bootstrapper& bootstrapper, const KeyOwner& owner) {
  const Context& context = *bootstrapper.context();
  std::size_t bytes = bytes_of(fields_of(bootstrapper, owner)) +
                      pair_key_bytes(context, 1, bootstrapper.ephemeral_special()) +
                      pair_key_bytes(context, context.top_level(), context.chain().special()) +
                      relinearization_bytes(context, bootstrapper.sine_level()) + kKeyShapeBytes;
  for (const auto& [element, level] : levels_of_elements(bootstrapper))
    bytes += rotation_bytes(context, level);
  return bytes;
}

/// What does not fit, or nothing.
std::string misfit(const Bootstrapper& bootstrapper, const BootstrapKeys& keys) {
  const Context& context = *bootstrapper.context();
  const auto pair = [&](const KeySwitchKey& key, std::uint32_t index, std::size_t level,
                        std::size_t special) {
    return !key.empty() && key.purpose() == KeyGenerator::purpose_of(index) && key.level() == level &&
           key.special() == special;
  };
  if (!pair(keys.to_sparse, kToSparse, 1, bootstrapper.ephemeral_special()))
    return "the key to the sparse secret";
  if (!pair(keys.to_dense, kToDense, context.top_level(), context.chain().special()))
    return "the key to the dense secret";
  if (keys.relinearization.empty() || keys.relinearization.level() != bootstrapper.sine_level())
    return "the relinearization key";
  std::map<std::uint64_t, std::size_t> levels;
  for (const std::uint64_t element : keys.rotations.elements())
    levels[element] = keys.rotations.key(element).level();
  return levels == levels_of_elements(bootstrapper) ? "" : "the rotation keys";
}

void write_payload(const Bootstrapper& bootstrapper, const BootstrapKeys& keys, const KeyOwner& owner,
                   PartWriter& out) {
  for (const KeyField& field : fields_of(bootstrapper, owner))
    for (std::size_t i = 0; i < field.bytes; ++i)
      out.writer.u8(static_cast<std::uint8_t>(field.value >> (8 * i)));
  write_pair_key(keys.to_sparse, out);
  write_pair_key(keys.to_dense, out);
  write_relinearization(keys.relinearization, out);
  write_rotations(keys.rotations, out);
  out.part();
}

BootstrapKeys read_payload(const Bootstrapper& bootstrapper, std::size_t bytes, PartReader& in,
                           std::optional<std::size_t> offload, const KeyOwner& owner) {
  const ContextPtr& context = bootstrapper.context();
  const std::vector<KeyField> fields = fields_of(bootstrapper, owner);
  for (const KeyField& field : fields) {
    ByteReader reader = in.take(field.bytes, std::string("bootstrap keys.") + field.name);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < field.bytes; ++i) value |= std::uint64_t{reader.u8(field.name)} << (8 * i);
    if (value != field.value)
      throw ContextError(std::string("bootstrap keys.") + field.name + " = " + std::to_string(value) +
                         ", and the bootstrapper has " + std::to_string(field.value) +
                         ": make it with the options that the keys were made for");
  }
  require_payload(bytes, payload_bytes(bootstrapper, owner), "bootstrap keys");
  require_memory_of_keys(bootstrapper, offload);
  std::size_t left = bytes - bytes_of(fields);
  BootstrapKeys keys;
  keys.to_sparse = read_pair_key(context, in, left, true);
  left -= pair_key_bytes(*context, keys.to_sparse.level(), keys.to_sparse.special());
  keys.to_dense = read_pair_key(context, in, left, true);
  if (offload.has_value())
    keys.to_dense.place().offload(std::make_shared<KeyCache>(std::min<std::size_t>(*offload, 1)));
  left -= pair_key_bytes(*context, keys.to_dense.level(), keys.to_dense.special());
  keys.relinearization = read_relinearization(context, in, left, true);
  if (offload.has_value()) keys.relinearization.offload(std::min<std::size_t>(*offload, 1));
  left -= relinearization_bytes(*context, keys.relinearization.level());
  if (left < kKeyShapeBytes) require_payload(left, kKeyShapeBytes, "rotation keys");
  keys.rotations = read_rotations(context, in, left, offload, true);
  if (const std::string what = misfit(bootstrapper, keys); !what.empty())
    throw FormatError("bootstrap keys: " + what + ": not of the level or the elements that the options say");
  return keys;
}

void require_fit(const Bootstrapper& bootstrapper, const BootstrapKeys& keys) {
  if (!keys.to_dense.empty()) require_compatible(*bootstrapper.context(), keys.to_dense.context(), "keys");
  if (const std::string what = misfit(bootstrapper, keys); !what.empty())
    throw ParameterError("keys: not this bootstrapper's, by " + what + ": it makes its own with make_keys");
}

}  // namespace

BootstrapKeys BootstrapKeys::to(const RlweContextPtr& context) const {
  return {to_sparse.to(context), to_dense.to(context), relinearization.to(context), rotations.to(context)};
}

void BootstrapKeys::offload(std::size_t cached) {
  rotations.offload(cached);
  const std::size_t other = std::min<std::size_t>(cached, 1);
  relinearization.offload(other);
  to_dense.place().offload(std::make_shared<KeyCache>(other));
}

void BootstrapKeys::load() {
  rotations.load();
  relinearization.load();
  to_dense.place().load();
}

void require_memory_of_keys(const Bootstrapper& bootstrapper, std::optional<std::size_t> offload) {
  const Context& context = *bootstrapper.context();
  const std::uint64_t all = bootstrapper.keys_bytes(), one = context.parameters().memory_sizes().rotation_key;
  if (!offload.has_value() || context.device().memory_space() == "host")
    return context.device().require_memory(all + one, "the keys of a bootstrap");
  require_memory(all / 2, "the keys of a bootstrap, in host memory by halves,");
  const std::uint64_t keys = 2 + bootstrapper.rotations().size();
  context.device().require_memory((std::min<std::uint64_t>(keys, *offload + 2) + 1) * one,
                                  "the keys in use of a bootstrap");
}

std::uint64_t serialized_size(const Bootstrapper& bootstrapper, const KeyOwner& owner) {
  return kHeaderBytes + payload_bytes(bootstrapper, owner) + kChecksumBytes;
}

std::vector<std::uint8_t> to_bytes(const Bootstrapper& bootstrapper, const BootstrapKeys& keys,
                                   const KeyOwner& owner) {
  require_fit(bootstrapper, keys);
  const std::size_t bytes = payload_bytes(bootstrapper, owner);
  require_memory(2 * bytes, "the bytes of the keys of a bootstrap and a copy of them");
  PartWriter out;
  out.writer.reserve(bytes);
  write_payload(bootstrapper, keys, owner, out);
  return seal(*context_of(bootstrapper, owner), ObjectKind::bootstrap_keys, out.writer.data());
}

void write(const Bootstrapper& bootstrapper, const BootstrapKeys& keys, const WriteBytes& to,
           const ByteProgress& progress, const KeyOwner& owner) {
  require_fit(bootstrapper, keys);
  const RlweContextPtr context = context_of(bootstrapper, owner);
  StreamWriter out(to, progress, serialized_size(bootstrapper, owner));
  write_header({kVersion, context->parameters().scheme, ObjectKind::bootstrap_keys, context->fingerprint(),
                payload_bytes(bootstrapper, owner)},
               out.writer);
  write_payload(bootstrapper, keys, owner, out);
  out.finish();
}

BootstrapKeys bootstrap_keys_from_bytes(const Bootstrapper& bootstrapper, std::span<const std::uint8_t> bytes,
                                        std::optional<std::size_t> offload, const KeyOwner& owner) {
  PayloadParts in(open_object(context_of(bootstrapper, owner), ObjectKind::bootstrap_keys, bytes));
  return read_payload(bootstrapper, in.size(), in, offload, owner);
}

BootstrapKeys read_bootstrap_keys(const Bootstrapper& bootstrapper, const ReadBytes& from,
                                  const ByteProgress& progress, std::optional<std::size_t> offload,
                                  const KeyOwner& owner) {
  StreamReader in(from, progress);
  const ObjectHeader header = in.header();
  require_header(context_of(bootstrapper, owner), ObjectKind::bootstrap_keys, header);
  BootstrapKeys keys = read_payload(bootstrapper, header.payload_bytes, in, offload, owner);
  in.finish();
  return keys;
}

}  // namespace nttforge::ckks
