// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nttforge/rlwe/ciphertext.hpp"
#include "nttforge/rlwe/keys.hpp"
#include "nttforge/rlwe/parameters.hpp"

namespace nttforge::rlwe {

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
  evaluation_keys = 8,
  key_switch_key = 9,
  bootstrap_keys = 10,
};
std::string_view object_kind_name(ObjectKind kind);  ///< as errors name it

/// The first 32 bytes of an object: docs/format.md.
struct ObjectHeader {
  std::uint16_t version = 0;
  Scheme scheme = Scheme::bfv;
  ObjectKind kind = ObjectKind::parameters;
  std::uint64_t fingerprint = 0;  ///< of the parameters it belongs to
  std::uint64_t payload_bytes = 0;
};
/// Reads and checks the header and the checksum of one object that fills `bytes` exactly.
ObjectHeader read_header(std::span<const std::uint8_t> bytes);

/// The bytes of an object by docs/format.md; those of a secret key are plain: protect the file.
std::vector<std::uint8_t> to_bytes(const RlweParameters& object);
std::vector<std::uint8_t> to_bytes(const SecretKey& object);
std::vector<std::uint8_t> to_bytes(const PublicKey& object);
std::vector<std::uint8_t> to_bytes(const RelinearizationKey& object);
std::vector<std::uint8_t> to_bytes(const RotationKeys& object);
std::vector<std::uint8_t> to_bytes(const EvaluationKeys& object);
/// throws ParameterError for a key of KeyGenerator::relinearization_key or galois_keys.
std::vector<std::uint8_t> to_bytes(const KeySwitchKey& object);
/// The bound on the noise is stored in coarse steps, kStoredNoiseBits; without `noise` it is left out, and
/// who reads the ciphertext knows nothing of it. Bounds depend on plaintext factors: docs/bounds/noise.md.
std::vector<std::uint8_t> to_bytes(const Ciphertext& object, bool noise = true);
/// Elements first ... of a batch, each in a place of element_bytes(object, noise) bytes, as to_bytes writes
/// what has no seed; they leave the device together. throws as to_bytes; SizeError unless they are there.
void elements_to_bytes(const Ciphertext& object, std::size_t first, bool noise,
                       std::span<const std::span<std::uint8_t>> out);
std::size_t element_bytes(const Ciphertext& object, bool noise = true);

/// Fills in parameters, which are not yet checked. throws FormatError, also for a set of another scheme.
void read_stored(std::span<const std::uint8_t> bytes, RlweParameters& parameters);
/// throws ParameterError for a set that claims no security level, or does not reach the one that it claims by
/// this table, unless insecure sets are allowed.
void require_security_claim(const RlweParameters& parameters, bool allow_insecure, SecurityTable table);
/// Parameters of a scheme's own type, checked. Whoever sends parameters chooses them; by which table they are
/// secure is the receiver's choice. throws FormatError; ParameterError as require_security_claim.
template <class SchemeParameters>
SchemeParameters load_parameters(std::span<const std::uint8_t> bytes, bool allow_insecure,
                                 SecurityTable table) {
  SchemeParameters parameters;
  read_stored(bytes, parameters);
  try {
    parameters.validate();
  } catch (const ParameterError& error) {
    throw FormatError(std::string("the stored parameters are not valid: ") + error.what());
  }
  require_security_claim(parameters, allow_insecure, table);
  return parameters;
}
SecretKey secret_key_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes);
PublicKey public_key_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes);
RelinearizationKey relinearization_key_from_bytes(RlweContextPtr context,
                                                  std::span<const std::uint8_t> bytes);
/// offload: how many stay on the device of keys that are moved to host memory one after the other as they are
/// read (RotationKeys::offload).
RotationKeys rotation_keys_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes,
                                      std::optional<std::size_t> offload = std::nullopt);
KeySwitchKey key_switch_key_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes);
EvaluationKeys evaluation_keys_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes,
                                          std::optional<std::size_t> offload = std::nullopt);

/// Takes the bytes of an object, part by part, in order. What it throws is passed on.
using WriteBytes = std::function<void(std::span<const std::uint8_t> part)>;
/// Fills `part` and returns how many bytes there were: fewer than asked for at the end only.
using ReadBytes = std::function<std::size_t(std::span<std::uint8_t> part)>;
/// Is told after each part how many bytes are done, of all. What it throws ends the operation.
using ByteProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// to_bytes in parts of a polynomial: no copy of all bytes in memory.
void write(const EvaluationKeys& object, const WriteBytes& to, const ByteProgress& progress = {});
/// Reads what `write` or to_bytes wrote, a key at a time, with all of from_bytes' checks; the checksum, which
/// stands at the end, is compared last, before anybody sees the keys. Bytes after the object stay unread.
EvaluationKeys read_evaluation_keys(RlweContextPtr context, const ReadBytes& from,
                                    const ByteProgress& progress = {},
                                    std::optional<std::size_t> offload = std::nullopt);
/// Bytes of the object that to_bytes writes.
std::uint64_t serialized_size(const EvaluationKeys& object);

/// What a ciphertext takes in memory at most, as a multiple of its bytes: rounded parts have few bits of
/// words. What shrink makes stays below 16.
inline constexpr std::size_t kMostExpansion = 16;
/// Reads a ciphertext, seeded or not, of any level. most_bytes: of memory that it may take; by default
/// kMostExpansion times its bytes, or what one ciphertext of three parts takes at the highest level. throws
/// FormatError, ContextError.
Ciphertext ciphertext_from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes,
                                 std::optional<std::uint64_t> most_bytes = std::nullopt);
/// Ciphertext::stack of what ciphertext_from_bytes reads of each, whose polynomials come to the device
/// together. throws as they do.
Ciphertext stack_from_bytes(const RlweContextPtr& context,
                            std::span<const std::span<const std::uint8_t>> objects);

}  // namespace nttforge::rlwe
