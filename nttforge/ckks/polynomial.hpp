// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "nttforge/ckks/evaluator.hpp"

namespace nttforge::ckks {

/// sum_k coefficients[k] T_k(x) of numbers in [-1, 1], T_k Chebyshev's polynomials, by splitting at powers of
/// two [PS73], in ceil(log2(degree + 1)) levels. The values stay within `bound`, which the caller knows, or
/// within the sum of the coefficients' absolute values. scale: of the result; none: that of its level. throws
/// ParameterError for a degree below 1 or above 1023, or a number of levels that is not there.
Ciphertext evaluate_chebyshev(const Evaluator& evaluator, const Ciphertext& x,
                              std::span<const double> coefficients, const RelinearizationKey& key,
                              double bound = 0, const std::optional<DoubleDouble>& scale = std::nullopt);

/// Levels that it takes: ceil(log2(degree + 1)).
std::size_t chebyshev_depth(std::size_t degree);

}  // namespace nttforge::ckks
