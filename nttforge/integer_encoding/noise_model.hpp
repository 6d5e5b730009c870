// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/rlwe/noise.hpp"

namespace nttforge::integer_encoding {

using namespace rlwe;  // NOLINT: the layer's names beside its own

/// Decryption is right for noise below the limit less 2^-43 of it; in bits, with room.
inline constexpr double kDecryptionLoss = 1e-9;

/// Noise where messages are exact: decryption is right below a limit, and what is left to it is the budget.
class IntegerNoiseModel : public virtual RlweNoiseModel {
 public:
  /// log2 of what a coefficient of the noise must stay below for decryption to be right.
  virtual double limit_log2(std::size_t level) const = 0;
  virtual Noise add_plain(const Noise& a) const = 0;

  /// Bits left below the limit; negative means that decryption may fail.
  double budget_bits(const Noise& noise, std::size_t level) const {
    return limit_log2(level) - noise.coefficient;
  }
  /// The same by the proved bound; minus infinity where nothing is proved. The limit less what approximate
  /// decryption takes of it (docs/bounds/decrypt.md).
  double proved_budget_bits(const Noise& noise, std::size_t level) const {
    return limit_log2(level) - kDecryptionLoss - noise.proved.coefficient;
  }
  double budget_bits(const Noise& noise, std::size_t level, NoiseBound bound) const {
    return bound == NoiseBound::proved ? proved_budget_bits(noise, level) : budget_bits(noise, level);
  }

  /// The largest j with a budget above 16 j bits, so that a budget above 0 stays above 0; between that of the
  /// largest bound and that of a fresh ciphertext.
  std::int32_t stored_level(const Noise& noise, std::size_t level) const override;
  std::int32_t lowest_stored_level(std::size_t level) const override;
  std::int32_t highest_stored_level(std::size_t level) const override;
  /// The smallest bound of that level; the canonical norm is at most n times the largest coefficient.
  Noise from_stored_level(std::int32_t stored, std::size_t level) const override;
};

}  // namespace nttforge::integer_encoding
