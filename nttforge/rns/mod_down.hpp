// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/rns/base.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge {

// Division by primes that leave the base: its own words are x modulo the primes that stay, its sources x
// modulo the others.

/// By the last modulus p of a base {q_0 ... q_{k-1}, p}: round(x / p) exactly, halves upwards. Dropping a
/// special prime, rescaling. throws ParameterError if the base has fewer than two moduli.
RnsStep mod_down(const RnsBase& base);

/// By the product P of a primes `special` at once, without a correction: floor(x / P) - u + floor(a / 2)
/// modulo each of `q`, 0 <= u < a, which is within (a + 1) / 2 of x / P.
RnsStep mod_down_fast(const RnsBase& q, const RnsBase& special);

/// The same, rounded: floor(x / P + 1/2 - delta), 0 <= delta <= epsilon <= sum_i (p_i - 1) 2^-f, f the step's
/// fraction_bits (docs/bounds/steps.md): round(x / P) but where x / P lies that little above a half.
RnsStep mod_down_nearest(const RnsBase& q, const RnsBase& special);

/// BGV's modulus switching by the last modulus p: (x - t r) / p, r = x t^-1 modulo p, centred. It is x p^-1
/// modulo t and within t / 2 of x / p. throws ParameterError if the base has fewer than two moduli or p and t
/// share a factor.
RnsStep switch_modulus(const RnsBase& base, std::uint64_t t);

/// The same by the product P of a primes `special` at once: (x - t r) / P + t floor(a / 2), where r is
/// x t^-1 modulo P by fast base conversion, r < a P. It is x P^-1 modulo t and within t (a + 1) / 2 of x / P.
RnsStep switch_modulus_fast(const RnsBase& q, const RnsBase& special, std::uint64_t t);

/// Rescaling from one window of a chain to another: x times T, the product of the primes that only `to` has,
/// by D, the product of those that only `from` has, as one division with one rounding: (x T - t r) / D, r =
/// x T / t modulo D, centred: exactly if it drops one prime, else up to near halves as mod_down_nearest. The
/// sources are the primes that are dropped, in the order of `from`; own words are x modulo `to`, where the
/// factor of an added prime is 0. t = 1: x T / D rounded; BGV's t: x T / D modulo t, within t / 2 of x T / D.
/// throws ParameterError if no prime is dropped or none kept, or a dropped one and t share a factor.
RnsStep rescale(const RnsBase& from, const RnsBase& to, std::uint64_t t = 1);

}  // namespace nttforge
