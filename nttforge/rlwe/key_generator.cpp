// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/key_generator.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/base/target.hpp"
#include "nttforge/rlwe/galois.hpp"
#include "nttforge/rlwe/sampling.hpp"
#include "nttforge/rns/big_uint.hpp"
#include "nttforge/rns/digits.hpp"

namespace nttforge::rlwe {
namespace {

// Indices of derive_seed: public seeds by what they are for. Galois elements are odd, so nothing collides.
constexpr std::uint32_t kPublicKeySeed = 2;
constexpr std::uint32_t kRelinearizationSeed = 0;
constexpr std::uint32_t kMostPairs = std::uint32_t{1} << 22;

/// On the host, as a key is sampled once: every distribution is the same work for every device, and every
/// target of the host gives the same words.
SecretKey secret_key_of(const RlweContextPtr& context, const Seed& seed,
                        std::optional<SecretDistribution> distribution) {
  require_context(context);
  const SecretDistribution from = distribution.value_or(context->parameters().secret);
  const StackWipe wipe(StackDepth::deep);
  SecretVector<std::int64_t> small(context->n());
  sample_secret({seed, Domain::secret_key, 0}, from, small, active_target());
  return SecretKey(context, small, from);
}

/// Not inlined, so that the name of the error, which holds the secret seed, lies below the operation's
/// StackWipe.
__attribute__((noinline)) void mask_public_key(const RlweContext& context, const SecretKey& secret,
                                               const Seed& seed, const Seed& public_seed, WordPtr out) {
  context.queue().masked_pair(context.ring_key(), secret.data(), {public_seed, Domain::public_key_a, 0},
                              error_polynomial(context, {seed, Domain::public_key_error, 0}), {}, out);
}

}  // namespace

KeyGenerator::KeyGenerator(RlweContextPtr context) : KeyGenerator(std::move(context), os_seed()) {}

KeyGenerator::KeyGenerator(RlweContextPtr context, const Seed& seed,
                           std::optional<SecretDistribution> distribution)
    : context_(std::move(context)), seed_(seed), secret_(secret_key_of(context_, seed, distribution)) {}

KeyGenerator::KeyGenerator(SecretKey secret) : KeyGenerator(std::move(secret), os_seed()) {}

KeyGenerator::KeyGenerator(SecretKey secret, const Seed& seed)
    : context_(secret.context()), seed_(seed), secret_(std::move(secret)) {
  if (secret_.empty()) throw ContextError("secret key is empty: assign it before use");
}

PublicKey KeyGenerator::public_key() const {
  const StackWipe wipe(StackDepth::deep);
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_key();
  const Seed public_seed = derive_seed(seed_, kPublicKeySeed);
  DeviceArray words = queue.allocate(ring, 2);
  mask_public_key(*context_, secret_, seed_, public_seed, words.data());
  return PublicKey(context_, std::move(words), public_seed);
}

KeySwitchKey KeyGenerator::switching_key(const SecretKey& from, const SecretKey& to, std::uint32_t purpose,
                                         std::size_t level) const {
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_key();
  const Chain& chain = context_->chain();
  if (level == 0) level = context_->top_level();
  require_level(level);
  const Seed public_seed = derive_seed(seed_, purpose);
  const MemoryPurpose memory_purpose("an evaluation key");
  // P from: only the limbs of digit i enter pair i.
  const BigUint product = BigUint::product(context_->parameters().special);
  std::vector<std::uint64_t> p(ring.limbs());
  for (std::size_t j = 0; j < p.size(); ++j) p[j] = product.mod(ring.spec().moduli[j]);
  const std::uint32_t index = purpose << 8;  // of the first of at most 256 digits
  StreamName mask{public_seed, Domain::key_switch_a, index};
  SmallPolynomial error = error_polynomial(*context_, {seed_, Domain::key_switch_error, index});
  const std::vector<std::size_t> ends = equal_digits(context_->limbs(), context_->parameters().digit_primes);
  if (level == context_->top_level()) {
    DeviceArray key = queue.allocate(ring, ends.size() * 2);
    queue.key_switch_pairs(ring, to.data(), mask, error, from.data(), p, ends, key.data());
    return KeySwitchKey(context_, std::move(key), public_seed, purpose);
  }
  // Streams number the primes of the highest level, so pairs are made there, digit by digit.
  const Window whole{0, context_->limbs()}, rows = chain.key_window(level), digits = chain.digits(rows);
  const std::size_t n = context_->n(), words = (rows.size() + chain.special()) * n;
  DeviceArray scaled = queue.allocate_secret(ring, 1), pair = queue.allocate(ring, 2);
  DeviceArray key = queue.allocate(digits.size() * 2 * words, pair.word_bits());
  queue.multiply_scalar(ring, from.data(), p, scaled.data(), 1);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    poll_interrupt();
    const std::size_t digit = digits.first + i, first = digit == 0 ? 0 : ends[digit - 1];
    mask.index = error.name.index = index + static_cast<std::uint32_t>(digit);
    queue.masked_pair(ring, to.data(), mask, error, {scaled.data() + first * n, first, ends[digit] - first},
                      pair.data());
    for (std::size_t part = 0; part < 2; ++part)
      copy_key_rows(*context_, queue, pair.data() + part * ring.words(), whole, rows,
                    key.data() + (2 * i + part) * words);
  }
  return KeySwitchKey(context_, std::move(key), public_seed, purpose, level);
}

void KeyGenerator::require_level(std::size_t level) const {
  const std::size_t lowest = context_->lowest_level(), highest = context_->top_level();
  if (level < lowest || level > highest)
    throw ParameterError("level = " + std::to_string(level) + " is out of range [" + std::to_string(lowest) +
                         ", " + std::to_string(highest) + "], or 0 for the highest");
}

RelinearizationKey KeyGenerator::relinearization_key(std::size_t level) const {
  const StackWipe wipe(StackDepth::deep);
  context_->require_evaluation_keys();
  const RingTables& ring = context_->ring_key();
  DeviceArray square = context_->queue().allocate_secret(ring, 1);
  context_->queue().multiply(ring, secret_.data(), secret_.data(), square.data(), 1);
  return RelinearizationKey(
      switching_key(SecretKey(context_, std::move(square)), secret_, kRelinearizationSeed, level));
}

KeySwitchKey KeyGenerator::galois_key(std::uint64_t element, std::size_t level) const {
  const StackWipe wipe(StackDepth::deep);
  const std::uint64_t limit = 2 * context_->n();
  if (element % 2 == 0 || element < 3 || element >= limit)
    throw ParameterError("Galois element = " + std::to_string(element) +
                         " is not allowed: odd and in (1, 2n = " + std::to_string(limit) + ")");
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_key();
  DeviceArray image = queue.allocate_secret(ring, 1);
  queue.automorphism_transformed(ring, secret_.data(), element, image.data(), 1);
  return switching_key(SecretKey(context_, std::move(image)), secret_, static_cast<std::uint32_t>(element),
                       level);
}

KeySwitchKey KeyGenerator::narrow_key(const SecretKey& from, const SecretKey& to, std::uint32_t purpose,
                                      std::size_t level, std::size_t special) const {
  const Chain& chain = context_->chain();
  const Window rows = chain.window(level);
  if (chain.key_window(level) != rows)
    throw ParameterError("level = " + std::to_string(level) +
                         ": levels below have other primes, so a key of " +
                         "fewer special primes cannot serve them; take the lowest level");
  const RingTables& ring = *chain.key_switching(level, special).key_ring;
  const Queue& queue = context_->queue();
  const std::size_t n = context_->n(), own = rows.size() * n;
  const auto narrowed = [&](const SecretKey& secret) {
    DeviceArray words = queue.allocate_secret(ring, 1);
    queue.copy(secret.data() + rows.first * n, words.data(), own);
    queue.copy(secret.data() + context_->limbs() * n, words.data() + own, special * n);
    return words;
  };
  const DeviceArray source = narrowed(from), target = narrowed(to);
  const std::vector<std::uint64_t>& primes = context_->parameters().special;
  const BigUint product = BigUint::product(std::span(primes).first(special));
  std::vector<std::uint64_t> p;
  for (const std::uint64_t q : ring.spec().moduli) p.push_back(product.mod(q));
  std::vector<std::size_t> ends;
  for (const std::size_t end : equal_digits(context_->limbs(), context_->parameters().digit_primes))
    if (end > rows.first) {
      ends.push_back(std::min(end, rows.last) - rows.first);
      if (end >= rows.last) break;
    }
  const std::uint32_t index = purpose << 8;
  const Seed public_seed = derive_seed(seed_, purpose);
  DeviceArray key = queue.allocate(ring, ends.size() * 2);
  queue.key_switch_pairs(ring, target.data(), {public_seed, Domain::key_switch_a, index},
                         error_polynomial(*context_, {seed_, Domain::key_switch_error, index}), source.data(),
                         p, ends, key.data());
  return KeySwitchKey(context_, std::move(key), public_seed, purpose, level, special);
}

KeySwitchKey KeyGenerator::key_switch_key(const SecretKey& from, const SecretKey& to, std::uint32_t index,
                                          std::size_t level, std::size_t special) const {
  const StackWipe wipe(StackDepth::deep);
  context_->require_evaluation_keys();
  require_compatible(*context_, from.context(), "from");
  require_compatible(*context_, to.context(), "to");
  if (index >= kMostPairs)
    throw ParameterError("index = " + std::to_string(index) + " is out of range [0, " +
                         std::to_string(kMostPairs) + "): number the pairs of secrets from 0");
  const std::size_t all = context_->chain().special();
  if (level == 0) level = context_->top_level();
  require_level(level);
  if (special > all)
    throw ParameterError("special = " + std::to_string(special) + " is out of range [0, " +
                         std::to_string(all) + "], the special primes of these parameters; 0 for all");
  if (special == 0) special = all;
  {
    const std::lock_guard lock(pairs_mutex_);
    const Pair& first = pairs_.try_emplace(index, Pair{from, to, special}).first->second;
    if (!(first.from.data() == from.data() && first.to.data() == to.data() && first.special == special))
      throw ParameterError("index = " + std::to_string(index) +
                           " has made a key for other secrets, and both keys together would tell their " +
                           "difference: take another index");
  }
  const std::uint32_t purpose = purpose_of(index);
  return special == all ? switching_key(from, to, purpose, level)
                        : narrow_key(from, to, purpose, level, special);
}

RotationKeys KeyGenerator::rotation_keys(std::span<const std::int64_t> steps, bool column_swap,
                                         std::optional<std::size_t> offload, std::size_t level) const {
  std::vector<std::uint64_t> elements;
  for (std::int64_t step : steps)
    if (const std::uint64_t element = context_->rotation_element(step); element != 1)
      elements.push_back(element);
  if (column_swap && context_->n() > 1) elements.push_back(column_swap_element(context_->n()));
  return galois_keys(elements, offload, level);
}

RotationKeys KeyGenerator::inner_sum_keys(std::size_t span) const {
  return rotation_keys(inner_sum_steps(context_->n(), span), span == context_->n());
}

RotationKeys KeyGenerator::galois_keys(std::span<const std::uint64_t> elements,
                                       std::optional<std::size_t> offload, std::size_t level) const {
  context_->require_evaluation_keys();
  if (level != 0) require_level(level);
  const std::set<std::uint64_t> distinct(elements.begin(), elements.end());
  require_memory_of_keys(*context_, distinct.size(), offload, level);
  RotationKeys keys(context_);
  if (offload.has_value()) keys.offload(*offload);
  for (std::uint64_t element : elements)
    if (!keys.has_element(element)) keys.insert(galois_key(element, level));
  return keys;
}

}  // namespace nttforge::rlwe
