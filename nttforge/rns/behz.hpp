// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/rns/base.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge {

/// The BEHZ multiplication [BEHZ16], [Bad18b, section 5.3 and Alg. 3], for ciphertext base Q = {q_i},
/// plaintext modulus t and dimension n: its auxiliary base and its three steps.
///
/// The auxiliary base is B_sk = B + {m_sk}, all NTT-friendly primes of prime_bits bits, distinct from Q and
/// from `avoid`: of 50 bits for the fastest vector arithmetic of 64-bit words, of 30 for 32-bit words. No
/// result depends on it. m_tilde = 2^32. B_sk is the smallest such base with
///   M (m_sk / 2 - |B| - 1) >= F,   F = terms (t n Q (1 + 2k / m_tilde)^2 / 2) + k,   M = product of B,
/// F bounding the floored tensor product of `terms` products summed up (docs/bounds/behz.md).
class Behz {
 public:
  static constexpr unsigned kMTildeBits = 32;
  static constexpr unsigned kPrimeBits = 50;

  /// 2 <= t < 2^62, n a power of two up to 2^24 (transform_size.hpp), terms 1 ... 2^20, every q_i odd,
  /// prime_bits 20 ... 62 with enough primes of this size; throws ParameterError.
  Behz(const RnsBase& q, std::uint64_t t, std::size_t n, std::span<const std::uint64_t> avoid = {},
       std::size_t terms = 16, unsigned prime_bits = kPrimeBits);

  const RnsBase& q() const { return q_; }
  const RnsBase& bsk() const { return bsk_; }  ///< m_sk last
  std::uint64_t t() const { return t_; }
  std::size_t n() const { return n_; }
  std::size_t max_terms() const { return terms_; }

  /// S0 + S1: residues modulo Q of x -> residues modulo B_sk of x' = x (mod Q), -Q/2 <= x' <= Q/2 + k Q /
  /// m_tilde.
  RnsStep extend() const;
  /// S3: x modulo Q, own words x modulo B_sk -> floor(t x / Q) - u modulo B_sk, 0 <= u < k.
  RnsStep floor() const;
  /// S4: Shenoy-Kumaresan, B_sk -> Q, exact for |x| <= F.
  RnsStep to_q() const;

 private:
  RnsBase q_;
  RnsBase bsk_;
  std::uint64_t t_;
  std::size_t n_;
  std::size_t terms_;
};

}  // namespace nttforge
