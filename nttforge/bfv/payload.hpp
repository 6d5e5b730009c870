// SPDX-License-Identifier: Apache-2.0
#pragma once

// What payloads of several kinds of objects consist of (docs/format.md). Internal to the serialisation.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "nttforge/base/text/bytes.hpp"
#include "nttforge/bfv/context.hpp"
#include "nttforge/bfv/serialize.hpp"

namespace nttforge::bfv {

/// The context of an object called `what`. throws ContextError if it is empty.
const Context& require_object(const ContextPtr& context, std::string_view what);

/// Checks frame, kind and parameters; returns the payload. throws FormatError, ContextError.
std::span<const std::uint8_t> open_object(const ContextPtr& context, ObjectKind kind,
                                          std::span<const std::uint8_t> bytes);

/// throws FormatError unless the payload has the expected size.
void require_payload(std::size_t actual, std::size_t expected, std::string_view what);

/// `batch` polynomials of the ring, [batch][limbs][n] in the device's memory, as packed rows.
void write_polynomials(const Context& context, const RingTables& ring, ConstWordPtr data, std::size_t batch,
                       ByteWriter& writer);
/// throws FormatError naming `what`, polynomial, limb, position and value of a residue out of range.
void read_polynomials(const Context& context, const RingTables& ring, WordPtr data, std::size_t batch,
                      ByteReader& reader, const std::string& what);

void write_seed(const Seed& seed, ByteWriter& writer);
Seed read_seed(ByteReader& reader, std::string_view what);

}  // namespace nttforge::bfv
