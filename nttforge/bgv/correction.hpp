// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

namespace nttforge::bgv {

/// Small (f, g) with f a = g b (mod t), units modulo t, for units a and b modulo t: what ciphertexts with the
/// correction factors a and b are multiplied with before they are added. Of the pairs that Euclid's algorithm
/// meets, starting from b / a modulo t, the first with the least |f| + |g|, about sqrt(t).
std::pair<std::int64_t, std::int64_t> balance(std::uint64_t a, std::uint64_t b, std::uint64_t t);

/// The inverse of a unit a modulo t, 2 <= t < 2^60, which need not be prime.
std::uint64_t inverse_unit(std::uint64_t a, std::uint64_t t);

}  // namespace nttforge::bgv
