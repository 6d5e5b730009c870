// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "nttforge/device/device.hpp"
#include "nttforge/rlwe/parameters.hpp"

namespace nttforge::rlwe {

/// The tables of a chain of moduli, level by level. Level l has the first l primes of q: its ring, the ring
/// of keys (these primes and the special ones), and the division by P and by its last prime, whose rounding
/// keeps multiples of `factor` (1: BFV; t: BGV [BGV12], where the message sits below the multiples of t).
class Chain {
 public:
  /// levels: the lowest that is asked for; the highest has all primes.
  Chain(const RlweParameters& parameters, const Device& device, std::uint64_t factor, std::size_t lowest);

  std::size_t top() const { return level_.size(); }
  std::size_t lowest() const { return lowest_; }
  const RingTables& ring(std::size_t level) const { return *level_[level - 1].ring; }
  const RingTables& key_ring(std::size_t level) const {
    return *level_[level - 1].key_ring;
  }  ///< ring() without special primes
  /// What key switching reads; without special primes there is no division.
  const SwitchTables& key_switching(std::size_t level) const { return level_[level - 1]; }
  /// From this level, above the lowest, to the one below.
  const StepTables& drop(std::size_t level) const { return *drop_[level - 1]; }

 private:
  std::size_t lowest_;
  std::vector<SwitchTables> level_;
  std::vector<std::shared_ptr<const StepTables>> drop_;
};

}  // namespace nttforge::rlwe
