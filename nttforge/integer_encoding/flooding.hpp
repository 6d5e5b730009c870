// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "nttforge/integer_encoding/context.hpp"
#include "nttforge/rlwe/ciphertext.hpp"

namespace nttforge::integer_encoding {

/// Statistical security of decrypt_shared, in bits: what an answer tells besides the message is within
/// 2^-bits of nothing (docs/bounds/decrypt.md).
inline constexpr unsigned kSharedBits = 64, kLeastSharedBits = 20, kMostSharedBits = 128;

/// log2 of F: flooding is uniform in [-F, F) times what messages are apart (1 in BFV, t in BGV), a quarter to
/// a half of the noise that decryption bears at this level. It depends on the parameters alone.
unsigned flooding_log2(const IntegerContext& context, std::size_t level);

/// Budget that a bound must leave before flooding: security_bits + log2 n + 2.
double shared_budget_bits(const IntegerContext& context, unsigned security_bits);

/// throws NoiseError unless that bound on the noise leaves enough room, or the `stated` budget in its place;
/// ParameterError for security bits out of range. Depends on nothing secret.
void require_room_for_flooding(const Ciphertext& ciphertext, unsigned security_bits, NoiseBound bound,
                               std::optional<double> stated = std::nullopt);

/// The ciphertext with flooding added to part 0 of each element, from a stream of this seed: never use a seed
/// twice. Its noise is unknown.
Ciphertext flooded(const Ciphertext& ciphertext, const Seed& seed);

}  // namespace nttforge::integer_encoding
