// Bases, conversions, BEHZ steps, scaling and mod-down against the oracle's rns.json.

#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/rns/base_conversion.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/mod_down.hpp"
#include "nttforge/rns/scale.hpp"
#include "nttforge/rns/testing.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

using Words = std::vector<std::uint64_t>;

Words values_of(const std::vector<ShoupConstant>& constants) {
  Words values;
  for (const ShoupConstant& c : constants) values.push_back(c.value);
  return values;
}

/// A table [rows][columns] of the oracle, flat.
Words flat(const Json& rows) {
  Words out;
  for (const Json& row : rows.elements())
    for (const std::uint64_t value : row.as_u64_vector()) out.push_back(value);
  return out;
}

void check_constants(const Behz::Constants& c, const Json& expected) {
  NTTF_CHECK(values_of(c.extend_scale) == expected.at("extend_scale").as_u64_vector());
  NTTF_CHECK(c.q_punctured_bsk == flat(expected.at("q_punctured_bsk")));
  NTTF_CHECK(Words(c.q_punctured_m_tilde.begin(), c.q_punctured_m_tilde.end()) ==
             expected.at("q_punctured_m_tilde").as_u64_vector());
  NTTF_CHECK_EQ(c.negative_inverse_q_m_tilde, expected.at("negative_inverse_q_m_tilde").as_u64());
  NTTF_CHECK(c.q_mod_bsk == expected.at("q_mod_bsk").as_u64_vector());
  NTTF_CHECK(values_of(c.inverse_m_tilde_bsk) == expected.at("inverse_m_tilde_bsk").as_u64_vector());
  NTTF_CHECK(values_of(c.floor_scale) == expected.at("floor_scale").as_u64_vector());
  NTTF_CHECK(values_of(c.t_inverse_q_bsk) == expected.at("t_inverse_q_bsk").as_u64_vector());
  NTTF_CHECK(values_of(c.inverse_q_bsk) == expected.at("inverse_q_bsk").as_u64_vector());
  NTTF_CHECK(values_of(c.b_inverse_punctured) == expected.at("b_inverse_punctured").as_u64_vector());
  NTTF_CHECK(c.b_punctured_q == flat(expected.at("b_punctured_q")));
  NTTF_CHECK(c.b_punctured_sk == expected.at("b_punctured_sk").as_u64_vector());
  NTTF_CHECK_EQ(c.inverse_b_sk.value, expected.at("inverse_b_sk").as_u64());
  NTTF_CHECK(c.b_mod_q == expected.at("b_mod_q").as_u64_vector());
}

}  // namespace

NTTF_TEST("oracle: residues, both ways back, fast base conversion") {
  const Json vectors = load_vectors("rns.json");
  for (const Json& c : vectors.at("bases").elements()) {
    const RnsBase base(c.at("moduli").as_u64_vector());
    NTTF_CHECK_EQ(base.product().to_decimal(), c.at("product").as_string());
    const Words targets = c.at("targets").as_u64_vector();
    const BaseConversion conversion(base, targets, BigUint(1));
    for (const Json& v : c.at("values").elements()) {
      const BigUint x = BigUint::from_decimal(v.at("x").as_string());
      const Words residues = v.at("residues").as_u64_vector();
      NTTF_CHECK(base.decompose(x) == residues);
      NTTF_CHECK(base.compose(residues) == x);
      NTTF_CHECK(base.compose_garner(residues) == x);
      Words converted(targets.size());
      conversion.apply(residues, converted);
      NTTF_CHECK(converted == v.at("converted").as_u64_vector());
    }
  }
}

NTTF_TEST("oracle: BEHZ base, constants and steps") {
  const Json vectors = load_vectors("rns.json");
  for (const Json& c : vectors.at("behz").elements()) {
    const Behz behz(RnsBase(c.at("q").as_u64_vector()), c.at("t").as_u64(), c.at("n").as_u64(), {},
                    c.at("terms").as_u64());
    const Words bsk(behz.bsk().values().begin(), behz.bsk().values().end());
    NTTF_CHECK(bsk == c.at("bsk").as_u64_vector());
    if (bsk != c.at("bsk").as_u64_vector()) continue;
    check_constants(behz.constants(), c.at("constants"));
    Words out_bsk(bsk.size()), out_q(behz.q().size());
    for (const Json& v : c.at("extend").elements()) {
      behz.extend(v.at("q").as_u64_vector(), out_bsk);
      NTTF_CHECK(out_bsk == v.at("bsk").as_u64_vector());
    }
    for (const Json& v : c.at("floor").elements()) {
      behz.floor(v.at("q").as_u64_vector(), v.at("bsk").as_u64_vector(), out_bsk);
      NTTF_CHECK(out_bsk == v.at("floor").as_u64_vector());
      behz.to_q(out_bsk, out_q);
      NTTF_CHECK(out_q == v.at("to_q").as_u64_vector());
    }
    for (const Json& v : c.at("to_q").elements()) {
      behz.to_q(v.at("bsk").as_u64_vector(), out_q);
      NTTF_CHECK(out_q == v.at("q").as_u64_vector());
    }
  }
}

NTTF_TEST("oracle: scaling between Q and t") {
  const Json vectors = load_vectors("rns.json");
  for (const Json& c : vectors.at("scale").elements()) {
    const DecryptScale scale(RnsBase(c.at("q").as_u64_vector()), c.at("t").as_u64());
    NTTF_CHECK_EQ(scale.gamma().value(), c.at("gamma").as_u64());
    Words out(scale.q().size());
    for (const Json& v : c.at("encrypt").elements()) {
      scale.encrypt(v.at("m").as_u64(), out);
      NTTF_CHECK(out == v.at("residues").as_u64_vector());
    }
    for (const Json& v : c.at("decrypt").elements())
      NTTF_CHECK_EQ(scale.decrypt(v.at("residues").as_u64_vector()), v.at("m").as_u64());
  }
}

NTTF_TEST("oracle: mod-down") {
  const Json vectors = load_vectors("rns.json");
  for (const Json& c : vectors.at("mod_down").elements()) {
    const ModDown mod_down(RnsBase(c.at("moduli").as_u64_vector()));
    Words out(c.at("moduli").size() - 1);
    for (const Json& v : c.at("values").elements()) {
      mod_down.apply(v.at("in").as_u64_vector(), out);
      NTTF_CHECK(out == v.at("out").as_u64_vector());
    }
  }
}
