// SPDX-License-Identifier: Apache-2.0
#pragma once

// The byte format's shared pieces (docs/format.md); serialize.hpp is what applications use.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "nttforge/base/text/bytes.hpp"
#include "nttforge/rlwe/parameters.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::rlwe {

inline constexpr std::uint64_t kMagic = 0x6567726F6674746Eu;  // "nttforge"
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kHeaderBytes = 32;
inline constexpr std::size_t kChecksumBytes = 8;

/// What the scheme's own type has to validate.
void read_parameters(ByteReader& reader, RlweParameters& parameters);

/// Bytes of one row of n residues modulo m, each in bit_width(m - 1) bits.
std::size_t row_bytes(std::size_t n, std::uint64_t modulus);
/// Bytes of the rows [limbs][n] of a polynomial.
std::size_t rows_bytes(std::size_t n, std::span<const std::uint64_t> moduli);

/// Residues -> bit-packed little-endian: residue i takes bits [i width, (i + 1) width) of the row.
void pack_row(std::span<const std::uint64_t> row, std::uint64_t modulus, ByteWriter& writer);
/// throws FormatError naming `what`, the position and the value of the first residue >= modulus, or non-zero
/// padding.
void unpack_row(ByteReader& reader, std::uint64_t modulus, std::span<std::uint64_t> row,
                std::string_view what);

/// throws FormatError unless a field has the one value that this version allows.
void require_field(std::uint64_t value, std::uint64_t expected, std::string_view what);

/// The header of an object, from its kHeaderBytes bytes: all but that so many bytes follow. throws
/// FormatError.
ObjectHeader parse_header(std::span<const std::uint8_t> bytes);
void write_header(const ObjectHeader& header, ByteWriter& writer);

/// Header, payload, checksum.
std::vector<std::uint8_t> seal(Scheme scheme, ObjectKind kind, std::uint64_t fingerprint,
                               std::span<const std::uint8_t> payload);

}  // namespace nttforge::rlwe
