// SPDX-License-Identifier: Apache-2.0
// The forms of products against the oracle's words, the textbook product and each other.

#include <cmath>

#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/bfv/testing_textbook.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"

namespace nttforge::bfv::testing {
namespace {

Values flatten(const Json& value) {
  if (value.size() == 0 || value[0].kind() != Json::Kind::array) return value.as_u64_vector();
  Values out;
  for (const Json& element : value.elements()) {
    const Values inner = flatten(element);
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}

/// Every device that can run here, and the reference.
std::vector<std::shared_ptr<const Device>> devices() {
  std::vector<std::shared_ptr<const Device>> result{nttforge::testing::make_reference_device()};
  for (const Target target : kAllTargets)
    if (target_available(target)) result.push_back(make_cpu_device(2, target));
  for (const auto& device : nttforge::testing::gpu_devices()) result.push_back(device);
  return result;
}

void check_vectors(const Json& entry, const std::shared_ptr<const Device>& device) {
  const auto parameters = Parameters::custom(
      entry.at("n").as_u64(), entry.at("t").as_u64(), entry.at("moduli").as_u64_vector(),
      entry.at("special_prime").as_u64(), SecurityLevel::insecure_by_request, SecretDistribution::ternary,
      ErrorDistribution::sigma_3_2, kStrictestTable, static_cast<unsigned>(entry.at("word_bits").as_u64()));
  const auto product = [&](ProductForm form, std::size_t kept) {
    const auto context = Context::create(parameters, device, form);
    const auto cipher = [&](const char* name) {
      return Ciphertext(context, 2, flatten(entry.at(name)), context->top(Encoding::coefficients));
    };
    const Ciphertext x = cipher("x"), y = cipher("y");
    if (kept == parameters.limbs()) return Evaluator(context).multiply(x, y).residues();
    Ciphertext out(context, 3, context->top(Encoding::coefficients));
    const BatchRows left = x.rows(0), right = y.rows(0);
    context->queue().sum_of_products(context->products().tables(parameters.limbs(), kept), {&left, 1},
                                     {&right, 1}, out.data(), 1);
    return out.residues();
  };
  const std::size_t limbs = parameters.limbs();
  NTTF_CHECK(product(ProductForm::hps, limbs) == flatten(entry.at("hps")));
  NTTF_CHECK(product(ProductForm::hps_over_q, limbs) == flatten(entry.at("hps_over_q")));
  NTTF_CHECK(product(ProductForm::hps_levelled, limbs) == flatten(entry.at("hps_over_q")));  // unknown noise
  for (const Json& levelled : entry.at("hps_levelled").elements())
    NTTF_CHECK(product(ProductForm::hps_levelled, levelled.at("level").as_u64()) ==
               flatten(levelled.at("product")));
}

NTTF_TEST("oracle: the words of the HPS forms on every device") {
  const Json vectors = nttforge::testing::load_vectors("hps.json");
  NTTF_CHECK(vectors.at("cases").size() >= 3);
  for (const auto& device : devices())
    for (const Json& entry : vectors.at("cases").elements()) check_vectors(entry, device);
}

/// Two levels and a sum of products: every form decrypts to what the textbook's and BEHZ's products do, and
/// no bound is below the noise.
void check_agreement(const Parameters& parameters, bool exact) {
  if (parameters.promised_depth() == 0) return;  // n = 1024 has no room for a product
  Rng rng;
  Values one, two, sum;
  for (const ProductForm form : kProductForms) {
    rng = Rng();
    const Party party(Context::create(parameters, make_cpu_device(2), form));
    const Context& context = *party.context;
    const auto fresh = [&] {
      return party.encryptor.encrypt(Plaintext(party.context, random_values(rng, context.n(), context.t())),
                                     test_seed(9), static_cast<std::uint32_t>(rng.below(1000)));
    };
    const Ciphertext x = fresh(), y = fresh();
    const auto check = [&](const Ciphertext& c, Values& expected) {
      const Values found = party.decryptor.decrypt(c).coefficients();
      NTTF_CHECK(form == ProductForm::behz || found == expected);
      expected = found;
      const double measured = party.decryptor.noise_budget_bits(c);
      NTTF_CHECK(measured > 0 && measured >= *predicted_noise_budget_bits(c) &&
                 measured >= *proved_noise_budget_bits(c));
    };
    const Ciphertext product = party.evaluator.multiply(x, y);
    check(product, one);
    if (exact) {
      const Ciphertext textbook(party.context, 3, textbook_product(context, x, y), product.meta());
      NTTF_CHECK(party.decryptor.decrypt(textbook).coefficients() == one);
      if (form == ProductForm::hps)
        NTTF_CHECK(largest_difference(context, product.residues(), textbook.residues()) <= BigUint(1));
    }
    if (parameters.promised_depth() < 2 || !parameters.has_evaluation_keys()) continue;
    const auto key = party.generator.relinearization_key();
    const Ciphertext lower = party.evaluator.relinearize(product, key);
    check(party.evaluator.multiply(lower, x), two);
    const std::vector<Ciphertext> left{lower, x, lower}, right{x, x, lower};
    check(party.evaluator.dot_product(left, right), sum);
  }
}

NTTF_TEST("all forms and the textbook decrypt alike: presets with words of 64 and of 32 bits") {
  const bool full = full_tests();
  for (const std::size_t n : {1024, 2048, 4096, 8192, 16384, 32768}) {
    if (n > 8192 && !full) continue;
    check_agreement(Parameters::preset(n), full || n <= 4096);
    if (n >= 2048) check_agreement(narrow_preset(n), full || n <= 4096);
  }
}

NTTF_TEST("all forms and the textbook decrypt alike: t from 2 to 2^59, primes of one size and of several") {
  check_agreement(small_parameters(64, 2, 3, 50), true);
  check_agreement(small_parameters(256, (std::uint64_t{1} << 59) - 55, 4, 58), true);
  check_agreement(small_parameters(256, 1000, 3, 60), true);
  auto primes = ntt_primes(128, 30, 2);
  primes.push_back(ntt_primes(128, 60, 1)[0]);
  check_agreement(
      Parameters::custom(128, 257, primes, ntt_primes(128, 50, 1)[0], SecurityLevel::insecure_by_request),
      true);
  check_agreement(Parameters::badawi2018(2048), true);
}

NTTF_TEST("levelled products keep fewer primes as noise grows, at most what noise hides") {
  const Parameters parameters = Parameters::preset(8192, 2);
  const Party party(Context::create(parameters, make_cpu_device(1), ProductForm::hps_levelled));
  const Products& products = party.context->products();
  const NoiseModel& model = party.context->noise_model();
  const std::size_t limbs = parameters.limbs();
  NTTF_CHECK_EQ(products.kept(Noise::unknown(), Noise::unknown(), limbs), limbs);
  NTTF_CHECK_EQ(products.kept(model.fresh_public(), model.fresh_public(), limbs), limbs);
  Noise noise = model.fresh_public();
  std::size_t previous = limbs;
  for (unsigned depth = 0; depth < parameters.promised_depth(); ++depth) {
    const std::size_t kept = products.kept(noise, noise, limbs);
    NTTF_CHECK(kept <= previous);
    previous = kept;
    const Noise whole = model.multiply(noise, noise, 1, limbs, products.rounding(limbs, limbs)),
                levelled = model.multiply(noise, noise, 1, limbs, products.rounding(limbs, kept));
    if (depth > 0) NTTF_CHECK(levelled.coefficient <= whole.coefficient + 0.07);
    noise = model.level(noise);
  }
  NTTF_CHECK(previous < limbs && previous > 1);
}

NTTF_TEST("every form reaches the promised depth by the heuristic bound") {
  for (const std::size_t n : {4096, 8192, 16384, 32768})
    for (const std::uint64_t t : {0, 2})
      for (const unsigned bits : {64u, 32u}) {
        if (n > 16384 && !full_tests()) continue;
        const auto parameters = Parameters::preset(n, t, SecurityLevel::classical128, kStrictestTable, bits);
        for (const ProductForm form : kProductForms) {
          const auto context = Context::create(parameters, make_cpu_device(1), form);
          const NoiseModel& model = context->noise_model();
          const Products& products = context->products();
          Noise noise = model.fresh_public();
          for (unsigned depth = 0; depth < parameters.promised_depth(); ++depth) {
            const Noise operand = model.key_switch(model.add_plain(model.add(noise, noise)));
            const std::size_t kept = products.kept(operand, operand, context->limbs());
            noise = model.key_switch(
                model.multiply(operand, operand, 1, 0, products.rounding(context->limbs(), kept)));
          }
          if (model.budget_bits(noise) <= 0)
            nttforge::testing::fail(__FILE__, __LINE__,
                                    std::string(product_form_name(form)) + ": " + parameters.describe() +
                                        ": " + std::to_string(model.budget_bits(noise)) + " bits");
        }
      }
}

NTTF_TEST("names of forms") {
  for (const ProductForm form : kProductForms) NTTF_CHECK(product_form(product_form_name(form)) == form);
  NTTF_CHECK(product_form("auto") == ProductForm::automatic);
  NTTF_CHECK_THROWS(product_form("bez"), ParameterError,
                    "product = bez is unknown: need one of behz, hps, hps_over_q, hps_levelled, auto");
}

}  // namespace
}  // namespace nttforge::bfv::testing
