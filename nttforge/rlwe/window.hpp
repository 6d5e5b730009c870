// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace nttforge::rlwe {

/// Consecutive primes of a chain's order: those at the positions first ... last - 1.
struct Window {
  std::size_t first = 0, last = 0;
  std::size_t size() const { return last - first; }
  bool contains(const Window& other) const { return first <= other.first && other.last <= last; }
  friend bool operator==(const Window&, const Window&) = default;
};

}  // namespace nttforge::rlwe
