// SPDX-License-Identifier: Apache-2.0
#pragma once

// Range checks and sign shared by the two encoders. Which instructions run, and which memory they touch, does
// not depend on a value: only that some value is out of range shows, and which, once an error is thrown.

#include <cstdint>
#include <span>

#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/integer_encoding/context.hpp"
#include "nttforge/integer_encoding/plaintext.hpp"

namespace nttforge::integer_encoding {

/// n values in [0, t), zero padded. throws SizeError; ParameterError naming index, value and range.
SecretVector<std::uint64_t> checked_values(const IntegerContext& context,
                                           std::span<const std::uint64_t> values);
SecretVector<std::uint64_t> checked_values(const IntegerContext& context,
                                           std::span<const std::int64_t> values);

/// Copies values, t <= 2^62; false if one of them is not below t.
bool copy_below(std::span<const std::uint64_t> values, std::uint64_t t, std::uint64_t* out);

/// Values in [0, t) as the centred ones in [-floor(t/2), floor((t-1)/2)].
void centre(std::span<const std::uint64_t> values, std::uint64_t t, std::span<std::int64_t> out);

/// An encoder's values, centred. throws SizeError unless out has n.
template <class Encoder>
void decode_centred(const Encoder& encoder, const Plaintext& plaintext, std::span<std::int64_t> out) {
  const StackWipe wipe(StackDepth::shallow);
  SecretVector<std::uint64_t> values(out.size());
  encoder.decode(plaintext, values);
  centre(values, plaintext.context()->t(), out);
}

}  // namespace nttforge::integer_encoding
