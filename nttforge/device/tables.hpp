// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "nttforge/embedding/embedding.hpp"
#include "nttforge/ntt/spec.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge {

/// A device's tables for polynomials modulo X^n + 1 and a list of primes. Made by Device::make_ring;
/// immutable.
class RingTables {
 public:
  virtual ~RingTables() = default;
  const NttSpec& spec() const { return spec_; }
  std::size_t n() const { return spec_.n; }
  std::size_t limbs() const { return spec_.moduli.size(); }
  std::size_t words() const { return n() * limbs(); }

 protected:
  explicit RingTables(NttSpec spec) : spec_(std::move(spec)) {}

 private:
  NttSpec spec_;
};

/// A device's tables for a chain of steps between bases. Made by Device::make_step; immutable.
class StepTables {
 public:
  virtual ~StepTables() = default;
  std::size_t n() const { return n_; }
  std::span<const RnsStep> chain() const { return chain_; }
  std::size_t sources() const { return chain_.front().sources.size(); }
  std::size_t targets() const { return chain_.back().targets.size(); }
  /// Own words that the first step takes for a coefficient.
  std::size_t own_words() const { return chain_.front().own.size(); }

 protected:
  /// The chain is one that folded() accepts.
  StepTables(std::span<const RnsStep> chain, std::size_t n) : chain_(chain.begin(), chain.end()), n_(n) {}

 private:
  std::vector<RnsStep> chain_;
  std::size_t n_;
};

/// A device's tables for a permutation of the n words of a row. Made by Device::make_permutation; immutable.
class PermutationTables {
 public:
  virtual ~PermutationTables() = default;
  std::size_t n() const { return n_; }

 protected:
  explicit PermutationTables(std::size_t n) : n_(n) {}

 private:
  std::size_t n_;
};

/// A device's tables for messages of so many slots. Made by Device::make_embedding; immutable.
class EmbeddingTables {
 public:
  explicit EmbeddingTables(std::size_t slots) : embedding_(slots) {}
  virtual ~EmbeddingTables() = default;
  std::size_t slots() const { return embedding_.slots(); }
  const Embedding& embedding() const { return embedding_; }

 private:
  Embedding embedding_;
};

/// What key switching reads at one level. Made by Device::make_switch; copies share.
struct SwitchTables {
  std::shared_ptr<const RingTables> ring;                 ///< modulo the level's primes q_0 ... q_(l-1)
  std::shared_ptr<const RingTables> key_ring;             ///< modulo those and the special primes
  std::vector<std::shared_ptr<const StepTables>> digits;  ///< as digit_steps() has them, in order
  std::shared_ptr<const StepTables> division;             ///< key_ring -> ring; null without special primes
  std::vector<std::uint64_t> special;  ///< the product of the special primes modulo each of the level's
};

/// A division by the special primes of a level and some of its own, at once. Made by Device::make_rescale.
struct RescaleTables {
  std::shared_ptr<const RingTables> ring;      ///< modulo the primes that stay
  std::shared_ptr<const StepTables> division;  ///< the level's key_ring -> ring
};

/// What products that need a larger base read. Made by Device::make_product and make_product_over; copies
/// share.
struct ProductTables {
  std::shared_ptr<const RingTables> ring;       ///< modulo the factors' base, or its first primes
  std::shared_ptr<const RingTables> auxiliary;  ///< modulo the primes that are added to it
  std::shared_ptr<const RingTables> joint;      ///< modulo both, ring's first; null where a device has no use
                                                ///< for it
  std::shared_ptr<const StepTables> extend;     ///< ring -> auxiliary
  std::shared_ptr<const StepTables> scale;      ///< sources ring, own words auxiliary -> ring
  // Products whose second factor is taken to the auxiliary base by division, and extended to the ring from
  // there: then the sources of `scale` are those of the auxiliary base, and own words those of the ring.
  std::shared_ptr<const StepTables> change;  ///< the factors' base -> auxiliary; null in other products
  std::shared_ptr<const StepTables> back;    ///< auxiliary -> ring
  /// Divides the first factor: sources the primes that the ring lacks, own words the ring; null if it lacks
  /// none.
  std::shared_ptr<const StepTables> drop;

  /// Primes of the factors and of what comes out.
  std::size_t factor_limbs() const { return ring->limbs() + (drop == nullptr ? 0 : drop->sources()); }
};

}  // namespace nttforge
