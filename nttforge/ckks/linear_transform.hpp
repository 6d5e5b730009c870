// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "nttforge/circuits/linear_map.hpp"
#include "nttforge/ckks/evaluator.hpp"

namespace nttforge::ckks {

/// A complex matrix by its cyclic diagonals: slot i of the image is sum_d diagonal d [i] x[i + d], i + d
/// modulo the number of slots.
struct Diagonals {
  std::size_t slots = 0;
  std::map<std::size_t, std::vector<std::complex<double>>> of_step;  ///< d in [0, slots)

  /// The matrix that is this one after `first`.
  Diagonals after(const Diagonals& first) const;
  Diagonals times(std::complex<double> factor) const;
};

/// How its diagonals are cut into baby and giant steps.
struct Steps {
  std::vector<std::int64_t> baby, giant;
  bool chained = false;  ///< circuits/linear_map.hpp: few keys
};
/// What steps cost: baby steps share a decomposition, and giant steps have one each.
struct StepCosts {
  std::int64_t giant = 3;                         ///< in baby steps
  std::int64_t together = kMost;                  ///< giant steps whose sums baby steps are made for once
  std::int64_t most = kMost;                      ///< baby steps
  static constexpr std::int64_t kMost = 1 << 20;  ///< any number
};
/// Some `babies` baby steps for each giant step, or as many as cost least. All are multiples of the
/// diagonals' greatest common divisor.
Steps steps_of(const Diagonals& matrix, std::size_t babies = 0, const StepCosts& costs = {});
/// Steps that are chained, with the fewest rotations.
Steps chained_steps_of(const Diagonals& matrix);

/// A complex matrix times the slots of ciphertexts, encoded for one level; the result is a level below, at
/// its scale. Immutable; copies share.
class LinearTransform {
 public:
  /// level: of the ciphertexts; scale: theirs, by default that of the level. throws ParameterError at level
  /// 1, for diagonals of another number of slots than they say, or more than n/2.
  LinearTransform(ContextPtr context, const Diagonals& matrix, std::size_t level, const Steps& steps,
                  std::optional<DoubleDouble> scale = std::nullopt);

  std::vector<std::int64_t> rotations() const { return map_.rotations(); }
  std::size_t level() const { return level_; }
  std::size_t diagonals() const { return map_.factors().batch(); }  ///< that are encoded
  /// log2 of the largest root over a row of the sum of squares: so much larger are independent numbers.
  double row_root_log2() const { return row_root_log2_; }
  /// `a` is brought down to level() first; a scale that is off by up to 2^6 there is off as much in the
  /// image. typical: log2 of what numbers stay below in practice, for the heuristic bound, where that is less
  /// than what they are known to stay below. bound: log2 of what the image's coefficients are known to stay
  /// below, where values at the roots may be larger. side: of two devices, as circuits::apply_divided has it.
  /// throws MissingKeyError naming all steps that lack a key.
  Ciphertext apply(const Evaluator& evaluator, const Ciphertext& a, const RotationKeys& keys,
                   std::optional<double> typical = std::nullopt, std::optional<double> bound = std::nullopt,
                   const multi::Meeting::Side* side = nullptr) const;

 private:
  /// Before the rescaling, of numbers below 2^most. The heuristic bound: errors of slots are independent, so
  /// that their squares add up, and numbers below 2^typical.
  Noise image_noise(const Noise& a, double scale, double typical, double most) const;

  ContextPtr context_;
  circuits::LinearMap map_;
  std::size_t level_, slots_;
  DoubleDouble scale_, factor_scale_;
  double row_sum_log2_;   // of absolute values: no slot of the image is larger than this times the largest
  double row_root_log2_;  // of the squares: neither is a sum of independent errors
  bool real_;
};

}  // namespace nttforge::ckks
