// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/integer_encoding/device_integers.hpp"
#include "nttforge/integer_encoding/plaintext.hpp"

namespace nttforge::integer_encoding {

/// n integers modulo t as the coefficients of each polynomial of a plaintext; multiplication is the
/// negacyclic product. Any t, also 2.
class CoefficientEncoder {
 public:
  explicit CoefficientEncoder(IntegerContextPtr context);

  const IntegerContextPtr& context() const { return context_; }
  std::size_t size() const { return context_->n(); }

  /// As BatchEncoder::encode, ranges and errors alike; for t = 2 signed values are in [0, 1] too.
  Plaintext encode(std::span<const std::uint64_t> values, std::size_t batch = 1) const;
  Plaintext encode(std::span<const std::int64_t> values, std::size_t batch = 1) const;
  std::vector<std::uint64_t> decode(const Plaintext& plaintext) const;
  std::vector<std::int64_t> decode_signed(const Plaintext& plaintext) const;
  void decode(const Plaintext& plaintext, std::span<std::uint64_t> out) const;
  void decode_signed(const Plaintext& plaintext, std::span<std::int64_t> out) const;
  /// Integers in the memory of the context's device. throws SizeError, ParameterError.
  Plaintext encode(const DeviceIntegers& values) const;
  /// Into that memory, batch n words that hold the values: in [0, t), or centred as two's complement. Nothing
  /// waits.
  void decode(const Plaintext& plaintext, WordPtr out, bool centred) const;

 private:
  IntegerContextPtr context_;
};

}  // namespace nttforge::integer_encoding
