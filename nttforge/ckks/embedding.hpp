// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nttforge/arith/double_double.hpp"
#include "nttforge/arith/shoup.hpp"

namespace nttforge::ckks {

/// Scales from this one on are encoded in double-doubles, smaller ones in doubles.
inline constexpr double kDoubleDoubleScale = 0x1p52;
inline constexpr double kMaxScale = 0x1p100;

/// Coefficients of encoded messages: below 2^126 in magnitude.
__extension__ using Coefficient = __int128;

/// A single number times a scale, rounded to nearest, ties to even, and back: what a coefficient of a message
/// is. The product of both is below 2^126.
Coefficient scaled_coefficient(double value, const DoubleDouble& scale);
double unscaled_coefficient(Coefficient coefficient, const DoubleDouble& scale);

/// Complex numbers to and from the integer coefficients of a polynomial [CKKS17], the same to the last bit on
/// every machine: docs/decisions/encoding-of-real-numbers.md, spec/embedding.py. Slot i is the value at
/// zeta^(5^i), zeta = exp(pi i / n). Immutable; concurrent use is safe.
class Embedding {
 public:
  /// slots: those of a message, a power of two up to 2^16. A ring of more than 2 slots coefficients repeats
  /// the message in its slots, if its other coefficients are zero. throws ParameterError.
  explicit Embedding(std::size_t slots);
  std::size_t slots() const { return places_.size(); }

  /// values [slots] -> the coefficients [2 slots] of scale times the message; of a larger ring, coefficient
  /// j n / (2 slots). Neither time nor addresses depend on the values. throws SizeError; ParameterError for a
  /// scale outside (0, 2^100], a value that is not finite, or a coefficient of 2^126 or more.
  void encode(std::span<const std::complex<double>> values, const DoubleDouble& scale,
              std::span<Coefficient> out) const;
  /// The inverse, each part within a relative error of about 2^-50 of the largest slot.
  void decode(std::span<const Coefficient> coefficients, const DoubleDouble& scale,
              std::span<std::complex<double>> out) const;

 private:
  template <class T>
  void encode_in(std::span<const std::complex<double>> values, const DoubleDouble& scale,
                 std::span<Coefficient> out) const;
  template <class T>
  void decode_in(std::span<const Coefficient> coefficients, const DoubleDouble& scale,
                 std::span<std::complex<double>> out) const;

  std::vector<std::uint32_t> places_;  // of each slot in the transformed order
  std::vector<DoubleDouble> cosines_, sines_;
};

}  // namespace nttforge::ckks
