// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nttforge/arith/double_double.hpp"
#include "nttforge/rlwe/parameters.hpp"

namespace nttforge::ckks {

using namespace rlwe;  // NOLINT: a scheme's names are those of the layer and its own

/// A parameter set of CKKS [CKKS17]: n/2 complex numbers, or n real coefficients, times a scale. Level 1 is
/// the lowest, where no product fits any more; each product by other than integers takes one. The builders
/// return valid sets; Context::create validates again.
struct Parameters : rlwe::RlweParameters {
  double scale = 0;  ///< of the highest level, in [2^4, 2^100]
  /// Those of levels 1, 2, ...: 0, or none, where it follows from the level above, whose scale is squared and
  /// divided by what leaves, as products are; another number where products are not the way down, as below a
  /// bootstrap.
  std::vector<double> scales;

  Parameters() { scheme = Scheme::ckks; }
  friend bool operator==(const Parameters&, const Parameters&) = default;

  /// A recommended set: scale about 2^scale_bits, as many levels as the table has room for. word_bits 64:
  /// scale_bits 30 ... 55, a prime a level; n = 2^12 ... 2^17. word_bits 32: scale_bits 40, levels of several
  /// primes of 25 and 30 bits [Cheddar24]; n = 2^14 ... 2^16. levels: 0, or fewer than that, with 64 bits.
  /// throws ParameterError naming the argument.
  static Parameters preset(std::size_t n, unsigned scale_bits = 40,
                           SecurityLevel security = SecurityLevel::classical128,
                           SecurityTable table = kStrictestTable, unsigned word_bits = 64,
                           std::size_t levels = 0);

  /// An explicit set, validated; weaker than `security` is refused: ask for
  /// SecurityLevel::insecure_by_request by name. levels: empty, or windows of q. digit_primes 0: as many as
  /// there are special primes.
  static Parameters custom(std::size_t n, double scale, std::vector<std::uint64_t> q,
                           SpecialPrimes special = {}, SecurityLevel security = SecurityLevel::classical128,
                           SecretDistribution secret = SecretDistribution::ternary,
                           ErrorDistribution error = ErrorDistribution::sigma_3_2,
                           SecurityTable table = kStrictestTable, unsigned word_bits = 64,
                           std::size_t digit_primes = 0, std::vector<Window> levels = {},
                           std::vector<double> scales = {});

  void validate() const override;
  std::uint64_t plain_number() const override;
  void set_plain_number(std::uint64_t value) override;
  std::vector<std::uint64_t> further_numbers() const override;
  void set_further_numbers(std::span<const std::uint64_t> values) override;
  bool approximate() const override { return true; }
  std::string describe_plain() const override;

  std::size_t depth() const { return top_level() - 1; }  ///< products one after the other

  /// The primes that leave, and those that come instead, on the way from a level to the one below.
  struct Step {
    std::vector<std::uint64_t> leaving, joining;
    /// The scale above that leads to this one below. Chosen so from the lowest level up scales are square
    /// roots, which draw together; the other way they would spread.
    double scale_above(double below) const;
  };
  Step step_from(std::size_t level) const;
  /// The exact scale of every level, the lowest first [KPP22].
  std::vector<DoubleDouble> level_scales() const;
};

/// Parameters from bytes, checked. throws FormatError; ParameterError for a set that claims no security
/// level, unless that is allowed.
Parameters parameters_from_bytes(std::span<const std::uint8_t> bytes, bool allow_insecure = false,
                                 SecurityTable table = kStrictestTable);

}  // namespace nttforge::ckks
