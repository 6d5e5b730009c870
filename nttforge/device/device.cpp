// SPDX-License-Identifier: Apache-2.0
#include "nttforge/device/device.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/rns/big_uint.hpp"
#include "nttforge/rns/digits.hpp"

namespace nttforge {

void Device::require_memory(std::uint64_t bytes, const std::string& what) const {
  nttforge::require_memory(bytes, what);
}

std::shared_ptr<const EmbeddingTables> Device::make_embedding(std::size_t slots) const {
  return std::make_shared<const EmbeddingTables>(slots);
}

SwitchTables Device::make_switch(std::shared_ptr<const RingTables> ring,
                                 std::shared_ptr<const RingTables> key_ring, std::size_t digit_primes,
                                 const RnsStep* division) const {
  const std::vector<std::size_t> ends = equal_digits(ring->limbs(), digit_primes);
  return make_switch(std::move(ring), std::move(key_ring), ends, division);
}

SwitchTables Device::make_switch(std::shared_ptr<const RingTables> ring,
                                 std::shared_ptr<const RingTables> key_ring,
                                 std::span<const std::size_t> ends, const RnsStep* division,
                                 std::size_t first) const {
  const std::vector<std::uint64_t>&q = ring->spec().moduli, &all = key_ring->spec().moduli;
  if (ring->n() != key_ring->n() || all.size() < q.size() || !std::equal(q.begin(), q.end(), all.begin()))
    throw ParameterError("key_ring does not begin with the " + std::to_string(q.size()) +
                         " primes of ring: give the level's primes, then the special ones");
  const std::vector<std::uint64_t> special(all.begin() + static_cast<std::ptrdiff_t>(q.size()), all.end());
  if (special.empty() != (division == nullptr) ||
      (division != nullptr && (division->sources != special || division->targets != q)))
    throw ParameterError("division does not take the " + std::to_string(special.size()) +
                         " special primes of key_ring to the primes of ring: build it with mod_down.hpp");
  SwitchTables tables;
  for (const RnsStep& step : digit_steps(q, all, ends, first))
    tables.digits.push_back(make_step(step, ring->n()));
  if (division != nullptr) tables.division = make_step(*division, ring->n());
  const BigUint product = BigUint::product(special);
  for (const std::uint64_t prime : q) tables.special.push_back(product.mod(prime));
  tables.ring = std::move(ring);
  tables.key_ring = std::move(key_ring);
  return tables;
}

RescaleTables Device::make_rescale(const SwitchTables& level, std::shared_ptr<const RingTables> ring,
                                   const RnsStep& division) const {
  const std::vector<std::uint64_t>&all = level.key_ring->spec().moduli, &stay = ring->spec().moduli;
  std::vector<std::uint64_t> leave;
  for (const std::uint64_t prime : all)
    if (std::find(stay.begin(), stay.end(), prime) == stay.end()) leave.push_back(prime);
  if (division.sources != leave || division.targets != stay)
    throw ParameterError(
        "division does not take the " + std::to_string(leave.size()) +
        " primes that key_ring has beside those of ring to these: build it with mod_down.hpp");
  return {std::move(ring), make_step(division, level.ring->n())};
}

ProductTables Device::make_product(std::shared_ptr<const RingTables> ring,
                                   std::shared_ptr<const RingTables> auxiliary,
                                   std::shared_ptr<const StepTables> extend,
                                   std::shared_ptr<const StepTables> scale) const {
  const std::vector<std::uint64_t>&q = ring->spec().moduli, &more = auxiliary->spec().moduli;
  const RnsStep &up = extend->chain().front(), &down = scale->chain().front();
  const bool fits = ring->n() == auxiliary->n() && up.sources == q && down.sources == q &&
                    extend->chain().back().targets == more && scale->chain().back().targets == q &&
                    down.own.size() == more.size() && down.targets == more;
  if (!fits)
    throw ParameterError(
        "the steps do not go from ring to auxiliary and back: build them from the moduli of both rings");
  std::shared_ptr<const RingTables> joint = make_joint(*ring, *auxiliary);
  return {.ring = std::move(ring),
          .auxiliary = std::move(auxiliary),
          .joint = std::move(joint),
          .extend = std::move(extend),
          .scale = std::move(scale),
          .change = nullptr,
          .back = nullptr,
          .drop = nullptr};
}

ProductTables Device::make_product_over(std::shared_ptr<const RingTables> ring,
                                        std::shared_ptr<const RingTables> auxiliary,
                                        std::shared_ptr<const StepTables> extend,
                                        std::shared_ptr<const StepTables> change,
                                        std::shared_ptr<const StepTables> back,
                                        std::shared_ptr<const StepTables> scale,
                                        std::shared_ptr<const StepTables> drop) const {
  using List = std::vector<std::uint64_t>;
  const List &q = ring->spec().moduli, &more = auxiliary->spec().moduli;
  List factors = q;
  bool fits = ring->n() == auxiliary->n();
  if (drop != nullptr) {
    const RnsStep& step = drop->chain().front();
    factors.insert(factors.end(), step.sources.begin(), step.sources.end());
    fits = fits && step.targets == q && step.own.size() == q.size() && drop->targets() == q.size();
  }
  const auto leads = [](const StepTables& step, const List& from, const List& to, bool takes_own) {
    return step.chain().size() == 1 && step.chain()[0].sources == from && step.chain()[0].targets == to &&
           step.chain()[0].own.empty() != takes_own;
  };
  fits = fits && leads(*extend, q, more, false) && leads(*change, factors, more, false) &&
         leads(*back, more, q, false) && leads(*scale, more, q, true);
  if (!fits)
    throw ParameterError(
        "the steps do not go from the factors to both rings and back: build them from the moduli of both "
        "rings");
  return {.ring = std::move(ring),
          .auxiliary = std::move(auxiliary),
          .joint = nullptr,
          .extend = std::move(extend),
          .scale = std::move(scale),
          .change = std::move(change),
          .back = std::move(back),
          .drop = std::move(drop)};
}

// Value i of a bit-reversed transform is f(psi^(2 r(i) + 1)), r(i) the bits of i reversed; of X^element it is
// f at psi^(element (2 r(i) + 1)).
std::vector<std::uint32_t> automorphism_index(std::size_t n, std::uint64_t element, Order order) {
  if (!std::has_single_bit(n) || n > std::size_t{1} << 31)
    throw ParameterError("n = " + std::to_string(n) + " must be a power of two up to 2^31");
  if (element % 2 == 0 || element >= 2 * n)
    throw ParameterError("element = " + std::to_string(element) +
                         " must be odd and below 2n = " + std::to_string(2 * n));
  const auto place = [n, order](std::uint64_t k) {
    if (order == Order::natural) return static_cast<std::uint32_t>(k);
    std::uint64_t result = 0;
    for (std::size_t bit = 1; bit < n; bit *= 2, k /= 2) result = 2 * result + k % 2;
    return static_cast<std::uint32_t>(result);
  };
  std::vector<std::uint32_t> index(n);
  for (std::uint64_t k = 0; k < n; ++k) index[place(k)] = place((element * (2 * k + 1) % (2 * n) - 1) / 2);
  return index;
}

}  // namespace nttforge
