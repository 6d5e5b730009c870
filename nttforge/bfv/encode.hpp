// SPDX-License-Identifier: Apache-2.0
#pragma once

// Range checks and sign shared by the two encoders.

#include <cstdint>
#include <span>

#include "nttforge/base/secret.hpp"
#include "nttforge/bfv/context.hpp"
#include "nttforge/bfv/plaintext.hpp"

namespace nttforge::bfv {

/// n values in [0, t), zero padded. throws SizeError; ParameterError naming index, value and range.
SecretVector<std::uint64_t> checked_values(const Context& context, std::span<const std::uint64_t> values);
SecretVector<std::uint64_t> checked_values(const Context& context, std::span<const std::int64_t> values);

/// Value in [0, t) as the centred one in [-floor(t/2), floor((t-1)/2)].
inline std::int64_t centred(std::uint64_t value, std::uint64_t t) {
  const std::int64_t v = static_cast<std::int64_t>(value);
  return value > (t - 1) / 2 ? v - static_cast<std::int64_t>(t) : v;
}

/// An encoder's values, centred. throws SizeError unless out has n.
template <class Encoder>
void decode_centred(const Encoder& encoder, const Plaintext& plaintext, std::span<std::int64_t> out) {
  SecretVector<std::uint64_t> values(out.size());
  encoder.decode(plaintext, values);
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = centred(values[i], plaintext.context()->t());
}

}  // namespace nttforge::bfv
