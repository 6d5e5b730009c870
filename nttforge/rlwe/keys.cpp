// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/keys.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/rlwe/galois.hpp"
#include "nttforge/rlwe/offload/key_words.hpp"
#include "nttforge/rlwe/sampling.hpp"

namespace nttforge::rlwe {
namespace {

std::string describe_element(const RlweContext& context, std::uint64_t element) {
  if (element == column_swap_element(context.n()))
    return (context.generator() == kRowGenerator ? "the column swap (Galois element "
                                                 : "the conjugation (Galois element ") +
           std::to_string(element) + ")";
  if (const auto step = rotation_step(context.n(), element, context.generator()))
    return "rotation step " + std::to_string(*step) + " (Galois element " + std::to_string(element) + ")";
  return "Galois element " + std::to_string(element);
}

std::string join(const std::vector<std::int64_t>& values) {
  if (values.empty()) return "none";
  std::string text;
  for (std::int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

/// Whether a secret may come from a distribution, without a branch on it. Not inlined, so that what is kept
/// on the stack lies below the operation's StackWipe; this is also true of lift_secret.
enum class SecretCheck : std::uint8_t { passed, range, weight };
__attribute__((noinline)) SecretCheck check_secret(std::span<const std::int64_t> small,
                                                   const SecretDistribution& distribution) {
  const SecretDistribution::Facts facts = distribution.facts(small.size());
  std::uint64_t outside = 0, weight = 0;
  for (std::int64_t value : small) {
    outside |= static_cast<std::uint64_t>(value - facts.lowest) | static_cast<std::uint64_t>(1 - value);
    weight += static_cast<std::uint64_t>(value) & 1;
  }
  if (outside >> 63 != 0) return SecretCheck::range;
  return facts.fixed_weight && weight != distribution.weight ? SecretCheck::weight : SecretCheck::passed;
}

/// out = words [first, first + out.size()) of the residues [limb][n] of small: q is added to what is
/// negative, without a branch on the secret.
__attribute__((noinline)) void lift_secret(std::span<const std::int64_t> small,
                                           std::span<const std::uint64_t> moduli, std::size_t first,
                                           std::span<std::uint64_t> out) {
  const std::size_t n = small.size();
  for (std::size_t i = 0; i < out.size();) {
    const std::size_t column = (first + i) % n, count = std::min(n - column, out.size() - i);
    const std::uint64_t q = moduli[(first + i) / n];
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t value = small[column + k];
      out[i + k] = static_cast<std::uint64_t>(value) + (static_cast<std::uint64_t>(value >> 63) & q);
    }
    i += count;
  }
}

/// Bounds on noise are for the parameters' own secrets. They hold for sparse ones of at most half of their
/// expected weight, and for others of a fixed weight that is at most theirs.
void require_short_secret(const SecretDistribution& distribution, const SecretDistribution& own,
                          std::size_t n) {
  check_secret_distribution(distribution, n);
  if (distribution == own) return;
  const SecretDistribution::Facts facts = distribution.facts(n), of_own = own.facts(n);
  const double most = static_cast<double>(n) * of_own.square / (of_own.fixed_weight ? 1 : 2);
  if (facts.fixed_weight && distribution.weight <= most) return;
  throw ParameterError("secret distribution: a " + distribution.describe() + " may be longer than the " +
                       own.describe() + " of the parameters, whose bounds on noise would not hold; take a " +
                       "sparse one of weight 1 ... " + std::to_string(static_cast<std::uint64_t>(most)));
}

void require_key(const RlweContextPtr& context, const char* what) {
  if (context == nullptr) throw ContextError(std::string(what) + " is empty: assign it before use");
}

}  // namespace

SecretKey::SecretKey(RlweContextPtr context, std::span<const std::int64_t> small,
                     std::optional<SecretDistribution> distribution) {
  const std::size_t n = require_context(context)->n();
  const SecretDistribution expected = distribution.value_or(context->parameters().secret);
  require_short_secret(expected, context->parameters().secret, n);
  if (small.size() != n)
    throw SizeError("small.size() = " + std::to_string(small.size()) + ", expected n = " + std::to_string(n));
  const StackWipe wipe(StackDepth::shallow);
  const SecretCheck check = check_secret(small, expected);
  if (check == SecretCheck::range)
    throw ParameterError("small: a coefficient of the secret is out of range [" +
                         std::to_string(expected.facts(n).lowest) + ", 1] of a " + expected.describe());
  if (check == SecretCheck::weight)
    throw ParameterError("small: the number of coefficients that are not 0 is not that of a " +
                         expected.describe());
  const RingTables& ring = context->ring_key();
  const Queue& queue = context->queue();
  words_ = queue.allocate_secret(ring, 1);
  queue.upload_written(ring.words(), words_.data(), [&](std::size_t first, std::span<std::uint64_t> out) {
    lift_secret(small, ring.spec().moduli, first, out);
  });
  queue.wait();
  queue.forward(ring, words_.data(), 1);
  context_ = std::move(context);
}

SecretKey SecretKey::to(const RlweContextPtr& context) const {
  require_key(context_, "secret key");
  return SecretKey(context, moved(words_, *context_, *require_context(context), Secrecy::secret));
}

PublicKey PublicKey::to(const RlweContextPtr& context) const {
  require_key(context_, "public key");
  return PublicKey(context, moved(words_, *context_, *require_context(context), Secrecy::open), seed_);
}

KeySwitchKey::KeySwitchKey(RlweContextPtr context, DeviceArray words, std::optional<Seed> seed,
                           std::uint32_t purpose, std::size_t level, std::size_t special)
    : context_(std::move(context)),
      seed_(seed),
      purpose_(purpose),
      level_(level == 0 ? context_->top_level() : level),
      special_(special == 0 ? context_->chain().special() : special) {
  words_ = std::make_shared<const KeyWords>(context_, std::move(words), seed, purpose, level_, special_);
}

DeviceArray KeySwitchKey::words() const { return words_->get(context_->queue()); }

KeySwitchKey KeySwitchKey::to(const RlweContextPtr& context) const {
  require_key(context_, "key");
  return KeySwitchKey(context, moved(words(), *context_, *require_context(context), Secrecy::open), seed_,
                      purpose_, level_, special_);
}

KeyRows KeySwitchKey::rows(const DeviceArray& words, std::size_t level) const {
  const Chain& chain = context_->chain();
  return chain.key_rows(words.data(), level_, special_, level);
}

KeySwitchKey KeySwitchKey::at_level(std::size_t level) const {
  require_key(context_, "key");
  const std::size_t lowest = context_->lowest_level();
  if (level < lowest || level > level_)
    throw ParameterError("level = " + std::to_string(level) + " is out of range [" + std::to_string(lowest) +
                         ", " + std::to_string(level_) + "]: the key is at level " + std::to_string(level_) +
                         ", and rows that it lacks cannot come back");
  if (level == level_) return *this;
  if (special_ != context_->chain().special())
    throw UnsupportedError("a key of fewer special primes stays at its level: make one for level " +
                           std::to_string(level));
  const Queue& queue = context_->queue();
  const Chain& chain = context_->chain();
  const Window from = chain.key_window(level_), to = chain.key_window(level);
  const Window digits = chain.digits(to);
  const std::size_t n = context_->n(), words_from = (from.size() + chain.special()) * n,
                    words_to = (to.size() + chain.special()) * n,
                    skipped = digits.first - chain.digits(from).first;
  const MemoryPurpose memory_purpose("an evaluation key at a level");
  const DeviceArray whole = words();
  DeviceArray kept = queue.allocate(digits.size() * 2 * words_to, whole.word_bits());
  for (std::size_t i = 0; i < digits.size() * 2; ++i)
    copy_key_rows(*context_, queue, whole.data() + (skipped * 2 + i) * words_from, from, to,
                  kept.data() + i * words_to);
  return KeySwitchKey(context_, std::move(kept), seed_, purpose_, level);
}

RelinearizationKey RelinearizationKey::at_level(std::size_t level) const {
  return RelinearizationKey(key_.at_level(level));
}

RotationKeys RotationKeys::at_level(std::size_t level) const {
  require_key(context_, "rotation keys");
  const std::optional<std::size_t> offload = cache_ == nullptr ? std::nullopt : std::optional(cache_->most());
  require_memory_of_keys(*context_, keys_.size(), offload, level);
  RotationKeys result(context_);
  if (offload.has_value()) result.offload(*offload);
  const std::size_t highest = this->level();
  for (const auto& [element, key] : keys_)  // a key below the highest may be below `level` already
    result.insert(key.at_level(key.level() == highest ? level : std::min(level, key.level())));
  return result;
}

std::size_t RotationKeys::level() const {
  if (keys_.empty()) return context_ == nullptr ? 0 : context_->top_level();
  std::size_t level = 0;
  for (const auto& entry : keys_) level = std::max(level, entry.second.level());
  return level;
}

std::uint64_t RotationKeys::words_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& entry : keys_)
    bytes += context_->parameters().memory_sizes(1, entry.second.level()).rotation_key;
  return bytes;
}

EvaluationKeys EvaluationKeys::at_level(std::size_t level) const {
  EvaluationKeys result;
  if (!relinearization.empty()) result.relinearization = relinearization.at_level(level);
  if (rotations.context() != nullptr) result.rotations = rotations.at_level(level);
  return result;
}

RelinearizationKey RelinearizationKey::to(const RlweContextPtr& context) const {
  return RelinearizationKey(key_.to(context));
}

RotationKeys RotationKeys::to(const RlweContextPtr& context) const {
  RotationKeys result(require_context(context));
  for (const auto& entry : keys_) result.insert(entry.second.to(context));
  return result;
}

RelinearizationKey::RelinearizationKey(KeySwitchKey key) : key_(std::move(key)) {
  if (key_.purpose() != 0)
    throw ParameterError(
        "key.purpose() = " + std::to_string(key_.purpose()) +
        " is a rotation's: make a relinearization key with KeyGenerator::relinearization_key");
}

void RotationKeys::insert(KeySwitchKey key) {
  if (key.empty()) throw ContextError("key is empty: make it with KeyGenerator");
  if (context_ != nullptr) require_compatible(*context_, key.context(), "rotation key");
  const std::uint64_t element = key.purpose();
  if (element % 2 == 0 || element < 3 || element >= 2 * key.context()->n())
    throw ParameterError("key.purpose() = " + std::to_string(element) +
                         " is no Galois element of this ring: odd and in (1, 2n)");
  if (context_ == nullptr) context_ = key.context();
  if (cache_ != nullptr) key.place().offload(cache_);
  keys_.insert_or_assign(element, std::move(key));
}

void RelinearizationKey::offload(std::size_t cached) const {
  require_key(key_.context(), "relinearization key");
  key_.place().offload(std::make_shared<KeyCache>(cached));
}

bool RelinearizationKey::offloaded() const { return !empty() && key_.place().offloaded(); }

void RelinearizationKey::load() const {
  require_key(key_.context(), "relinearization key");
  if (!offloaded()) return;
  const std::uint64_t bytes = key_.context()->parameters().memory_sizes(1, level()).relinearization_key;
  key_.context()->device().require_memory(bytes, "the words of a relinearization key");
  key_.place().load();
}

void RotationKeys::offload(std::size_t cached) {
  require_key(context_, "rotation keys");
  if (context_->device().memory_space() == "host") return;
  require_memory(words_bytes() / 2,
                 "the words of " + std::to_string(keys_.size()) + " rotation keys in host memory");
  cache_ = std::make_shared<KeyCache>(cached);
  for (const auto& entry : keys_) entry.second.place().offload(cache_);
}

void RotationKeys::load() {
  if (!offloaded()) return;
  context_->device().require_memory(words_bytes(), std::to_string(keys_.size()) + " rotation keys");
  for (const auto& entry : keys_) entry.second.place().load();
  cache_ = nullptr;
}

bool RotationKeys::offloaded() const {
  return cache_ != nullptr ||
         std::any_of(keys_.begin(), keys_.end(), [](const auto& e) { return e.second.place().offloaded(); });
}

void RotationKeys::fetch_ahead(std::uint64_t element) const {
  const auto found = keys_.find(element);
  if (found != keys_.end()) found->second.place().fetch_ahead();
}

bool RotationKeys::has_step(std::int64_t step) const {
  return context_ != nullptr && has_element(context_->rotation_element(step));
}

bool RotationKeys::has_column_swap() const {
  return context_ != nullptr && has_element(column_swap_element(context_->n()));
}

std::vector<std::uint64_t> RotationKeys::elements() const {
  std::vector<std::uint64_t> result;
  for (const auto& entry : keys_) result.push_back(entry.first);
  return result;
}

std::vector<std::int64_t> RotationKeys::steps() const {
  std::vector<std::int64_t> result;
  for (const auto& entry : keys_)
    if (const auto step = rotation_step(context_->n(), entry.first, context_->generator()))
      result.push_back(*step);
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::int64_t> RotationKeys::composed(std::int64_t step, std::size_t level) const {
  if (context_ == nullptr)
    throw MissingKeyError("there are no rotation keys: make them with KeyGenerator::rotation_keys");
  context_->rotation_element(step);  // throws for a step out of range
  const auto row = static_cast<std::int64_t>(std::max<std::size_t>(context_->n() / 2, 1));
  const auto place = [row](std::int64_t s) { return static_cast<std::size_t>((s % row + row) % row); };
  if (place(step) == 0) return {};
  std::vector<std::int64_t> known = steps();
  const std::size_t below = std::erase_if(
      known, [&](std::int64_t s) { return keys_.at(context_->rotation_element(s)).level() < level; });
  // Breadth first from 0: by[s] is the last step on a shortest way to s.
  std::vector<std::int64_t> by(place(-1) + 1, 0);
  std::vector<std::size_t> reached{0};
  for (std::size_t i = 0; i < reached.size() && by[place(step)] == 0; ++i)
    for (const std::int64_t s : known) {
      const std::size_t next = place(static_cast<std::int64_t>(reached[i]) + s);
      if (next == 0 || by[next] != 0) continue;
      by[next] = s;
      reached.push_back(next);
    }
  std::vector<std::int64_t> result;
  std::size_t at = place(step);
  if (at != 0 && by[at] == 0)
    throw MissingKeyError("rotation step " + std::to_string(step) + " is no sum of steps with a key" +
                          (below == 0 ? "" : " for level " + std::to_string(level)) + ": " + join(known) +
                          "; make a key for it, or for 1, 2, 4, ... n/4, which reach every step");
  for (; at != 0; at = place(static_cast<std::int64_t>(at) - by[at])) result.push_back(by[at]);
  std::sort(result.begin(), result.end());
  return result;
}

void require_memory_of_keys(const RlweContext& context, std::uint64_t count,
                            std::optional<std::size_t> offload, std::size_t level) {
  const std::uint64_t each = context.parameters().memory_sizes(1, level).rotation_key;
  const std::string keys =
      std::to_string(count) + " rotation keys of " + std::to_string(each) + " bytes each";
  const bool moves = offload.has_value() && context.device().memory_space() != "host";
  if (moves) require_memory(count * (each / 2), keys + ", in host memory by halves,");
  const std::uint64_t here = moves ? std::min<std::uint64_t>(count, *offload) : count;
  context.device().require_memory((here + 1) * each, moves ? "the keys in use of " + keys : keys);
}

void RotationKeys::require(std::span<const std::uint64_t> elements, std::string_view operation,
                           std::size_t level) const {
  std::vector<std::int64_t> missing;
  std::string others;
  for (const std::uint64_t element : std::set<std::uint64_t>(elements.begin(), elements.end())) {
    if (element == 1 || has_element(element)) continue;
    if (context_ == nullptr)
      throw MissingKeyError("there are no rotation keys: make them with KeyGenerator::rotation_keys");
    const auto step = rotation_step(context_->n(), element, context_->generator());
    if (step.has_value())
      missing.push_back(*step);
    else
      others += (others.empty() ? "" : ", ") + describe_element(*context_, element);
  }
  if (missing.empty() && others.empty()) {
    for (const std::uint64_t element : elements)
      if (element != 1) key(element, level);
    return;
  }
  std::sort(missing.begin(), missing.end());
  std::string what = missing.empty() ? "" : "the steps: " + join(missing);
  if (!others.empty()) what += (what.empty() ? "" : ", and for ") + others;
  throw MissingKeyError(std::string(operation) + " lacks keys for " + what + "; steps with a key: " +
                        join(steps()) + "; make them with KeyGenerator::rotation_keys");
}

const KeySwitchKey& RotationKeys::key(std::uint64_t element, std::size_t level) const {
  const auto found = keys_.find(element);
  if (found != keys_.end()) {
    const std::size_t own = found->second.level();
    if (own >= level) return found->second;
    throw ParameterError("rotation keys: at level " + std::to_string(own) + " for " +
                         describe_element(*context_, element) + ", and level " + std::to_string(level) +
                         " is needed: switch the ciphertext down to level " + std::to_string(own) +
                         " first (mod_switch), or take a key of level " + std::to_string(level) +
                         " or above");
  }
  if (context_ == nullptr)
    throw MissingKeyError("there are no rotation keys: make them with KeyGenerator::rotation_keys");
  throw MissingKeyError(
      "no key for " + describe_element(*context_, element) + "; steps with a key: " + join(steps()) +
      "; column swap: " + (has_column_swap() ? "yes" : "no") + "; make it with KeyGenerator::rotation_keys");
}

}  // namespace nttforge::rlwe
