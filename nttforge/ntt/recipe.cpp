#include "nttforge/ntt/recipe.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/json.hpp"

namespace nttforge {
namespace {

constexpr Arithmetic kAllArithmetics[] = {Arithmetic::shoup64, Arithmetic::shoup32, Arithmetic::ifma52,
                                          Arithmetic::fp64, Arithmetic::goldilocks};

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
  switch (arithmetic) {
    case Arithmetic::shoup64:
      return "shoup64";
    case Arithmetic::shoup32:
      return "shoup32";
    case Arithmetic::ifma52:
      return "ifma52";
    case Arithmetic::fp64:
      return "fp64";
    case Arithmetic::goldilocks:
      return "goldilocks";
  }
  return "unknown";
}

Arithmetic parse_arithmetic(std::string_view name) {
  std::string known;
  for (const Arithmetic arithmetic : kAllArithmetics) {
    if (arithmetic_name(arithmetic) == name) return arithmetic;
    known += (known.empty() ? "" : ", ") + std::string(arithmetic_name(arithmetic));
  }
  throw ParameterError("arithmetic = \"" + std::string(name) + "\" is unknown; known: " + known);
}

std::string NttRecipe::to_json() const {
  Json json = Json::object();
  Json names = Json::array();
  for (const Arithmetic a : arithmetic) names.push_back(arithmetic_name(a));
  json.set("target", target_name(target));
  json.set("arithmetic", names);
  json.set("radix", radix);
  json.set("threads", threads);
  return json.dump();
}

NttRecipe NttRecipe::from_json(std::string_view text) {
  const Json json = Json::parse(text);
  if (json.kind() != Json::Kind::object) throw FormatError("recipe: expected a JSON object");
  for (const auto& [name, value] : json.members()) {
    if (name != "target" && name != "arithmetic" && name != "radix" && name != "threads") {
      throw FormatError("recipe: unknown member \"" + std::string(name) +
                        "\"; allowed: target, arithmetic, radix, threads");
    }
  }
  NttRecipe recipe;
  try {
    recipe.target = parse_target(json.at("target").as_string());
    for (const Json& name : json.at("arithmetic").elements()) {
      recipe.arithmetic.push_back(parse_arithmetic(name.as_string()));
    }
  } catch (const ParameterError& error) {
    throw FormatError(std::string("recipe: ") + error.what());
  }
  recipe.radix = positive(json, "radix");
  recipe.threads = positive(json, "threads");
  return recipe;
}

}  // namespace nttforge
