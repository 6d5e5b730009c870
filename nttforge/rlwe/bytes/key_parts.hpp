// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the parts of keys go and where they come from: one array, or a stream of parts; and keys as parts of
// objects. Internal to the serialisation.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nttforge/base/text/bytes.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::rlwe {

/// Collects everything in `writer`.
class PartWriter {
 public:
  PartWriter() = default;
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;
  virtual ~PartWriter() = default;
  /// What `writer` holds is a part.
  virtual void part() {}
  ByteWriter writer;
};

/// Sends each part away, and the checksum of all of them.
class StreamWriter final : public PartWriter {
 public:
  StreamWriter(const WriteBytes& to, const ByteProgress& progress, std::uint64_t total)
      : to_(to), progress_(progress), total_(total) {}
  void part() override;
  void finish();  ///< the checksum

 private:
  const WriteBytes& to_;
  const ByteProgress& progress_;
  std::uint64_t total_, done_ = 0;
  Checksum64 checksum_;
};

class PartReader {
 public:
  PartReader() = default;
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;
  virtual ~PartReader() = default;
  /// The next bytes, which are valid until the next call. throws FormatError naming `what` if there are
  /// fewer.
  virtual ByteReader take(std::size_t bytes, const std::string& what) = 0;
};

/// Parts of a payload in memory.
class PayloadParts final : public PartReader {
 public:
  explicit PayloadParts(std::span<const std::uint8_t> payload) : size_(payload.size()), reader_(payload) {}
  std::size_t size() const { return size_; }
  ByteReader take(std::size_t bytes, const std::string& what) override {
    return ByteReader(reader_.bytes(bytes, what));
  }

 private:
  std::size_t size_;
  ByteReader reader_;
};

/// Parts of an object as they come; the memory of one part is used again for the next.
class StreamReader final : public PartReader {
 public:
  StreamReader(const ReadBytes& from, const ByteProgress& progress) : from_(from), progress_(progress) {}
  ObjectHeader header();
  ByteReader take(std::size_t bytes, const std::string& what) override;
  void finish();  ///< throws FormatError unless the checksum of everything follows

 private:
  std::span<const std::uint8_t> fetch(std::size_t bytes, const std::string& what);

  const ReadBytes& from_;
  const ByteProgress& progress_;
  std::uint64_t total_ = 0, done_ = 0;
  std::vector<std::uint8_t> part_;
  Checksum64 checksum_;
};

/// Before how many keys there are and which.
inline constexpr std::size_t kKeyShapeBytes = 8;

/// Bytes of one key of a level as it stands in a payload; rotation keys have kKeyShapeBytes before them.
std::size_t pair_key_bytes(const RlweContext& context, std::size_t level, std::size_t special);
std::size_t relinearization_bytes(const RlweContext& context, std::size_t level);
std::size_t rotation_bytes(const RlweContext& context, std::size_t level);
std::size_t rotations_bytes(const RotationKeys& keys);

/// throws ParameterError unless it leads from one secret to another (KeyGenerator::key_switch_key).
void write_pair_key(const KeySwitchKey& key, PartWriter& out);
void write_relinearization(const RelinearizationKey& key, PartWriter& out);
void write_rotations(const RotationKeys& keys, PartWriter& out);

/// `left` bytes of the payload are left: the key's, and others behind it only if something may follow.
/// throws FormatError.
KeySwitchKey read_pair_key(const RlweContextPtr& context, PartReader& in, std::size_t left, bool followed);
RelinearizationKey read_relinearization(const RlweContextPtr& context, PartReader& in, std::size_t left,
                                        bool followed);
/// What is left of the payload, `left` bytes, is rotation keys. fits: there is memory for all of them, which
/// otherwise is asked for as if each were of the highest level.
RotationKeys read_rotations(const RlweContextPtr& context, PartReader& in, std::size_t left,
                            std::optional<std::size_t> offload, bool fits = false);

}  // namespace nttforge::rlwe
