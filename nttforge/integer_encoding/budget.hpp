// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "nttforge/integer_encoding/context.hpp"
#include "nttforge/rlwe/ciphertext.hpp"

namespace nttforge::integer_encoding {

/// Predicted bits left before decryption may fail; at or below zero the result is not to be trusted. Nothing
/// if the noise is unknown, which compares as less than any number. throws ContextError for an empty
/// ciphertext.
std::optional<double> predicted_noise_budget_bits(const Ciphertext& ciphertext);

/// The same by the proved bound: above zero decryption is right but for a probability below 2^-128. Nothing
/// is proved of noise that came in bytes or in residues.
std::optional<double> proved_noise_budget_bits(const Ciphertext& ciphertext);

}  // namespace nttforge::integer_encoding
