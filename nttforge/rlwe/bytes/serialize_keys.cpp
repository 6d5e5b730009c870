// SPDX-License-Identifier: Apache-2.0
// Evaluation keys to and from bytes, at once or part by part.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/rlwe/bytes/format.hpp"
#include "nttforge/rlwe/bytes/key_parts.hpp"
#include "nttforge/rlwe/bytes/payload.hpp"
#include "nttforge/rlwe/sampling.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::rlwe {
namespace {

constexpr std::size_t kElementBytes = 8;  // with the level of this key
constexpr std::size_t kPurposeBytes = 8;
constexpr std::size_t kBundleBytes = 8;
constexpr std::uint32_t kHasRelinearization = 1, kHasRotations = 2;  // bits of a bundle's parts

std::string text(std::uint64_t value) { return std::to_string(value); }

std::size_t key_switch_bytes(const RlweContext& context, std::size_t level, std::size_t special) {
  // From moduli alone: bytes of others are refused before there are tables for them.
  const RlweParameters& p = context.parameters();
  const Window rows = p.key_window(level);
  const std::size_t n = context.n();
  return 32 + p.digits(level) * (rows_bytes(n, std::span(p.q).subspan(rows.first, rows.size())) +
                                 rows_bytes(n, std::span(p.special).first(special)));
}

std::size_t key_switch_bytes(const RlweContext& context, std::size_t level) {
  return key_switch_bytes(context, level, context.chain().special());
}

/// The level of keys and the number of special primes, added up: the primes of a key where levels are
/// prefixes; then digits, and how many keys.
void write_shape(const RlweContext& context, std::size_t level, std::size_t count, PartWriter& out) {
  out.writer.u16(static_cast<std::uint16_t>(level + context.parameters().special.size()));
  out.writer.u16(static_cast<std::uint16_t>(context.parameters().digits(level)));
  out.writer.u32(static_cast<std::uint32_t>(count));
}

struct KeyShape {
  std::size_t level;
  std::uint32_t count;
};

/// The level that write_shape wrote.
std::size_t level_of(const RlweContext& context, std::size_t primes, const std::string& what) {
  const std::size_t special = context.parameters().special.size(), lowest = context.lowest_level() + special;
  if (primes < lowest || primes > context.top_level() + special)
    throw FormatError(what + " = " + text(primes) + " is out of range [" + text(lowest) + ", " +
                      text(context.top_level() + special) + "]: a level and the number of special primes");
  return primes - special;
}

KeyShape read_shape(const RlweContext& context, PartReader& in, const std::string& what) {
  ByteReader reader = in.take(kKeyShapeBytes, what + ".primes");
  const std::size_t primes = reader.u16(what + ".primes");
  const std::size_t level = level_of(context, primes, what + ".primes");
  require_field(reader.u16(what + ".digits"), context.parameters().digits(level), what + ".digits");
  return {level, reader.u32(what + ".count")};
}

void write_key_switch_key(const KeySwitchKey& key, PartWriter& out) {
  const RlweContext& context = *key.context();
  const RingTables& ring = context.chain().ring_of_keys(key.level(), key.special());
  write_seed(require_seed(key.seed(), "key"), out.writer);
  const DeviceArray words = key.words();
  for (std::size_t i = 0; i < context.parameters().digits(key.level()); ++i) {
    poll_interrupt();
    write_polynomials(context, ring, words.data() + i * 2 * ring.words(), 1, out.writer);
    out.part();
  }
}

KeySwitchKey read_key_switch_key(const RlweContextPtr& context, std::uint32_t purpose, std::size_t level,
                                 std::size_t special, ByteReader reader, const std::string& what) {
  const RingTables& ring = context->chain().ring_of_keys(level, special);
  const Queue& queue = context->queue();
  const Seed seed = read_seed(reader, what + ".seed");
  const std::size_t digits = context->parameters().digits(level);
  DeviceArray words = queue.allocate(ring, digits * 2);
  read_polynomials(*context, ring, words.data(), 2 * ring.words(), digits, reader,
                   [&](std::size_t i) { return what + " digit " + text(i) + "[0]"; });
  sample_key_masks(*context, queue, {seed, Domain::key_switch_a, purpose << 8}, level, special,
                   words.data() + ring.words(), 2 * ring.words(), digits);
  return KeySwitchKey(context, std::move(words), seed, purpose, level, special);
}

/// throws ParameterError unless the key leads from one secret to another (KeyGenerator::key_switch_key).
void require_pair_purpose(std::uint32_t purpose) {
  if (purpose % 2 == 0 && purpose >= 4 && purpose >> 24 == 0) return;
  throw ParameterError("purpose = " + text(purpose) + " is not allowed: even and in [4, 2^24)");
}

}  // namespace

std::size_t pair_key_bytes(const RlweContext& context, std::size_t level, std::size_t special) {
  return kKeyShapeBytes + kPurposeBytes + key_switch_bytes(context, level, special);
}

std::size_t relinearization_bytes(const RlweContext& context, std::size_t level) {
  return kKeyShapeBytes + key_switch_bytes(context, level);
}

std::size_t rotation_bytes(const RlweContext& context, std::size_t level) {
  return kElementBytes + key_switch_bytes(context, level);
}

void write_pair_key(const KeySwitchKey& key, PartWriter& out) {
  require_pair_purpose(key.purpose());
  const RlweContext& context = *key.context();
  write_shape(context, key.level(), 1, out);
  out.writer.u32(key.purpose());
  const bool all = key.special() == context.chain().special();
  out.writer.u32(all ? 0 : static_cast<std::uint32_t>(key.special()));
  write_key_switch_key(key, out);
}

KeySwitchKey read_pair_key(const RlweContextPtr& context, PartReader& in, std::size_t left, bool followed) {
  const std::string what = "key-switching key";
  const KeyShape shape = read_shape(*context, in, what);
  require_field(shape.count, 1, what + ".count");
  if (left < kKeyShapeBytes + kPurposeBytes) require_payload(left, kKeyShapeBytes + kPurposeBytes, what);
  ByteReader head = in.take(kPurposeBytes, what);
  const std::uint32_t purpose = head.u32(what + ".purpose");
  try {
    require_pair_purpose(purpose);
  } catch (const ParameterError& error) {
    throw FormatError(what + "." + error.what());
  }
  const Chain& chain = context->chain();
  std::size_t special = head.u32(what + ".special primes");
  if (special != 0 && special >= chain.special())
    throw FormatError(what + ".special primes = " + text(special) + " is not allowed: below the " +
                      text(chain.special()) + " of these parameters, or 0 for all");
  if (special != 0 && chain.key_window(shape.level) != chain.window(shape.level))
    throw FormatError(what + ".special primes = " + text(special) +
                      " must be 0 at a level above ones of other primes");
  if (special == 0) special = chain.special();
  context->require_evaluation_keys();
  const std::size_t own = pair_key_bytes(*context, shape.level, special);
  if (!followed || left < own) require_payload(left, own, what);
  const std::size_t bytes = key_switch_bytes(*context, shape.level, special);
  return read_key_switch_key(context, purpose, shape.level, special, in.take(bytes, what), what);
}

void write_relinearization(const RelinearizationKey& key, PartWriter& out) {
  write_shape(*key.context(), key.level(), 1, out);
  write_key_switch_key(key.key(), out);
}

RelinearizationKey read_relinearization(const RlweContextPtr& context, PartReader& in, std::size_t left,
                                        bool followed) {
  const std::string what = "relinearization key";
  const KeyShape shape = read_shape(*context, in, what);
  require_field(shape.count, 1, what + ".count");
  const std::size_t own = relinearization_bytes(*context, shape.level);
  if (!followed || left < own) require_payload(left, own, what);
  context->require_evaluation_keys();
  const std::size_t bytes = key_switch_bytes(*context, shape.level);
  return RelinearizationKey(
      read_key_switch_key(context, 0, shape.level, context->chain().special(), in.take(bytes, what), what));
}

void write_rotations(const RotationKeys& keys, PartWriter& out) {
  const auto elements = keys.elements();
  write_shape(*keys.context(), keys.level(), elements.size(), out);
  for (std::uint64_t element : elements) {
    const KeySwitchKey& key = keys.key(element);
    const std::size_t primes = key.level() + keys.context()->parameters().special.size();
    out.writer.u32(static_cast<std::uint32_t>(element));
    out.writer.u16(key.level() == keys.level() ? std::uint16_t{0} : static_cast<std::uint16_t>(primes));
    out.writer.u16(0);
    write_key_switch_key(key, out);
  }
}

RotationKeys read_rotations(const RlweContextPtr& context, PartReader& in, std::size_t left,
                            std::optional<std::size_t> offload, bool fits) {
  const KeyShape shape = read_shape(*context, in, "rotation keys");
  const std::size_t level = shape.level;
  if (shape.count == 0) require_field(level, context->top_level(), "level of rotation keys without a key");
  if (shape.count > context->n())
    throw FormatError("rotation keys.count = " + text(shape.count) + " exceeds the " + text(context->n()) +
                      " Galois elements of this ring");
  left -= kKeyShapeBytes;
  const std::size_t fewest = shape.count * rotation_bytes(*context, context->lowest_level()),
                    most = shape.count * rotation_bytes(*context, level);
  if (left < fewest || left > most) require_payload(left, left < fewest ? fewest : most, "rotation keys");
  context->require_evaluation_keys();
  if (!fits) require_memory_of_keys(*context, shape.count, offload, level);
  RotationKeys keys(context);
  if (offload.has_value()) keys.offload(*offload);
  std::uint64_t previous = 1;
  for (std::uint32_t i = 0; i < shape.count; ++i) {
    if (left < kElementBytes) require_payload(left, kElementBytes, "a rotation key");
    ByteReader head = in.take(kElementBytes, "a rotation key");
    const std::uint64_t element = head.u32("rotation keys.element");
    if (element % 2 == 0 || element <= previous || element >= 2 * context->n())
      throw FormatError("rotation keys.element = " + text(element) +
                        " is not allowed: odd, in (1, 2n) and in increasing order");
    previous = element;
    const std::string what = "rotation key of element " + text(element);
    const std::size_t primes = head.u16(what + ".primes");
    require_field(head.u16(what + ".reserved"), 0, what + ".reserved");
    const std::size_t own = primes == 0 ? level : level_of(*context, primes, what + ".primes");
    if (primes != 0 && own >= level)
      throw FormatError(what + ".primes = " + text(primes) + " is not allowed: 0, or below the set's");
    const std::size_t bytes = key_switch_bytes(*context, own);
    left -= kElementBytes;
    if (left < bytes) require_payload(left, bytes, what);
    left -= bytes;
    keys.insert(read_key_switch_key(context, static_cast<std::uint32_t>(element), own,
                                    context->chain().special(), in.take(bytes, what), what));
  }
  require_payload(left, 0, "what follows the rotation keys");
  require_field(level, keys.level(), "level of rotation keys");
  return keys;
}

std::size_t rotations_bytes(const RotationKeys& keys) {
  std::size_t bytes = kKeyShapeBytes;
  for (const std::uint64_t element : keys.elements())
    bytes += rotation_bytes(*keys.context(), keys.key(element).level());
  return bytes;
}

namespace {

/// A bundle that can be written: its context and the size of its payload.
struct Bundle {
  explicit Bundle(const EvaluationKeys& object)
      : context(require_object(object.context(), "evaluation keys")),
        relinearizes(!object.relinearization.empty()),
        rotates(object.rotations.context() != nullptr) {
    if (relinearizes && rotates) require_compatible(context, object.rotations.context(), "rotation keys");
    if (relinearizes) bytes += relinearization_bytes(context, object.relinearization.level());
    if (rotates) bytes += rotations_bytes(object.rotations);
  }
  void write(const EvaluationKeys& object, PartWriter& out) const {
    out.writer.u32((relinearizes ? kHasRelinearization : 0u) | (rotates ? kHasRotations : 0u));
    out.writer.u32(0);
    if (relinearizes) write_relinearization(object.relinearization, out);
    if (rotates) write_rotations(object.rotations, out);
    out.part();
  }

  const RlweContext& context;
  bool relinearizes, rotates;
  std::size_t bytes = kBundleBytes;
};

EvaluationKeys read_bundle(const RlweContextPtr& context, std::size_t bytes, PartReader& in,
                           std::optional<std::size_t> offload) {
  ByteReader reader = in.take(kBundleBytes, "evaluation keys.parts");
  const std::uint32_t parts = reader.u32("evaluation keys.parts");
  if (parts == 0 || parts > (kHasRelinearization | kHasRotations))
    throw FormatError("evaluation keys.parts = " + text(parts) + " is out of range [1, 3]");
  require_field(reader.u32("evaluation keys.reserved"), 0, "evaluation keys.reserved");
  const bool rotates = (parts & kHasRotations) != 0;
  std::size_t left = bytes - kBundleBytes;
  EvaluationKeys keys;
  if ((parts & kHasRelinearization) != 0) {
    keys.relinearization = read_relinearization(context, in, left, rotates);
    left -= relinearization_bytes(*context, keys.relinearization.level());
    if (offload.has_value()) keys.relinearization.offload(std::min<std::size_t>(*offload, 1));
  }
  if (rotates) keys.rotations = read_rotations(context, in, left, offload);
  return keys;
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const RelinearizationKey& object) {
  const RlweContext& context = require_object(object.context(), "relinearization key");
  PartWriter out;
  write_relinearization(object, out);
  return seal(context, ObjectKind::relinearization_key, out.writer.data());
}

RelinearizationKey relinearization_key_from_bytes(RlweContextPtr context,
                                                  std::span<const std::uint8_t> bytes) {
  PayloadParts in(open_object(context, ObjectKind::relinearization_key, bytes));
  return read_relinearization(context, in, in.size(), false);
}

std::vector<std::uint8_t> to_bytes(const RotationKeys& object) {
  const RlweContext& context = require_object(object.context(), "rotation keys");
  const std::size_t bytes = rotations_bytes(object);
  require_memory(2 * bytes,
                 "the bytes of " + text(object.elements().size()) + " rotation keys and a copy of them");
  PartWriter out;
  out.writer.reserve(bytes);
  write_rotations(object, out);
  return seal(context, ObjectKind::rotation_keys, out.writer.data());
}

RotationKeys rotation_keys_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes,
                                      std::optional<std::size_t> offload) {
  PayloadParts in(open_object(context, ObjectKind::rotation_keys, bytes));
  return read_rotations(context, in, in.size(), offload);
}

std::vector<std::uint8_t> to_bytes(const KeySwitchKey& object) {
  const RlweContext& context = require_object(object.context(), "key-switching key");
  PartWriter out;
  write_pair_key(object, out);
  return seal(context, ObjectKind::key_switch_key, out.writer.data());
}

KeySwitchKey key_switch_key_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes) {
  PayloadParts in(open_object(context, ObjectKind::key_switch_key, bytes));
  return read_pair_key(context, in, in.size(), false);
}

std::uint64_t serialized_size(const EvaluationKeys& object) {
  return kHeaderBytes + Bundle(object).bytes + kChecksumBytes;
}

std::vector<std::uint8_t> to_bytes(const EvaluationKeys& object) {
  const Bundle bundle(object);
  require_memory(2 * bundle.bytes, "the bytes of the evaluation keys and a copy of them");
  PartWriter out;
  out.writer.reserve(bundle.bytes);
  bundle.write(object, out);
  return seal(bundle.context, ObjectKind::evaluation_keys, out.writer.data());
}

EvaluationKeys evaluation_keys_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes,
                                          std::optional<std::size_t> offload) {
  PayloadParts in(open_object(context, ObjectKind::evaluation_keys, bytes));
  return read_bundle(context, in.size(), in, offload);
}

void write(const EvaluationKeys& object, const WriteBytes& to, const ByteProgress& progress) {
  const Bundle bundle(object);
  const RlweContext& context = bundle.context;
  StreamWriter out(to, progress, kHeaderBytes + bundle.bytes + kChecksumBytes);
  write_header({kVersion, context.parameters().scheme, ObjectKind::evaluation_keys, context.fingerprint(),
                bundle.bytes},
               out.writer);
  bundle.write(object, out);
  out.finish();
}

EvaluationKeys read_evaluation_keys(RlweContextPtr context, const ReadBytes& from,
                                    const ByteProgress& progress, std::optional<std::size_t> offload) {
  if (context == nullptr) throw ContextError("context is null: make one with Context::create");
  StreamReader in(from, progress);
  const ObjectHeader header = in.header();
  require_header(context, ObjectKind::evaluation_keys, header);
  EvaluationKeys keys = read_bundle(context, header.payload_bytes, in, offload);
  in.finish();
  return keys;
}

}  // namespace nttforge::rlwe
