// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/rns/base_conversion.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/mod_down.hpp"
#include "nttforge/rns/scale.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using Words = std::vector<std::uint64_t>;

const Json& vectors() {
  static const Json document = testing::load_vectors("rns.json");
  return document;
}

Words words(const Json& object, const char* name) { return object.at(name).as_u64_vector(); }

// A list of rows, joined.
Words joined(const Json& object, const char* name) {
  Words all;
  for (const Json& row : object.at(name).elements()) {
    const Words one = row.as_u64_vector();
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

Words values_of(std::span<const ShoupConstant> constants) {
  Words result;
  for (const ShoupConstant& c : constants) result.push_back(c.value);
  return result;
}

void check_shoup(std::span<const ShoupConstant> constants, std::span<const std::uint64_t> moduli) {
  for (std::size_t i = 0; i < constants.size(); ++i)
    NTTF_CHECK_EQ(constants[i].quotient, shoup_quotient(constants[i].value, moduli[i]));
}

NTTF_TEST("vectors: bases, CRT, Garner and fast base conversion") {
  NTTF_CHECK(!vectors().at("bases").elements().empty());
  for (const Json& entry : vectors().at("bases").elements()) {
    const RnsBase base(words(entry, "moduli"));
    NTTF_CHECK_EQ(base.product().to_decimal(), entry.at("product").as_string());
    const BaseConversion conversion(base, words(entry, "targets"));
    for (const Json& value : entry.at("values").elements()) {
      const BigUint x = BigUint::from_decimal(value.at("x").as_string());
      const Words residues = words(value, "residues");
      NTTF_CHECK(base.decompose(x) == residues);
      NTTF_CHECK(base.compose(residues) == x);
      NTTF_CHECK(base.compose_garner(residues) == x);
      Words out(conversion.to_size());
      conversion.apply(residues, out);
      NTTF_CHECK(out == words(value, "converted"));
    }
  }
}

void check_constants(const Behz::Constants& c, const Json& expected, const Behz& behz) {
  NTTF_CHECK(values_of(c.extend_scale) == words(expected, "extend_scale"));
  NTTF_CHECK(c.q_punctured_bsk == joined(expected, "q_punctured_bsk"));
  NTTF_CHECK(Words(c.q_punctured_m_tilde.begin(), c.q_punctured_m_tilde.end()) ==
             words(expected, "q_punctured_m_tilde"));
  NTTF_CHECK_EQ(std::uint64_t{c.negative_inverse_q_m_tilde},
                expected.at("negative_inverse_q_m_tilde").as_u64());
  NTTF_CHECK(c.q_mod_bsk == words(expected, "q_mod_bsk"));
  NTTF_CHECK(values_of(c.inverse_m_tilde_bsk) == words(expected, "inverse_m_tilde_bsk"));
  NTTF_CHECK(values_of(c.floor_scale) == words(expected, "floor_scale"));
  NTTF_CHECK(values_of(c.t_inverse_q_bsk) == words(expected, "t_inverse_q_bsk"));
  NTTF_CHECK(values_of(c.inverse_q_bsk) == words(expected, "inverse_q_bsk"));
  NTTF_CHECK(values_of(c.b_inverse_punctured) == words(expected, "b_inverse_punctured"));
  NTTF_CHECK(c.b_punctured_q == joined(expected, "b_punctured_q"));
  NTTF_CHECK(c.b_punctured_sk == words(expected, "b_punctured_sk"));
  NTTF_CHECK_EQ(c.inverse_b_sk.value, expected.at("inverse_b_sk").as_u64());
  NTTF_CHECK(c.b_mod_q == words(expected, "b_mod_q"));
  check_shoup(c.extend_scale, behz.q().values());
  check_shoup(c.floor_scale, behz.q().values());
  check_shoup(c.inverse_m_tilde_bsk, behz.bsk().values());
  check_shoup(c.t_inverse_q_bsk, behz.bsk().values());
  check_shoup(c.inverse_q_bsk, behz.bsk().values());
  check_shoup(c.b_inverse_punctured, behz.bsk().values());
}

NTTF_TEST("vectors: BEHZ base, constants, extend, floor and Shenoy-Kumaresan") {
  NTTF_CHECK(!vectors().at("behz").elements().empty());
  for (const Json& entry : vectors().at("behz").elements()) {
    const RnsBase q(words(entry, "q"));
    const Behz behz(q, entry.at("t").as_u64(), entry.at("n").as_u64(), {}, entry.at("terms").as_u64());
    NTTF_CHECK(Words(behz.bsk().values().begin(), behz.bsk().values().end()) == words(entry, "bsk"));
    check_constants(behz.constants(), entry.at("constants"), behz);
    for (const Json& value : entry.at("extend").elements()) {
      Words out(behz.bsk().size());
      behz.extend(words(value, "q"), out);
      NTTF_CHECK(out == words(value, "bsk"));
    }
    for (const Json& value : entry.at("floor").elements()) {
      Words floored(behz.bsk().size()), out(q.size());
      behz.floor(words(value, "q"), words(value, "bsk"), floored);
      NTTF_CHECK(floored == words(value, "floor"));
      behz.to_q(floored, out);
      NTTF_CHECK(out == words(value, "to_q"));
    }
    for (const Json& value : entry.at("to_q").elements()) {
      Words out(q.size());
      behz.to_q(words(value, "bsk"), out);
      NTTF_CHECK(out == words(value, "q"));
    }
  }
}

NTTF_TEST("vectors: scaling between plaintexts and Q") {
  NTTF_CHECK(!vectors().at("scale").elements().empty());
  for (const Json& entry : vectors().at("scale").elements()) {
    const DecryptScale scale(RnsBase(words(entry, "q")), entry.at("t").as_u64());
    NTTF_CHECK_EQ(scale.gamma().value(), entry.at("gamma").as_u64());
    for (const Json& value : entry.at("encrypt").elements()) {
      Words out(scale.q().size());
      scale.encrypt(value.at("m").as_u64(), out);
      NTTF_CHECK(out == words(value, "residues"));
    }
    for (const Json& value : entry.at("decrypt").elements()) {
      NTTF_CHECK_EQ(scale.decrypt(words(value, "residues")), value.at("m").as_u64());
      NTTF_CHECK_EQ(scale.exhausted(words(value, "residues")), value.at("exhausted").as_bool());
    }
  }
}

NTTF_TEST("vectors: division by the last prime") {
  NTTF_CHECK(!vectors().at("mod_down").elements().empty());
  for (const Json& entry : vectors().at("mod_down").elements()) {
    const ModDown down(RnsBase(words(entry, "moduli")));
    for (const Json& value : entry.at("values").elements()) {
      Words out(down.base().size() - 1);
      down.apply(words(value, "in"), out);
      NTTF_CHECK(out == words(value, "out"));
    }
  }
}

}  // namespace
}  // namespace nttforge
