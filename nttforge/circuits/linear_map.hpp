// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "nttforge/multi/meeting.hpp"
#include "nttforge/rlwe/evaluator.hpp"
#include "nttforge/rlwe/polynomial.hpp"

namespace nttforge::circuits {

/// A linear map of slots by its diagonals, in baby steps and giant steps [HS14]. A 4 × 4 matrix has four
/// diagonals, each of which multiplies the vector rotated by its number:
///
///     0 1 2 3
///     3 0 1 2      x -> sum_g rotate(sum_j factor(g, j) rotate(x, baby_steps[j]), giant_steps[g])
///     2 3 0 1
///     1 2 3 0
///
/// so that a diagonal d = giant + baby, whose slot i multiplies slot i + d, is given as its own rotation by
/// -giant. Cost: one decomposition and an inner product for each baby step, one decomposition and an inner
/// product for each giant step, a product for each pair, and one division by the special primes for each
/// giant step and at the end [BMTH21]. Immutable; copies share.
class LinearMap {
 public:
  /// factors: giant_steps.size() times baby_steps.size() polynomials of slots, giant by giant. chained: every
  /// rotation is one of the one before it, so that two or three keys serve all steps, without hoisting; baby
  /// steps are then 0, u, 2 u, ... and giant steps consecutive multiples of one step, 0 among them. throws
  /// SizeError for no steps or another number of factors, ParameterError for a step out of range or no such
  /// chain, or factors that are no slots, ContextError if the factors are empty.
  LinearMap(std::vector<std::int64_t> baby_steps, std::vector<std::int64_t> giant_steps,
            rlwe::Polynomial factors, bool chained = false);

  const rlwe::RlweContextPtr& context() const { return factors_.context(); }
  const std::vector<std::int64_t>& baby_steps() const { return baby_steps_; }
  const std::vector<std::int64_t>& giant_steps() const { return giant_steps_; }
  const rlwe::Polynomial& factors() const { return factors_; }
  bool chained() const { return chained_; }
  /// The factors at a level, [giants][babies][rows][n / repeat], of these rows of the level's primes and the
  /// special ones; made once.
  DeviceArray factors(std::size_t level, rlwe::Window rows) const;
  /// The steps that it rotates by, as they come.
  std::vector<std::int64_t> taken() const;
  /// The steps that need a key, in (-n/4, n/4], increasing.
  std::vector<std::int64_t> rotations() const;

 private:
  struct Levels {
    std::mutex mutex;
    std::map<std::tuple<std::size_t, std::size_t, std::size_t>, DeviceArray> words;
  };

  std::vector<std::int64_t> baby_steps_, giant_steps_;
  rlwe::Polynomial factors_;
  bool chained_;
  std::shared_ptr<Levels> levels_;
};

/// What an image of `a` says.
rlwe::Meta image_meta(const rlwe::Evaluator& evaluator, const LinearMap& map, const rlwe::Ciphertext& a);

/// What the map says of each element of `a`: two parts, encoded as slots, at the level of `a`. throws
/// MissingKeyError naming all steps that lack a key, ContextError, ParameterError as a rotation does.
rlwe::Ciphertext apply(const rlwe::Evaluator& evaluator, const LinearMap& map, const rlwe::Ciphertext& a,
                       const rlwe::RotationKeys& keys);
/// The same at the level below, with one rounding for both divisions: what `said` becomes by the second,
/// which is what the image says before it. throws ParameterError at the lowest level too.
/// side: of two devices, each of which calls this with its map and its copy of `a`, and each of which gets
/// the image: one has digits, products and sums modulo the first primes, the other one modulo the others,
/// and they pass on what a division needs: the second part of a giant step, and the total.
rlwe::Ciphertext apply_divided(const rlwe::Evaluator& evaluator, const LinearMap& map,
                               const rlwe::Ciphertext& a, const rlwe::RotationKeys& keys,
                               const rlwe::Meta& said, const multi::Meeting::Side* side = nullptr);

}  // namespace nttforge::circuits
