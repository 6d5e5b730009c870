// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every implementation of a device checks alike. Not installed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/device/ring_operations.hpp"
#include "nttforge/device/tables.hpp"

namespace nttforge {

[[noreturn]] void throw_foreign_tables();

/// The tables as a device's own. throws ContextError if another device made them.
template <class Own, class Tables>
const Own& own(const Tables& tables) {
  const Own* result = dynamic_cast<const Own*>(&tables);
  if (result == nullptr) throw_foreign_tables();
  return *result;
}

/// What Device::make_ring takes, complete. throws ParameterError naming the field.
NttSpec checked_ring_spec(const NttSpec& spec);

/// element^-1 modulo 2n. throws ParameterError unless element is odd and in [1, 2n).
std::uint64_t inverse_element(std::size_t n, std::uint64_t element);

/// The row of each modulus in a ring, or its number of limbs if it has none.
std::vector<std::size_t> places_in(const RingTables& ring, std::span<const std::uint64_t> moduli);

/// throws SizeError unless there is a scalar for each limb.
void require_scalars(const RingTables& ring, std::span<const std::uint64_t> scalars);
void require_combination(const RingTables& ring, std::span<const CombinedRows> terms,
                         std::span<const std::uint64_t> scalars, std::span<const std::uint64_t> constants);

}  // namespace nttforge
