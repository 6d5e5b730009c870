// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/integer_encoding/plaintext.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::integer_encoding {

using rlwe::to_bytes;
/// Plaintexts to and from bytes, in the format of rlwe/serialize.hpp.
std::vector<std::uint8_t> to_bytes(const Plaintext& object);
/// throws FormatError, ContextError for a plaintext of other parameters.
Plaintext plaintext_from_bytes(IntegerContextPtr context, std::span<const std::uint8_t> bytes);

}  // namespace nttforge::integer_encoding
