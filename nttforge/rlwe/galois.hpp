// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nttforge::rlwe {

/// Automorphisms X -> X^g of Z[X]/(X^n + 1), g odd. Slots of integers form two rows of n/2: 3^r mod 2n
/// rotates both rows left by r, 2n - 1 swaps the rows. Complex numbers are in one row of n/2, which 5^r
/// rotates and 2n
/// - 1 conjugates.
inline constexpr std::uint64_t kRowGenerator = 3, kComplexGenerator = 5;

/// Element that rotates rows by `step` (new slot i = old slot i + step). throws ParameterError unless -n/2 <
/// step < n/2.
std::uint64_t rotation_element(std::size_t n, std::int64_t step, std::uint64_t generator = kRowGenerator);

/// The element that exchanges the two rows of slots.
inline std::uint64_t column_swap_element(std::size_t n) { return 2 * static_cast<std::uint64_t>(n) - 1; }

/// The step in (-n/4, n/4] of a rotation element, or nothing if it is not a pure rotation.
std::optional<std::int64_t> rotation_step(std::size_t n, std::uint64_t element,
                                          std::uint64_t generator = kRowGenerator);

/// Steps whose keys inner_sum needs: 1, 2, 4, ... span/2 (up to n/4 for span = n, which needs the column swap
/// as well). span a power of two, 1 ... n. throws ParameterError.
std::vector<std::int64_t> inner_sum_steps(std::size_t n, std::size_t span);

/// index[slot] = position in bit-reversed transform output that holds the slot (row 0 first, then row 1).
std::vector<std::uint32_t> slot_positions(std::size_t n);

}  // namespace nttforge::rlwe
