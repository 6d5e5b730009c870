// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/recipe.hpp"

#include <algorithm>
#include <iterator>

#include "nttforge/base/error.hpp"
#include "nttforge/base/text/json.hpp"

namespace nttforge {
namespace {

constexpr std::string_view kMembers[] = {"target",    "arithmetic", "radix", "threads",
                                         "algorithm", "twiddles",   "base",  "stages"};

unsigned positive(const Json& json, std::string_view name) {
  const std::uint64_t value = json.at(name).as_u64();
  if (value > 0xFFFFFFFFu) {
    throw FormatError("recipe: \"" + std::string(name) + "\" = " + std::to_string(value) +
                      " does not fit 32 bits");
  }
  return static_cast<unsigned>(value);
}

}  // namespace

std::string_view arithmetic_name(Arithmetic arithmetic) {
  for (const auto& [value, name] : kArithmetics) {
    if (value == arithmetic) return name;
  }
  return "unknown";
}

Arithmetic parse_arithmetic(std::string_view name) {
  std::string known;
  for (const auto& [value, its_name] : kArithmetics) {
    if (its_name == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(its_name);
  }
  throw ParameterError("arithmetic = \"" + std::string(name) + "\" is unknown; known: " + known);
}

std::string_view twiddle_source_name(TwiddleSource source) {
  return source == TwiddleSource::table ? "table" : "on_the_fly";
}

TwiddleSource parse_twiddle_source(std::string_view name) {
  for (const TwiddleSource source : {TwiddleSource::table, TwiddleSource::on_the_fly}) {
    if (twiddle_source_name(source) == name) return source;
  }
  throw ParameterError("twiddles = \"" + std::string(name) + "\" is unknown; known: table, on_the_fly");
}

std::string NttRecipe::to_json() const {
  Json json = Json::object();
  Json names = Json::array();
  for (const Arithmetic a : arithmetic) names.push_back(arithmetic_name(a));
  json.set("target", target_name(target));
  json.set("arithmetic", names);
  json.set("radix", radix);
  json.set("threads", threads);
  json.set("algorithm", algorithm);
  json.set("twiddles", twiddle_source_name(twiddles.source));
  if (twiddles.source == TwiddleSource::on_the_fly) {
    json.set("base", twiddles.base);
    json.set("stages", twiddles.stages);
  }
  return json.dump();
}

NttRecipe NttRecipe::from_json(std::string_view text) {
  const Json json = Json::parse(text);
  if (json.kind() != Json::Kind::object) throw FormatError("recipe: expected a JSON object");
  for (const auto& [name, value] : json.members()) {
    if (std::find(std::begin(kMembers), std::end(kMembers), name) == std::end(kMembers)) {
      throw FormatError("recipe: unknown member \"" + std::string(name) +
                        "\"; allowed: target, arithmetic, radix, threads, algorithm, twiddles, base, stages");
    }
  }
  NttRecipe recipe;
  try {
    recipe.target = parse_target(json.at("target").as_string());
    for (const Json& name : json.at("arithmetic").elements()) {
      recipe.arithmetic.push_back(parse_arithmetic(name.as_string()));
    }
    if (const Json* source = json.find("twiddles")) {
      recipe.twiddles.source = parse_twiddle_source(source->as_string());
    }
  } catch (const ParameterError& error) {
    throw FormatError(std::string("recipe: ") + error.what());
  }
  recipe.radix = positive(json, "radix");
  recipe.threads = positive(json, "threads");
  if (const Json* name = json.find("algorithm")) recipe.algorithm = name->as_string();
  if (recipe.twiddles.source == TwiddleSource::on_the_fly) {
    recipe.twiddles.base = positive(json, "base");
    recipe.twiddles.stages = positive(json, "stages");
  } else if (json.find("base") != nullptr || json.find("stages") != nullptr) {
    throw FormatError("recipe: \"base\" and \"stages\" go with \"twiddles\": \"on_the_fly\" only");
  }
  return recipe;
}

}  // namespace nttforge
