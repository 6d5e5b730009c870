#pragma once

// Range checks and sign shared by the two encoders.

#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/bfv/context.hpp"

namespace nttforge::bfv {

/// n values in [0, t), zero padded. throws SizeError; ParameterError naming index, value and range.
std::vector<std::uint64_t> checked_values(const Context& context, std::span<const std::uint64_t> values);
std::vector<std::uint64_t> checked_values(const Context& context, std::span<const std::int64_t> values);

/// Value in [0, t) as the centred one in [-floor(t/2), floor((t-1)/2)].
inline std::int64_t centred(std::uint64_t value, std::uint64_t t) {
  const std::int64_t v = static_cast<std::int64_t>(value);
  return value > (t - 1) / 2 ? v - static_cast<std::int64_t>(t) : v;
}

}  // namespace nttforge::bfv
