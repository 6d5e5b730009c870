// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/recipe.hpp"

#include <array>
#include <span>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/text/json.hpp"

namespace nttforge::cuda {
namespace {

template <class Enum>
using Names = std::span<const std::pair<Enum, std::string_view>>;

constexpr std::array<std::pair<Multiplication, std::string_view>, 6> kMultiplications{
    {{Multiplication::shoup, "shoup"},
     {Multiplication::native, "native"},
     {Multiplication::barrett, "barrett"},
     {Multiplication::montgomery, "montgomery"},
     {Multiplication::fp64, "fp64"},
     {Multiplication::goldilocks, "goldilocks"}}};
constexpr std::array<std::pair<TwiddleMemory, std::string_view>, 4> kMemories{
    {{TwiddleMemory::global, "global"},
     {TwiddleMemory::read_only, "read_only"},
     {TwiddleMemory::constant, "constant"},
     {TwiddleMemory::shared, "shared"}}};

template <class Enum>
std::string_view name_of(Enum value, Names<Enum> names) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  return "unknown";
}

template <class Enum>
Enum parse(std::string_view field, std::string_view text, Names<Enum> names) {
  std::string known;
  for (const auto& [value, name] : names) {
    if (name == text) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw ParameterError(std::string(field) + " = \"" + std::string(text) + "\" is unknown; known: " + known);
}

/// The numbers of a recipe and their names in JSON.
constexpr std::pair<std::string_view, unsigned CudaRecipe::*> kNumbers[] = {
    {"word_bits", &CudaRecipe::word_bits}, {"quotient_slack", &CudaRecipe::quotient_slack},
    {"split", &CudaRecipe::split},         {"points", &CudaRecipe::points},
    {"threads", &CudaRecipe::threads},     {"cluster", &CudaRecipe::cluster},
    {"columns", &CudaRecipe::columns}};

unsigned number(std::string_view name, const Json& json) {
  const std::uint64_t value = json.as_u64();
  if (value > 0xFFFFFFFFu) {
    throw FormatError("recipe: \"" + std::string(name) + "\" = " + std::to_string(value) +
                      " does not fit 32 bits");
  }
  return static_cast<unsigned>(value);
}

bool read_number(CudaRecipe& recipe, std::string_view name, const Json& value) {
  for (const auto& [known, member] : kNumbers) {
    if (known == name) return recipe.*member = number(name, value), true;
  }
  return false;
}

bool parse_product(std::string_view name) {
  if (name == "fused" || name == "composed") return name == "fused";
  throw ParameterError("product = \"" + std::string(name) + "\" is unknown; known: fused, composed");
}

void read_member(CudaRecipe& recipe, const std::string& name, const Json& value) {
  if (name == "algorithm") {
    recipe.algorithm = value.as_string();
  } else if (name == "arithmetic") {
    recipe.arithmetic = parse_arithmetic(value.as_string());
  } else if (name == "multiplication") {
    recipe.multiplication = parse_multiplication(value.as_string());
  } else if (name == "twiddles") {
    recipe.twiddles.source = parse_twiddle_source(value.as_string());
  } else if (name == "base") {
    recipe.twiddles.base = value.as_u64();
  } else if (name == "stages") {
    recipe.twiddles.stages = number(name, value);
  } else if (name == "twiddle_memory") {
    recipe.twiddle_memory = parse_twiddle_memory(value.as_string());
  } else if (name == "preload") {
    recipe.preload = value.as_bool();
  } else if (name == "product") {
    recipe.fused_product = parse_product(value.as_string());
  } else if (!read_number(recipe, name, value)) {
    std::string known = "algorithm, arithmetic, multiplication";
    for (const auto& [number_name, member] : kNumbers) known += ", " + std::string(number_name);
    throw FormatError("recipe: unknown member \"" + name + "\"; allowed: " + known +
                      ", twiddles, base, stages, twiddle_memory, preload, product");
  }
}

}  // namespace

std::string_view multiplication_name(Multiplication multiplication) {
  return name_of<Multiplication>(multiplication, kMultiplications);
}
Multiplication parse_multiplication(std::string_view name) {
  return parse<Multiplication>("multiplication", name, kMultiplications);
}
std::string_view twiddle_memory_name(TwiddleMemory memory) {
  return name_of<TwiddleMemory>(memory, kMemories);
}
TwiddleMemory parse_twiddle_memory(std::string_view name) {
  return parse<TwiddleMemory>("twiddle_memory", name, kMemories);
}

std::string CudaRecipe::to_json() const {
  Json json = Json::object();
  json.set("algorithm", algorithm);
  json.set("arithmetic", arithmetic_name(arithmetic));
  json.set("multiplication", multiplication_name(multiplication));
  for (const auto& [name, member] : kNumbers) json.set(name, this->*member);
  json.set("twiddles", twiddle_source_name(twiddles.source));
  if (twiddles.source == TwiddleSource::on_the_fly) {
    json.set("base", twiddles.base);
    json.set("stages", twiddles.stages);
  }
  json.set("twiddle_memory", twiddle_memory_name(twiddle_memory));
  json.set("preload", preload);
  if (fused_product) json.set("product", "fused");
  return json.dump();
}

CudaRecipe CudaRecipe::from_json(std::string_view text) {
  const Json json = Json::parse(text);
  if (json.kind() != Json::Kind::object) throw FormatError("recipe: expected a JSON object");
  CudaRecipe recipe;
  for (const auto& [name, value] : json.members()) {
    try {
      read_member(recipe, name, value);
    } catch (const ParameterError& error) {
      throw FormatError("recipe: " + std::string(error.what()));
    }
  }
  return recipe;
}

}  // namespace nttforge::cuda
