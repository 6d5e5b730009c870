// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace nttforge {

/// Little-endian writer.
class ByteWriter {
 public:
  /// Until this many bytes in all, writing moves nothing: no copy of a secret stays behind in freed memory.
  void reserve(std::size_t bytes) { data_.reserve(bytes); }
  void u8(std::uint8_t v);
  void u16(std::uint16_t v);
  void u32(std::uint32_t v);
  void u64(std::uint64_t v);
  void words(std::span<const std::uint64_t> v);
  void bytes(std::span<const std::uint8_t> v);
  /// The next `count` bytes, zero at first, for the caller to fill before anything else is written.
  std::span<std::uint8_t> space(std::size_t count);
  const std::vector<std::uint8_t>& data() const { return data_; }
  std::vector<std::uint8_t> take() { return std::move(data_); }

 private:
  std::vector<std::uint8_t> data_;
};

/// Little-endian reader over untrusted bytes: every read is checked and throws FormatError naming `what` and
/// the offset.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> data) : data_(data) {}
  std::uint8_t u8(std::string_view what);
  std::uint16_t u16(std::string_view what);
  std::uint32_t u32(std::string_view what);
  std::uint64_t u64(std::string_view what);
  void words(std::span<std::uint64_t> out, std::string_view what);
  std::span<const std::uint8_t> bytes(std::size_t count, std::string_view what);
  std::size_t remaining() const { return data_.size() - offset_; }
  std::size_t offset() const { return offset_; }
  /// throws FormatError if anything is left.
  void finish(std::string_view what) const;

 private:
  std::span<const std::uint8_t> data_;
  std::size_t offset_ = 0;
};

/// Four lanes of 64-bit words, each word mixed in by a bijection of 64 bits, then the length and the lanes
/// (docs/format.md gives it in ten lines). A change within one aligned word is always noticed, any other
/// accident but for about one in 2^64. No protection against forgery: anybody can compute it.
std::uint64_t checksum64(std::span<const std::uint8_t> data);

/// The same of data that comes in parts.
class Checksum64 {
 public:
  Checksum64() = default;
  Checksum64(const Checksum64&) = delete;
  Checksum64& operator=(const Checksum64&) = delete;
  ~Checksum64();
  void add(std::span<const std::uint8_t> data);
  std::uint64_t value() const;  ///< of everything so far

 private:
  static constexpr std::size_t kLanes = 4, kBlock = 8 * kLanes;
  using Lanes = std::array<std::uint64_t, kLanes>;
  static void absorb(Lanes& lanes, const std::uint8_t* block);

  Lanes lanes_{1, 2, 3, 4};
  std::uint64_t size_ = 0;
  std::array<std::uint8_t, kBlock> rest_{};  ///< the first size_ % kBlock bytes are those not yet absorbed
};

}  // namespace nttforge
