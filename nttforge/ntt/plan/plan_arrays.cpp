// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/plan/plan_arrays.hpp"

#include <string>

#include "nttforge/base/error.hpp"

namespace nttforge {

void require_blocks(const NttSpec& spec, std::size_t word_bits, std::size_t words, const char* name) {
  if (spec.word_bits != word_bits) {
    throw ParameterError("the plan has word_bits = " + std::to_string(spec.word_bits) + ", but " + name +
                         " has " + std::to_string(word_bits) + "-bit words: pass uint" +
                         std::to_string(spec.word_bits) + " arrays or make a plan with that word size");
  }
  if (words % (spec.n * spec.moduli.size()) != 0) {
    throw SizeError(std::string(name) + " has " + std::to_string(words) +
                    " words: need a multiple of limbs * n = " + std::to_string(spec.moduli.size()) + " * " +
                    std::to_string(spec.n));
  }
}

}  // namespace nttforge
