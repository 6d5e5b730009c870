// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/arith/double_double.hpp"
#include "nttforge/rns/big_uint.hpp"

namespace nttforge::ckks {

// Scales as exact numbers (spec/ckks.py): results are rounded once, so that every machine has the same. Not
// constant time; scales are public.

/// The double-double nearest to a b times the product of `times` divided by that of `by`. throws
/// ParameterError unless a and b are positive and finite, and their parts below 2^-600 of each other.
DoubleDouble scale_of(const DoubleDouble& a, const DoubleDouble& b, std::span<const std::uint64_t> times,
                      std::span<const std::uint64_t> by);

/// The double-double nearest to a / b.
DoubleDouble quotient_of(const DoubleDouble& a, const DoubleDouble& b);

/// The integer nearest to a times the product of `times`, divided by b and that of `by`; halves upwards.
BigUint nearest_integer(const DoubleDouble& a, std::span<const std::uint64_t> times, const DoubleDouble& b,
                        std::span<const std::uint64_t> by);

/// |a / b - 1| < 2^-100: the same scale but for what double-doubles cannot hold.
bool same_scale(const DoubleDouble& a, const DoubleDouble& b);

/// log2 of a scale, for bounds.
double log2_of_scale(const DoubleDouble& scale);

}  // namespace nttforge::ckks
