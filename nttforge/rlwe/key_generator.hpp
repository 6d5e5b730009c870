// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "nttforge/rlwe/keys.hpp"

namespace nttforge::rlwe {

/// Makes keys. All randomness comes from one seed: the operating system's, or a given one (then every key is
/// a function of seed and parameters alone, on any device: for tests only). A generator gives the same key
/// each time it is asked. Const calls may run concurrently.
class KeyGenerator {
 public:
  explicit KeyGenerator(RlweContextPtr context);
  KeyGenerator(RlweContextPtr context, const Seed& seed);
  /// More keys for an existing secret, with fresh randomness.
  explicit KeyGenerator(SecretKey secret);
  KeyGenerator(const KeyGenerator&) = delete;
  KeyGenerator& operator=(const KeyGenerator&) = delete;

  const RlweContextPtr& context() const { return context_; }
  const SecretKey& secret_key() const { return secret_; }
  PublicKey public_key() const;
  /// throws UnsupportedError if the parameters have no special prime (also those below).
  RelinearizationKey relinearization_key() const;
  /// Keys for the steps given (0 is skipped) and, if asked, the column swap.
  /// throws ParameterError naming a step outside (-n/2, n/2), UnsupportedError if all of them take more
  /// memory than there is (also those below).
  /// offload: how many stay on the device of keys that are moved to host memory one after the other as they
  /// are made (RotationKeys::offload; also below).
  RotationKeys rotation_keys(std::span<const std::int64_t> steps, bool column_swap = false,
                             std::optional<std::size_t> offload = std::nullopt) const;
  /// Keys for inner_sum over `span` slots.
  RotationKeys inner_sum_keys(std::size_t span) const;
  /// Keys for Galois elements (odd, 1 < g < 2n).
  RotationKeys galois_keys(std::span<const std::uint64_t> elements,
                           std::optional<std::size_t> offload = std::nullopt) const;

 private:
  KeySwitchKey key_switch_key(ConstWordPtr from, std::uint32_t purpose) const;
  KeySwitchKey galois_key(std::uint64_t element) const;

  RlweContextPtr context_;
  Seed seed_;
  SecretKey secret_;
};

}  // namespace nttforge::rlwe
