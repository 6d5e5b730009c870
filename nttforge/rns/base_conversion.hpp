// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/rns/base.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge {

/// Fast base conversion of f x, f a fixed factor, equation (3) of [Bad18b]: the step's value is
///   FastBconv(x) = sum_i [f x_i (Q/q_i)^-1]_{q_i} Q/q_i = [f x]_Q + u Q   with 0 <= u < k
/// modulo each target. The multiple u is the price of never computing [f x]_Q itself.
/// to  any moduli, 2 <= m < 2^62; they need not be coprime to `from` or to one another.
/// throws ParameterError for a target modulus out of range.
RnsStep fast_base_conversion(const RnsBase& from, std::span<const std::uint64_t> to,
                             const BigUint& factor = BigUint(1));

/// The product of `factors` modulo m.
std::uint64_t product_mod(std::span<const std::uint64_t> factors, const Modulus& m);

}  // namespace nttforge
