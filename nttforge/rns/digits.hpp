// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/rns/step.hpp"

namespace nttforge {

/// The digits of x for key switching: digit i is x modulo D_i, the product of `primes` consecutive primes of
/// q_0 ... q_(l-1) (the last digit may have fewer), by fast base conversion to every target:
///   d_i = [x]_{D_i} + u D_i, 0 <= u < primes of the digit.
/// A digit of one prime is the residue itself. The targets include q_0 ... q_(l-1); modulo the primes of D_i
/// the digit is x. Keys add P s' to the rows of the primes of D_i, whatever l is: sum_i d_i P g_i = P x
/// modulo Q, g_i = 1 modulo the primes of D_i and 0 modulo the others. throws ParameterError if primes is 0
/// or `q` is no list of coprime moduli.
std::vector<RnsStep> digit_steps(std::span<const std::uint64_t> q, std::span<const std::uint64_t> targets,
                                 std::size_t primes);

}  // namespace nttforge
