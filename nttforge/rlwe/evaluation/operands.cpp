// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/evaluation/operands.hpp"

#include "nttforge/base/error.hpp"

namespace nttforge::rlwe {

void require_two_parts(const Ciphertext& a, std::string_view what) {
  if (a.size() != 2)
    throw ParameterError(std::string(what) + " has " + std::to_string(a.size()) +
                         " parts, this operation needs 2: relinearize it first");
}

void require_key_level(const Ciphertext& a, std::size_t level, const std::string& what) {
  if (a.level() > level)
    throw ParameterError(what + ": at level " + std::to_string(level) + ", and a is at level " +
                         std::to_string(a.level()) + ", above it: switch a down to level " +
                         std::to_string(level) + " first (mod_switch), or take a key of level " +
                         std::to_string(a.level()) + " or above");
}

void require_lengths(std::size_t a, std::size_t b) {
  if (a == b && a != 0) return;
  throw SizeError("dot_product: a has " + std::to_string(a) + " terms and b has " + std::to_string(b) +
                  "; both need the same number, at least 1");
}

std::string element_name(char list, std::size_t index) {
  std::string name(1,
                   list);  // a sum that begins with a literal is a false alarm of g++ 12 with parsed headers
  name += '[';
  name += std::to_string(index);
  return name += ']';
}

std::size_t common_term_batch(std::size_t batch, std::size_t a, std::size_t b, std::size_t index) {
  const std::string before = "the dot product before term [" + std::to_string(index) + "]";
  batch = common_batch(batch, before, a, element_name('a', index));
  return common_batch(batch, before, b, element_name('b', index));
}

Noise largest_noise(std::span<const Ciphertext* const> terms) {
  Noise noise = terms[0]->noise();
  for (const Ciphertext* term : terms) noise = largest(noise, term->noise());
  return noise;
}

}  // namespace nttforge::rlwe
