// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/rns/base.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge {

// Between plaintext values modulo t and residues modulo a chain where the value sits at the bottom, below
// multiples of t (BGV). t is coprime to Q, 2 <= t < 2^62, and need not be below Q. factor is any word.

/// The one source m modulo t -> factor m modulo t, centred in [-t/2, t/2), modulo each q_i.
RnsStep lift_centred(const RnsBase& q, std::uint64_t t, std::uint64_t factor);

/// x modulo Q -> factor x modulo the one target t, x centred: exact for -Q (1/2 - k/gamma) <= x < Q/2, gamma
/// = redundant_modulus(q, t) (docs/bounds/decrypt.md). The correction passes the step's limit where x has
/// less than half a bit to Q/2.
RnsStep reduce_centred(const RnsBase& q, std::uint64_t t, std::uint64_t gamma, std::uint64_t factor);

}  // namespace nttforge
