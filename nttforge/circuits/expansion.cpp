// SPDX-License-Identifier: Apache-2.0
#include "nttforge/circuits/expansion.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"

namespace nttforge::circuits {

using rlwe::Ciphertext;

std::vector<std::uint64_t> expansion_elements(std::size_t n, std::size_t count) {
  if (count < 1 || count > n)
    throw ParameterError("count = " + std::to_string(count) +
                         " is out of range [1, n = " + std::to_string(n) + "]");
  std::vector<std::uint64_t> elements;
  for (std::size_t reached = 1; reached < count; reached *= 2) elements.push_back(n / reached + 1);
  return elements;
}

Ciphertext expand(const rlwe::Evaluator& evaluator, const Ciphertext& a, std::size_t count,
                  const rlwe::RotationKeys& keys) {
  const std::vector<std::uint64_t> elements = expansion_elements(evaluator.context()->n(), count);
  require_compatible(*evaluator.context(), a.context(), "a");
  require_same_encoding(rlwe::Encoding::coefficients, "expand", a.encoding(), "a");
  if (a.batch() != 1)
    throw SizeError("a is a batch of " + std::to_string(a.batch()) + ": expand one after the other");
  keys.require(elements, "expand", a.level());
  Ciphertext all = a;
  for (const std::uint64_t element : elements) {
    poll_interrupt();
    const std::size_t reached = all.batch(), more = std::min(reached, count - reached);
    const Ciphertext image = evaluator.apply_galois(all, element, keys);
    const Ciphertext even = evaluator.add(all, image);
    const Ciphertext odd =
        evaluator.multiply_monomial(evaluator.sub(all.elements(0, more, evaluator.context()),
                                                  image.elements(0, more, evaluator.context())),
                                    -static_cast<std::int64_t>(reached));
    const Ciphertext* both[] = {&even, &odd};
    all = Ciphertext::stack(both);
  }
  return all;
}

}  // namespace nttforge::circuits
