// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/bytes.hpp"

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
}

NTTF_TEST("bytes: the checksum notices pairs of flips in the same bit of two words, at every distance") {
  testing::Rng rng;
  std::vector<std::uint8_t> data(8 * 400);
  for (auto& byte : data) byte = static_cast<std::uint8_t>(rng.next());
  const std::uint64_t sum = checksum64(data);
  const auto flipped = [&](std::size_t a, std::size_t b, unsigned bit) {
    auto changed = data;
    for (std::size_t word : {a, b})
      changed[8 * word + bit / 8] = static_cast<std::uint8_t>(changed[8 * word + bit / 8] ^ (1u << bit % 8));
    return checksum64(changed) != sum;
  };
  for (std::size_t distance = 1; distance <= 300; ++distance) {
    NTTF_CHECK(flipped(7, 7 + distance, 63));
    NTTF_CHECK(flipped(rng.below(400 - distance), 399, static_cast<unsigned>(rng.below(63))));
  }
  // The same bit of every fourth word, so of one lane; of all words; and the flips that would cancel if a
  // word's mixing were one multiplication and one shift.
  for (unsigned bit = 0; bit < 64; ++bit) {
    auto lane = data, all = data;
    for (std::size_t word = 0; word < 400; ++word) {
      const std::size_t at = 8 * word + bit / 8;
      all[at] = static_cast<std::uint8_t>(all[at] ^ (1u << bit % 8));
      if (word % 4 == 0) lane[at] = all[at];
    }
    NTTF_CHECK(checksum64(lane) != sum);
    NTTF_CHECK(checksum64(all) != sum);
  }
  for (std::size_t word = 0; word + 4 < 400; ++word) {
    auto changed = data;
    for (std::size_t at : {8 * word + 7, 8 * word + 32 + 7, 8 * word + 32 + 3})
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ 0x80u);
    NTTF_CHECK(checksum64(changed) != sum);
  }
}

NTTF_TEST("bytes: the checksum's value is part of the file format") {
  const auto mixed = [](std::uint64_t x) {
    for (const std::uint64_t factor : {0xFF51AFD7ED558CCDu, 0xC4CEB9FE1A85EC53u}) x = (x ^ x >> 33) * factor;
    return x ^ x >> 33;
  };
  // One word and a byte: lanes 0 and 1 differ from those of no data, which take no block at all.
  const std::vector<std::uint8_t> nine = {5, 0, 0, 0, 0, 0, 0, 0, 6};
  const std::uint64_t lanes[] = {mixed(0x1 ^ 0x5), mixed(0x2 ^ 0x6), mixed(3), mixed(4)};
  std::uint64_t expected = 9, empty = 0;
  for (const std::uint64_t lane : lanes) expected = mixed(expected ^ lane);
  for (std::uint64_t lane = 1; lane <= 4; ++lane) empty = mixed(empty ^ lane);
  NTTF_CHECK_EQ(checksum64(nine), expected);
  NTTF_CHECK_EQ(checksum64({}), empty);
}
