// SPDX-License-Identifier: Apache-2.0
#pragma once

// What operations ask of their operands. Internal to the evaluators.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nttforge/rlwe/ciphertext.hpp"

namespace nttforge::rlwe {

/// throws ContextError unless both belong to the context, ParameterError unless they have one encoding.
template <class Operand>
void require_operands(const RlweContext& context, const Ciphertext& a, const Operand& b) {
  require_compatible(context, a.context(), "a");
  require_compatible(context, b.context(), "b");
  require_same_encoding(a.encoding(), "a", b.encoding(), "b");
}

/// throws ParameterError unless `a` has two parts.
void require_two_parts(const Ciphertext& a, std::string_view what);

/// throws ParameterError if the ciphertext has primes that the key, called `what`, has no rows for.
void require_key_level(const Ciphertext& a, std::size_t level, const std::string& what);

/// throws SizeError unless the lists of factors have one length, at least 1.
void require_lengths(std::size_t a, std::size_t b);

/// "a[index]": how errors call an element of a list.
std::string element_name(char list, std::size_t index);

/// throws ContextError unless element `index` of a list belongs to the context, ParameterError unless it has
/// the encoding of a[0], which is `first`.
template <class Operand>
void require_term(const RlweContext& context, const Operand* term, const Ciphertext& first, char list,
                  std::size_t index) {
  const std::string name = element_name(list, index);
  require_compatible(context, context_of(term), name);
  require_same_encoding(first.encoding(), "a[0]", term->encoding(), name);
}

/// The batch that the terms before `index` have in common, `batch`, and that term, of a and of b. throws
/// SizeError for batches that do not go together.
std::size_t common_term_batch(std::size_t batch, std::size_t a, std::size_t b, std::size_t index);

/// The larger bounds of all terms.
Noise largest_noise(std::span<const Ciphertext* const> terms);

template <class Value>
std::vector<const Value*> pointers(std::span<const Value> values) {
  std::vector<const Value*> result;
  for (const Value& value : values) result.push_back(&value);
  return result;
}

}  // namespace nttforge::rlwe
