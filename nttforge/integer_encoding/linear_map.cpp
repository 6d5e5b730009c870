// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/linear_map.hpp"

#include <set>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/integer_encoding/evaluator.hpp"
#include "nttforge/rlwe/galois.hpp"

namespace nttforge::integer_encoding {

LinearMap::LinearMap(std::vector<std::int64_t> baby_steps, std::vector<std::int64_t> giant_steps,
                     PreparedPlaintext factors)
    : baby_steps_(std::move(baby_steps)), giant_steps_(std::move(giant_steps)), factors_(std::move(factors)) {
  if (factors_.empty()) throw ContextError("factors is empty: assign it before use");
  require_slots(factors_.encoding(), "factors", "a linear map");
  const std::size_t expected = baby_steps_.size() * giant_steps_.size();
  if (expected == 0 || factors_.batch() != expected)
    throw SizeError("factors is a batch of " + std::to_string(factors_.batch()) + ", and there are " +
                    std::to_string(giant_steps_.size()) + " giant steps and " +
                    std::to_string(baby_steps_.size()) +
                    " baby steps: need one of each at least, and a factor "
                    "for each pair");
  for (const auto* steps : {&baby_steps_, &giant_steps_})
    for (const std::int64_t step : *steps) rotation_element(context()->n(), step);
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

namespace {

/// [giants][babies][k][n] of the highest level as rows of a lower one: the first ones of each polynomial.
DeviceArray rows_of_level(const Queue& queue, const PreparedPlaintext& factors, const RingTables& ring) {
  DeviceArray rows = queue.allocate_secret(ring, factors.batch());
  for (std::size_t i = 0; i < factors.batch(); ++i)
    queue.copy(factors.data(i), rows.data() + i * ring.words(), ring.words());
  return rows;
}

}  // namespace

Ciphertext IntegerEvaluator::apply(const LinearMap& map, const Ciphertext& a,
                                   const RotationKeys& keys) const {
  require_compatible(*context_, map.context(), "map");
  require_galois_operand(a, keys);
  require_slots(a.encoding(), "a", "a linear map");
  const std::vector<std::uint64_t> babies = elements_of(map.baby_steps()),
                                   giants = elements_of(map.giant_steps());
  std::vector<std::uint64_t> all = babies;
  all.insert(all.end(), giants.begin(), giants.end());
  keys.require(all, "the linear map", a.level());
  const StackWipe wipe(StackDepth::shallow);
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(a.level());
  const RlweNoiseModel& model = context_->noise_model();
  const bool lower = a.level() < context_->limbs();
  const DeviceArray lowered = lower ? rows_of_level(queue, map.factors(), ring) : DeviceArray();
  const ConstWordPtr factors = lower ? lowered.data() : map.factors().data();
  const std::size_t pair = 2 * ring.words();
  DeviceArray rotated = queue.allocate(ring, 2 * babies.size()),
              sums = queue.allocate(ring, 2 * giants.size());
  std::vector<WordPtr> places;
  for (std::size_t j = 0; j < babies.size(); ++j) places.push_back(rotated.data() + j * pair);
  std::vector<Ciphertext> results;
  for (std::size_t e = 0; e < a.batch(); ++e) {
    const Ciphertext storage = a.batch() == 1 ? Ciphertext() : a.element(e);
    const Ciphertext& x = a.batch() == 1 ? a : storage;
    galois_images(x, babies, keys, places);
    queue.forward(ring, rotated.data(), 2 * babies.size());
    queue.sums_of_products(ring, factors, rotated.data(), sums.data(), giants.size(), babies.size(), 2);
    queue.inverse(ring, sums.data(), 2 * giants.size());
    Ciphertext total;
    for (std::size_t g = 0; g < giants.size(); ++g) {
      poll_interrupt();
      double norm = 0;  // of the factors of rotated and of unrotated ones
      double still = 0;
      for (std::size_t j = 0; j < babies.size(); ++j)
        (babies[j] == 1 ? still : norm) += map.factors().norm(g * babies.size() + j);
      Ciphertext sum(context_, 2, a.encoding(), a.level());
      queue.copy(sums.data() + g * pair, sum.data(), pair);
      sum.set_factor(a.factor());
      const Noise moved = model.multiply_plain(model.key_switch(a.noise(), a.level()), norm);
      sum.set_noise(still == 0 ? moved : model.add(moved, model.multiply_plain(a.noise(), still)));
      if (g + 1 < giants.size()) keys.fetch_ahead(giants[g + 1]);
      if (giants[g] != 1) sum = apply_galois(sum, giants[g], keys);
      if (total.empty())
        total = std::move(sum);
      else
        add_in_place(total, sum);
    }
    results.push_back(std::move(total));
  }
  if (results.size() == 1) return std::move(results.front());
  std::vector<const Ciphertext*> terms_of_batch;
  for (const Ciphertext& result : results) terms_of_batch.push_back(&result);
  return Ciphertext::stack(terms_of_batch);
}

}  // namespace nttforge::integer_encoding
