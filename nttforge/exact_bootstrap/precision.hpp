// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "nttforge/ckks/bootstrap/cosine.hpp"
#include "nttforge/ckks/parameters.hpp"

namespace nttforge::exact_bootstrap {

/// What a pass of a bootstrap leaves of x = c w / Q, the noise in periods of the sine: standard deviations of
/// coefficients where roundings and errors of keys are independent and centred
/// (docs/bounds/exact_bootstrap.md).
struct Precision {
  double entry = 0;  ///< rounding to q_0 and the key switches there, which the sine does not see
  double sine = 0;   ///< coefficients to slots and the sine, at the multiple of q_0 where it is largest
  double exit = 0;   ///< slots to coefficients, of the result's phase itself
  double fit = 0;    ///< the largest error of the sine's polynomial: no deviation, a bound

  /// All in quadrature, where that at the exit is as large as Plan allows.
  double deviation() const;
  /// log2 of what x is off by at most, but for the curvature of the sine, and for a coefficient in
  /// 2^-failure_bits. That at the exit is taken to be a quarter of the sine's.
  double error_log2(double failure_bits) const;
  /// The largest deviation at the exit, in units of x, of which that is true.
  double most_exit(double failure_bits) const;
};

/// The circuit of a chain, predicted by running it on numbers. exit_level: the level of results; weight: of
/// the ephemeral secret; ratio: of q_0 and what numbers of 1 are there.
Precision predicted_precision(const ckks::Parameters& chain, const ckks::Cosine& cosine,
                              unsigned double_angles, std::span<const std::size_t> to_slots,
                              std::span<const std::size_t> to_coefficients, std::size_t exit_level,
                              std::size_t weight, double ratio);

}  // namespace nttforge::exact_bootstrap
