// SPDX-License-Identifier: Apache-2.0
// The oracle's predictions, levels and chains; circuits_test.cpp compares predictions with what is measured.

#include "nttforge/bgv/noise_model.hpp"

#include <cmath>
#include <string>

#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/bgv/parameters.hpp"
#include "nttforge/bgv/presets.hpp"
#include "nttforge/rns/big_uint.hpp"

namespace nttforge::bgv {
namespace {

constexpr double kUnit = 1e9;  // bounds in the file are in billionths of a bit

const Json& vectors() {
  static const Json document = testing::load_vectors("bgv_noise.json");
  return document;
}

double bits(const Json& value) { return static_cast<double>(value.as_i64()) / kUnit; }

Noise noise(const Json& pair) { return {bits(pair.elements()[0]), bits(pair.elements()[1])}; }

bool close(const Noise& a, const Json& expected) {
  const Noise b = noise(expected);
  return std::abs(a.coefficient - b.coefficient) < 1e-6 && std::abs(a.canonical - b.canonical) < 1e-6;
}

Parameters parameters_of(const Json& entry) {
  Parameters parameters;
  parameters.n = entry.at("n").as_u64();
  parameters.t = entry.at("t").as_u64();
  parameters.q = entry.at("q").as_u64_vector();
  if (const Json* p = entry.find("p")) parameters.special = rlwe::SpecialPrimes(p->as_u64()).primes;
  if (const Json* special = entry.find("special_primes")) parameters.special = special->as_u64_vector();
  if (const Json* digit = entry.find("digit_primes")) parameters.digit_primes = digit->as_u64();
  if (const Json* secret = entry.find("secret_distribution"))
    parameters.secret = parse_secret_distribution(
        secret->as_string(), static_cast<std::uint32_t>(entry.at("secret_weight").as_u64()));
  if (const Json* error = entry.find("error"); error != nullptr && error->as_string() == "sigma_8_bound_48")
    parameters.error = ErrorDistribution::sigma_8_bound_48;
  return parameters;
}

/// The bound that a row's operation gives.
Noise predicted(const NoiseModel& model, const std::string& name, const std::vector<Json>& row) {
  const auto size = [&](std::size_t i) { return static_cast<std::size_t>(row[i].as_u64()); };
  const auto number = [&](std::size_t i) { return static_cast<double>(row[i].as_i64()); };
  if (name == "fresh_public") return model.fresh_public();
  if (name == "fresh_secret") return model.fresh_secret();
  if (name == "rounding") return model.rounding();
  const Noise a = noise(row[1]);
  if (name == "scale") return model.scale(a, number(2));
  if (name == "add") return model.add(a, noise(row[2]));
  if (name == "add balanced")
    return model.add(model.scale(a, number(3)), model.scale(noise(row[2]), number(4)));
  if (name == "add_plain") return model.add_plain(a);
  if (name == "multiply_plain") return model.multiply_polynomial(a, number(2));
  if (name == "multiply") return model.multiply(a, noise(row[2]), size(3));
  if (name == "switch_modulus") return model.switch_modulus(a, size(2), size(3));
  if (name == "key_switch") return model.key_switch(a, size(2));
  throw FormatError("operation " + name + " is unknown to this test");
}

NTTF_TEST("noise of BGV: the oracle's predictions and levels of products") {
  std::size_t rows = 0;
  for (const Json& entry : vectors().at("cases").elements()) {
    const NoiseModel model(parameters_of(entry));
    for (const Json& json : entry.at("rows").elements()) {
      const auto& row = json.elements();
      const std::string name = row[0].as_string();
      ++rows;
      if (name != "product_level") {
        if (!close(predicted(model, name, row), row.back()))
          nttforge::testing::fail(__FILE__, __LINE__, name + " differs from the oracle");
        continue;
      }
      const auto at = model.product_level(noise(row[1]), row[2].as_u64(), noise(row[3]), row[4].as_u64());
      NTTF_CHECK_EQ(at.level, row[5].as_u64());
      NTTF_CHECK(close(at.a, row[6]) && close(at.b, row[7]));
    }
  }
  NTTF_CHECK(rows > 50);
}

NTTF_TEST("noise of BGV: unknown bounds stay unknown, and no level is chosen from them") {
  const Json& entry = vectors().at("cases").elements()[1];
  const NoiseModel model(parameters_of(entry));
  const Noise known = model.fresh_public(), unknown = Noise::unknown();
  for (const Noise& bound : {model.add(known, unknown), model.add_plain(unknown), model.scale(unknown, 3),
                             model.multiply(unknown, known), model.switch_modulus(unknown, 2),
                             model.key_switch(unknown, 2), rounded(unknown)})
    NTTF_CHECK(!bound.known() && std::isinf(bound.canonical) && !std::isnan(bound.coefficient));
  NTTF_CHECK_EQ(model.product_level(unknown, 3, model.scale(known, 1e9), 4).level, 3u);
}

NTTF_TEST("chains of BGV: the oracle's primes, for every n and t of its table") {
  NTTF_CHECK(!vectors().at("presets").elements().empty());
  for (const Json& entry : vectors().at("presets").elements()) {
    const Parameters expected = parameters_of(entry);
    const auto chain = best_chain(expected.n, expected.t, static_cast<unsigned>(entry.at("bits").as_u64()));
    NTTF_CHECK(chain.has_value() && chain->q == expected.q && chain->special == expected.special);
    const auto promise = NoiseModel(expected).promise();
    NTTF_CHECK_EQ(promise.depth, entry.at("depth").as_u64());
    NTTF_CHECK(std::abs(promise.left - bits(entry.at("left"))) < 1e-6);
  }
  NTTF_CHECK(!vectors().at("equal_presets").elements().empty());
  for (const Json& entry : vectors().at("equal_presets").elements()) {
    const std::size_t n = entry.at("n").as_u64();
    const std::uint64_t t = entry.at("t").as_u64();
    const auto chain =
        equal_chain(n, t, static_cast<unsigned>(entry.at("bits").as_u64()),
                    static_cast<unsigned>(entry.at("max_bits").as_u64()), entry.at("asked").as_u64());
    NTTF_CHECK(chain.has_value() && chain->special.size() == entry.at("special").as_u64());
    std::vector<std::uint64_t> primes = chain->q;
    primes.insert(primes.end(), chain->special.begin(), chain->special.end());
    std::uint64_t digest = 0xcbf29ce484222325u;
    for (const std::uint64_t prime : primes) digest = (digest ^ prime) * 0x100000001b3u;
    NTTF_CHECK_EQ(digest, entry.at("primes_fnv1a").as_u64());
    Parameters set;
    set.t = t;
    set.assign(n, chain->q, chain->special, set.security, set.secret, set.error, set.security_table, 64, 0);
    const auto promise = NoiseModel(set).promise();
    NTTF_CHECK_EQ(promise.depth, entry.at("depth").as_u64());
    NTTF_CHECK(std::abs(promise.left - bits(entry.at("left"))) < 1e-6);
  }
  NTTF_CHECK(!equal_chain(1024, 65537, 26, 30, 0).has_value());
  NTTF_CHECK(!best_chain(1024, 65537, 26).has_value());
  NTTF_CHECK(!best_chain(4096, (std::uint64_t{1} << 60) - 93, 80).has_value());
}

}  // namespace
}  // namespace nttforge::bgv
