// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/arith/shoup.hpp"
#include "nttforge/rns/base.hpp"

namespace nttforge {

/// Division by the last prime p of a base {q_0 ... q_{k-1}, p} with rounding to nearest:
/// out_j = (x_j - [x]_p) p^-1 mod q_j, [x]_p centred: exactly round(x / p).
class ModDown {
 public:
  explicit ModDown(const RnsBase& base);  ///< throws ParameterError if base has fewer than two moduli

  const RnsBase& base() const { return base_; }
  /// One coefficient; x has base().size() residues, out one less.
  void apply(std::span<const std::uint64_t> x, std::span<std::uint64_t> out) const;

  std::span<const ShoupConstant> inverse_p() const { return inverse_p_; }  ///< p^-1 mod q_j
  std::span<const std::uint64_t> half_p() const { return half_p_; }        ///< floor(p/2) mod q_j

 private:
  RnsBase base_;
  std::vector<ShoupConstant> inverse_p_;
  std::vector<std::uint64_t> half_p_;
};

}  // namespace nttforge
