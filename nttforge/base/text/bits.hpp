// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace nttforge {

/// Bytes of a row of n residues modulo m, each in bit_width(m - 1) bits: residue i takes bits
/// [i width, (i + 1) width) of the row, little-endian, and the bits of the last byte that are left are zero.
inline std::size_t packed_bytes(std::size_t n, std::uint64_t modulus) {
  return (n * static_cast<std::size_t>(std::bit_width(modulus - 1)) + 7) / 8;
}

/// Packs a row of residues below 2^bit_width(modulus - 1), modulus in [2, 2^62), into
/// packed_bytes(row.size(), modulus) bytes. No branch depends on a residue.
void pack_residues(std::span<const std::uint64_t> row, std::uint64_t modulus, std::span<std::uint8_t> packed);

/// Unpacks such a row of packed_bytes(row.size(), modulus) bytes, modulus in [2, 2^62). Returns whether every
/// residue is below the modulus and the bits after them are zero. No branch depends on a residue.
bool unpack_residues(std::span<const std::uint8_t> packed, std::uint64_t modulus,
                     std::span<std::uint64_t> row);
/// The same in words of 32 bits, modulus at most 2^32.
bool unpack_residues(std::span<const std::uint8_t> packed, std::uint64_t modulus,
                     std::span<std::uint32_t> row);

}  // namespace nttforge
