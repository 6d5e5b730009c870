// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/shoup.hpp"
#include "nttforge/base/cxx20.hpp"
#include "nttforge/rns/big_uint.hpp"

namespace nttforge {

/// An RNS base: pairwise coprime moduli q_0 ... q_{k-1}, each 2 <= q < 2^62. Immutable.
class RnsBase {
 public:
  /// throws ParameterError for an empty list, a modulus out of range, a repeat, or a common factor (naming
  /// both).
  explicit RnsBase(std::vector<std::uint64_t> moduli);

  std::size_t size() const { return values_.size(); }
  std::span<const std::uint64_t> values() const { return values_; }
  const Modulus& modulus(std::size_t i) const { return moduli_[i]; }
  const BigUint& product() const { return product_; }
  /// (Q / q_i)^-1 mod q_i with its Shoup quotient.
  ShoupConstant inverse_punctured(std::size_t i) const { return inverse_punctured_[i]; }
  /// (Q / q_i) mod m.
  std::uint64_t punctured_mod(std::size_t i, const Modulus& m) const;

  /// Residues of x, any size.
  std::vector<std::uint64_t> decompose(const BigUint& x) const;
  /// The x in [0, Q) with these residues, by equation (1) of [Bad18b].
  BigUint compose(std::span<const std::uint64_t> residues) const;
  /// The same by Garner's mixed radix method, [Bad18b] Alg. 4.
  BigUint compose_garner(std::span<const std::uint64_t> residues) const;

 private:
  std::vector<std::uint64_t> values_;
  std::vector<Modulus> moduli_;
  BigUint product_;
  std::vector<ShoupConstant> inverse_punctured_;
  std::vector<std::uint64_t> garner_;  // inverse of q_0 ... q_{i-1} mod q_i
};

}  // namespace nttforge
