// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nttforge::rlwe {

/// Automorphisms X -> X^g of Z[X]/(X^n + 1), g odd. The slots form two rows of n/2: 3^r mod 2n rotates both
/// rows left by r, 2n - 1 swaps the rows.

/// Element that rotates rows by `step` (new slot i = old slot i + step). throws ParameterError unless -n/2 <
/// step < n/2.
std::uint64_t rotation_element(std::size_t n, std::int64_t step);

/// The element that exchanges the two rows of slots.
inline std::uint64_t column_swap_element(std::size_t n) { return 2 * static_cast<std::uint64_t>(n) - 1; }

/// The step in (-n/4, n/4] of a rotation element, or nothing if it is not a pure rotation.
std::optional<std::int64_t> rotation_step(std::size_t n, std::uint64_t element);

/// Steps whose keys inner_sum needs: 1, 2, 4, ... span/2 (up to n/4 for span = n, which needs the column swap
/// as well). span a power of two, 1 ... n. throws ParameterError.
std::vector<std::int64_t> inner_sum_steps(std::size_t n, std::size_t span);

/// index[slot] = position in bit-reversed transform output that holds the slot (row 0 first, then row 1).
std::vector<std::uint32_t> slot_positions(std::size_t n);

}  // namespace nttforge::rlwe
