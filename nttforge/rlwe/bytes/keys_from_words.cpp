// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/bytes/keys_from_words.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"

namespace nttforge::rlwe {
namespace {

const RingTables& require_words(const RlweContextPtr& context, std::span<const std::uint64_t> words,
                                std::size_t polynomials) {
  if (context == nullptr) throw ContextError("context is null: make one with Context::create");
  const RingTables& ring = context->ring_key();
  if (words.size() != polynomials * ring.words())
    throw SizeError("words.size() = " + std::to_string(words.size()) + ", expected " +
                    std::to_string(polynomials * ring.words()) + ": " + std::to_string(polynomials) +
                    " polynomials of " + std::to_string(ring.limbs()) +
                    " limbs of n = " + std::to_string(ring.n()));
  return ring;
}

DeviceArray uploaded(const RlweContextPtr& context, std::span<const std::uint64_t> given,
                     std::size_t polynomials) {
  const RingTables& ring = require_words(context, given, polynomials);
  const std::vector<std::uint64_t> words(given.begin(), given.end());  // others may write to what is given
  for (std::size_t row = 0; row < polynomials * ring.limbs(); ++row) {
    const std::uint64_t q = ring.spec().moduli[row % ring.limbs()];
    for (std::size_t i = 0; i < ring.n(); ++i)
      if (words[row * ring.n() + i] >= q)
        throw ParameterError("words: limb " + std::to_string(row % ring.limbs()) + " of polynomial " +
                             std::to_string(row / ring.limbs()) + ", position " + std::to_string(i) +
                             " has " + std::to_string(words[row * ring.n() + i]) +
                             ", which is out of range [0, " + std::to_string(q - 1) + "]");
  }
  DeviceArray result = context->queue().allocate(ring, polynomials);
  context->queue().upload(words, result.data());
  context->queue().wait();
  return result;
}

/// Residues 0, 1 and q - 1 become 0, 1 and -1; what others become is found out afterwards. Not inlined, so
/// that what is kept on the stack lies below the operation's StackWipe.
__attribute__((noinline)) void centre(std::span<const std::uint64_t> residues,
                                      std::span<std::int64_t> small) {
  for (std::size_t i = 0; i < small.size(); ++i) {
    const std::uint64_t negative = (std::uint64_t{1} - residues[i]) >> 63;
    small[i] = static_cast<std::int64_t>(residues[i] & (negative - 1)) - static_cast<std::int64_t>(negative);
  }
}

/// Not 0 if a word is out of range or two words differ.
__attribute__((noinline)) std::uint64_t differences(std::span<const std::uint64_t> words,
                                                    std::span<const std::uint64_t> others) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < words.size(); ++i) found |= words[i] ^ others[i];
  return found;
}

/// Not 0 if a word is not below its prime.
__attribute__((noinline)) std::uint64_t outside(std::span<const std::uint64_t> words,
                                                const RingTables& ring) {
  std::uint64_t found = 0;
  for (std::size_t j = 0; j < ring.limbs(); ++j)
    for (std::size_t i = 0; i < ring.n(); ++i) {
      const std::uint64_t word = words[j * ring.n() + i];
      found |= (ring.spec().moduli[j] - 1 - word) >> 63 | word >> 63;
    }
  return found;
}

}  // namespace

SecretKey secret_key_from_words(RlweContextPtr context, std::span<const std::uint64_t> given) {
  const RingTables& ring = require_words(context, given, 1);
  const StackWipe wipe(StackDepth::shallow);
  SecretVector<std::uint64_t> words(given.size());
  std::copy(given.begin(), given.end(), words.begin());  // others may write to what is given
  const char* const wrong =
      "words: they are not the transform of one polynomial with the coefficients of this secret distribution";
  if (outside(words, ring) != 0) throw ParameterError(wrong);
  const Queue& queue = context->queue();
  SecretVector<std::uint64_t> residues(ring.words());
  DeviceArray array = queue.allocate_secret(ring, 1);
  queue.upload(words, array.data());
  queue.wait();
  queue.inverse(ring, array.data(), 1);
  queue.download(array.data(), residues);
  SecretVector<std::int64_t> small(ring.n());
  centre(std::span(residues).first(ring.n()), small);
  SecretKey key;
  try {
    key = SecretKey(context, small);
  } catch (const ParameterError&) {
    throw ParameterError(wrong);
  }
  queue.download(key.data(), residues);
  if (differences(words, residues) != 0) throw ParameterError(wrong);
  return key;
}

PublicKey public_key_from_words(RlweContextPtr context, std::span<const std::uint64_t> words) {
  DeviceArray array = uploaded(context, words, 2);
  return PublicKey(std::move(context), std::move(array), std::nullopt);
}

KeySwitchKey key_switch_key_from_words(RlweContextPtr context, std::span<const std::uint64_t> words,
                                       std::uint32_t purpose) {
  if (context != nullptr) context->require_evaluation_keys();
  DeviceArray array = uploaded(context, words, context == nullptr ? 0 : 2 * context->parameters().digits());
  return KeySwitchKey(std::move(context), std::move(array), std::nullopt, purpose);
}

}  // namespace nttforge::rlwe
