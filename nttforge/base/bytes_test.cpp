// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/bytes.hpp"

#include <array>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("bytes: little-endian layout and round trip") {
  ByteWriter writer;
  writer.u8(0x01);
  writer.u16(0x0302);
  writer.u32(0x07060504);
  writer.u64(0x0F0E0D0C0B0A0908);
  const std::array<std::uint64_t, 2> words = {0x1716151413121110, ~std::uint64_t{0}};
  writer.words(words);
  const std::array<std::uint8_t, 2> raw = {0xAA, 0xBB};
  writer.bytes(raw);
  const auto data = writer.take();
  NTTF_CHECK_EQ(data.size(), 33u);
  for (std::size_t i = 0; i < 0x17; ++i) NTTF_CHECK_EQ(std::size_t{data[i]}, i + 1);
  ByteReader reader(data);
  NTTF_CHECK_EQ(unsigned{reader.u8("a")}, 1u);
  NTTF_CHECK_EQ(unsigned{reader.u16("b")}, 0x0302u);
  NTTF_CHECK_EQ(reader.u32("c"), 0x07060504u);
  NTTF_CHECK_EQ(reader.u64("d"), 0x0F0E0D0C0B0A0908u);
  std::array<std::uint64_t, 2> back{};
  reader.words(back, "e");
  NTTF_CHECK(back == words);
  NTTF_CHECK_EQ(reader.remaining(), 2u);
  NTTF_CHECK_THROWS(reader.finish("record"), FormatError,
                    "record ends at offset 31, but 2 more bytes follow");
  NTTF_CHECK_EQ(unsigned{reader.bytes(2, "f")[1]}, 0xBBu);
  reader.finish("record");
}

NTTF_TEST("bytes: nothing moves up to the reserved size") {
  ByteWriter writer;
  writer.reserve(64 + 8 * 100);
  writer.u64(1);
  const std::uint8_t* first = writer.data().data();
  const std::array<std::uint64_t, 100> words{};
  writer.words(words);
  for (int i = 0; i < 7; ++i) writer.u64(2);
  NTTF_CHECK_EQ(writer.data().size(), 64u + 800u);
  NTTF_CHECK(writer.data().data() == first);
}

NTTF_TEST("bytes: reading past the end names the field and changes nothing") {
  const std::array<std::uint8_t, 5> data = {1, 2, 3, 4, 5};
  ByteReader reader(data);
  reader.u16("head");
  NTTF_CHECK_THROWS(reader.u32("count"), FormatError,
                    "truncated: count needs 4 bytes at offset 2, and 3 are left");
  NTTF_CHECK_THROWS(reader.u64("value"), FormatError, "value needs 8 bytes");
  NTTF_CHECK_THROWS(reader.bytes(~std::size_t{0}, "blob"), FormatError,
                    "blob needs 18446744073709551615 bytes");
  std::array<std::uint64_t, 1> out = {7};
  NTTF_CHECK_THROWS(reader.words(out, "words"), FormatError, "words needs 8 bytes");
  NTTF_CHECK_EQ(out[0], 7u);
  NTTF_CHECK_EQ(reader.offset(), 2u);
  NTTF_CHECK_EQ(unsigned{reader.u8("next")}, 3u);
}

NTTF_TEST("bytes: the checksum notices each changed, swapped, added or lost byte") {
  testing::Rng rng;
  for (std::size_t size = 0; size <= 40; ++size) {
    std::vector<std::uint8_t> data(size);
    for (auto& byte : data) byte = static_cast<std::uint8_t>(rng.next());
    const std::uint64_t sum = checksum64(data);
    for (std::size_t i = 0; i < size; ++i) {
      auto changed = data;
      changed[i] = static_cast<std::uint8_t>(changed[i] ^ (1u << rng.below(8)));
      NTTF_CHECK(checksum64(changed) != sum);
    }
    auto longer = data;
    longer.push_back(0);
    NTTF_CHECK(checksum64(longer) != sum);
  }
  const std::vector<std::uint8_t> two_words = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<std::uint8_t> swapped = {2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
  NTTF_CHECK(checksum64(two_words) != checksum64(swapped));
  // The value is part of the file format: FNV-1a, offset basis and prime of 64 bits, over one word and the
  // length 8.
  const std::vector<std::uint8_t> one = {5, 0, 0, 0, 0, 0, 0, 0};
  const std::uint64_t basis = 0xCBF29CE484222325u, prime = 0x100000001B3u;
  NTTF_CHECK_EQ(checksum64(one), (((basis ^ 5) * prime) ^ 8) * prime);
}
