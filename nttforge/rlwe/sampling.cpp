// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/sampling.hpp"

#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"

namespace nttforge::rlwe {

Seed derive_seed(const Seed& seed, std::uint32_t index) {
  const StackWipe wipe(StackDepth::deep);
  SecretArray<std::uint64_t, 4> words;
  stream_words({seed, Domain::derive_seed, index}, 0, 0, words.data);
  Seed derived;
  for (std::size_t i = 0; i < derived.bytes.size(); ++i)
    derived.bytes[i] = static_cast<std::uint8_t>(words.data[i / 8] >> (8 * (i % 8)));
  return derived;
}

SmallPolynomial secret_polynomial(const RlweContext& context, const StreamName& name) {
  using Kind = SmallPolynomial::Kind;
  const bool ternary = context.parameters().secret == SecretDistribution::ternary;
  return {ternary ? Kind::ternary : Kind::binary, name, {}};
}

SmallPolynomial error_polynomial(const RlweContext& context, const StreamName& name) {
  return {SmallPolynomial::Kind::error, name, context.parameters().error, context.error_factor()};
}

}  // namespace nttforge::rlwe
