// SPDX-License-Identifier: Apache-2.0
#pragma once

// Primes of recommended sets. Not installed.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nttforge::rlwe {

/// `count` sizes with `bits` bits in all, as equal as possible, the smaller ones first.
std::vector<unsigned> equal_sizes(unsigned bits, std::size_t count);

/// For each size, equal ones side by side, the largest prime = 1 (mod 2n) that is neither taken yet nor in
/// `exclude`; nothing if there are too few.
std::optional<std::vector<std::uint64_t>> primes_of_sizes(std::size_t n, std::span<const unsigned> sizes,
                                                          std::span<const std::uint64_t> exclude);

}  // namespace nttforge::rlwe
