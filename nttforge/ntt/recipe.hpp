#pragma once

#include <string>
#include <string_view>
#include <vector>

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
std::string_view arithmetic_name(Arithmetic arithmetic);
Arithmetic parse_arithmetic(std::string_view name);  ///< throws ParameterError

/// How a transform is computed. Plain data: comparable, printable, JSON both ways.
struct NttRecipe {
  Target target = Target::scalar;
  std::vector<Arithmetic> arithmetic;  ///< one per limb
  unsigned radix = 2;                  ///< stages merged per pass over memory: radix 2, 4, ...
  unsigned threads = 1;

  friend bool operator==(const NttRecipe&, const NttRecipe&) = default;

  std::string to_json() const;
  static NttRecipe from_json(std::string_view text);  ///< throws FormatError
};

}  // namespace nttforge
