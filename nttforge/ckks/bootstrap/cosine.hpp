// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace nttforge::ckks {

/// Probabilities that a coefficient of the phase, a sum of weight + 1 uniform ones in [-q/2, q/2], is off by
/// i q, i = 0, 1, ... (as often as by -i q): the B-spline of order weight + 2 at i from its centre, by its
/// recurrence of positive terms.
std::vector<double> overflow_probabilities(std::size_t weight);

/// An even polynomial of x, written by Chebyshev polynomials of T_2(x), that becomes the sine of 2 pi d, d
/// small, where x = (i - 1/4 + d) / range, after `double_angles` steps y -> 2 y^2 - 1.
struct Cosine {
  std::vector<double> coefficients;
  std::vector<double> errors;  ///< largest ones of the sine by |i| <= range, |d| <= 1/32
};

/// The weighted least-squares fit of cos(2 pi range x / 2^double_angles) around those x, as in [HK20] only
/// there, and by how often each i occurs: degree 30 suffices where the Chebyshev series of the whole interval
/// takes 38. In double-doubles, the same on every machine.
Cosine fit_cosine(unsigned range, unsigned double_angles, std::size_t degree, std::size_t weight);

}  // namespace nttforge::ckks
