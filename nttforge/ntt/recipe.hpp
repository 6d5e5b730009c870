// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/base/target.hpp"

namespace nttforge {

/// How one limb is computed modulo its prime.
enum class Arithmetic {
  shoup64,     ///< 64-bit words, q < 2^62
  shoup32,     ///< 32-bit words, q < 2^30 (vector) or q < 2^32 (scalar, 64-bit intermediates)
  ifma52,      ///< 52-bit multiply-add, q < 2^50
  fp64,        ///< doubles with fused multiply-add, q < 2^50
  goldilocks,  ///< q = 2^64 - 2^32 + 1
};
/// Every arithmetic with its name in recipes.
inline constexpr std::pair<Arithmetic, std::string_view> kArithmetics[] = {
    {Arithmetic::shoup64, "shoup64"}, {Arithmetic::shoup32, "shoup32"},       {Arithmetic::ifma52, "ifma52"},
    {Arithmetic::fp64, "fp64"},       {Arithmetic::goldilocks, "goldilocks"},
};
std::string_view arithmetic_name(Arithmetic arithmetic);  ///< as recipes in JSON have it
Arithmetic parse_arithmetic(std::string_view name);       ///< throws ParameterError

/// Where twiddle factors come from.
enum class TwiddleSource {
  table,       ///< every factor from a table
  on_the_fly,  ///< in the last stages each factor is a product of two from small tables [Kim20, VII]
};
std::string_view twiddle_source_name(TwiddleSource source);  ///< as recipes in JSON have it
TwiddleSource parse_twiddle_source(std::string_view name);   ///< throws ParameterError

/// on_the_fly: root^e = root^(e mod base) (root^base)^(e div base), for the last `stages` stages.
struct TwiddlePolicy {
  TwiddleSource source = TwiddleSource::table;
  std::size_t base = 0;  ///< power of two; 0 with `table`
  unsigned stages = 0;   ///< 0 with `table`

  friend bool operator==(const TwiddlePolicy&, const TwiddlePolicy&) = default;
};

/// The engine's own merged passes over all targets; the other names are in ntt/algorithms/.
inline constexpr std::string_view kMergedAlgorithm = "merged";

/// How a transform is computed. Plain data: comparable, printable, JSON both ways.
/// In JSON "algorithm" and "twiddles" may be missing and mean their defaults; "base" and "stages" stand
/// beside "twiddles": "on_the_fly" only.
struct NttRecipe {
  Target target = Target::scalar;
  std::vector<Arithmetic> arithmetic;  ///< one per limb
  unsigned radix = 2;                  ///< stages merged per pass over memory: radix 2, 4, ...
  unsigned threads = 1;
  std::string algorithm{kMergedAlgorithm};
  TwiddlePolicy twiddles{};

  friend bool operator==(const NttRecipe&, const NttRecipe&) = default;

  std::string to_json() const;
  static NttRecipe from_json(std::string_view text);  ///< throws FormatError
};

}  // namespace nttforge
