// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/bits.hpp"

#include <algorithm>
#include <cstring>

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

}  // namespace

bool unpack_residues(std::span<const std::uint8_t> packed, std::uint64_t modulus,
                     std::span<std::uint64_t> row) {
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
      row[i] = little_endian(packed.data() + bit / 8, 8) >> (bit % 8) & mask;
      outside |= ~(row[i] - modulus);
    }
  } else {
    for (; i < fast; ++i, bit += width) {
      const unsigned shift = bit % 8;
      const std::uint64_t low = little_endian(packed.data() + bit / 8, 8) >> shift;
      row[i] = (low | std::uint64_t{packed[bit / 8 + 8]} << 1 << (63 - shift)) & mask;
      outside |= ~(row[i] - modulus);
    }
  }
  for (; i < row.size(); ++i, bit += width) {
    const unsigned shift = bit % 8;
    const std::size_t first = bit / 8, left = packed.size() - first;
    const std::uint64_t low = little_endian(packed.data() + first, std::min<std::size_t>(left, 8)) >> shift;
    const std::uint64_t high = left > 8 ? packed[first + 8] : 0;
    row[i] = (low | high << 1 << (63 - shift)) & mask;
    outside |= ~(row[i] - modulus);
  }
  const bool padded = bit % 8 == 0 || packed[bit / 8] >> (bit % 8) == 0;
  return outside >> 63 == 0 && padded;
}

}  // namespace nttforge
