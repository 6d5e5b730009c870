// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/wisdom.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/text/file.hpp"
#include "nttforge/base/text/json.hpp"
#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/explorer/wisdom_key.hpp"

namespace nttforge {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{1} << 24;
constexpr std::size_t kMostEntries = 1u << 16;
constexpr std::string_view kFormatName = "nttforge-wisdom";

Json checked_choice(const Json& given) {
  Json choice = with_members(given, "the choice", {"recipe", "ns"});
  const double ns = choice.at("ns").as_double();
  if (!(ns > 0) || !std::isfinite(ns)) throw FormatError("\"ns\" is not a positive number");
  if (choice.at("recipe").kind() != Json::Kind::object) throw FormatError("\"recipe\" is not an object");
  return choice;
}

/// Recipes keep one arithmetic per run of limbs.
Json packed(const NttSpec& spec, const NttRecipe& recipe) {
  Json arithmetic = Json::array();
  std::size_t limb = 0;
  for (const auto& run : class_runs(spec)) {
    for (std::uint64_t i = 1; i < run.second; ++i) {
      if (recipe.arithmetic[limb + i] != recipe.arithmetic[limb])
        throw ParameterError("recipe.arithmetic differs between limbs of one class: wisdom keeps one each");
    }
    arithmetic.push_back(arithmetic_name(recipe.arithmetic[limb]));
    limb += run.second;
  }
  Json json = Json::parse(recipe.to_json());
  json.set("arithmetic", arithmetic);
  return json;
}

NttRecipe unpacked(const NttSpec& spec, const Json& json) {
  NttRecipe recipe = NttRecipe::from_json(json.dump());
  const auto runs = class_runs(spec);
  if (recipe.arithmetic.size() != runs.size())
    throw FormatError("recipe: one arithmetic for each element of \"limbs\" is needed");
  std::vector<Arithmetic> all;
  for (std::size_t i = 0; i < runs.size(); ++i)
    all.insert(all.end(), static_cast<std::size_t>(runs[i].second), recipe.arithmetic[i]);
  recipe.arithmetic = std::move(all);
  return recipe;
}

void require_within(const NttSpec& spec, const ResolvedUse& use, const NttRecipe& recipe) {
  if (recipe.threads > use.threads)
    throw ParameterError("recipe.threads = " + std::to_string(recipe.threads) + " is more than threads = " +
                         std::to_string(use.threads) + ": remember it for as many");
  if (recipe.target > use.target)
    throw ParameterError("recipe.target = " + std::string(target_name(recipe.target)) + " is above target " +
                         std::string(target_name(use.target)) + ": remember it for that one");
  require_target(recipe.target);
  require_recipe(spec, recipe);
}

/// What from_json() refuses is not remembered: one such entry would spoil the whole file.
std::string loadable(const Json& key) {
  try {
    return checked_key(Json::parse(key.dump())).dump();
  } catch (const FormatError& error) {
    throw ParameterError(std::string("wisdom cannot keep this: ") + error.what());
  }
}

void require_time(double ns) {
  if (!(ns > 0) || !std::isfinite(ns))
    throw ParameterError("ns = " + std::to_string(ns) + ": need a positive time");
}

}  // namespace

Wisdom Wisdom::from_json(std::string_view text) {
  if (text.size() > kMostFileBytes)
    throw FormatError("wisdom: the text has " + std::to_string(text.size()) + " bytes, allowed are " +
                      std::to_string(kMostFileBytes));
  const Json file = Json::parse(text);
  static_cast<void>(with_members(file, "wisdom", {"format", "version", "entries"}));
  if (file.at("format").as_string() != kFormatName)
    throw FormatError("wisdom: \"format\" is not \"" + std::string(kFormatName) + "\": another kind of file");
  if (file.at("version").as_u64() != kFormatVersion) {
    throw FormatError("wisdom: version " + std::to_string(file.at("version").as_u64()) +
                      " is unknown, this nttforge reads version " + std::to_string(kFormatVersion) +
                      ": measure anew");
  }
  const auto& entries = file.at("entries").elements();
  if (entries.size() > kMostEntries)
    throw FormatError("wisdom: " + std::to_string(entries.size()) + " entries, allowed are " +
                      std::to_string(kMostEntries));
  Wisdom wisdom;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string where = "wisdom: entry " + std::to_string(i);
    std::string key, choice;
    try {
      static_cast<void>(with_members(entries[i], "the entry", {"key", "choice"}));
      key = checked_key(entries[i].at("key")).dump();
      choice = checked_choice(entries[i].at("choice")).dump();
    } catch (const FormatError& error) {
      throw FormatError(where + ": " + error.what());
    }
    if (!wisdom.entries_.emplace(std::move(key), std::move(choice)).second)
      throw FormatError(where + " has the key of an earlier one");
  }
  return wisdom;
}

std::string Wisdom::to_json() const {
  Json entries = Json::array();
  for (const auto& [key, choice] : entries_) {
    Json entry = Json::object();
    entry.set("key", Json::parse(key));
    entry.set("choice", Json::parse(choice));
    entries.push_back(entry);
  }
  Json file = Json::object();
  file.set("format", kFormatName);
  file.set("version", kFormatVersion);
  file.set("entries", entries);
  return file.dump(1) + "\n";
}

Wisdom Wisdom::load(const std::string& path) {
  try {
    return from_json(read_file(path, kMostFileBytes));
  } catch (const FormatError& error) {
    throw FormatError(path + ": " + error.what());
  }
}

void Wisdom::save(const std::string& path) const { write_file(path, to_json()); }

std::string Wisdom::default_path() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string path = variable("NTTFORGE_WISDOM"); !path.empty()) return path;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/nttforge/wisdom.json";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/nttforge/wisdom.json";
  throw Error("no place for wisdom: none of NTTFORGE_WISDOM, XDG_CACHE_HOME and HOME is set; give a path");
}

std::optional<NttRecipe> Wisdom::find(const NttSpec& given, const WisdomUse& wanted) const {
  const NttSpec spec = validated_but_roots(given);
  const ResolvedUse use(wanted);
  const auto entry = entries_.find(key_of(spec, use).dump());
  if (entry == entries_.end()) return std::nullopt;
  try {
    NttRecipe recipe = unpacked(spec, Json::parse(entry->second).at("recipe"));
    require_within(spec, use, recipe);
    return recipe;
  } catch (const Error&) {
    return std::nullopt;  // of a file that somebody edited: as good as no entry
  }
}

void Wisdom::remember(const NttSpec& given, const WisdomUse& wanted, const NttRecipe& recipe, double ns) {
  const NttSpec spec = validated_but_roots(given);
  const ResolvedUse use(wanted);
  require_time(ns);
  require_within(spec, use, recipe);
  Json choice = Json::object();
  choice.set("recipe", packed(spec, recipe));
  choice.set("ns", ns);
  entries_[loadable(key_of(spec, use))] = choice.dump();
}

std::optional<std::string> Wisdom::find_on_gpu(const NttSpec& given, std::string_view gpu,
                                               std::size_t batch) const {
  const auto entry = entries_.find(gpu_key_of(validated_but_roots(given), gpu, batch).dump());
  if (entry == entries_.end()) return std::nullopt;
  return Json::parse(entry->second).at("recipe").dump();
}

void Wisdom::remember_on_gpu(const NttSpec& given, std::string_view gpu, std::size_t batch,
                             std::string_view recipe, double ns) {
  require_time(ns);
  if (batch == 0 || batch > 1u << 20)
    throw ParameterError("batch = " + std::to_string(batch) + " is out of range: allowed are 1 ... 1048576");
  Json choice = Json::object();
  choice.set("recipe", Json::parse(recipe));
  choice.set("ns", ns);
  entries_[loadable(gpu_key_of(validated_but_roots(given), gpu, batch))] = checked_choice(choice).dump();
}

void Wisdom::merge(const Wisdom& newer) {
  for (const auto& [key, choice] : newer.entries_) entries_[key] = choice;
}

}  // namespace nttforge
