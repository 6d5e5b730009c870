// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nttforge/rlwe/evaluator.hpp"

namespace nttforge::circuits {

/// The Galois elements that expand() needs keys for: n/2^i + 1. throws ParameterError unless count is in [1,
/// n].
std::vector<std::uint64_t> expansion_elements(std::size_t n, std::size_t count);

/// Oblivious expansion [ACLS18]: of one ciphertext encoded as coefficients a batch of `count`, whose element
/// j is m = 2^ceil(log2 count) times the coefficients j, j + m, j + 2 m, ..., at 0, m, 2 m, ...: a constant
/// where `a` has no more than `count`. As many automorphisms as elements. throws ParameterError, SizeError
/// for a batch, MissingKeyError naming what is missing.
rlwe::Ciphertext expand(const rlwe::Evaluator& evaluator, const rlwe::Ciphertext& a, std::size_t count,
                        const rlwe::RotationKeys& keys);

}  // namespace nttforge::circuits
