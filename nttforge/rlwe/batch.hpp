// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace nttforge::rlwe {

/// Most polynomials of a plaintext and most ciphertexts of an object; the limit of the byte format.
inline constexpr std::size_t kMaxBatch = std::size_t{1} << 20;

/// throws ParameterError unless batch is in [1, kMaxBatch].
void require_batch(std::size_t batch);

/// throws SizeError unless `element` is one of an object of `batch`.
void require_element(std::size_t element, std::size_t batch);

/// throws SizeError unless `count` elements, at least one, from `first` on are those of an object of `batch`.
void require_elements(std::size_t first, std::size_t count, std::size_t batch);

/// The batch of what is computed from two operands: their own if both have the same, and the other's where
/// one operand is single, which then serves every element. throws SizeError naming both operands otherwise.
std::size_t common_batch(std::size_t a, std::string_view name_a, std::size_t b, std::string_view name_b);

/// The element of an operand of `batch` that belongs to element e of a result.
constexpr std::size_t operand_element(std::size_t batch, std::size_t e) { return batch == 1 ? 0 : e; }

}  // namespace nttforge::rlwe
