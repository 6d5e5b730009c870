// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nttforge {

/// Smallest generator of the multiplicative group modulo the prime q (q < 2^62, or Goldilocks).
std::uint64_t smallest_primitive_root(std::uint64_t q);

/// Smallest x in [1, q) of multiplicative order exactly `order` (a power of two up to 2^32) modulo the prime
/// q. q < 2^62 or Goldilocks 2^64 - 2^32 + 1. Smallest is over all primitive roots of that order, as in SEAL
/// and HEXL. throws ParameterError if q is not prime or q != 1 (mod order), naming q, the order and the
/// residue.
std::uint64_t smallest_root_of_unity(std::uint64_t order, std::uint64_t q);

/// Which transforms a modulus carries and up to which n (powers of two; 0 means none).
struct TransformSupport {
  std::uint64_t q = 0;
  bool prime = false;
  std::uint64_t max_n_negacyclic = 0;  ///< 2n | q - 1
  std::uint64_t max_n_cyclic = 0;      ///< n | q - 1
  std::uint64_t max_n_dgt = 0;  ///< negacyclic product by the DGT over GF(q^2) [Bad18b, Alg. 1]: 2n | q^2 - 1
                                ///< if q = 3 (mod 4), else as max_n_negacyclic
  std::string explain() const;  ///< one or two sentences for a person
};
TransformSupport transform_support(std::uint64_t q);  ///< for any q; what is not a prime supports nothing

}  // namespace nttforge
