// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/bits.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "nttforge/base/memory/secret.hpp"

namespace nttforge {
namespace {

/// `count` bytes from `first` on as a little-endian number, at most 8.
std::uint64_t little_endian(const std::uint8_t* first, std::size_t count) {
  std::uint64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, first, count);
  } else {
    for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{first[i]} << (8 * i);
  }
  return value;
}

template <class Word>
bool unpack(std::span<const std::uint8_t> packed, std::uint64_t modulus, std::span<Word> row) {
  const auto width = static_cast<unsigned>(std::bit_width(modulus - 1));
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  std::uint64_t outside = 0;
  // Eight bytes hold any residue of up to 57 bits; a longer one may end in the ninth.
  const std::size_t reach = width <= 57 ? 8 : 9;
  const std::size_t safe_bits = packed.size() < reach ? 0 : 8 * (packed.size() - reach + 1);
  const std::size_t fast = std::min<std::size_t>(row.size(), (safe_bits + width - 1) / width);
  std::size_t i = 0, bit = 0;
  if (width <= 57) {
    for (; i < fast; ++i, bit += width) {
      const std::uint64_t value = little_endian(packed.data() + bit / 8, 8) >> (bit % 8) & mask;
      row[i] = static_cast<Word>(value);
      outside |= ~(value - modulus);
    }
  } else {
    for (; i < fast; ++i, bit += width) {
      const unsigned shift = bit % 8;
      const std::uint64_t low = little_endian(packed.data() + bit / 8, 8) >> shift;
      const std::uint64_t value = (low | std::uint64_t{packed[bit / 8 + 8]} << 1 << (63 - shift)) & mask;
      row[i] = static_cast<Word>(value);
      outside |= ~(value - modulus);
    }
  }
  for (; i < row.size(); ++i, bit += width) {
    const unsigned shift = bit % 8;
    const std::size_t first = bit / 8, left = packed.size() - first;
    const std::uint64_t low = little_endian(packed.data() + first, std::min<std::size_t>(left, 8)) >> shift;
    const std::uint64_t high = left > 8 ? packed[first + 8] : 0;
    const std::uint64_t value = (low | high << 1 << (63 - shift)) & mask;
    row[i] = static_cast<Word>(value);
    outside |= ~(value - modulus);
  }
  const bool padded = bit % 8 == 0 || packed[bit / 8] >> (bit % 8) == 0;
  return outside >> 63 == 0 && padded;
}

/// `count` bytes of words, little-endian.
void put_little_endian(const std::uint64_t* words, std::uint8_t* bytes, std::size_t count) {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(bytes, words, count);
  } else {
    for (std::size_t i = 0; i < count; ++i)
      bytes[i] = static_cast<std::uint8_t>(words[i / 8] >> (8 * (i % 8)));
  }
}

/// Eight values of a width begin and end with a byte, so that eights do not wait for each other. The width is
/// a constant: so is where each value goes, and the words stay in registers.
template <unsigned kWidth>
void pack_eights(const std::uint64_t* row, std::size_t eights, std::uint8_t* packed) {
  for (; eights != 0; --eights, row += 8, packed += kWidth) {
    std::uint64_t words[kWidth / 8 + 1] = {};
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned bit = i * kWidth, shift = bit % 64;
      words[bit / 64] |= row[i] << shift;
      if (shift + kWidth > 64) words[bit / 64 + 1] |= row[i] >> (64 - shift);
    }
    put_little_endian(words, packed, kWidth);
  }
}

using PackEights = void (*)(const std::uint64_t* row, std::size_t eights, std::uint8_t* packed);
template <std::size_t... kWidths>
constexpr std::array<PackEights, sizeof...(kWidths)> pack_by_width(std::index_sequence<kWidths...>) {
  return {pack_eights<kWidths + 1>...};
}
/// For widths from 1 on.
constexpr auto kPackByWidth = pack_by_width(std::make_index_sequence<62>());

}  // namespace

void pack_residues(std::span<const std::uint64_t> row, std::uint64_t modulus,
                   std::span<std::uint8_t> packed) {
  const auto width = static_cast<unsigned>(std::bit_width(modulus - 1));
  const PackEights pack = kPackByWidth[width - 1];
  const std::size_t eights = row.size() / 8, left = row.size() % 8;
  pack(row.data(), eights, packed.data());
  if (left == 0) return;
  SecretArray<std::uint64_t, 8> values;  // of a plaintext, perhaps
  SecretArray<std::uint8_t, 64> bytes;
  std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(8 * eights), left, values.data);
  pack(values.data, 1, bytes.data);
  std::copy_n(bytes.data, packed.size() - eights * width,
              packed.begin() + static_cast<std::ptrdiff_t>(eights * width));
}

bool unpack_residues(std::span<const std::uint8_t> packed, std::uint64_t modulus,
                     std::span<std::uint64_t> row) {
  return unpack(packed, modulus, row);
}

bool unpack_residues(std::span<const std::uint8_t> packed, std::uint64_t modulus,
                     std::span<std::uint32_t> row) {
  return unpack(packed, modulus, row);
}

}  // namespace nttforge
