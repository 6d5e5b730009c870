// SPDX-License-Identifier: Apache-2.0
#include "nttforge/device/implement.hpp"

#include <algorithm>
#include <string>

#include "nttforge/arith/odd_inverse.hpp"
#include "nttforge/base/error.hpp"

namespace nttforge {

void throw_foreign_tables() {
  throw ContextError("tables were made by another device: make them with this one's make_ring or make_step");
}

NttSpec checked_ring_spec(const NttSpec& spec) {
  if (spec.ring != Ring::negacyclic)
    throw ParameterError("ring = " + std::string(ring_name(spec.ring)) +
                         ": a device's ring must be negacyclic");
  if (spec.input_order != Order::natural)
    throw ParameterError("input_order = " + std::string(order_name(spec.input_order)) +
                         ": a device's ring needs natural order of coefficients");
  return validated(spec);
}

std::uint64_t inverse_element(std::size_t n, std::uint64_t element) {
  const std::uint64_t mask = 2 * static_cast<std::uint64_t>(n) - 1;
  if (element % 2 == 0 || element > mask)
    throw ParameterError("element = " + std::to_string(element) +
                         " must be odd and below 2n = " + std::to_string(2 * n));
  return inverse_of_odd(element) & mask;
}

std::vector<std::size_t> places_in(const RingTables& ring, std::span<const std::uint64_t> moduli) {
  const std::vector<std::uint64_t>& all = ring.spec().moduli;
  std::vector<std::size_t> result;
  for (const std::uint64_t q : moduli)
    result.push_back(static_cast<std::size_t>(std::find(all.begin(), all.end(), q) - all.begin()));
  return result;
}

void require_scalars(const RingTables& ring, std::span<const std::uint64_t> scalars) {
  if (scalars.size() != ring.limbs())
    throw SizeError("scalars has " + std::to_string(scalars.size()) + " values: the ring has " +
                    std::to_string(ring.limbs()) + " limbs");
}

void require_combination(const RingTables& ring, std::span<const CombinedRows> terms,
                         std::span<const std::uint64_t> scalars, std::span<const std::uint64_t> constants) {
  if (terms.empty() || scalars.size() != terms.size() * ring.limbs())
    throw SizeError("scalars has " + std::to_string(scalars.size()) + " values for " +
                    std::to_string(terms.size()) + " terms: need " + std::to_string(ring.limbs()) +
                    " of each, and a term at least");
  if (!constants.empty()) require_scalars(ring, constants);
}

}  // namespace nttforge
