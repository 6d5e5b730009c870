// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/bytes.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"

namespace nttforge {
namespace {

template <class Word>
void append(std::vector<std::uint8_t>& data, Word v) {
  for (unsigned i = 0; i < sizeof(Word); ++i) data.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
}

template <class Word>
Word assemble(const std::uint8_t* bytes) {
  Word v = 0;
  for (unsigned i = 0; i < sizeof(Word); ++i)
    v = static_cast<Word>(v | static_cast<Word>(Word{bytes[i]} << (8 * i)));
  return v;
}

/// The finaliser of MurmurHash3: a bijection in which each bit of x changes each bit of the result in half of
/// the cases.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 33) * 0xFF51AFD7ED558CCDu;
  x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53u;
  return x ^ x >> 33;
}

void copy_little_endian(const std::uint64_t* words, std::uint8_t* bytes, std::size_t count) {
  if constexpr (std::endian::native == std::endian::little) {
    if (count != 0) std::memcpy(bytes, words, 8 * count);
  } else {
    for (std::size_t i = 0; i < 8 * count; ++i) {
      bytes[i] = static_cast<std::uint8_t>(words[i / 8] >> (8 * (i % 8)));
    }
  }
}

}  // namespace

void ByteWriter::u8(std::uint8_t v) { data_.push_back(v); }
void ByteWriter::u16(std::uint16_t v) { append(data_, v); }
void ByteWriter::u32(std::uint32_t v) { append(data_, v); }
void ByteWriter::u64(std::uint64_t v) { append(data_, v); }

void ByteWriter::words(std::span<const std::uint64_t> v) {
  copy_little_endian(v.data(), space(v.size_bytes()).data(), v.size());
}

void ByteWriter::bytes(std::span<const std::uint8_t> v) { data_.insert(data_.end(), v.begin(), v.end()); }

std::span<std::uint8_t> ByteWriter::space(std::size_t count) {
  const std::size_t at = data_.size();
  data_.resize(at + count);  // grows geometrically, where reserve would copy everything for each row
  return std::span(data_).subspan(at);
}

std::span<const std::uint8_t> ByteReader::bytes(std::size_t count, std::string_view what) {
  if (count > remaining()) {
    throw FormatError("truncated: " + std::string(what) + " needs " + std::to_string(count) +
                      " bytes at offset " + std::to_string(offset_) + ", and " + std::to_string(remaining()) +
                      " are left");
  }
  const auto result = data_.subspan(offset_, count);
  offset_ += count;
  return result;
}

std::uint8_t ByteReader::u8(std::string_view what) { return bytes(1, what)[0]; }
std::uint16_t ByteReader::u16(std::string_view what) {
  return assemble<std::uint16_t>(bytes(2, what).data());
}
std::uint32_t ByteReader::u32(std::string_view what) {
  return assemble<std::uint32_t>(bytes(4, what).data());
}
std::uint64_t ByteReader::u64(std::string_view what) {
  return assemble<std::uint64_t>(bytes(8, what).data());
}

void ByteReader::words(std::span<std::uint64_t> out, std::string_view what) {
  const auto source = bytes(out.size_bytes(), what);
  if constexpr (std::endian::native == std::endian::little) {
    if (!out.empty()) std::memcpy(out.data(), source.data(), out.size_bytes());
  } else {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = assemble<std::uint64_t>(source.data() + 8 * i);
  }
}

void ByteReader::finish(std::string_view what) const {
  if (remaining() != 0) {
    throw FormatError(std::string(what) + " ends at offset " + std::to_string(offset_) + ", but " +
                      std::to_string(remaining()) + " more bytes follow");
  }
}

Checksum64::~Checksum64() { secure_zero(rest_.data(), rest_.size()); }  // the end of a secret key, perhaps

void Checksum64::absorb(Lanes& lanes, const std::uint8_t* block) {
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    lanes[lane] = mixed(lanes[lane] ^ assemble<std::uint64_t>(block + 8 * lane));
}

void Checksum64::add(std::span<const std::uint8_t> data) {
  const std::size_t held = size_ % kBlock;
  size_ += data.size();
  if (held != 0) {
    const std::size_t filled = std::min(kBlock - held, data.size());
    std::copy_n(data.begin(), filled, rest_.begin() + static_cast<std::ptrdiff_t>(held));
    data = data.subspan(filled);
    if (held + filled < kBlock) return;
    absorb(lanes_, rest_.data());
  }
  Lanes lanes = lanes_;  // in registers
  const std::size_t whole = data.size() / kBlock * kBlock;
  for (std::size_t i = 0; i < whole; i += kBlock) absorb(lanes, data.data() + i);
  lanes_ = lanes;
  std::copy(data.begin() + static_cast<std::ptrdiff_t>(whole), data.end(), rest_.begin());
}

std::uint64_t Checksum64::value() const {
  Lanes lanes = lanes_;
  if (const std::size_t held = size_ % kBlock; held != 0) {
    std::array<std::uint8_t, kBlock> last{};
    std::copy_n(rest_.begin(), held, last.begin());
    absorb(lanes, last.data());
    secure_zero(last.data(), last.size());
  }
  std::uint64_t hash = size_;
  for (const std::uint64_t lane : lanes) hash = mixed(hash ^ lane);
  return hash;
}

std::uint64_t checksum64(std::span<const std::uint8_t> data) {
  Checksum64 checksum;
  checksum.add(data);
  return checksum.value();
}

}  // namespace nttforge
