// SPDX-License-Identifier: Apache-2.0
#include "nttforge/random/secret_distribution.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/random/samplers.hpp"

namespace nttforge {
namespace {

using Kind = SecretDistribution::Kind;
constexpr Kind kKinds[] = {Kind::ternary, Kind::binary, Kind::sparse};

[[noreturn]] void throw_unknown(Kind kind) {
  throw ParameterError("secret distribution " + std::to_string(static_cast<unsigned>(kind)) +
                       " is unknown: 0 is ternary, 1 binary, 2 sparse");
}

}  // namespace

SecretDistribution::Facts SecretDistribution::facts(std::size_t n) const {
  switch (kind) {
    case Kind::ternary:
      return {"ternary", -1, false, true, 0, 2.0 / 3, 2.0 / 3, Kind::ternary};
    case Kind::binary:
      return {"binary", 0, false, false, 0.5, 0.5, 0.25, Kind::binary};
    case Kind::sparse:
      return {"sparse", -1, true, false, 0, weight / static_cast<double>(n), 1, Kind::ternary};
  }
  throw_unknown(kind);
}

std::string SecretDistribution::describe() const {
  const std::string secret = std::string(facts(1).name) + " secret";
  return weight == 0 ? secret : secret + " of weight " + std::to_string(weight);
}

SecretDistribution parse_secret_distribution(std::string_view name, std::uint32_t weight) {
  std::string names;
  for (const Kind kind : kKinds) {
    const SecretDistribution distribution{kind, weight};
    if (name == distribution.facts(1).name) return distribution;
    names += (names.empty() ? "" : ", ") + std::string(distribution.facts(1).name);
  }
  throw ParameterError("secret = \"" + std::string(name) + "\" is unknown: use one of " + names);
}

void check_secret_distribution(const SecretDistribution& distribution, std::size_t n) {
  const SecretDistribution::Facts facts = distribution.facts(n);
  const std::string weight = "secret weight = " + std::to_string(distribution.weight);
  if (!facts.fixed_weight && distribution.weight != 0)
    throw ParameterError(weight + ": the coefficients of a " + std::string(facts.name) +
                         " secret are independent, so it must be 0; only sparse secrets have a weight");
  if (facts.fixed_weight && (distribution.weight < 1 || distribution.weight > n))
    throw ParameterError(weight + " is out of range [1, n = " + std::to_string(n) +
                         "]: it is how many coefficients of a " + std::string(facts.name) +
                         " secret are not 0; 192 is usual");
}

void sample_secret(const StreamName& name, const SecretDistribution& distribution,
                   std::span<std::int64_t> out, Target target) {
  check_secret_distribution(distribution, out.size());
  switch (distribution.kind) {
    case Kind::ternary:
      return sample_ternary(name, out, target);
    case Kind::binary:
      return sample_binary(name, out, target);
    case Kind::sparse:
      return sample_sparse(name, distribution.weight, out, target);
  }
}

}  // namespace nttforge
