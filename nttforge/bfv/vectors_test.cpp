// SPDX-License-Identifier: Apache-2.0
// The textbook scheme of the oracle on small rings (tests/vectors/bfv_small.json): decryption, noise, every
// operation.

#include <cmath>
#include <map>

#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/rlwe/levels/rounding.hpp"
#include "nttforge/rns/base.hpp"

namespace nttforge::bfv::testing {
namespace {

/// [a][b][n] flattened.
std::vector<std::uint64_t> flatten(const Json& value) {
  if (value.size() > 0 && value[0].kind() == Json::Kind::array) {
    std::vector<std::uint64_t> out;
    for (const Json& element : value.elements()) {
      const auto inner = flatten(element);
      out.insert(out.end(), inner.begin(), inner.end());
    }
    return out;
  }
  return value.as_u64_vector();
}

struct Entry {
  Ciphertext cipher;
  std::vector<std::uint64_t> plain;
};

/// Every residue of a - b modulo q_i is in [-limit, limit].
bool close(const Ciphertext& a, const Ciphertext& b, std::uint64_t limit) {
  const auto x = a.residues(), y = b.residues();
  const auto& q = a.context()->parameters().q;
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Modulus m(q[i / a.context()->n() % q.size()]);
    if (std::min(m.sub(x[i], y[i]), m.sub(y[i], x[i])) > limit) return false;
  }
  return true;
}

void check_case(const Json& c) {
  const auto parameters =
      Parameters::custom(c.at("n").as_u64(), c.at("t").as_u64(), c.at("moduli").as_u64_vector(),
                         c.at("special_prime").as_u64(), SecurityLevel::insecure_by_request);
  const auto context = Context::create(parameters, make_cpu_device(1));
  const Decryptor decryptor(SecretKey(context, c.at("secret").as_i64_vector()));
  const Evaluator evaluator(context);
  std::map<std::string, Entry> entries;
  const double log_q = RnsBase(parameters.q).product().log2();
  for (const Json& e : c.at("ciphertexts").elements()) {
    const Ciphertext cipher(context, e.at("parts").size(), flatten(e.at("parts")), Encoding::coefficients);
    const auto plain = e.at("plain").as_u64_vector();
    NTTF_CHECK(decryptor.decrypt(cipher).coefficients() == plain);
    const double budget = log_q - 1 - BigUint::from_decimal(e.at("noise").as_string()).log2();
    NTTF_CHECK(std::abs(decryptor.noise_budget_bits(cipher) - std::max(0.0, budget)) < 1e-6);
    entries[e.at("name").as_string()] = {cipher, plain};
  }
  const Ciphertext &x = entries.at("x").cipher, &y = entries.at("y").cipher;
  NTTF_CHECK(evaluator.add(x, y) == entries.at("x + y").cipher);
  NTTF_CHECK(evaluator.multiply_plain(x, Plaintext(context, entries.at("y").plain)) ==
             entries.at("x times plain y").cipher);
  const Ciphertext &product = entries.at("x y, three parts").cipher,
                   &two = entries.at("x y, relinearized").cipher;
  NTTF_CHECK(close(evaluator.multiply(x, y), product, parameters.limbs()));
  NTTF_CHECK(
      close(evaluator.multiply(two, x), entries.at("(x y) x, three parts").cipher, parameters.limbs()));

  const auto ciphertext = [&](const Json& e) {
    return Ciphertext(context, e.at("parts").size(), context->limbs() - 1, flatten(e.at("parts")),
                      Encoding::coefficients);
  };
  const Json& below = c.at("level_below");
  const Ciphertext lower = evaluator.mod_switch(x);
  NTTF_CHECK(lower == ciphertext(below.at("x")));
  NTTF_CHECK(evaluator.mod_switch(product) == ciphertext(below.at("x y")));
  NTTF_CHECK(close(evaluator.square(lower), ciphertext(below.at("x x")), lower.level()));
  NTTF_CHECK(decryptor.decrypt(lower).coefficients() == below.at("x").at("plain").as_u64_vector());
  Ciphertext rounded = lower;
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& stored = below.at("rounded");
    const PartRounding rounding(*context, lower.level(),
                                static_cast<unsigned>(stored.at("bits")[i].as_u64()));
    DeviceArray h = context->queue().allocate(context->n());
    rounding.down(lower.rows(i), h.data(), 1);
    std::vector<std::uint64_t> found(context->n());
    context->queue().download(h.data(), found);
    NTTF_CHECK(found == stored.at("stored")[i].as_u64_vector());
    rounding.up(h.data(), rounded.part(i), 1);
  }
  NTTF_CHECK(rounded.residues() == flatten(below.at("rounded").at("parts")));

  // The key is stored in coefficient form: [k][2][K][n].
  const auto key = flatten(c.at("relinearization_key"));
  const Queue& queue = context->queue();
  DeviceArray words = queue.allocate(key.size());
  queue.upload(key, words.data());
  queue.forward(context->ring_key(), words.data(), 2 * parameters.limbs());
  const RelinearizationKey relinearization(KeySwitchKey(context, words, Seed{}, 0));
  NTTF_CHECK(evaluator.relinearize(product, relinearization) == two);
}

NTTF_TEST("oracle: textbook scheme on small rings") {
  const Json vectors = nttforge::testing::load_vectors("bfv_small.json");
  NTTF_CHECK(vectors.at("cases").size() >= 3);
  for (const Json& c : vectors.at("cases").elements()) check_case(c);
}

}  // namespace
}  // namespace nttforge::bfv::testing
