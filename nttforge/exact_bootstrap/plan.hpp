// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nttforge/ckks/bootstrap/bootstrapper.hpp"
#include "nttforge/ckks/parameters.hpp"
#include "nttforge/exact_bootstrap/precision.hpp"

namespace nttforge::exact_bootstrap {

/// How ciphertexts of integers are bootstrapped. The chain of the circuit has the primes of Q at its bottom,
/// and above them, the lowest first, those of slots to coefficients, of the sine and of coefficients to
/// slots.
struct Options {
  std::vector<std::uint64_t> primes;   ///< of the chain above those of Q; two a level in words of 32 bits
  std::vector<std::uint64_t> special;  ///< of the chain's keys
  std::size_t digit_primes = 0;        ///< of their digits; 0: as many as there are special primes
  /// Layers of the transform in each matrix, in order of application; none: four and three matrices.
  std::vector<std::size_t> to_slots{};
  std::vector<std::size_t> to_coefficients{};  ///< likewise, of the way back
  std::size_t degree = 62;                     ///< of the sine's polynomial, even
  unsigned double_angles = 2;                  ///< of the sine
  std::uint32_t weight = 32;                   ///< of the ephemeral secret
  unsigned range = 17;  ///< |I| that the sine removes, q_0 I; of weight 32 all are below
  unsigned passes = 3;  ///< 1 ... 8; each takes as long, and adds its gain to the budget
};

/// What a pass is predicted to do.
struct Pass {
  unsigned gain_log2;  ///< the noise is multiplied with 2^gain_log2 before it
  double budget_bits;  ///< that is left after it
};

/// A bootstrap before it is run: its gains and the budget it leaves, of parameters alone.
class Plan {
 public:
  /// throws ParameterError naming what is out of range and what is needed. Sizes of q are not checked
  /// (require_primes).
  Plan(const rlwe::RlweParameters& own, std::uint64_t t, Options options);

  /// throws ParameterError unless Q and its first prime are large enough, saying how large that is.
  void require_primes() const;
  double needed_q_log2() const;      ///< of Q
  double needed_first_log2() const;  ///< of the chain's lowest level
  double first_log2() const;         ///< of q_0, the modulus of the chain's lowest level
  /// Primes that each level of the chain has more than the one below, from those of Q on, and of the lowest
  /// level: two in words of 32 bits, which make the precision of one of 60.
  std::size_t primes_of_level() const { return own_.word_bits == 32 ? 2 : 1; }
  /// The level of the chain that has the primes of Q.
  std::size_t exit_level() const { return own_.q.size() + 1 - primes_of_level(); }

  const Options& options() const { return options_; }
  const Precision& precision() const { return precision_; }
  /// log2 of what a pass leaves of w / Q at most, but for the sine's curvature.
  double error_log2() const { return precision_.error_log2(bits_); }
  /// Bits of Q / |w| where the curvature is a quarter of that, and the least that is taken.
  double ratio_bits() const { return ratio_bits_; }
  static constexpr double kLeastRatio = 5.125;  // the polynomial is fitted to 1/32 of a period
  unsigned last_gain_log2() const { return last_gain_; }
  /// Results are multiplied with 2^shift_log2, where Q is larger than needed.
  unsigned shift_log2() const { return shift_; }

  /// log2 of x - sin(2 pi x) / (2 pi) for |x| = 2^-ratio at most.
  static double curvature_log2(double ratio);
  /// Bits of Q / |w| after a pass with a gain, before which it is `ratio`.
  double ratio_after(double ratio, unsigned gain) const;
  /// The bound of a result, of which `proved` is known; before the pass it had `ratio`. budget_scale: of the
  /// ciphertexts' context.
  rlwe::Noise noise_after(double ratio, unsigned gain, std::uint64_t budget_scale,
                          const rlwe::ProvedNoise& proved = {}) const;
  /// The passes of an argument of such a budget. throws NoiseError below kLeastRatio - 1.
  std::vector<Pass> passes(double budget_bits) const;
  /// log2 of the probability that a bootstrap loses a plaintext or leaves less than is predicted.
  double failure_log2() const;

  /// The chain: the circuit names x by the number 2^kUnitBits x, and its bootstraps are of those below 2^5.
  ckks::Parameters chain() const { return chain(last_scale()); }
  ckks::Bootstrap circuit() const;
  static constexpr unsigned kUnitBits = 10;

 private:
  void check() const;
  ckks::Parameters chain(double last_scale) const;
  double last_scale() const;
  void predict(const ckks::Cosine& cosine, double last_scale);
  /// log2 of the phase that x = 1 has to be in results, so that their roundings are small.
  double least_result_log2() const;

  ckks::Parameters own_;  // of the ciphertexts, but for what their scheme adds
  std::uint64_t t_;
  Options options_;
  double q_log2_, t_log2_;
  Precision precision_;
  double bits_ = 0;  // a coefficient of a pass is off by more once in 2^bits_
  double ratio_bits_ = 0;
  unsigned last_gain_ = 0, shift_ = 0;
};

}  // namespace nttforge::exact_bootstrap
