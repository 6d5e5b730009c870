// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys of wisdom: what a recipe was measured for, as JSON with members in a fixed order.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nttforge/base/text/json.hpp"
#include "nttforge/base/threads/cpu_count.hpp"
#include "nttforge/ntt/wisdom.hpp"

namespace nttforge {

/// WisdomUse with its defaults filled in.
struct ResolvedUse {
  unsigned threads;
  std::size_t batch;
  Target target;

  explicit ResolvedUse(const WisdomUse& use)
      : threads(use.threads == 0 ? default_threads() : use.threads),
        batch(threads == 1 ? 1 : use.batch),
        target(use.target.value_or(active_target())) {}
};

/// Runs of neighbouring limbs of one class, and their lengths.
std::vector<std::pair<std::string, std::uint64_t>> class_runs(const NttSpec& spec);

/// The spec is validated.
Json key_of(const NttSpec& spec, const ResolvedUse& use);

/// Key of a GPU, where all limbs are computed alike, as the largest modulus needs. throws ParameterError
/// for the name of the GPU.
Json gpu_key_of(const NttSpec& spec, std::string_view gpu, std::size_t batch);

/// A key of a file, of either kind, in the order that key_of() and gpu_key_of() write. throws FormatError;
/// the caller adds the number of the entry.
Json checked_key(const Json& given);

/// The object with exactly these members, in this order. throws FormatError.
Json with_members(const Json& json, const char* what, std::initializer_list<std::string_view> names);

}  // namespace nttforge
