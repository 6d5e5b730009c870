// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/bits.hpp"

#include <algorithm>
#include <vector>

#include "nttforge/base/testing.hpp"

namespace nttforge {
namespace {

/// Bit by bit.
std::vector<std::uint8_t> packed(const std::vector<std::uint64_t>& row, std::uint64_t modulus) {
  const auto width = static_cast<unsigned>(std::bit_width(modulus - 1));
  std::vector<std::uint8_t> bytes(packed_bytes(row.size(), modulus));
  for (std::size_t i = 0; i < row.size(); ++i)
    for (unsigned bit = 0; bit < width; ++bit) {
      const std::size_t at = i * width + bit;
      bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] | (row[i] >> bit & 1u) << (at % 8));
    }
  return bytes;
}

NTTF_TEST("rows of bits: every width and small size, residues and padding out of range") {
  testing::Rng rng;
  for (unsigned width = 1; width <= 62; ++width)
    for (const std::uint64_t modulus : {(std::uint64_t{1} << (width - 1)) + 1, std::uint64_t{1} << width}) {
      if (modulus >> 62 != 0) continue;
      for (std::size_t n = 1; n <= 20; ++n) {
        std::vector<std::uint64_t> row(n), back(n);
        for (std::uint64_t& residue : row) residue = rng.below(modulus);
        row[n / 2] = modulus - 1;
        std::vector<std::uint8_t> bytes = packed(row, modulus), same(bytes.size(), 0xA5);
        pack_residues(row, modulus, same);
        NTTF_CHECK(same == bytes);
        NTTF_CHECK(unpack_residues(bytes, modulus, back));
        NTTF_CHECK(back == row);
        std::vector<std::uint32_t> narrow(n);
        if (width <= 32) {
          NTTF_CHECK(unpack_residues(bytes, modulus, narrow));
          NTTF_CHECK(std::equal(row.begin(), row.end(), narrow.begin()));
        }
        if (const unsigned left = static_cast<unsigned>(
                8 * bytes.size() - n * static_cast<unsigned>(std::bit_width(modulus - 1)));
            left != 0) {
          bytes.back() ^= 0x80;
          NTTF_CHECK(!unpack_residues(bytes, modulus, back));
          bytes.back() ^= 0x80;
        }
        if (std::has_single_bit(modulus)) continue;
        row[rng.below(n)] = modulus;
        NTTF_CHECK(!unpack_residues(packed(row, modulus), modulus, back));
        if (width <= 32) NTTF_CHECK(!unpack_residues(packed(row, modulus), modulus, narrow));
      }
    }
}

}  // namespace
}  // namespace nttforge
