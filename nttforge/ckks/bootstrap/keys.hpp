// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nttforge/rlwe/keys.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::ckks {

using rlwe::KeySwitchKey, rlwe::RelinearizationKey, rlwe::RotationKeys;

class Bootstrapper;

/// What whoever bootstraps needs; none of it is secret.
struct BootstrapKeys {
  KeySwitchKey to_sparse, to_dense;
  RelinearizationKey relinearization;
  RotationKeys rotations;

  /// A copy in another context of equal parameters. throws ContextError.
  BootstrapKeys to(const rlwe::RlweContextPtr& context) const;
  /// Moves all keys but the small one to the sparse secret to host memory, from where they are fetched when
  /// they are used; `cached` rotation keys, and others if it is not 0, stay on the device
  /// (RotationKeys::offload). throws UnsupportedError if the host has too little memory.
  void offload(std::size_t cached = 2);
  void load();  ///< back to stay; throws UnsupportedError if the device has too little memory
  bool offloaded() const { return rotations.offloaded(); }
};

/// throws UnsupportedError unless there is room for the keys and for what making one takes: on the device, or
/// on the host if they are offloaded one after the other with `*offload` cached.
void require_memory_of_keys(const Bootstrapper& bootstrapper, std::optional<std::size_t> offload);

/// A number that keys depend on, as their bytes say it.
struct KeyField {
  const char* name;
  std::size_t bytes;
  std::uint64_t value;
};

/// Whose keys an object holds. By default that is the bootstrapper's context; ciphertexts of integers have
/// one of their own, and first in the bytes of their keys stands what leads from it to the bootstrapper's.
struct KeyOwner {
  rlwe::RlweContextPtr context;
  std::vector<KeyField> fields;
};

/// Bytes of the object that to_bytes writes, before there are any keys.
std::uint64_t serialized_size(const Bootstrapper& bootstrapper, const KeyOwner& owner = {});
/// docs/format.md; what the keys depend on of the options is part of it. throws ParameterError for keys of
/// another bootstrapper.
std::vector<std::uint8_t> to_bytes(const Bootstrapper& bootstrapper, const BootstrapKeys& keys,
                                   const KeyOwner& owner = {});
/// to_bytes in parts of a polynomial: no copy of all bytes in memory.
void write(const Bootstrapper& bootstrapper, const BootstrapKeys& keys, const rlwe::WriteBytes& to,
           const rlwe::ByteProgress& progress = {}, const KeyOwner& owner = {});
/// offload: as RotationKeys::offload, key after key as they are read. throws FormatError; ContextError for
/// keys of other parameters or of other options, naming the first that differs; UnsupportedError for more
/// than there is memory for.
BootstrapKeys bootstrap_keys_from_bytes(const Bootstrapper& bootstrapper, std::span<const std::uint8_t> bytes,
                                        std::optional<std::size_t> offload = std::nullopt,
                                        const KeyOwner& owner = {});
/// The same a key at a time (rlwe::read_evaluation_keys).
BootstrapKeys read_bootstrap_keys(const Bootstrapper& bootstrapper, const rlwe::ReadBytes& from,
                                  const rlwe::ByteProgress& progress = {},
                                  std::optional<std::size_t> offload = std::nullopt,
                                  const KeyOwner& owner = {});

}  // namespace nttforge::ckks
