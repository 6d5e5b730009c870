// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/explorer/wisdom_key.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/kernels/dgt/dgt.hpp"

namespace nttforge {
namespace {

constexpr std::size_t kMostText = 256;
constexpr std::uint64_t kMostLimbs = 1u << 16;

std::string cpu_name() {
  const CpuDescription cpu = describe_cpu();
  return cpu.brand + " (" + cpu.signature + ")";
}

void set_fields(Json& key, const NttSpec& spec) {
  key.set("n", spec.n);
  key.set("transform", transform_name(spec.transform));
  key.set("ring", ring_name(spec.ring));
  key.set("input_order", order_name(spec.input_order));
  key.set("output_order", order_name(spec.output_order));
  key.set("word_bits", spec.word_bits);
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

template <class Word>
std::string limit_class(std::span<const TransformKernel<Word>> kernels, std::uint64_t q) {
  std::uint64_t least = 0;
  for (const TransformKernel<Word>& kernel : kernels) {
    if (kernel.q_limit > q && (least == 0 || kernel.q_limit < least)) least = kernel.q_limit;
  }
  return "2^" + std::to_string(least == 0 ? 64 : std::bit_width(least) - 1);
}

template <class Word>
std::string class_of(std::uint64_t q, Transform transform) {
  return limit_class(transform == Transform::dgt ? dgt_kernels<Word>() : transform_kernels<Word>(), q);
}

}  // namespace

std::string modulus_class(std::uint64_t q, unsigned word_bits, Transform transform) {
  if (q == kGoldilocks) return "goldilocks";
  return word_bits == 64 ? class_of<std::uint64_t>(q, transform) : class_of<std::uint32_t>(q, transform);
}

std::vector<std::pair<std::string, std::uint64_t>> class_runs(const NttSpec& spec) {
  std::vector<std::pair<std::string, std::uint64_t>> runs;
  for (const std::uint64_t q : spec.moduli) {
    const std::string name = modulus_class(q, spec.word_bits, spec.transform);
    if (runs.empty() || runs.back().first != name) runs.emplace_back(name, 0);
    runs.back().second += 1;
  }
  return runs;
}

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
  set_fields(key, spec);
  key.set("limbs", limbs);
  key.set("batch", use.batch);
  key.set("threads", use.threads);
  return key;
}

Json gpu_key_of(const NttSpec& spec, std::string_view gpu, std::size_t batch) {
  if (gpu.empty() || gpu.size() > kMostText) {
    throw ParameterError("the name of the GPU has " + std::to_string(gpu.size()) +
                         " bytes: allowed are 1 ... " + std::to_string(kMostText));
  }
  Json key = Json::object();
  key.set("gpu", gpu);
  key.set("nttforge", NTTFORGE_VERSION);
  set_fields(key, spec);
  key.set("q_bits", std::bit_width(*std::max_element(spec.moduli.begin(), spec.moduli.end())));
  key.set("limbs", spec.moduli.size());
  key.set("batch", batch);
  return key;
}

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

}  // namespace nttforge
