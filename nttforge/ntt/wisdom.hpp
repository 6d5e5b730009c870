// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/base/target.hpp"
#include "nttforge/ntt/recipe.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge {

/// What a recipe is chosen for, besides the spec.
struct WisdomUse {
  unsigned threads = 1;            ///< most threads, 1 ... 1024; 0: default_threads()
  std::size_t batch = 1;           ///< matters for several threads only
  std::optional<Target> target{};  ///< highest target allowed; none: the active one
};

/// Recipes that were measured to be best, by CPU, version and what of a spec matters for speed: n, ring,
/// orders, word size, and for each limb the class of its modulus, not the modulus. A plain value: nothing is
/// global, nothing is read or written unless asked. Format: docs/format.md.
class Wisdom {
 public:
  static constexpr unsigned kFormatVersion = 1;

  /// throws FormatError naming entry and field, or for more than 16 MiB or 2^20 JSON values. Entries of other
  /// CPUs and versions are kept, not used.
  static Wisdom from_json(std::string_view text);
  std::string to_json() const;

  /// throws as from_json(), and Error if the file cannot be read.
  static Wisdom load(const std::string& path);
  /// Replaces the file in one step. throws Error.
  void save(const std::string& path) const;
  /// $NTTFORGE_WISDOM, else nttforge/wisdom.json in $XDG_CACHE_HOME or ~/.cache. throws Error if none of the
  /// three is set. Only a name: nothing happens to the file.
  static std::string default_path();

  /// The recipe remembered for this CPU and version, if it can run here. throws ParameterError as
  /// validated().
  std::optional<NttRecipe> find(const NttSpec& spec, const WisdomUse& use = {}) const;
  /// Remembers a recipe and its time, in place of an older one. throws as NttPlan if it cannot do the spec,
  /// ParameterError if ns is not a positive number, it uses more threads or a higher target than `use`, or a
  /// field of `use` is out of range.
  void remember(const NttSpec& spec, const WisdomUse& use, const NttRecipe& recipe, double ns);

  /// Choices for GPUs, whose recipes are JSON objects to this class (nttforge/cuda/candidates.hpp). `gpu`
  /// names card and driver. throws ParameterError as validated(), or for a name of no or more than 256 bytes.
  std::optional<std::string> find_on_gpu(const NttSpec& spec, std::string_view gpu, std::size_t batch) const;
  /// throws also FormatError if the recipe is no JSON object, ParameterError if ns is not a positive number.
  void remember_on_gpu(const NttSpec& spec, std::string_view gpu, std::size_t batch, std::string_view recipe,
                       double ns);
  /// Takes over every entry of `newer`.
  void merge(const Wisdom& newer);

  std::size_t size() const { return entries_.size(); }
  friend bool operator==(const Wisdom& a, const Wisdom& b) { return a.entries_ == b.entries_; }

 private:
  std::map<std::string, std::string> entries_;  ///< key and choice, both as JSON
};

/// Class of a modulus: "goldilocks", or the least limit above it of the kernels that do such transforms, such
/// as "2^50".
std::string modulus_class(std::uint64_t q, unsigned word_bits, Transform transform = Transform::ntt);

}  // namespace nttforge
