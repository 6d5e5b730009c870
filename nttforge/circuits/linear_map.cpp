// SPDX-License-Identifier: Apache-2.0
#include "nttforge/circuits/linear_map.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/rlwe/galois.hpp"
#include "nttforge/rns/big_uint.hpp"

namespace nttforge::circuits {

using rlwe::Ciphertext, rlwe::Noise, rlwe::RotationKeys;

LinearMap::LinearMap(std::vector<std::int64_t> baby_steps, std::vector<std::int64_t> giant_steps,
                     rlwe::Polynomial factors)
    : baby_steps_(std::move(baby_steps)),
      giant_steps_(std::move(giant_steps)),
      factors_(std::move(factors)),
      levels_(std::make_shared<Levels>()) {
  if (factors_.empty()) throw ContextError("factors is empty: assign it before use");
  rlwe::require_slots(factors_.encoding(), "factors", "a linear map");
  const std::size_t expected = baby_steps_.size() * giant_steps_.size();
  if (expected == 0 || factors_.batch() != expected)
    throw SizeError("factors is a batch of " + std::to_string(factors_.batch()) + ", and there are " +
                    std::to_string(giant_steps_.size()) + " giant steps and " +
                    std::to_string(baby_steps_.size()) +
                    " baby steps: need one of each at least, and a factor "
                    "for each pair");
  for (const auto* steps : {&baby_steps_, &giant_steps_})
    for (const std::int64_t step : *steps) context()->rotation_element(step);
}

std::vector<std::int64_t> LinearMap::rotations() const {
  const auto half = static_cast<std::int64_t>(context()->n() / 2);
  std::set<std::int64_t> result;
  for (const auto* steps : {&baby_steps_, &giant_steps_})
    for (std::int64_t step : *steps) {
      step = (step + half) % half;
      result.insert(step > half / 2 ? step - half : step);
    }
  result.erase(0);
  return {result.begin(), result.end()};
}

DeviceArray LinearMap::factors(std::size_t level) const {
  const std::lock_guard lock(levels_->mutex);
  const auto found = levels_->words.find(level);
  if (found != levels_->words.end()) return found->second;
  return levels_->words.emplace(level, factors_.at_level(level)).first->second;
}

namespace {

/// One application of a map: everything modulo the primes of the level and the special ones, transformed,
/// and P times as large as what it stands for, until the one division at the end.
class Application {
 public:
  Application(const rlwe::RlweContext& context, const LinearMap& map, std::size_t level,
              const RotationKeys& keys, std::vector<std::uint64_t> babies, std::vector<std::uint64_t> giants)
      : context_(context),
        queue_(context.queue()),
        number_(level),
        level_(context.key_switching(level)),
        keys_(keys),
        babies_(std::move(babies)),
        giants_(std::move(giants)),
        factors_(map.factors(level)),
        digits_(queue_.allocate(*level_.key_ring, level_.digits.size())),
        sums_(queue_.allocate(*level_.key_ring, 2 * giants_.size())),
        total_(queue_.allocate(*level_.key_ring, 2)),
        parts_(queue_.allocate(*level_.ring, 2)) {
    const BigUint product = BigUint::product(context.parameters().special);
    for (const std::uint64_t q : level_.ring->spec().moduli) special_.push_back(product.mod(q));
  }

  /// a [2][level][n] -> out, in the same form.
  void run(ConstWordPtr a, Form form, WordPtr out) {
    const RingTables& ring = *level_.ring;
    queue_.decompose(level_, {a + ring.words(), ring.words()}, form, digits_.data(), 1);
    queue_.multiply_scalar(ring, a, special_, parts_.data(), 2);
    if (form == Form::coefficients) queue_.forward(ring, parts_.data(), 2);
    const auto image = [this](std::size_t j) {
      poll_interrupt();
      return image_of(babies_, j);
    };
    // Keys that are fetched when they are used are used one by one.
    if (keys_.offloaded())
      queue_.Queue::sums_of_images(level_, digits_.data(), parts_.data(), factors_.data(), giants_.size(),
                                   babies_.size(), image, sums_.data());
    else
      queue_.sums_of_images(level_, digits_.data(), parts_.data(), factors_.data(), giants_.size(),
                            babies_.size(), image, sums_.data());
    queue_.fill_zero(total_.data(), 2 * level_.key_ring->words());
    for (std::size_t g = 0; g < giants_.size(); ++g) {
      poll_interrupt();
      add_giant(g);
    }
    queue_.mod_down(level_, total_.data(), {}, 0, form, out, 1);
  }

 private:
  /// The automorphism and the key of a step; neither for the step that moves nothing.
  SwitchedImage image_of(const std::vector<std::uint64_t>& elements, std::size_t i) {
    if (elements[i] == 1) return {};
    SwitchedImage result{.image = context_.automorphism(elements[i]),
                         .key_words = keys_.key(elements[i]).words()};
    if (i + 1 < elements.size() && elements[i + 1] != 1) keys_.fetch_ahead(elements[i + 1]);
    result.key = keys_.key(elements[i]).rows(result.key_words, number_);
    return result;
  }

  /// total += rotate(sums[g], giants[g]): the first part is only permuted, the second divided and decomposed.
  void add_giant(std::size_t g) {
    const RingTables& ring = *level_.key_ring;
    const WordPtr sum = sums_.data() + 2 * g * ring.words();
    if (giants_[g] == 1) return queue_.add(ring, total_.data(), sum, total_.data(), 2);
    queue_.inverse(ring, sum + ring.words(), 1);
    queue_.apply_joined(*level_.division, sum + ring.words(), parts_.data(), 1);
    queue_.decompose(level_, {parts_.data(), level_.ring->words()}, Form::coefficients, digits_.data(), 1);
    queue_.add_image(level_, digits_.data(), image_of(giants_, g), sum, total_.data());
  }

  const rlwe::RlweContext& context_;
  const Queue& queue_;
  std::size_t number_;  // of the level
  const SwitchTables& level_;
  const RotationKeys& keys_;
  std::vector<std::uint64_t> babies_, giants_;
  DeviceArray factors_;
  std::vector<std::uint64_t> special_;  // P modulo each prime
  DeviceArray digits_, sums_, total_, parts_;
};

/// That of a rotation for each step and a product for each factor, as if every one of them were divided. What
/// is divided is less: once for each giant step, of one part, and at the end; where no baby step moves
/// anything, the division at the end is not among those.
Noise noise_of(const rlwe::RlweContext& context, const LinearMap& map, const Ciphertext& a,
               std::span<const std::uint64_t> babies, std::span<const std::uint64_t> giants) {
  const rlwe::RlweNoiseModel& model = context.noise_model();
  const Noise rotated = model.key_switch(a.noise(), a.level());
  std::optional<Noise> total;
  double moved = 0;
  for (std::size_t g = 0; g < giants.size(); ++g) {
    double norm = 0, still = 0;  // of the factors of rotated and of unrotated ones
    for (std::size_t j = 0; j < babies.size(); ++j)
      (babies[j] == 1 ? still : norm) += map.factors().norm(g * babies.size() + j);
    moved += norm;
    Noise sum = model.multiply_polynomial(rotated, norm);
    if (still != 0) sum = model.add(sum, model.multiply_polynomial(a.noise(), still));
    if (giants[g] != 1) sum = model.key_switch(sum, a.level());
    total = total ? model.add(*total, sum) : sum;
  }
  return moved >= 1 ? *total : model.key_switch(*total, a.level());
}

}  // namespace

Ciphertext apply(const rlwe::Evaluator& evaluator, const LinearMap& map, const Ciphertext& a,
                 const RotationKeys& keys) {
  const rlwe::RlweContextPtr& context = evaluator.context();
  rlwe::require_compatible(*context, map.context(), "map");
  evaluator.require_rotatable(a, keys);
  rlwe::require_slots(a.encoding(), "a", "a linear map");
  const std::vector<std::uint64_t> babies = evaluator.elements_of(map.baby_steps()),
                                   giants = evaluator.elements_of(map.giant_steps());
  std::vector<std::uint64_t> all = babies;
  all.insert(all.end(), giants.begin(), giants.end());
  keys.require(all, "the linear map", a.level());
  const StackWipe wipe(StackDepth::shallow);
  Application application(*context, map, a.level(), keys, babies, giants);
  Ciphertext result(context, 2, a.meta().computed(noise_of(*context, map, a, babies, giants)), a.batch());
  for (std::size_t e = 0; e < a.batch(); ++e) application.run(a.part(0, e), a.form(), result.part(0, e));
  return result;
}

}  // namespace nttforge::circuits
