// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "nttforge/integer_encoding/noise_model.hpp"
#include "nttforge/integer_encoding/parameters.hpp"
#include "nttforge/rlwe/bounds/phase_noise.hpp"

namespace nttforge::bgv {

using rlwe::Noise;

/// Predicts the noise of BGV, which is the whole phase c0 + c1 s + c2 s^2 = factor m + t e, centred modulo
/// Q_level, and the level of products (docs/bounds/bgv_noise.md). Heuristic with margin: each distributional
/// assumption fails with a probability below 2^-40; from there on the inequalities are exact. Decryption is
/// right while the coefficient bound is below Q_level / 2.
class NoiseModel final : public integer_encoding::IntegerNoiseModel, public rlwe::PhaseNoiseModel {
 public:
  explicit NoiseModel(const integer_encoding::IntegerParameters& parameters);

  double limit_log2(std::size_t level) const override { return limits_[level]; }
  Noise fresh_public() const override;
  Noise fresh_secret() const override;
  Noise add_plain(const Noise& a) const override;
  /// Sum of `terms` products of two-part ciphertexts at one level; a and b bound each side.
  Noise multiply(const Noise& a, const Noise& b, std::size_t terms = 1) const;
  /// Down to a level, rounded up after every step as ciphertexts do.
  Noise to_level(Noise a, std::size_t level, std::size_t lower, std::size_t parts = 2) const;

  struct Operands {
    std::size_t level;
    Noise a, b;  ///< bounds at this level
  };
  /// The rule of modulus switching: operands of products go to the lower of their levels, and on down as long
  /// as the predicted budget of the product does not become smaller. Nothing is predicted, and the lower
  /// level is it, where a bound is unknown.
  Operands product_level(Noise a, std::size_t level_a, Noise b, std::size_t level_b) const;

  struct Promise {
    unsigned depth;
    double left;  ///< budget at its end; without any level, before a product
  };
  /// As many levels as decrypt, beginning with public-key ciphertexts (Parameters::promised_depth).
  /// By the proved bound, if that is asked for; levels are chosen by the heuristic one all the same.
  Promise promise(bool proved = false) const;

 private:
  Noise message() const;
  double product_budget(const Noise& a, const Noise& b, std::size_t level) const;
  Noise operand(const Noise& a, std::size_t level) const;

  std::vector<double> limits_;  // log2(Q_level / 2), level 0 ... k
};

}  // namespace nttforge::bgv
