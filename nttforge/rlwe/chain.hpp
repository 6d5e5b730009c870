// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "nttforge/device/device.hpp"
#include "nttforge/device/key_switching.hpp"
#include "nttforge/rlwe/parameters.hpp"
#include "nttforge/rlwe/window.hpp"

namespace nttforge::rlwe {

/// The moduli of a chain as plain data: ciphertext primes in one order, of which every level has a window,
/// special primes, of which every key has the first few, and digits of key switching by their ends.
struct ChainModuli {
  std::size_t n = 0;
  unsigned word_bits = 64;
  std::vector<std::uint64_t> q, special;
  std::vector<std::size_t> digit_ends;  ///< positions in q, increasing, the last q.size()
  std::size_t lowest = 1;               ///< number of the lowest level
  std::vector<Window> levels;           ///< the lowest first; a level has more bits than the one below
  bool rounded = false;                 ///< whether divisions by several special primes round to the nearest
};

/// The levels of a set, down to `lowest`.
ChainModuli chain_moduli(const RlweParameters& parameters, std::size_t lowest);

/// The tables of a chain of moduli, level by level: the ring of a level, the ring of keys (its primes and
/// special ones), the division by these, and the rescaling to the level below: by all primes that the lower
/// one lacks, times those that only it has, with one rounding. Roundings keep multiples of `factor` (1: BFV,
/// CKKS; t: BGV [BGV12], where the message sits below the multiples of t). A key of a level serves that level
/// and those below: it has the rows of the primes that some of them has. Safe to use from many threads.
class Chain {
 public:
  /// throws ParameterError if windows or ends do not fit q or each other. device: must outlive the chain.
  Chain(ChainModuli moduli, const Device& device, std::uint64_t factor);

  std::size_t top() const { return moduli_.lowest + moduli_.levels.size() - 1; }
  std::size_t lowest() const { return moduli_.lowest; }
  std::size_t special() const { return moduli_.special.size(); }
  Window window(std::size_t level) const { return moduli_.levels[level - moduli_.lowest]; }
  const RingTables& ring(std::size_t level) const { return *at(level).ring; }
  /// ring() without special primes.
  const RingTables& key_ring(std::size_t level) const { return *at(level).key_ring; }
  /// What keys of a level are modulo: the primes of key_window() and special primes.
  const RingTables& ring_of_keys(std::size_t level) const { return *of_keys_[level - moduli_.lowest]; }
  /// The same of keys of the first `special` special primes; fewer than all are for one level alone.
  const RingTables& ring_of_keys(std::size_t level, std::size_t special) const {
    return special == this->special() ? ring_of_keys(level) : *key_switching(level, special).key_ring;
  }
  /// What key switching reads, with keys of all special primes; without any there is no division.
  const SwitchTables& key_switching(std::size_t level) const { return at(level); }
  /// The same with keys of the first `special` of them, at least one; made when it is first asked for.
  const SwitchTables& key_switching(std::size_t level, std::size_t special) const;
  /// What digits, their products with keys and sums of these take for some rows of key_ring() alone, of which
  /// the first is modulo a prime of the level: `key_ring` has these rows, `ring` those of them that are
  /// modulo primes of the level, and digits are of all of the level. Nothing is divided. Made when it is
  /// first asked for.
  const SwitchTables& key_switching(std::size_t level, Window rows) const;
  /// From this level, above the lowest, to the one below (Queue::rescale).
  const StepTables& drop(std::size_t level) const { return *drop_[level - moduli_.lowest]; }
  /// Both divisions in one rounding: by the first `special` special primes, and to the level below
  /// (Queue::switch_key_rescaled); made when it is first asked for.
  const RescaleTables& key_rescaling(std::size_t level, std::size_t special) const;

  /// All primes and the special ones: where secrets are, and keys are made.
  const RingTables& all() const { return *all_; }
  /// The primes of a key of a level: those of this level and all below.
  Window key_window(std::size_t level) const { return key_windows_[level - moduli_.lowest]; }
  /// The digits of such a key, by number: those that have some of its primes.
  Window digits(Window primes) const;
  /// The rows and digits that ciphertexts of `level` take of a key of `key_level`.
  KeyRows key_rows(ConstWordPtr words, std::size_t key_level, std::size_t special, std::size_t level) const;

 private:
  const SwitchTables& at(std::size_t level) const { return level_[level - moduli_.lowest]; }
  SwitchTables make_level(std::size_t level, std::size_t special,
                          std::shared_ptr<const RingTables> ring) const;
  std::shared_ptr<const RingTables> make_ring(Window window, std::size_t special) const;

  const ChainModuli moduli_;
  const Device& device_;
  const std::uint64_t factor_;
  std::vector<std::uint64_t> roots_;  // of all(), found once, if the device says them
  std::shared_ptr<const RingTables> all_;
  std::vector<Window> key_windows_;
  std::vector<std::shared_ptr<const RingTables>> of_keys_;
  std::vector<SwitchTables> level_;
  std::vector<std::shared_ptr<const StepTables>> drop_;
  mutable std::mutex mutex_;
  // By level and special primes.
  mutable std::map<std::pair<std::size_t, std::size_t>, SwitchTables> of_fewer_;
  mutable std::map<std::tuple<std::size_t, std::size_t, std::size_t>, SwitchTables> of_rows_;
  mutable std::map<std::pair<std::size_t, std::size_t>, RescaleTables> rescaling_;
};

}  // namespace nttforge::rlwe
