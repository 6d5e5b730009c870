// SPDX-License-Identifier: Apache-2.0
#include "nttforge/circuits/linear_map.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/rlwe/galois.hpp"

namespace nttforge::circuits {

using rlwe::Ciphertext, rlwe::Noise, rlwe::RotationKeys;

namespace {

/// The step from each to the next one, 0 of a single one.
std::int64_t stride_of(std::span<const std::int64_t> steps, const char* what) {
  const std::int64_t stride = steps.size() < 2 ? 0 : steps[1] - steps[0];
  for (std::size_t i = 1; i < steps.size(); ++i)
    if (steps[i] - steps[i - 1] != stride || stride <= 0)
      throw ParameterError(std::string(what) + "[" + std::to_string(i) + "] = " + std::to_string(steps[i]) +
                           ": a chain has steps of one distance, increasing");
  return stride;
}

}  // namespace

LinearMap::LinearMap(std::vector<std::int64_t> baby_steps, std::vector<std::int64_t> giant_steps,
                     rlwe::Polynomial factors, bool chained)
    : baby_steps_(std::move(baby_steps)),
      giant_steps_(std::move(giant_steps)),
      factors_(std::move(factors)),
      chained_(chained),
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
  if (!chained) return;
  stride_of(baby_steps_, "baby_steps");
  stride_of(giant_steps_, "giant_steps");
  if (baby_steps_[0] != 0 || std::find(giant_steps_.begin(), giant_steps_.end(), 0) == giant_steps_.end())
    throw ParameterError("baby_steps and giant_steps: a chain begins at step 0 of both");
}

std::vector<std::int64_t> LinearMap::taken() const {
  std::vector<std::int64_t> result;
  if (!chained_) {
    result = baby_steps_;
    result.insert(result.end(), giant_steps_.begin(), giant_steps_.end());
    return result;
  }
  if (baby_steps_.size() > 1) result.push_back(baby_steps_[1]);
  if (giant_steps_.size() < 2) return result;
  const std::int64_t giant = giant_steps_[1] - giant_steps_[0];
  if (giant_steps_.front() < 0) result.push_back(-giant);
  if (giant_steps_.back() > 0) result.push_back(giant);
  return result;
}

std::vector<std::int64_t> LinearMap::rotations() const {
  const auto half = static_cast<std::int64_t>(context()->n() / 2);
  std::set<std::int64_t> result;
  for (std::int64_t step : taken()) {
    step = (step + half) % half;
    result.insert(step > half / 2 ? step - half : step);
  }
  result.erase(0);
  return {result.begin(), result.end()};
}

DeviceArray LinearMap::factors(std::size_t level, rlwe::Window rows) const {
  const std::lock_guard lock(levels_->mutex);
  const std::tuple key{level, rows.first, rows.last};
  const auto found = levels_->words.find(key);
  if (found != levels_->words.end()) return found->second;
  DeviceArray words = factors_.at_level(level);
  const std::size_t limbs = context()->ring_key(level).limbs(), n = context()->n() / factors_.repeat();
  if (rows.size() != limbs) {
    const Queue& queue = context()->queue();
    const DeviceArray all =
        std::exchange(words, queue.allocate(factors_.batch() * rows.size() * n, words.data().word_bits()));
    for (std::size_t i = 0; i < factors_.batch(); ++i)
      queue.copy(all.data() + (i * limbs + rows.first) * n, words.data() + i * rows.size() * n,
                 rows.size() * n);
  }
  return levels_->words.emplace(key, words).first->second;
}

namespace {

/// The rows of a level's primes and the special ones that a side has the sums of; all without one. What comes
/// first is modulo the level's primes alone, the last of which are with the special ones.
rlwe::Window rows_of(const SwitchTables& level, const multi::Meeting::Side* side) {
  const std::size_t all = level.key_ring->limbs(), own = level.ring->limbs();
  if (side == nullptr) return {0, all};
  const std::size_t half = std::min((all + 1) / 2, own - 1);
  return side->number() == 0 ? rlwe::Window{0, half} : rlwe::Window{half, all};
}

/// Whether two sides have rows of both kinds to share.
bool is_shared(const LinearMap& map, const SwitchTables& level, const multi::Meeting::Side* side) {
  return side != nullptr && !map.chained() && level.ring->limbs() > 1;
}

/// One application of a map: everything modulo the primes of the level and the special ones, transformed,
/// and P times as large as what it stands for, until the one division at the end. A side of two has its rows
/// of all that comes before a division.
class Application {
 public:
  Application(const rlwe::RlweContext& context, const LinearMap& map, std::size_t level,
              const RotationKeys& keys, std::vector<std::uint64_t> babies, std::vector<std::uint64_t> giants,
              const multi::Meeting::Side* side, std::size_t batch)
      : context_(context),
        queue_(context.queue()),
        map_(map),
        number_(level),
        level_(context.key_switching(level)),
        side_(is_shared(map, level_, side) ? side : nullptr),
        rows_(rows_of(level_, side_)),
        share_(side_ == nullptr ? level_ : context.chain().key_switching(level, rows_)),
        keys_(keys),
        babies_(std::move(babies)),
        giants_(std::move(giants)),
        factors_(map.factors(level, rows_)),
        repeat_(map.factors().repeat()),
        most_(map.chained() || side_ != nullptr ? 1 : queue_.images_together()),
        together_(std::min(batch, most_)),
        digits_(queue_.allocate(*share_.key_ring, most_ * level_.digits.size())),
        sums_(queue_.allocate(*share_.key_ring, together_ * 2 * giants_.size())),
        parts_(queue_.allocate(*level_.ring, std::max(most_, together_ * 2))) {
    if (side_ == nullptr) return;
    whole_ = queue_.allocate(*level_.key_ring, 2);
    own_parts_ = queue_.allocate(*share_.ring, 2);
  }

  std::size_t together() const { return together_; }  ///< elements that run() takes at most

  /// a [batch][2][level][n] -> out, in the same form; at the level below if `to` says how.
  void run(ConstWordPtr a, Form form, const RescaleTables* to, WordPtr out, std::size_t batch) {
    const RingTables& ring = *level_.ring;
    batch_ = batch;
    ConstWordPtr parts = a;
    if (side_ != nullptr && used_) side_->meet();  // sums of the element before are read until here
    used_ = true;
    if (!map_.chained()) decompose({a + ring.words(), 2 * ring.words()}, form, batch);
    if (form == Form::coefficients) {
      queue_.copy(a, parts_.data(), batch * 2 * ring.words());
      queue_.forward(ring, parts_.data(), batch * 2);
      parts = parts_.data();
    }
    if (side_ != nullptr) {
      const std::size_t words = share_.ring->words();
      for (std::size_t part = 0; part < 2; ++part)
        queue_.copy(parts + part * ring.words() + rows_.first * ring.n(), own_parts_.data() + part * words,
                    words);
      parts = own_parts_.data();
    }
    const WordPtr own = map_.chained() ? chained_total(parts) : hoisted_total(parts);
    const WordPtr total = joined(own, 2, moved_.size() == 0 ? sums_ : moved_);
    if (to == nullptr) return queue_.mod_down(level_, total, {}, 0, form, out, batch);
    if (form == Form::coefficients) queue_.inverse(*level_.key_ring, total, batch * 2);
    queue_.rescale(*to->division, *level_.key_ring, *to->ring, total, form, out, batch * 2);
  }

 private:
  /// The digits of each element [level][n], of this side's rows.
  void decompose(BatchRows elements, Form form, std::size_t batch) {
    const RingTables& ring = *level_.ring;
    if (side_ == nullptr) return queue_.decompose(level_, elements, form, digits_.data(), batch);
    ConstWordPtr x = elements.words;
    if (form == Form::values) {
      queue_.copy(x, parts_.data(), ring.words());
      queue_.inverse(ring, parts_.data(), 1);
      x = parts_.data();
    }
    queue_.in_one_piece([&] {
      WordPtr out = digits_.data();
      for (const auto& digit : share_.digits) {
        queue_.apply(*digit, x, nullptr, out, 1);
        x += digit->sources() * ring.n();
        out += share_.key_ring->words();
      }
      queue_.forward(*share_.key_ring, digits_.data(), share_.digits.size());
    });
  }

  /// All rows of polynomials of which `own` has this side's.
  WordPtr joined(WordPtr own, std::size_t polynomials, const DeviceArray& owner) {
    if (side_ == nullptr) return own;
    side_->join(owner, own, rows_.first, rows_.size(), whole_.data(), level_.key_ring->limbs(), polynomials,
                context_.n());
    return whole_.data();
  }

  /// All baby steps from one decomposition, and each giant step from one of its own.
  WordPtr hoisted_total(ConstWordPtr parts) {
    const auto image = [this](std::size_t j) {
      poll_interrupt();
      return image_of(babies_, j);
    };
    // Keys that are fetched when they are used are used one by one.
    const MapFactors factors{factors_.data(), giants_.size(), babies_.size(), repeat_};
    const BatchRows rows{parts, 2 * level_.ring->words()};
    if (keys_.offloaded())
      queue_.Queue::sums_of_images(share_, digits_.data(), rows, factors, image, sums_.data(), batch_);
    else
      queue_.sums_of_images(share_, digits_.data(), rows, factors, image, sums_.data(), batch_);
    // The others are added to the sums of a giant step that moves nothing.
    const auto still =
        static_cast<std::size_t>(std::find(giants_.begin(), giants_.end(), 1) - giants_.begin());
    if (still == giants_.size()) {
      moved_ = queue_.allocate(*share_.key_ring, batch_ * 2);
      queue_.fill_zero(moved_.data(), batch_ * 2 * share_.key_ring->words());
    }
    const WordPtr total = still == giants_.size() ? moved_.data() : sum_of(still);
    for (std::size_t g = 0, count = 1; g < giants_.size(); g += count) {
      count = 1;
      if (giants_[g] == 1) {
        if (g != still) queue_.add(*share_.key_ring, total, sum_of(g), total, batch_ * 2);
        continue;
      }
      while ((count + 1) * batch_ <= most_ && g + count < giants_.size() && giants_[g + count] != 1) ++count;
      add_rotated(sum_of(g), count, [&](std::size_t i) { return image_of(giants_, g + i); }, total);
    }
    return total;
  }

  /// Each baby step from the one before it, and the sums of giant steps from both ends to the still one.
  WordPtr chained_total(ConstWordPtr parts) {
    const RingTables &ring = *level_.ring, &key_ring = *level_.key_ring;
    const std::size_t words = key_ring.words(), babies = map_.baby_steps().size(), giants = giants_.size();
    DeviceArray x = queue_.allocate(key_ring, 2), factor;
    moved_ = queue_.allocate(key_ring, 2);
    if (repeat_ != 1) factor = queue_.allocate(key_ring, 1);
    queue_.fill_zero(x.data(), 2 * words);
    queue_.fill_zero(sums_.data(), 2 * words * giants);
    for (std::size_t part = 0; part < 2; ++part)
      queue_.multiply_scalar(ring, parts + part * ring.words(), level_.special, x.data() + part * words, 1);
    for (std::size_t j = 0; j < babies; ++j) {
      poll_interrupt();
      if (j != 0) {
        queue_.fill_zero(moved_.data(), 2 * words);
        add_rotated(x.data(), 1, next_of(babies_, 1), moved_.data());
        std::swap(x, moved_);
      }
      for (std::size_t g = 0; g < giants; ++g) {
        ConstWordPtr f = factors_.data() + (g * babies + j) * (words / repeat_);
        if (repeat_ != 1) {
          queue_.repeat(f, repeat_, factor.data(), key_ring.n(), key_ring.limbs());
          f = factor.data();
        }
        for (std::size_t part = 0; part < 2; ++part)
          queue_.multiply_accumulate(key_ring, x.data() + part * words, f, sum_of(g) + part * words, 1);
      }
    }
    const auto still =
        static_cast<std::size_t>(std::find(giants_.begin(), giants_.end(), 1) - giants_.begin());
    // One giant step back is the one before the still one, one forth that behind it.
    for (std::size_t g = 0; g < still; ++g)
      add_rotated(sum_of(g), 1, next_of(giants_, still - 1), sum_of(g + 1));
    for (std::size_t g = giants; --g > still;)
      add_rotated(sum_of(g), 1, next_of(giants_, still + 1), sum_of(g - 1));
    return sum_of(still);
  }

  /// The automorphism and the key of a step; neither for the step that moves nothing.
  SwitchedImage image_of(const std::vector<std::uint64_t>& elements, std::size_t i) {
    if (elements[i] == 1) return {};
    SwitchedImage result{.image = context_.automorphism(elements[i]),
                         .key_words = keys_.key(elements[i]).words()};
    if (!map_.chained() && i + 1 < elements.size() && elements[i + 1] != 1)
      keys_.fetch_ahead(elements[i + 1]);
    result.key = keys_.key(elements[i]).rows(result.key_words, number_);
    if (side_ == nullptr) return result;
    // This side's rows of the key begin later, and the first side has no special ones.
    result.key.first += rows_.first;
    if (rows_.first == 0) result.key.special = 0;
    return result;
  }

  /// Those of all elements.
  WordPtr sum_of(std::size_t g) { return sums_.data() + g * batch_ * 2 * share_.key_ring->words(); }

  /// The image of a chain's step, whatever is asked for.
  std::function<SwitchedImage(std::size_t)> next_of(const std::vector<std::uint64_t>& elements,
                                                    std::size_t i) {
    return [this, &elements, i](std::size_t) { return image_of(elements, i); };
  }
  /// total += the images of so many sums, one behind the other: first parts are only permuted, second ones
  /// divided and decomposed.
  void add_rotated(WordPtr sums, std::size_t count, const std::function<SwitchedImage(std::size_t)>& image,
                   WordPtr total) {
    const RingTables& ring = *share_.key_ring;
    const std::size_t words = ring.words(), own = level_.ring->words();
    poll_interrupt();
    const WordPtr second = joined(sums + words, 1, sums_);
    for (std::size_t i = 0; i < count * batch_; ++i)
      queue_.inverse(*level_.key_ring, second + i * 2 * words, 1);
    queue_.apply(*level_.division, {second + own, 2 * words}, {second, 2 * words}, parts_.data(),
                 count * batch_, nullptr);
    decompose({parts_.data(), own}, Form::coefficients, count * batch_);
    for (std::size_t i = 0; i < count; ++i) {
      poll_interrupt();
      queue_.add_image(share_, digits_.data() + i * batch_ * level_.digits.size() * words, image(i),
                       {sums + i * batch_ * 2 * words, 2 * words}, total, batch_);
    }
  }

  const rlwe::RlweContext& context_;
  const Queue& queue_;
  const LinearMap& map_;
  std::size_t number_;  // of the level
  const SwitchTables& level_;
  const multi::Meeting::Side* side_;  // null: alone
  rlwe::Window rows_;
  bool used_ = false;
  const SwitchTables& share_;  // of these rows
  const RotationKeys& keys_;
  std::vector<std::uint64_t> babies_, giants_;
  DeviceArray factors_;
  std::size_t repeat_, most_, together_, batch_ = 1;  // sides of two have one element at a time
  DeviceArray digits_, sums_, parts_, moved_, whole_, own_parts_;
};

/// That of a rotation for each step and a product for each factor, as if every one of them were divided. What
/// is divided is less: once for each giant step, of one part, and at the end; where no baby step moves
/// anything, the division at the end is not among those.
Noise noise_of(const rlwe::RlweContext& context, const LinearMap& map, const Ciphertext& a,
               std::span<const std::uint64_t> babies, std::span<const std::uint64_t> giants) {
  const rlwe::RlweNoiseModel& model = context.noise_model();
  Noise rotated = model.key_switch(a.noise(), a.level());
  if (map.chained())
    for (std::size_t j = 2; j < babies.size(); ++j) rotated = model.key_switch(rotated, a.level());
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

/// The images of all elements; `to` as Application::run has it, null for the level of `a`.
Ciphertext images_of(const rlwe::Evaluator& evaluator, const LinearMap& map, const Ciphertext& a,
                     const RotationKeys& keys, const rlwe::Meta& meta, const RescaleTables* to,
                     const multi::Meeting::Side* side = nullptr) {
  const rlwe::RlweContextPtr& context = evaluator.context();
  const std::vector<std::uint64_t> babies = evaluator.elements_of(map.baby_steps()),
                                   giants = evaluator.elements_of(map.giant_steps());
  keys.require(evaluator.elements_of(map.taken()), "the linear map", a.level());
  const StackWipe wipe(StackDepth::shallow);
  Application application(*context, map, a.level(), keys, babies, giants, side, a.batch());
  Ciphertext result(context, 2, meta, a.batch());
  for (std::size_t e = 0; e < a.batch(); e += application.together())
    application.run(a.part(0, e), a.form(), to, result.part(0, e),
                    std::min(application.together(), a.batch() - e));
  return result;
}

void require_operand(const rlwe::Evaluator& evaluator, const LinearMap& map, const Ciphertext& a,
                     const RotationKeys& keys) {
  rlwe::require_compatible(*evaluator.context(), map.context(), "map");
  evaluator.require_rotatable(a, keys);
  rlwe::require_slots(a.encoding(), "a", "a linear map");
}

}  // namespace

rlwe::Meta image_meta(const rlwe::Evaluator& evaluator, const LinearMap& map, const Ciphertext& a) {
  return a.meta().computed(noise_of(*evaluator.context(), map, a, evaluator.elements_of(map.baby_steps()),
                                    evaluator.elements_of(map.giant_steps())));
}

Ciphertext apply(const rlwe::Evaluator& evaluator, const LinearMap& map, const Ciphertext& a,
                 const RotationKeys& keys) {
  require_operand(evaluator, map, a, keys);
  return images_of(evaluator, map, a, keys, image_meta(evaluator, map, a), nullptr);
}

Ciphertext apply_divided(const rlwe::Evaluator& evaluator, const LinearMap& map, const Ciphertext& a,
                         const RotationKeys& keys, const rlwe::Meta& said, const multi::Meeting::Side* side) {
  require_operand(evaluator, map, a, keys);
  const rlwe::RlweContext& context = *evaluator.context();
  if (a.level() == context.lowest_level())
    throw ParameterError("a is at level " + std::to_string(a.level()) +
                         ", the lowest: a linear map that divides needs one below");
  rlwe::Meta meta = said.computed(context.noise_model().switch_modulus(said.noise, a.level(), 2));
  static_cast<rlwe::CiphertextKind&>(meta) = context.below(said);
  return images_of(evaluator, map, a, keys, meta,
                   &context.chain().key_rescaling(a.level(), context.chain().special()), side);
}

}  // namespace nttforge::circuits
