// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "nttforge/ntt/spec.hpp"

namespace nttforge {

/// What every plan asks of an array: words of the spec's size, a whole number of [limbs][n] blocks. `name` is
/// the argument's, for the message. throws ParameterError, SizeError.
void require_blocks(const NttSpec& spec, std::size_t word_bits, std::size_t words, const char* name);

}  // namespace nttforge
