// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/rns/base.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge {

// The steps of [HPS19] and [KPZ21], with a fixed-point sum of integers where the papers have floating-point
// numbers. Each fixed-point sum is below its exact value by delta, 0 <= delta <= epsilon <= sum_i (q_i - 1)
// 2^-f, f the step's fraction_bits (docs/bounds/steps.md). What products need of them: docs/bounds/hps.md.

/// x modulo Q -> x' = x (mod Q) modulo the targets: nearest, -Q/2 <= x' < Q/2 + epsilon Q; else 0 <= x' < Q +
/// epsilon Q. So it is exact but for the x within epsilon Q of an end, which may come out at the other end.
RnsStep hps_extend(const RnsBase& q, std::span<const std::uint64_t> targets, bool nearest = true);

/// x modulo Q, own words x modulo the targets -> multiple floor(factor x / Q + 1/2 - delta) modulo the
/// targets, for any integer x: round(factor x / Q) but where factor x / Q lies up to epsilon above a half.
/// The targets must be coprime to Q. The step takes no own words if every target divides the factor.
RnsStep hps_scale(const RnsBase& q, std::span<const std::uint64_t> targets, const BigUint& factor,
                  const BigUint& multiple = BigUint(1));

/// Decryption: x modulo Q -> floor(t x / Q + 1/2 - delta) modulo t, delta as in hps_scale. t coprime to Q.
RnsStep hps_decrypt(const RnsBase& q, std::uint64_t t);

/// epsilon of steps that take these sources, rounded up.
double hps_epsilon(std::span<const std::uint64_t> sources);

/// The base P of plain HPS products: NTT-friendly primes of prime_bits bits, distinct from Q and from
/// `avoid`, the fewest for which the scaled sum of `terms` products comes back to Q exactly:
///   P (1/2 - epsilon_P) >= F,   F = terms t n Q (1 + 2 epsilon_Q)^2 / 2 + 1.
/// The ranges and errors are those of Behz. No result depends on the choice.
RnsBase hps_base(const RnsBase& q, std::uint64_t t, std::size_t n, std::span<const std::uint64_t> avoid = {},
                 std::size_t terms = 16, unsigned prime_bits = 50);

/// The base P of products over Q: the fewest such primes with 2 P >= Q. The noise of a product depends on
/// Q / P and its words on P; no value is too large for it.
RnsBase hps_over_q_base(const RnsBase& q, std::size_t n, std::span<const std::uint64_t> avoid = {},
                        unsigned prime_bits = 50);

}  // namespace nttforge
