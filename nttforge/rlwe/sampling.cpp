// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/sampling.hpp"

#include "nttforge/base/interrupt.hpp"
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

SmallPolynomial mask_polynomial(const RlweContext& context, const StreamName& name) {
  using Kind = SmallPolynomial::Kind;
  const auto mask = context.parameters().secret.facts(context.n()).mask;
  return {mask == SecretDistribution::Kind::binary ? Kind::binary : Kind::ternary, name, {}};
}

SmallPolynomial error_polynomial(const RlweContext& context, const StreamName& name) {
  return {SmallPolynomial::Kind::error, name, context.parameters().error, context.error_factor()};
}

void copy_key_rows(const RlweContext& context, const Queue& queue, ConstWordPtr in, Window from, Window to,
                   WordPtr out) {
  const std::size_t n = context.n();
  queue.copy(in + (to.first - from.first) * n, out, to.size() * n);
  queue.copy(in + from.size() * n, out + to.size() * n, context.chain().special() * n);
}

void sample_key_masks(const RlweContext& context, const Queue& queue, const StreamName& name,
                      std::size_t level, std::size_t special, WordPtr out, std::size_t stride,
                      std::size_t digits) {
  const Chain& chain = context.chain();
  if (special != chain.special())
    return queue.sample_uniforms(chain.ring_of_keys(level, special), name, out, stride, digits);
  const RingTables& ring = context.ring_key();
  const Window whole_rows{0, context.limbs()}, rows = chain.key_window(level);
  if (rows == whole_rows) return queue.sample_uniforms(ring, name, out, stride, digits);
  // Streams number the special primes behind all ciphertext primes, so whole polynomials are sampled.
  DeviceArray whole = queue.allocate(ring, 1);
  StreamName now = name;
  now.index += static_cast<std::uint32_t>(chain.digits(rows).first);
  for (std::size_t i = 0; i < digits; ++i, ++now.index, out += stride) {
    poll_interrupt();
    queue.sample_uniform(ring, now, whole.data());
    copy_key_rows(context, queue, whole.data(), whole_rows, rows, out);
  }
}

}  // namespace nttforge::rlwe
