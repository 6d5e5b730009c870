// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/cxx20.hpp"
#include "nttforge/rns/base.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge {

/// The redundant modulus gamma of [Bad18b] Alg. 2: the largest prime below 2^50 (or 2^61 if t is larger) that
/// divides neither Q nor t.
std::uint64_t redundant_modulus(const RnsBase& q, std::uint64_t t);
/// floor(gamma / 2^1.5): a correction modulo gamma this far from 0 says that less than half a bit of budget
/// is left.
std::uint64_t exhausted_distance(std::uint64_t gamma);

/// Between residues modulo Q and plaintext values modulo t. 2 <= t < 2^60, gcd(t, Q) = 1, t < Q.
class DecryptScale {
 public:
  /// throws ParameterError naming the field.
  DecryptScale(const RnsBase& q, std::uint64_t t);

  const RnsBase& q() const { return q_; }
  const Modulus& t() const { return t_; }
  /// redundant_modulus(q, t); decryption is exact while |noise| < Q/t (1/2 - k/gamma)
  /// (docs/bounds/decrypt.md).
  const Modulus& gamma() const { return gamma_; }

  /// [Bad18b] Alg. 2: residues of x modulo Q -> round(t x / Q) modulo the one target t. The correction is d =
  /// floor(gamma v / Q) - u, the distance to the rounding's middle in parts of gamma
  /// (docs/bounds/decrypt.md), v = t x - Q round(t x / Q). It passes the step's limit, |d| >= noise_limit(),
  /// where noise leaves less than half a bit of budget.
  RnsStep decrypt() const;
  std::uint64_t noise_limit() const { return exhausted_distance(gamma_.value()); }
  /// The one source m modulo t -> round(Q m / t) = floor((Q m + floor(t/2)) / t) modulo each q_i.
  RnsStep encrypt() const;

 private:
  RnsBase q_;
  Modulus t_;
  Modulus gamma_;
};

}  // namespace nttforge
