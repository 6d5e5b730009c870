// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "nttforge/rlwe/context.hpp"

namespace nttforge::rlwe {

/// Coefficients rounded to 2^bits values between 0 and Q: c -> h = round(2^bits c / Q) modulo 2^bits, which
/// bytes hold, and back, h -> round(Q h / 2^bits). The first is decryption's step with 2^bits for t, so that
/// a tie and what is within 2^-45 of one may go either way; every device gives the same words. Where the
/// message sits below the multiples of t, all of it is done to t^-1 c, and the error is a multiple of t
/// (docs/bounds/noise.md).
class PartRounding {
 public:
  /// Fewest and most bits.
  static constexpr unsigned kLeastBits = 2, kMostBits = 59;

  /// throws ParameterError unless bits is in [kLeastBits, kMostBits] and 2^bits below the modulus of the
  /// level.
  PartRounding(const RlweContext& context, std::size_t level, unsigned bits);

  /// Polynomials of a batch -> h [batch][n], words of 64 bits.
  void down(BatchRows part, WordPtr h, std::size_t batch) const;
  /// h [batch][n] -> polynomials [batch][level][n].
  void up(ConstWordPtr h, WordPtr part, std::size_t batch) const;
  /// log2 of the distance of neighbouring values, what errors are within half of.
  double unit() const { return unit_; }

 private:
  const RlweContext& context_;
  const RingTables& ring_;
  std::shared_ptr<const StepTables> down_, up_;
  std::vector<std::uint64_t> factor_, inverse_;  // of the errors modulo each prime, if it is not 1
  double unit_;
};

}  // namespace nttforge::rlwe
