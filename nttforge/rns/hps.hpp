// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "nttforge/rns/base.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge {

// The steps of [HPS19], with a fixed-point sum of integers where the paper has floating-point numbers. Each
// fixed-point sum is below its exact value by delta, 0 <= delta <= epsilon <= sum_i (q_i - 1) 2^-f, f the
// step's fraction_bits (docs/bounds/steps.md).

/// x modulo Q -> x' = x (mod Q) modulo the targets: nearest, -Q/2 <= x' < Q/2 + epsilon Q; else 0 <= x' < Q +
/// epsilon Q. So it is exact but for the x within epsilon Q of an end, which may come out at the other end.
RnsStep hps_extend(const RnsBase& q, std::span<const std::uint64_t> targets, bool nearest = true);

/// x modulo Q, own words x modulo the targets -> floor(t x / Q + 1/2 - delta) modulo the targets, for any
/// integer x: round(t x / Q) but where t x / Q lies up to epsilon above a half. The targets must be coprime
/// to Q. 2 <= t < 2^62.
RnsStep hps_scale(const RnsBase& q, const RnsBase& targets, std::uint64_t t);

/// Decryption: x modulo Q -> floor(t x / Q + 1/2 - delta) modulo t, delta as in hps_scale.
RnsStep hps_decrypt(const RnsBase& q, std::uint64_t t);

}  // namespace nttforge
