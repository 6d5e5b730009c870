// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/rns/step.hpp"

namespace nttforge {

/// The digits of x for key switching, x modulo the primes q at the positions first, first + 1 ... of a chain.
/// Digit i of the chain has the positions from ends[i - 1] (0 for i = 0) to ends[i]; each digit that has some
/// of q gives a step, in order, for the product D_i of those it has (the first and the last may have part of
/// theirs), by fast base conversion to every target:
///   d_i = [x]_{D_i} + u D_i, 0 <= u < primes of q in the digit.
/// A digit of one prime is the residue itself. The targets include q; modulo the primes of D_i the digit is
/// x. Keys add P s' to the rows of the primes of a digit, whatever q is: sum_i d_i P g_i = P x modulo the
/// product of q, g_i = 1 modulo the primes of D_i and 0 modulo the others. throws ParameterError if the ends
/// do not rise from at least 1 to the end of q or more, or `q` is no list of coprime moduli.
std::vector<RnsStep> digit_steps(std::span<const std::uint64_t> q, std::span<const std::uint64_t> targets,
                                 std::span<const std::size_t> ends, std::size_t first = 0);

/// The ends of digits of `primes` primes each, of `count` in all: the last may have fewer. throws
/// ParameterError if primes is 0.
std::vector<std::size_t> equal_digits(std::size_t count, std::size_t primes);

}  // namespace nttforge
