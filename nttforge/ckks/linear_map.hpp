// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "nttforge/circuits/linear_map.hpp"
#include "nttforge/ckks/plaintext.hpp"

namespace nttforge::ckks {

/// A linear map of slots (circuits::LinearMap) with factors of real or complex numbers, for ciphertexts of
/// one level. Immutable; copies share.
class LinearMap {
 public:
  /// factors: as prepare_factors makes them of the rotated diagonals, giant by giant. gain: each number of
  /// the result is at most this many times the largest of the argument. throws as circuits::LinearMap;
  /// ParameterError unless the gain is positive and finite.
  LinearMap(std::vector<std::int64_t> baby_steps, std::vector<std::int64_t> giant_steps,
            const Factors& factors, double gain);

  const circuits::LinearMap& circuit() const { return circuit_; }
  /// The level, slots and scale of the factors, and the error of each.
  const Meta& meta() const { return meta_; }
  double gain() const { return gain_; }

 private:
  circuits::LinearMap circuit_;
  Meta meta_;
  double gain_;
};

}  // namespace nttforge::ckks
