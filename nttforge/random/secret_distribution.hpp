// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "nttforge/base/target.hpp"
#include "nttforge/random/stream.hpp"

namespace nttforge {

/// How the coefficients of a secret polynomial are distributed. Everything that depends on it is here: a
/// further one is a kind, its case in facts() and in sample_secret(), and its twin in the oracle
/// (packages/oracle/nttforge_oracle/secrets.py).
struct SecretDistribution {
  /// Values are part of the byte format.
  enum class Kind : std::uint8_t {
    ternary = 0,  ///< independent and uniform on {-1, 0, 1}
    binary = 1,   ///< independent and uniform on {0, 1}
    sparse = 2    ///< uniform among the vectors of {-1, 0, 1} with `weight` coefficients that are not 0
  };
  Kind kind = Kind::ternary;
  std::uint32_t weight = 0;  ///< of sparse ones, 1 ... n; otherwise 0

  static const SecretDistribution ternary, binary;
  static constexpr SecretDistribution sparse(std::uint32_t weight) { return {Kind::sparse, weight}; }
  friend bool operator==(const SecretDistribution&, const SecretDistribution&) = default;

  /// What parameters, bounds and messages ask of a distribution of polynomials of n coefficients.
  struct Facts {
    std::string_view name;  ///< as parameters print it
    std::int64_t lowest;    ///< coefficients are in [lowest, 1]
    bool fixed_weight;      ///< `weight` of them are not 0 in every polynomial; else they are independent
    bool in_tables;         ///< the published tables of security are for such secrets
    double mean, square;    ///< of a coefficient: its expected value and square
    /// A coefficient less its mean is sub-Gaussian with this parameter, where the weight is fixed if it is
    /// one of those that are not 0 (docs/bounds/noise.md).
    double sub_gaussian;
    Kind mask;  ///< ternary or binary: where encryption by the public key takes its masks u from
  };
  /// throws ParameterError for an unknown kind.
  Facts facts(std::size_t n) const;
  /// "ternary secret", "sparse secret of weight 64".
  std::string describe() const;
};

inline constexpr SecretDistribution SecretDistribution::ternary{Kind::ternary, 0};
inline constexpr SecretDistribution SecretDistribution::binary{Kind::binary, 0};

/// By name and weight. throws ParameterError listing the names.
SecretDistribution parse_secret_distribution(std::string_view name, std::uint32_t weight);
/// throws ParameterError for an unknown kind or a weight that polynomials of n coefficients cannot have.
void check_secret_distribution(const SecretDistribution& distribution, std::size_t n);

/// out.size() coefficients from a stream. Constant time but for rejected words, which say nothing of the
/// result.
void sample_secret(const StreamName& name, const SecretDistribution& distribution,
                   std::span<std::int64_t> out, Target target = Target::scalar);

}  // namespace nttforge
