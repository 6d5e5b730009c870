// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/shoup.hpp"
#include "nttforge/rns/base.hpp"

namespace nttforge {

/// Between residues modulo Q and plaintext values modulo t. 2 <= t < 2^60, gcd(t, Q) = 1, t < Q.
class DecryptScale {
 public:
  /// throws ParameterError naming the field.
  DecryptScale(const RnsBase& q, std::uint64_t t);

  const RnsBase& q() const { return q_; }
  const Modulus& t() const { return t_; }
  /// The redundant modulus gamma of [Bad18b] Alg. 2: a prime below 2^50 (or 2^61 if t is larger), coprime to
  /// Q and t; decryption is exact while |noise| < Q/t (1/2 - k/gamma) (docs/bounds/decrypt.md).
  const Modulus& gamma() const { return gamma_; }

  /// [Bad18b] Alg. 2 on one coefficient: residues of x modulo Q -> round(t x / Q) mod t. No branch depends on
  /// x.
  std::uint64_t decrypt(std::span<const std::uint64_t> x) const;
  /// Whether |d| >= noise_limit(), d = floor(gamma v / Q) - u the distance to the rounding's middle in parts
  /// of gamma (docs/bounds/decrypt.md), v = t x - Q round(t x / Q): noise of which less than half a bit of
  /// budget is left.
  bool exhausted(std::span<const std::uint64_t> x) const;
  /// floor(gamma / 2^1.5).
  std::uint64_t noise_limit() const;
  /// m in [0, t) -> round(Q m / t) modulo each q_i: floor(Q/t) m + floor(((Q mod t) m + floor(t/2)) / t).
  void encrypt(std::uint64_t m, std::span<std::uint64_t> out) const;

  struct Constants {
    std::vector<ShoupConstant> scale;              // [k] gamma t (Q/q_i)^-1 mod q_i
    std::vector<std::uint64_t> q_punctured_gamma;  // [k] Q/q_i mod gamma
    std::vector<std::uint64_t> q_punctured_t;      // [k] Q/q_i mod t
    ShoupConstant negative_inverse_q_gamma;        // -Q^-1 mod gamma
    ShoupConstant negative_inverse_q_t;            // -Q^-1 mod t
    ShoupConstant inverse_gamma_t;                 // gamma^-1 mod t
    std::uint64_t q_mod_t = 0;                     // Q mod t
    std::vector<ShoupConstant> delta;              // [k] floor(Q/t) mod q_i
  };
  const Constants& constants() const { return constants_; }

 private:
  std::vector<std::uint64_t> scaled(std::span<const std::uint64_t> x) const;
  std::uint64_t distance(std::span<const std::uint64_t> y) const;  // d modulo gamma

  RnsBase q_;
  Modulus t_;
  Modulus gamma_;
  Constants constants_;
};

}  // namespace nttforge
