// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace nttforge::rlwe {

/// What the n integers of a plaintext or ciphertext are: slots, on which arithmetic acts one by one, or the
/// coefficients of a polynomial, whose product is the negacyclic one. Values are part of the byte format.
enum class Encoding : std::uint8_t { slots = 1, coefficients = 2 };

std::string_view encoding_name(Encoding encoding);  ///< "slots" or "coefficients"
Encoding parse_encoding(std::string_view name);     ///< throws ParameterError listing the names

/// throws ParameterError naming both encodings unless they are the same.
void require_same_encoding(Encoding a, std::string_view name_a, Encoding b, std::string_view name_b);

/// throws ParameterError unless `encoding`, of the operand called `name`, is slots, which `operation` moves.
void require_slots(Encoding encoding, std::string_view name, std::string_view operation);

}  // namespace nttforge::rlwe
