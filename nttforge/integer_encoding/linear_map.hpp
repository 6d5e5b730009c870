// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "nttforge/integer_encoding/plaintext.hpp"

namespace nttforge::integer_encoding {

/// A linear map of slots by its diagonals, in baby steps and giant steps [HS14]:
///   x -> sum_g rotate(sum_j factor(g, j) rotate(x, baby_steps[j]), giant_steps[g]),
/// so that a diagonal d = giant + baby, whose slot i multiplies slot i + d, is given as its own rotation by
/// -giant. The rotations by baby steps share one decomposition. Immutable; copies share.
class LinearMap {
 public:
  /// factors: a batch of giant_steps.size() times baby_steps.size() plaintexts of slots, giant by giant.
  /// throws SizeError for no steps or another number of factors, ParameterError for a step out of range or
  /// factors that are no slots, ContextError if the factors are empty.
  LinearMap(std::vector<std::int64_t> baby_steps, std::vector<std::int64_t> giant_steps,
            PreparedPlaintext factors);

  const IntegerContextPtr& context() const { return factors_.context(); }
  const std::vector<std::int64_t>& baby_steps() const { return baby_steps_; }
  const std::vector<std::int64_t>& giant_steps() const { return giant_steps_; }
  const PreparedPlaintext& factors() const { return factors_; }
  /// The steps that need a key, in (-n/4, n/4], increasing.
  std::vector<std::int64_t> rotations() const;

 private:
  std::vector<std::int64_t> baby_steps_, giant_steps_;
  PreparedPlaintext factors_;
};

}  // namespace nttforge::integer_encoding
