// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/arith/shoup.hpp"
#include "nttforge/rns/base.hpp"

namespace nttforge {

/// Constants of the BEHZ multiplication [BEHZ16], [Bad18b, section 5.3 and Alg. 3], for ciphertext base Q =
/// {q_i}, plaintext modulus t and dimension n, and its steps on single coefficients as the definition every
/// backend must match.
///
/// The auxiliary base is B_sk = B + {m_sk}, all NTT-friendly primes of 50 bits (below 2^50, so that the
/// fastest vector arithmetic applies), distinct from Q and from `avoid`; m_tilde = 2^32. B_sk is the smallest
/// such base with
///   M (m_sk / 2 - |B| - 1) >= F,   F = terms (t n Q (1 + 2k / m_tilde)^2 / 2) + k,   M = product of B,
/// F bounding the floored tensor product of `terms` products summed up (docs/bounds/behz.md).
class Behz {
 public:
  /// 2 <= t < 2^62, n a power of two up to 2^24 (transform_size.hpp), terms 1 ... 2^20, every q_i odd; throws
  /// ParameterError.
  Behz(const RnsBase& q, std::uint64_t t, std::size_t n, std::span<const std::uint64_t> avoid = {},
       std::size_t terms = 16);

  static constexpr unsigned kMTildeBits = 32;

  const RnsBase& q() const { return q_; }
  const RnsBase& bsk() const { return bsk_; }  ///< m_sk last
  std::uint64_t t() const { return t_; }
  std::size_t n() const { return n_; }
  std::size_t max_terms() const { return terms_; }

  /// S0 + S1: residues modulo Q of x -> residues modulo B_sk of x' = x (mod Q), -Q/2 <= x' <= Q/2 + k Q /
  /// m_tilde.
  void extend(std::span<const std::uint64_t> x_q, std::span<std::uint64_t> x_bsk) const;
  /// S3: x modulo Q and B_sk -> floor(t x / Q) - u modulo B_sk, 0 <= u < k.
  void floor(std::span<const std::uint64_t> x_q, std::span<const std::uint64_t> x_bsk,
             std::span<std::uint64_t> out_bsk) const;
  /// S4: Shenoy-Kumaresan, B_sk -> Q, exact for |x| <= F.
  void to_q(std::span<const std::uint64_t> x_bsk, std::span<std::uint64_t> out_q) const;

  // Constants in the layout the kernels read; i counts Q, j counts B_sk. Filled by the constructor.
  struct Constants {
    std::vector<ShoupConstant> extend_scale;         // [k]    m_tilde (Q/q_i)^-1 mod q_i
    std::vector<std::uint64_t> q_punctured_bsk;      // [l][k] Q/q_i mod m_j
    std::vector<std::uint32_t> q_punctured_m_tilde;  // [k]    Q/q_i mod m_tilde
    std::uint32_t negative_inverse_q_m_tilde = 0;    //        -Q^-1 mod m_tilde
    std::vector<std::uint64_t> q_mod_bsk;            // [l]    Q mod m_j
    std::vector<ShoupConstant> inverse_m_tilde_bsk;  // [l]    m_tilde^-1 mod m_j
    std::vector<ShoupConstant> floor_scale;          // [k]    t (Q/q_i)^-1 mod q_i
    std::vector<ShoupConstant> t_inverse_q_bsk;      // [l]    t Q^-1 mod m_j
    std::vector<ShoupConstant> inverse_q_bsk;        // [l]    Q^-1 mod m_j
    std::vector<ShoupConstant> b_inverse_punctured;  // [l-1]  (M/m_j)^-1 mod m_j
    std::vector<std::uint64_t> b_punctured_q;        // [k][l-1] M/m_j mod q_i
    std::vector<std::uint64_t> b_punctured_sk;       // [l-1]  M/m_j mod m_sk
    ShoupConstant inverse_b_sk;                      //        M^-1 mod m_sk
    std::vector<std::uint64_t> b_mod_q;              // [k]    M mod q_i
  };
  const Constants& constants() const { return constants_; }

 private:
  RnsBase q_;
  RnsBase bsk_;
  std::uint64_t t_;
  std::size_t n_;
  std::size_t terms_;
  Constants constants_;
};

}  // namespace nttforge
