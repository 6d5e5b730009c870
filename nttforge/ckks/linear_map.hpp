// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "nttforge/circuits/linear_map.hpp"
#include "nttforge/ckks/plaintext.hpp"

namespace nttforge::ckks {

/// What a matrix makes of numbers: each of the result is at most `sum` times the largest of the argument, and
/// independent errors grow by `root`: the largest sum over a row of absolute values, and the root of the sum of
/// their squares.
struct Gain {
  double sum = 1, root = 1;
};

/// A linear map of slots (circuits::LinearMap) with factors of real or complex numbers, for ciphertexts of
/// one level, applied by Evaluator::apply. Immutable; copies share.
class LinearMap {
 public:
  /// factors: as prepare_factors makes them of the rotated diagonals, giant by giant. scale: of the ciphertexts,
  /// by default that of the level. throws as circuits::LinearMap; ParameterError unless the gains are positive
  /// and finite.
  LinearMap(std::vector<std::int64_t> baby_steps, std::vector<std::int64_t> giant_steps,
            const Factors& factors, Gain gain, std::optional<DoubleDouble> scale = std::nullopt);

  const circuits::LinearMap& circuit() const { return circuit_; }
  /// The level, slots and scale of the factors, and the error of each.
  const Meta& meta() const { return meta_; }
  const Gain& gain() const { return gain_; }
  const std::optional<DoubleDouble>& scale() const { return scale_; }
  std::vector<std::int64_t> rotations() const { return circuit_.rotations(); }

 private:
  circuits::LinearMap circuit_;
  Meta meta_;
  Gain gain_;
  std::optional<DoubleDouble> scale_;
};

/// A complex matrix by its cyclic diagonals: slot i of the image is sum_d diagonal d [i] x[i + d], i + d modulo
/// the number of slots.
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
};
/// Some `babies` baby steps for each giant step, or as many as cost least; they are multiples of the diagonals'
/// greatest common divisor.
Steps steps_of(const Diagonals& matrix, std::size_t babies = 0);

/// The map of a matrix, for ciphertexts of a level and scale, by default that of the level; the result is a level
/// below, at its scale. throws ParameterError at level 1, for diagonals of another number of slots than they say,
/// or more than n/2.
LinearMap linear_map(const ContextPtr& context, const Diagonals& matrix, std::size_t level, const Steps& steps,
                     std::optional<DoubleDouble> scale = std::nullopt);

}  // namespace nttforge::ckks
