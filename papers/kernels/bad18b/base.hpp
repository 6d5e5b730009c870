// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/rns/base.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge::cuda::bad18b {

/// A parameter set of [Bad18b] Table 4 in 31-bit primes: log2 Q = 62, 186, 372, 744 is 2, 6, 12, 24 of them.
/// Its bases, and the steps of Alg. 2 and 3 as data. Deviations: m_sk is a 31-bit prime that carries the
/// transform, the paper's 4211212259 is none; the auxiliary base has the primes that section 5.3 asks for.
struct FvBase {
  std::size_t n = 0;
  std::uint64_t t = 2;
  std::uint64_t gamma = 0;    ///< of decryption
  std::uint64_t m_tilde = 1;  ///< 1: overflows of Q are not taken off, as in the paper's two small sets
  RnsBase q, bsk;             ///< m_sk last
  RnsBase wide;               ///< holds a tensor over the integers: the textbook's; begins with Q

  /// n a power of two, 16 ... 2^14, count 1 ... 24. throws ParameterError.
  FvBase(std::size_t n, unsigned count, std::uint64_t gamma, std::uint64_t m_tilde);
  /// n = 2^11 ... 2^14 as the paper has them. throws ParameterError.
  static FvBase of_paper(std::size_t n);

  RnsStep extend() const;   ///< S0, S1: Q -> B_sk
  RnsStep floor() const;    ///< S3: modulo Q, own words modulo B_sk -> floor(t x / Q) modulo B_sk
  RnsStep to_q() const;     ///< S4: B_sk -> Q
  RnsStep decrypt() const;  ///< Alg. 2: Q -> the plaintext modulo t
};

}  // namespace nttforge::cuda::bad18b
