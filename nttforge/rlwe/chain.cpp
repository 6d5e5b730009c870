// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/chain.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/rns/base.hpp"
#include "nttforge/rns/digits.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge::rlwe {
namespace {

/// Division by the product of special primes: rounded by one and where that is asked for, else within
/// (a + 1) / 2 by a of them.
RnsStep division(const std::vector<std::uint64_t>& q, const std::vector<std::uint64_t>& special,
                 std::uint64_t factor, bool rounded) {
  if (special.size() == 1) {
    std::vector<std::uint64_t> joined = q;
    joined.push_back(special.front());
    return rescale(RnsBase(joined), RnsBase(q), factor);
  }
  const RnsBase stay(q), leave(special);
  if (rounded) return mod_down_nearest(stay, leave);
  return factor == 1 ? mod_down_fast(stay, leave) : switch_modulus_fast(stay, leave, factor);
}

/// The values of a window and the first `special` of those behind the first `count`.
std::vector<std::uint64_t> part(const std::vector<std::uint64_t>& values, Window window, std::size_t count,
                                std::size_t special) {
  const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  std::vector<std::uint64_t> result(at(window.first), at(window.last));
  result.insert(result.end(), at(count), at(count + special));
  return result;
}

void check(const ChainModuli& moduli) {
  const auto refuse = [](const std::string& what) { throw ParameterError("chain: " + what); };
  const std::size_t count = moduli.q.size();
  if (moduli.levels.empty()) refuse("there is no level");
  for (std::size_t i = 0; i < moduli.levels.size(); ++i) {
    const Window w = moduli.levels[i];
    if (w.first >= w.last || w.last > count)
      refuse("the window [" + std::to_string(w.first) + ", " + std::to_string(w.last) + ") of level " +
             std::to_string(moduli.lowest + i) + " is not within the " + std::to_string(count) + " primes");
  }
  if (moduli.digit_ends.empty() || moduli.digit_ends.back() != count)
    refuse("the digits must end at " + std::to_string(count) + ", the number of primes");
}

}  // namespace

ChainModuli chain_moduli(const RlweParameters& parameters, std::size_t lowest) {
  ChainModuli moduli{.n = parameters.n,
                     .word_bits = parameters.word_bits,
                     .q = parameters.q,
                     .special = parameters.special,
                     .digit_ends = equal_digits(parameters.limbs(), parameters.digit_primes),
                     .lowest = lowest,
                     .levels = {},
                     .rounded = parameters.approximate()};
  for (std::size_t level = lowest; level <= parameters.top_level(); ++level)
    moduli.levels.push_back(parameters.window(level));
  return moduli;
}

Chain::Chain(ChainModuli moduli, const Device& device, std::uint64_t factor)
    : moduli_(std::move(moduli)), device_(device), factor_(factor) {
  check(moduli_);
  const std::size_t count = moduli_.levels.size();
  all_ = make_ring({0, moduli_.q.size()}, special());
  roots_ = all_->spec().roots;
  level_.resize(count);
  drop_.resize(count);
  Window rows = moduli_.levels.front();
  for (std::size_t i = 0; i < count; ++i) {
    const Window window = moduli_.levels[i];
    rows = {std::min(rows.first, window.first), std::max(rows.last, window.last)};
    key_windows_.push_back(rows);
    const bool whole = window == Window{0, moduli_.q.size()};
    const auto ring = whole && special() == 0 ? all_ : make_ring(window, 0);
    level_[i] = make_level(moduli_.lowest + i, special(), ring);
    of_keys_.push_back(rows == window ? level_[i].key_ring : make_ring(rows, special()));
    if (i > 0)
      drop_[i] = device_.make_step(
          rescale(RnsBase(ring->spec().moduli), RnsBase(level_[i - 1].ring->spec().moduli), factor_),
          moduli_.n);
  }
}

std::shared_ptr<const RingTables> Chain::make_ring(Window window, std::size_t special) const {
  std::vector<std::uint64_t> moduli = moduli_.q;
  moduli.insert(moduli.end(), moduli_.special.begin(), moduli_.special.end());
  NttSpec spec;
  spec.n = moduli_.n;
  spec.word_bits = moduli_.word_bits;
  spec.moduli = part(moduli, window, moduli_.q.size(), special);
  if (!roots_.empty()) spec.roots = part(roots_, window, moduli_.q.size(), special);
  return device_.make_ring(spec);
}

SwitchTables Chain::make_level(std::size_t level, std::size_t special,
                               std::shared_ptr<const RingTables> ring) const {
  if (special == 0) return {ring, ring, {}, nullptr, {}};
  const Window w = window(level);
  const bool everything = w == Window{0, moduli_.q.size()} && special == this->special();
  const std::vector<std::uint64_t> by(moduli_.special.begin(),
                                      moduli_.special.begin() + static_cast<std::ptrdiff_t>(special));
  const RnsStep down = division(ring->spec().moduli, by, factor_, moduli_.rounded);
  return device_.make_switch(std::move(ring), everything ? all_ : make_ring(w, special), moduli_.digit_ends,
                             &down, w.first);
}

const SwitchTables& Chain::key_switching(std::size_t level, std::size_t special) const {
  if (special == this->special()) return at(level);
  if (special < 1 || special > this->special())
    throw ParameterError("special = " + std::to_string(special) + " is out of range [1, " +
                         std::to_string(this->special()) + "]: a key has some of the special primes");
  const std::lock_guard lock(mutex_);
  const auto found = of_fewer_.find({level, special});
  if (found != of_fewer_.end()) return found->second;
  return of_fewer_.emplace(std::pair(level, special), make_level(level, special, at(level).ring))
      .first->second;
}

const SwitchTables& Chain::key_switching(std::size_t level, Window rows) const {
  const SwitchTables& all = at(level);
  const std::size_t own = all.ring->limbs();
  if (rows.first >= std::min(own, rows.last) || rows.last > all.key_ring->limbs())
    throw ParameterError("rows [" + std::to_string(rows.first) + ", " + std::to_string(rows.last) +
                         ") of level " + std::to_string(level) + ": begin with one of its " +
                         std::to_string(own) + " primes, and end with " +
                         std::to_string(all.key_ring->limbs()) + " at most");
  const std::lock_guard lock(mutex_);
  const std::tuple key{level, rows.first, rows.last};
  if (const auto found = of_rows_.find(key); found != of_rows_.end()) return found->second;
  SwitchTables tables;
  const auto ring_of = [&](std::size_t last) {
    NttSpec spec = all.key_ring->spec();
    const auto take = [&](std::vector<std::uint64_t>& values) {
      if (!values.empty()) values = part(values, {rows.first, last}, 0, 0);
    };
    take(spec.moduli);
    take(spec.roots);
    return device_.make_ring(spec);
  };
  tables.key_ring = ring_of(rows.last);
  tables.ring = rows.last <= own ? tables.key_ring : ring_of(own);
  for (const RnsStep& step : digit_steps(all.ring->spec().moduli, tables.key_ring->spec().moduli,
                                         moduli_.digit_ends, window(level).first))
    tables.digits.push_back(device_.make_step(step, moduli_.n));
  tables.special = part(all.special, {rows.first, std::min(own, rows.last)}, 0, 0);
  return of_rows_.emplace(key, std::move(tables)).first->second;
}

const RescaleTables& Chain::key_rescaling(std::size_t level, std::size_t special) const {
  const SwitchTables& tables = key_switching(level, special);
  const std::lock_guard lock(mutex_);
  const auto found = rescaling_.find({level, special});
  if (found != rescaling_.end()) return found->second;
  const std::shared_ptr<const RingTables>& lower = at(level - 1).ring;
  const RnsStep step =
      rescale(RnsBase(tables.key_ring->spec().moduli), RnsBase(lower->spec().moduli), factor_);
  return rescaling_.emplace(std::pair(level, special), device_.make_rescale(tables, lower, step))
      .first->second;
}

Window Chain::digits(Window primes) const {
  const auto& ends = moduli_.digit_ends;
  const auto of = [&](std::size_t prime) {
    return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), prime) - ends.begin());
  };
  return {of(primes.first), of(primes.last - 1) + 1};
}

KeyRows Chain::key_rows(ConstWordPtr words, std::size_t key_level, std::size_t special,
                        std::size_t level) const {
  const Window rows = key_window(key_level), own = window(level);
  const std::size_t limbs = rows.size() + special, skipped = digits(own).first - digits(rows).first;
  return {words + skipped * 2 * limbs * moduli_.n, limbs, special, own.first - rows.first};
}

}  // namespace nttforge::rlwe
