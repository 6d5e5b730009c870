#include "nttforge/ntt/wisdom.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/base/cpu_count.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/file.hpp"
#include "nttforge/base/json.hpp"
#include "nttforge/ntt/dgt.hpp"
#include "nttforge/ntt/explorer.hpp"
#include "nttforge/ntt/kernels.hpp"

namespace nttforge {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{1} << 24;
constexpr std::size_t kMostEntries = 1u << 16;
constexpr std::size_t kMostText = 256;
constexpr std::uint64_t kMostLimbs = 1u << 16;
constexpr std::string_view kFormatName = "nttforge-wisdom";

std::string cpu_name() {
  const CpuDescription cpu = describe_cpu();
  return cpu.brand + " (" + cpu.signature + ")";
}

/// Runs of neighbouring limbs of one class.
std::vector<std::pair<std::string, std::uint64_t>> class_runs(const NttSpec& spec) {
  std::vector<std::pair<std::string, std::uint64_t>> runs;
  for (const std::uint64_t q : spec.moduli) {
    const std::string name = modulus_class(q, spec.word_bits, spec.transform);
    if (runs.empty() || runs.back().first != name) runs.emplace_back(name, 0);
    runs.back().second += 1;
  }
  return runs;
}

struct ResolvedUse {
  unsigned threads;
  std::size_t batch;
  Target target;

  explicit ResolvedUse(const WisdomUse& use)
      : threads(use.threads == 0 ? default_threads() : use.threads),
        batch(threads == 1 ? 1 : use.batch),
        target(use.target.value_or(active_target())) {}
};

Json key_of(const NttSpec& spec, const ResolvedUse& use) {
  Json limbs = Json::array();
  for (const auto& [name, count] : class_runs(spec)) {
    Json run = Json::object();
    run.set("class", name);
    run.set("count", count);
    limbs.push_back(run);
  }
  Json key = Json::object();
  key.set("cpu", cpu_name());
  key.set("nttforge", NTTFORGE_VERSION);
  key.set("target", target_name(use.target));
  key.set("n", spec.n);
  key.set("transform", transform_name(spec.transform));
  key.set("ring", ring_name(spec.ring));
  key.set("input_order", order_name(spec.input_order));
  key.set("output_order", order_name(spec.output_order));
  key.set("word_bits", spec.word_bits);
  key.set("limbs", limbs);
  key.set("batch", use.batch);
  key.set("threads", use.threads);
  return key;
}

/// What matters on a GPU: all limbs are computed alike, as the largest modulus needs.
Json gpu_key_of(const NttSpec& spec, std::string_view gpu, std::size_t batch) {
  if (gpu.empty() || gpu.size() > kMostText) {
    throw ParameterError("the name of the GPU has " + std::to_string(gpu.size()) +
                         " bytes: allowed are 1 ... " + std::to_string(kMostText));
  }
  Json key = Json::object();
  key.set("gpu", gpu);
  key.set("nttforge", NTTFORGE_VERSION);
  key.set("n", spec.n);
  key.set("transform", transform_name(spec.transform));
  key.set("ring", ring_name(spec.ring));
  key.set("input_order", order_name(spec.input_order));
  key.set("output_order", order_name(spec.output_order));
  key.set("word_bits", spec.word_bits);
  key.set("q_bits", std::bit_width(*std::max_element(spec.moduli.begin(), spec.moduli.end())));
  key.set("limbs", spec.moduli.size());
  key.set("batch", batch);
  return key;
}

// Checks of a file's content. Each throws FormatError; the caller adds the number of the entry.

/// The object with exactly these members, in this order.
Json with_members(const Json& json, const char* what, std::initializer_list<std::string_view> names) {
  if (json.kind() != Json::Kind::object) throw FormatError(std::string(what) + " is not an object");
  for (const auto& [name, value] : json.members()) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw FormatError(std::string(what) + " has an unknown member \"" + name + "\"");
  }
  Json ordered = Json::object();
  for (const std::string_view name : names) ordered.set(name, json.at(name));  // throws if missing
  return ordered;
}

std::uint64_t number(const Json& json, std::string_view name, std::uint64_t least, std::uint64_t most) {
  const std::uint64_t value = json.at(name).as_u64();
  if (value < least || value > most) {
    throw FormatError("\"" + std::string(name) + "\" = " + std::to_string(value) + " is not in [" +
                      std::to_string(least) + ", " + std::to_string(most) + "]");
  }
  return value;
}

const std::string& short_text(const Json& json, std::string_view name) {
  const std::string& text = json.at(name).as_string();
  if (text.empty() || text.size() > kMostText) {
    throw FormatError("\"" + std::string(name) + "\" has " + std::to_string(text.size()) +
                      " bytes: allowed are 1 ... " + std::to_string(kMostText));
  }
  return text;
}

/// What keys of CPUs and GPUs have in common.
void check_common(const Json& key) {
  for (const auto* name : {"nttforge", "transform", "ring", "input_order", "output_order"}) {
    static_cast<void>(short_text(key, name));
  }
  if (!std::has_single_bit(number(key, "n", 1, kMaxTransformSize)))
    throw FormatError("\"n\" = " + std::to_string(key.at("n").as_u64()) + " is not a power of two");
  if (number(key, "word_bits", 32, 64) % 32 != 0) throw FormatError("\"word_bits\" is neither 32 nor 64");
  number(key, "batch", 1, 1u << 20);
}

Json checked_gpu_key(const Json& given) {
  Json key = with_members(given, "the key",
                          {"gpu", "nttforge", "n", "transform", "ring", "input_order", "output_order",
                           "word_bits", "q_bits", "limbs", "batch"});
  static_cast<void>(short_text(key, "gpu"));
  check_common(key);
  number(key, "q_bits", 1, 64);
  number(key, "limbs", 1, kMostLimbs);
  return key;
}

/// The same in the order key_of() writes.
Json checked_key(const Json& given) {
  if (given.kind() == Json::Kind::object && given.find("gpu") != nullptr) return checked_gpu_key(given);
  Json key = with_members(given, "the key",
                          {"cpu", "nttforge", "target", "n", "transform", "ring", "input_order",
                           "output_order", "word_bits", "limbs", "batch", "threads"});
  // Names that only later versions know are kept: such entries are never looked up by this one.
  for (const auto* name : {"cpu", "target"}) static_cast<void>(short_text(key, name));
  check_common(key);
  number(key, "threads", 1, 1024);
  Json runs = Json::array();
  std::uint64_t limbs = 0;
  for (const Json& element : key.at("limbs").elements()) {
    runs.push_back(with_members(element, "an element of \"limbs\"", {"class", "count"}));
    static_cast<void>(short_text(element, "class"));
    limbs += number(element, "count", 1, kMostLimbs);
  }
  if (limbs == 0 || limbs > kMostLimbs)
    throw FormatError("\"limbs\" stands for " + std::to_string(limbs) + " limbs: allowed are 1 ... " +
                      std::to_string(kMostLimbs));
  key.set("limbs", runs);
  return key;
}

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

template <class Word>
std::string limit_class(std::span<const KernelRow<Word>> rows, std::uint64_t q) {
  std::uint64_t least = 0;
  for (const KernelRow<Word>& row : rows) {
    if (row.q_limit > q && (least == 0 || row.q_limit < least)) least = row.q_limit;
  }
  return "2^" + std::to_string(least == 0 ? 64 : std::bit_width(least) - 1);
}

template <class Word>
std::string class_of(std::uint64_t q, Transform transform) {
  return limit_class(transform == Transform::dgt ? dgt_rows<Word>() : kernel_rows<Word>(), q);
}

}  // namespace

std::string modulus_class(std::uint64_t q, unsigned word_bits, Transform transform) {
  if (q == kGoldilocks) return "goldilocks";
  return word_bits == 64 ? class_of<std::uint64_t>(q, transform) : class_of<std::uint32_t>(q, transform);
}

Wisdom Wisdom::from_json(std::string_view text) {
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
  const NttSpec spec = validated(given);
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
  const NttSpec spec = validated(given);
  const ResolvedUse use(wanted);
  if (!(ns > 0) || !std::isfinite(ns))
    throw ParameterError("ns = " + std::to_string(ns) + ": need a positive time");
  require_within(spec, use, recipe);
  Json choice = Json::object();
  choice.set("recipe", packed(spec, recipe));
  choice.set("ns", ns);
  entries_[key_of(spec, use).dump()] = choice.dump();
}

std::optional<std::string> Wisdom::find_on_gpu(const NttSpec& given, std::string_view gpu,
                                               std::size_t batch) const {
  const auto entry = entries_.find(gpu_key_of(validated(given), gpu, batch).dump());
  if (entry == entries_.end()) return std::nullopt;
  return Json::parse(entry->second).at("recipe").dump();
}

void Wisdom::remember_on_gpu(const NttSpec& given, std::string_view gpu, std::size_t batch,
                             std::string_view recipe, double ns) {
  if (!(ns > 0) || !std::isfinite(ns))
    throw ParameterError("ns = " + std::to_string(ns) + ": need a positive time");
  if (batch == 0 || batch > 1u << 20)
    throw ParameterError("batch = " + std::to_string(batch) + " is out of range: allowed are 1 ... 1048576");
  Json choice = Json::object();
  choice.set("recipe", Json::parse(recipe));
  choice.set("ns", ns);
  entries_[gpu_key_of(validated(given), gpu, batch).dump()] = checked_choice(choice).dump();
}

void Wisdom::merge(const Wisdom& newer) {
  for (const auto& [key, choice] : newer.entries_) entries_[key] = choice;
}

}  // namespace nttforge
