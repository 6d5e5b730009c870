// SPDX-License-Identifier: Apache-2.0
#pragma once

// What payloads of several kinds of objects consist of (docs/format.md). Internal to the serialisation.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nttforge/base/text/bytes.hpp"
#include "nttforge/rlwe/batch.hpp"
#include "nttforge/rlwe/bytes/format.hpp"
#include "nttforge/rlwe/context.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::rlwe {

// Flags of a ciphertext.
inline constexpr std::uint8_t kSeeded = 1, kRounded = 2;

/// The context of an object called `what`. throws ContextError if it is empty.
const RlweContext& require_object(const RlweContextPtr& context, std::string_view what);

/// Checks frame, kind and parameters; returns the payload. throws FormatError, ContextError.
std::span<const std::uint8_t> open_object(const RlweContextPtr& context, ObjectKind kind,
                                          std::span<const std::uint8_t> bytes);

/// That a header belongs to an object of a kind and of this context. throws FormatError, ContextError.
void require_header(const RlweContextPtr& context, ObjectKind kind, const ObjectHeader& header);

/// Header, payload, checksum of an object of this context.
std::vector<std::uint8_t> seal(const RlweContext& context, ObjectKind kind,
                               std::span<const std::uint8_t> payload);

/// The encoding of an object called `what`. throws FormatError for a value that is none, or that these
/// parameters have not.
Encoding read_encoding(ByteReader& reader, const RlweContext& context, const std::string& what);

/// Plaintexts or ciphertexts in an object called `what`. throws FormatError unless in [1, kMaxBatch].
std::size_t read_batch(ByteReader& reader, const std::string& what);

/// throws FormatError unless the payload has the expected size.
void require_payload(std::uint64_t actual, std::uint64_t expected, std::string_view what);

/// throws FormatError for more bytes of memory than have addresses, on machines of 32 bits.
void require_addressable(std::uint64_t bytes, std::string_view what);

/// `batch` polynomials of the ring, [batch][limbs][n] in the device's memory, as packed rows.
void write_polynomials(const RlweContext& context, const RingTables& ring, ConstWordPtr data,
                       std::size_t batch, ByteWriter& writer);
/// The same back, polynomial b to data + b stride. throws FormatError naming polynomial, limb, position and
/// value of a residue out of range; name(b): what polynomial b is called.
void read_polynomials(const RlweContext& context, const RingTables& ring, WordPtr data, std::size_t stride,
                      std::size_t batch, ByteReader& reader,
                      const std::function<std::string(std::size_t b)>& name);

/// The seed that the bytes of a key begin with. throws UnsupportedError for a key of another library, which
/// has none.
const Seed& require_seed(const std::optional<Seed>& seed, const std::string& what);
void write_seed(const Seed& seed, ByteWriter& writer);
Seed read_seed(ByteReader& reader, std::string_view what);

}  // namespace nttforge::rlwe
