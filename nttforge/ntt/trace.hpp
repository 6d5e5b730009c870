// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/ntt/recipe.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge {

enum class Direction { forward, inverse };  ///< coefficients to values, and back

/// The values after one step of a transform, fully reduced, by position. docs/format.md
struct TraceStep {
  std::string name;    ///< "twist", "bit_reverse", "stage" or "scale"
  unsigned index = 0;  ///< of a stage: 1, 2 ...; else 0
  std::vector<std::uint64_t> values{};

  friend bool operator==(const TraceStep&, const TraceStep&) = default;
};

/// Every step of one transform of one limb, for checking other implementations against stage by stage.
/// docs/algorithms.md says which positions and twiddles each stage of each algorithm combines.
struct NttTrace {
  NttSpec spec;  ///< one modulus, root filled in
  NttRecipe recipe;
  Direction direction = Direction::forward;
  std::vector<std::uint64_t> input{};
  std::vector<TraceStep> steps{};  ///< the last one holds the result; none if nothing is to be done

  std::string to_json() const;  ///< docs/format.md
};

/// A trace of kMaxTraceSize points takes 20 MiB.
inline constexpr std::size_t kMaxTraceSize = std::size_t{1} << 17;

/// Runs the transform of `input` [n] in [0, q), in the spec's orders, and keeps the values after each step.
/// throws ParameterError if the spec has several moduli, n > kMaxTraceSize, the recipe is not of the
/// algorithm collection ("merged" kernels hold lazy values in an order of their own) or a residue is not
/// reduced; SizeError if input is not n words; and as NttPlan.
NttTrace trace_transform(const NttSpec& spec, const NttRecipe& recipe, Direction direction,
                         std::span<const std::uint64_t> input);

}  // namespace nttforge
