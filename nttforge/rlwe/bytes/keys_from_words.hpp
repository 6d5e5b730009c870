// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "nttforge/rlwe/keys.hpp"

namespace nttforge::rlwe {

/// Keys from the words of another library that lays them out as this one does: transformed (docs/format.md,
/// "What the words mean"), every residue below its prime. Such keys have no seed, so they have no bytes of
/// their own and are not offloaded. Whether they fit a secret is not checked: that takes the secret.
/// throws SizeError, ParameterError naming limb, position and value of a residue.

/// words [K][n]. throws ParameterError (without a value) unless the words are those of one polynomial that
/// the parameters' distribution can give.
SecretKey secret_key_from_words(RlweContextPtr context, std::span<const std::uint64_t> words);

/// words [2][K][n].
PublicKey public_key_from_words(RlweContextPtr context, std::span<const std::uint64_t> words);

/// words [digits][2][K][n]; purpose as in KeySwitchKey. throws UnsupportedError without special primes.
KeySwitchKey key_switch_key_from_words(RlweContextPtr context, std::span<const std::uint64_t> words,
                                       std::uint32_t purpose);

}  // namespace nttforge::rlwe
