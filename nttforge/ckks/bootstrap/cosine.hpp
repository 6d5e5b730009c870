// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace nttforge::ckks {

/// Probabilities that a coefficient of the phase is i q, i = 0, 1, ..., and the message (as often -i q and
/// the message). Of uniform parts it is a sum of weight + 1 uniform numbers in [-q/2, q/2], of which the
/// message is known: the B-spline of order weight + 1 at i from its centre, by its recurrence of positive
/// terms. message: at most 1/2, in units of q; no message that is at most as large has an i above 0 more
/// often.
std::vector<double> overflow_probabilities(std::size_t weight, double message = 0);

/// An even polynomial of x, written by Chebyshev polynomials of T_2(x), that becomes the sine of 2 pi d, d
/// small, where x = (i - 1/4 + d) / range, after `double_angles` steps y -> 2 y^2 - 1.
struct Cosine {
  std::vector<double> coefficients;
  std::vector<double> errors;  ///< largest ones of the sine by |i| <= range, |d| <= 1/32
};

/// The weighted least-squares fit of cos(2 pi range x / 2^double_angles) around those x, as in [HK20] only
/// there, and by the root of how often each i occurs: degree 30 suffices where the Chebyshev series of the
/// whole interval takes 38. In double-doubles, the same on every machine.
Cosine fit_cosine(unsigned range, unsigned double_angles, std::size_t degree, std::size_t weight);

}  // namespace nttforge::ckks
