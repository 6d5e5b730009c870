// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "nttforge/bfv/ciphertext.hpp"
#include "nttforge/bfv/keys.hpp"
#include "nttforge/bfv/parameters.hpp"
#include "nttforge/bfv/plaintext.hpp"

namespace nttforge::bfv {

/// One versioned little-endian format (docs/format.md): header, payload, checksum. Loading checks everything,
/// sizes before allocating, every residue against its modulus: FormatError for bytes that are no such object,
/// ContextError for an object of other parameters. The checksum finds accidents; it is no protection against
/// forgery.
enum class ObjectKind : std::uint16_t {
  parameters = 1,
  secret_key = 2,
  public_key = 3,
  relinearization_key = 4,
  rotation_keys = 5,
  plaintext = 6,
  ciphertext = 7,
};
std::string_view object_kind_name(ObjectKind kind);

struct ObjectHeader {
  std::uint16_t version = 0;
  std::uint16_t scheme = 0;  ///< 1: BFV
  ObjectKind kind = ObjectKind::parameters;
  std::uint64_t fingerprint = 0;  ///< of the parameters it belongs to
  std::uint64_t payload_bytes = 0;
};
/// Reads and checks the header and the checksum of one object that fills `bytes` exactly.
ObjectHeader read_header(std::span<const std::uint8_t> bytes);

std::vector<std::uint8_t> to_bytes(const Parameters& object);
std::vector<std::uint8_t> to_bytes(const SecretKey& object);  ///< plain: protect the file
std::vector<std::uint8_t> to_bytes(const PublicKey& object);
std::vector<std::uint8_t> to_bytes(const RelinearizationKey& object);
std::vector<std::uint8_t> to_bytes(const RotationKeys& object);
std::vector<std::uint8_t> to_bytes(const Plaintext& object);
/// The bound on the noise is stored in coarse steps, kStoredNoiseBits; without `noise` it is left out, and
/// who reads the ciphertext knows nothing of it. Bounds depend on plaintext factors: docs/bounds/noise.md.
std::vector<std::uint8_t> to_bytes(const Ciphertext& object, bool noise = true);

/// Whoever sends parameters chooses them. throws ParameterError for a set that claims no security level
/// (insecure_by_request), unless that is allowed here.
Parameters parameters_from_bytes(std::span<const std::uint8_t> bytes, bool allow_insecure = false);
SecretKey secret_key_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes);
PublicKey public_key_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes);
RelinearizationKey relinearization_key_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes);
RotationKeys rotation_keys_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes);
Plaintext plaintext_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes);
Ciphertext ciphertext_from_bytes(ContextPtr context, std::span<const std::uint8_t> bytes);

}  // namespace nttforge::bfv
