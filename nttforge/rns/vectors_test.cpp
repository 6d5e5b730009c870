// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/rns/base_conversion.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/digits.hpp"
#include "nttforge/rns/hps.hpp"
#include "nttforge/rns/mod_down.hpp"
#include "nttforge/rns/plain.hpp"
#include "nttforge/rns/scale.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::value_of;
using Words = std::vector<std::uint64_t>;

const Json& vectors() {
  static const Json document = testing::load_vectors("rns.json");
  return document;
}

Words words(const Json& object, const char* name) { return object.at(name).as_u64_vector(); }

/// The step that stands in a file.
RnsStep step_of(const Json& object) {
  const auto list = [&](const char* name) {
    return object.find(name) == nullptr ? Words() : words(object, name);
  };
  RnsStep step{.sources = words(object, "sources"), .targets = words(object, "targets")};
  step.scale = list("scale");
  step.own = list("own");
  if (const Json* rows = object.find("factors"))
    for (const Json& row : rows->elements()) {
      const Words one = row.as_u64_vector();
      step.factors.insert(step.factors.end(), one.begin(), one.end());
    }
  step.offset = list("offset");
  if (const Json* modulus = object.find("modulus")) step.modulus = modulus->as_u64();
  step.weights = list("weights");
  if (const Json* limit = object.find("limit")) step.limit = limit->as_u64();
  if (const Json* bits = object.find("fraction_bits"))
    step.fraction_bits = static_cast<unsigned>(bits->as_u64());
  if (const Json* nearest = object.find("nearest")) step.nearest = nearest->as_bool();
  step.fractions = list("fractions");
  step.excess = list("excess");
  return step;
}

void check_step(const RnsStep& built, const Json& expected, const char* what) {
  built.validate();
  if (!(built == step_of(expected)))
    testing::fail(__FILE__, __LINE__, std::string("built otherwise: ") + what);
}

NTTF_TEST("vectors: bases, CRT, Garner and fast base conversion") {
  NTTF_CHECK(!vectors().at("bases").elements().empty());
  for (const Json& entry : vectors().at("bases").elements()) {
    const RnsBase base(words(entry, "moduli"));
    NTTF_CHECK_EQ(base.product().to_decimal(), entry.at("product").as_string());
    const RnsStep conversion = fast_base_conversion(base, words(entry, "targets"));
    check_step(conversion, entry.at("step"), "conversion");
    for (const Json& value : entry.at("values").elements()) {
      const BigUint x = BigUint::from_decimal(value.at("x").as_string());
      const Words residues = words(value, "residues");
      NTTF_CHECK(base.decompose(x) == residues);
      NTTF_CHECK(base.compose(residues) == x);
      NTTF_CHECK(base.compose_garner(residues) == x);
      NTTF_CHECK(value_of(conversion, residues) == words(value, "converted"));
    }
  }
}

NTTF_TEST("vectors: BEHZ base, extend, floor and Shenoy-Kumaresan") {
  NTTF_CHECK(!vectors().at("behz").elements().empty());
  for (const Json& entry : vectors().at("behz").elements()) {
    const RnsBase q(words(entry, "q"));
    const Behz behz(q, entry.at("t").as_u64(), entry.at("n").as_u64(), {}, entry.at("terms").as_u64());
    NTTF_CHECK(Words(behz.bsk().values().begin(), behz.bsk().values().end()) == words(entry, "bsk"));
    const RnsStep extend = behz.extend(), floor = behz.floor(), to_q = behz.to_q();
    check_step(extend, entry.at("steps").at("extend"), "extend");
    check_step(floor, entry.at("steps").at("floor"), "floor");
    check_step(to_q, entry.at("steps").at("to_q"), "to_q");
    for (const Json& value : entry.at("extend").elements())
      NTTF_CHECK(value_of(extend, words(value, "q")) == words(value, "bsk"));
    for (const Json& value : entry.at("floor").elements()) {
      const Words floored = value_of(floor, words(value, "q"), words(value, "bsk"));
      NTTF_CHECK(floored == words(value, "floor"));
      NTTF_CHECK(value_of(to_q, floored) == words(value, "to_q"));
    }
    for (const Json& value : entry.at("to_q").elements())
      NTTF_CHECK(value_of(to_q, words(value, "bsk")) == words(value, "q"));
  }
}

NTTF_TEST("vectors: scaling between plaintexts and Q") {
  NTTF_CHECK(!vectors().at("scale").elements().empty());
  for (const Json& entry : vectors().at("scale").elements()) {
    const DecryptScale scale(RnsBase(words(entry, "q")), entry.at("t").as_u64());
    NTTF_CHECK_EQ(scale.gamma().value(), entry.at("gamma").as_u64());
    const RnsStep encrypt = scale.encrypt(), decrypt = scale.decrypt();
    check_step(encrypt, entry.at("steps").at("encrypt"), "encrypt");
    check_step(decrypt, entry.at("steps").at("decrypt"), "decrypt");
    for (const Json& value : entry.at("encrypt").elements())
      NTTF_CHECK(value_of(encrypt, Words{value.at("m").as_u64()}) == words(value, "residues"));
    for (const Json& value : entry.at("decrypt").elements()) {
      Words out(1);
      NTTF_CHECK_EQ(StepValue(decrypt).apply(words(value, "residues"), {}, out),
                    value.at("exhausted").as_bool());
      NTTF_CHECK_EQ(out[0], value.at("m").as_u64());
    }
  }
}

NTTF_TEST("vectors: division by the last prime") {
  NTTF_CHECK(!vectors().at("mod_down").elements().empty());
  for (const Json& entry : vectors().at("mod_down").elements()) {
    const RnsStep down = mod_down(RnsBase(words(entry, "moduli")));
    check_step(down, entry.at("step"), "mod_down");
    for (const Json& value : entry.at("values").elements()) {
      const Words in = words(value, "in");
      NTTF_CHECK(value_of(down, std::span(in).last(1), std::span(in).first(in.size() - 1)) ==
                 words(value, "out"));
    }
  }
}

NTTF_TEST("vectors: the bases of HPS products") {
  const Json document = testing::load_vectors("hps.json");
  for (const Json& entry : document.at("cases").elements()) {
    const Words q = words(entry, "moduli");
    Words avoid = {entry.at("special_prime").as_u64()};
    const std::size_t n = entry.at("n").as_u64();
    const unsigned bits = entry.at("word_bits").as_u64() == 32 ? 30 : 50;
    const auto same = [](const RnsBase& base, const Words& expected) {
      return std::equal(base.values().begin(), base.values().end(), expected.begin(), expected.end());
    };
    const RnsBase plain = hps_base(RnsBase(q), entry.at("t").as_u64(), n, avoid, 16, bits);
    NTTF_CHECK(same(plain, words(entry.at("bases"), "hps")));
    NTTF_CHECK(same(hps_over_q_base(RnsBase(q), n, avoid, bits), words(entry.at("bases"), "hps_over_q")));
    avoid.insert(avoid.end(), q.begin(), q.end());
    for (const Json& levelled : entry.at("hps_levelled").elements()) {
      const RnsBase kept({q.begin(), q.begin() + static_cast<std::ptrdiff_t>(levelled.at("level").as_u64())});
      NTTF_CHECK(same(hps_over_q_base(kept, n, avoid, bits), words(levelled, "base")));
    }
  }
}

/// The builder that an entry of `steps` names.
RnsStep built(const Json& entry) {
  const std::string& operation = entry.at("operation").as_string();
  const RnsBase q(words(entry, "q"));
  const Words targets = entry.find("targets") == nullptr ? Words() : words(entry, "targets");
  if (operation == "mod_down_fast") return mod_down_fast(RnsBase(targets), q);
  if (operation == "mod_down_nearest") return mod_down_nearest(RnsBase(targets), q);
  if (operation == "digit")
    return digit_steps(q.values(), targets, equal_digits(q.size(), entry.at("primes").as_u64()))[0];
  if (operation == "switch_modulus_fast")
    return switch_modulus_fast(RnsBase(targets), q, entry.at("t").as_u64());
  if (operation == "switch_modulus") return switch_modulus(q, entry.at("t").as_u64());
  if (operation == "hps_extend") return hps_extend(q, targets);
  if (operation == "hps_extend_floor") return hps_extend(q, targets, false);
  if (operation == "hps_scale")
    return hps_scale(q, targets, BigUint(entry.at("t").as_u64()),
                     BigUint(entry.find("multiple") == nullptr ? 1 : entry.at("multiple").as_u64()));
  if (operation == "hps_decrypt") return hps_decrypt(q, entry.at("t").as_u64());
  const std::uint64_t t = entry.at("t").as_u64(), factor = entry.at("factor").as_u64();
  if (operation == "lift_centred") return lift_centred(q, t, factor);
  if (operation == "reduce_centred") return reduce_centred(q, t, redundant_modulus(q, t), factor);
  throw FormatError("operation = " + operation + " is unknown to this test");
}

NTTF_TEST("vectors: steps by several primes, of BGV and of HPS; chains") {
  NTTF_CHECK(!vectors().at("steps").elements().empty());
  for (const Json& entry : vectors().at("steps").elements()) {
    const RnsStep step = built(entry);
    check_step(step, entry.at("step"), entry.at("operation").as_string().c_str());
    for (const Json& value : entry.at("values").elements())
      NTTF_CHECK(value_of(step, words(value, "x"), words(value, "own")) == words(value, "out"));
  }
  NTTF_CHECK(!vectors().at("chains").elements().empty());
  for (const Json& entry : vectors().at("chains").elements()) {
    std::vector<RnsStep> chain, expected;
    for (const Json& step : entry.at("steps").elements()) chain.push_back(step_of(step));
    for (const Json& step : entry.at("folded").elements()) expected.push_back(step_of(step));
    NTTF_CHECK(folded(chain) == expected);
  }
}

}  // namespace
}  // namespace nttforge
