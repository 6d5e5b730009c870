// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/rlwe/context.hpp"

namespace nttforge::rlwe {

/// An independent seed from a seed: for public seeds of keys and of seeded ciphertexts.
Seed derive_seed(const Seed& seed, std::uint32_t index);

/// The mask u of encryption by the public key: of the distribution that goes with that of the secret.
SmallPolynomial mask_polynomial(const RlweContext& context, const StreamName& name);
/// An error, times the context's error factor.
SmallPolynomial error_polynomial(const RlweContext& context, const StreamName& name);

/// The halves a_i of a key-switching key at a level, [primes and special ones][n] at out, out + stride ...,
/// of its `digits` digits: the rows that the key of the highest level has modulo the same primes. A key of
/// fewer special primes than all has no such key above it, and numbers primes and digits of its own from 0.
/// queue: of the context's device.
void sample_key_masks(const RlweContext& context, const Queue& queue, const StreamName& name,
                      std::size_t level, std::size_t special, WordPtr out, std::size_t stride,
                      std::size_t digits);

/// out = the rows of a polynomial modulo the primes `from` and the special ones that are modulo `to` and
/// these.
void copy_key_rows(const RlweContext& context, const Queue& queue, ConstWordPtr in, Window from, Window to,
                   WordPtr out);

}  // namespace nttforge::rlwe
