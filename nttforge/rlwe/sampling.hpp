// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/rlwe/context.hpp"

namespace nttforge::rlwe {

/// An independent seed from a seed: for public seeds of keys and of seeded ciphertexts.
Seed derive_seed(const Seed& seed, std::uint32_t index);

/// A polynomial of the secret's distribution: secrets, and the masks of encryption.
SmallPolynomial secret_polynomial(const RlweContext& context, const StreamName& name);
/// An error, times the context's error factor.
SmallPolynomial error_polynomial(const RlweContext& context, const StreamName& name);

}  // namespace nttforge::rlwe
