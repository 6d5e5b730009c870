// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/integer_encoding/device_integers.hpp"
#include "nttforge/integer_encoding/plaintext.hpp"

namespace nttforge::integer_encoding {

/// n integers modulo t in each polynomial of a plaintext, as two rows of n/2 slots (row 0 first); addition
/// and multiplication act slot by slot. Const calls may run concurrently.
class BatchEncoder {
 public:
  /// throws UnsupportedError if t is not a prime = 1 (mod 2n), saying which t would do.
  explicit BatchEncoder(IntegerContextPtr context);

  const IntegerContextPtr& context() const { return context_; }
  std::size_t slots() const { return context_->n(); }
  std::size_t row_size() const { return context_->n() / 2; }

  /// values [batch][m], m <= n, in [0, t); the rest is zero. throws SizeError; ParameterError naming index,
  /// value and range, or a batch out of [1, kMaxBatch].
  Plaintext encode(std::span<const std::uint64_t> values, std::size_t batch = 1) const;
  /// The same in [-floor(t/2), floor((t-1)/2)] (negative ones stand for t + value).
  Plaintext encode(std::span<const std::int64_t> values, std::size_t batch = 1) const;
  /// [batch][n] values in [0, t).
  std::vector<std::uint64_t> decode(const Plaintext& plaintext) const;
  /// [batch][n] values in [-floor(t/2), floor((t-1)/2)].
  std::vector<std::int64_t> decode_signed(const Plaintext& plaintext) const;
  /// Into caller's memory, batch n values.
  void decode(const Plaintext& plaintext, std::span<std::uint64_t> out) const;
  void decode_signed(const Plaintext& plaintext, std::span<std::int64_t> out) const;
  /// Integers in the memory of the context's device. throws SizeError, ParameterError.
  Plaintext encode(const DeviceIntegers& values) const;
  /// Into that memory, batch n words that hold the values: in [0, t), or centred as two's complement. Nothing
  /// waits.
  void decode(const Plaintext& plaintext, WordPtr out, bool centred) const;

 private:
  IntegerContextPtr context_;
  std::shared_ptr<const PermutationTables> position_;  // of slot i in the transform's output
  std::shared_ptr<const PermutationTables> slot_;      // inverse permutation
};

}  // namespace nttforge::integer_encoding
