// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "nttforge/rlwe/parameters.hpp"

namespace nttforge::integer_encoding {

using namespace rlwe;  // NOLINT: the layer's names beside its own

/// A set of numbers whose plaintexts are integers modulo t.
struct IntegerParameters : RlweParameters {
  std::uint64_t t = 0;  ///< plaintext modulus, 2 <= t < 2^60, coprime to every prime, small enough for fresh
                        ///< ciphertexts to decrypt

  friend bool operator==(const IntegerParameters&, const IntegerParameters&) = default;

  bool has_batching() const;  ///< t prime and t = 1 (mod 2n): n slots
  /// As RlweParameters::serialized_sizes, plaintexts among them.
  ObjectSizes serialized_sizes(std::size_t batch = 1, std::size_t level = 0) const;

  std::uint64_t plain_number() const override { return t; }
  void set_plain_number(std::uint64_t value) override { t = value; }
  std::string describe_plain() const override { return "t = " + std::to_string(t); }
};

/// check_ring, and the range of t. throws ParameterError naming field, value, allowed range and remedy.
void check_integers(const IntegerParameters& parameters);

/// What presets try for t in turn where none is asked for: 65537, the smallest prime = 1 (mod 2n), 2.
std::array<std::uint64_t, 3> default_plain_moduli(std::size_t n);

}  // namespace nttforge::integer_encoding
