// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/cxx20.hpp"
#include "nttforge/rns/base.hpp"

namespace nttforge {

/// A step between RNS bases as plain data: every conversion of this library has this one form, and a builder
/// (base_conversion.hpp, behz.hpp, mod_down.hpp, scale.hpp, hps.hpp) that says what its value is. At one
/// coefficient with residues x_i modulo `sources` and own words x'_j modulo `targets` it is
///
///   y_i   = x_i scale_i mod s_i
///   out_j = offset_j + x'_j own_j + sum_i y_i factors_ji + c excess_j   mod q_j
///
/// where the correction c is 0, or
///   with a modulus p:  sum_i y_i weights_i mod p, centred: above (p - 1) / 2 the residue less p;
///   with fractions:    floor((sum_i y_i fractions_i + half) / 2^f), half = 2^(f-1) if nearest, else 0.
///
/// A limit, if there is one, says how large |c| may be: devices report whether any passes it.
/// All of it is in integers, so that every device gives the same words. An empty list counts as zeros, an
/// empty scale as ones: x are digits already. The oracle: packages/oracle/nttforge_oracle/steps.py.
struct RnsStep {
  std::vector<std::uint64_t> sources{};    ///< s_i, 2 ... 2^62 - 1
  std::vector<std::uint64_t> targets{};    ///< q_j, 2 ... 2^62 - 1
  std::vector<std::uint64_t> scale{};      ///< [sources], below s_i
  std::vector<std::uint64_t> own{};        ///< [targets], below q_j; empty: the step takes no own words
  std::vector<std::uint64_t> factors{};    ///< [targets][sources], below q_j
  std::vector<std::uint64_t> offset{};     ///< [targets], below q_j
  std::uint64_t modulus = 0;               ///< p, 2 ... 2^62 - 1; 0: none
  std::vector<std::uint64_t> weights{};    ///< [sources], below p
  std::uint64_t limit = 0;                 ///< largest |c| that is expected, at most (p - 1) / 2; 0: any
  unsigned fraction_bits = 0;              ///< f, 1 ... 127; 0: no fractions
  bool nearest = false;                    ///< fractions only
  std::vector<std::uint64_t> fractions{};  ///< [sources]; sum_i (s_i - 1) fractions_i + 2^(f-1) < 2^128
  std::vector<std::uint64_t> excess{};     ///< [targets], below q_j; given with a modulus or fractions

  bool has_correction() const { return !excess.empty(); }
  /// throws ParameterError naming the field, the value and what is allowed.
  void validate() const;

  friend bool operator==(const RnsStep&, const RnsStep&) = default;
};

/// The steps of a chain, each of which takes the targets of the one before as its sources and no own words,
/// with every scale but the first multiplied into the step before: the same words with less work, since
/// outputs are residues. Each step is validated. throws ParameterError if it is empty or two do not fit
/// together.
std::vector<RnsStep> folded(std::span<const RnsStep> chain);

/// The value of a step on one coefficient, as the definition says it, for set-up, tests and reference
/// devices. No branch depends on a word.
class StepValue {
 public:
  explicit StepValue(RnsStep step);  ///< throws as RnsStep::validate

  const RnsStep& step() const { return step_; }
  /// x [sources], own [targets] or empty, out [targets]; out may be own. Returns whether |c| exceeds the
  /// step's limit, which changes no word of out. throws SizeError.
  bool apply(std::span<const std::uint64_t> x, std::span<const std::uint64_t> own,
             std::span<std::uint64_t> out) const;

 private:
  RnsStep step_;
  std::vector<Modulus> sources_, targets_;
  std::vector<Modulus> correction_;  // p, or nothing
};

/// The fractions 1 / s_i as fixed point, floor(2^f / s_i), with the largest f up to 127 for which they have
/// at most the bits that kernels take, kNarrowFractionBits where every source is below 2^kNarrowFractionBits
/// and else kWideFractionBits, and for which their sums fit. Sets fraction_bits and fractions.
inline constexpr unsigned kNarrowFractionBits = 50, kWideFractionBits = 62;
void set_fractions(RnsStep& step);  ///< one bit always fits

/// sum_i (s_i - 1), so that the fixed-point sum of these fractions is below sum_i y_i / s_i by at most
/// epsilon = fraction_error(step) / 2^f (docs/bounds/steps.md).
BigUint fraction_error(const RnsStep& step);

/// sum_i a[i] b[i] mod m for any 62-bit words a[i], b[i], any count.
std::uint64_t inner_product(std::span<const std::uint64_t> a, const std::uint64_t* b, const Modulus& m);

}  // namespace nttforge
