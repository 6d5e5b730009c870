// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every operation on batches against the same on each element, for the tests of schemes with integers modulo
// t. Not installed.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "nttforge/integer_encoding/evaluator.hpp"
#include "nttforge/integer_encoding/testing.hpp"

namespace nttforge::integer_encoding::testing {

/// Operands of every operation; each is a batch or single.
struct Operands {
  Ciphertext a, b;
  Plaintext p;

  Operands element(std::size_t e) const {
    return {a.element(operand_element(a.batch(), e)), b.element(operand_element(b.batch(), e)),
            p.element(operand_element(p.batch(), e))};
  }
};

/// Every operation of the evaluator, also in place.
template <class Evaluator>
std::vector<Ciphertext> results(const Evaluator& e, const RelinearizationKey& key,
                                const RotationKeys& rotations, const Operands& in) {
  const auto& [a, b, p] = in;
  const PreparedPlaintext r(p);
  const Ciphertext product = e.multiply(a, b);
  const Ciphertext* terms[] = {&a, &product, &b, &a};
  std::vector<Ciphertext> out{
      e.add(a, b),
      e.sub(a, b),
      e.negate(a),
      e.add(product, a),
      e.sub(b, product),
      e.sum(terms),
      e.add_plain(a, p),
      e.sub_plain(product, p),
      e.multiply_plain(a, p),
      e.multiply_plain(product, r),
      product,
      e.square(a),
      e.relinearize(product, key),
      e.multiply_relinearize(b, a, key),
      e.dot_product(std::vector<Ciphertext>{a, b, b}, std::vector<Ciphertext>{b, b, a}),
      e.dot_product(std::vector<Ciphertext>{a, product}, std::vector{r, r}),
      e.apply_galois(a, 3, rotations),
      e.apply_galois(b, column_swap_element(e.context()->n()), rotations)};
  if (a.encoding() == Encoding::slots) {
    out.push_back(e.rotate_rows(a, 1, rotations));
    out.push_back(e.swap_columns(a, rotations));
    out.push_back(e.inner_sum(b, 4, rotations));
  }
  Ciphertext x = a;
  e.add_in_place(x, product);
  out.push_back(x);
  e.sub_in_place(x, b);
  e.negate_in_place(x);
  out.push_back(x);
  e.relinearize_in_place(x, key);
  e.add_plain_in_place(x, p);
  out.push_back(x);
  e.sub_plain_in_place(x, p);
  e.multiply_plain_in_place(x, r);
  out.push_back(x);
  x = b;
  e.add_plain_in_place(x, p);
  out.push_back(x);
  x = b;
  e.multiply_plain_in_place(x, r);
  out.push_back(x);
  x = b;
  e.add_in_place(x, a);
  out.push_back(x);
  return out;
}

/// For operands of the given batches.
template <class Party>
void check_results(const Party& party, const RelinearizationKey& key, const RotationKeys& rotations, Rng& rng,
                   std::size_t a, std::size_t b, std::size_t p) {
  const std::size_t n = party.context->n();
  const std::uint64_t t = party.context->t();
  const Encoding encoding = party.context->has_batching() ? Encoding::slots : Encoding::coefficients;
  const auto plain = [&](std::size_t batch) {
    return Plaintext(party.context, random_values(rng, batch * n, t), encoding, batch);
  };
  const Operands operands{party.encryptor.encrypt(plain(a)), party.secret_encryptor.encrypt(plain(b)),
                          plain(p)};
  const std::vector<Ciphertext> found = results(party.evaluator, key, rotations, operands);
  const std::size_t batch = std::max({a, b, p});
  for (std::size_t e = 0; e < batch; ++e) {
    const std::vector<Ciphertext> expected = results(party.evaluator, key, rotations, operands.element(e));
    NTTF_CHECK_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Ciphertext element = found[i].element(operand_element(found[i].batch(), e));
      if (!(element == expected[i]))
        nttforge::testing::fail(__FILE__, __LINE__,
                                "operation " + std::to_string(i) + ", element " + std::to_string(e) +
                                    ", batches " + std::to_string(a) + ", " + std::to_string(b) + ", " +
                                    std::to_string(p) + " on " + party.context->device().description());
      NTTF_CHECK(element.noise().coefficient >= expected[i].noise().coefficient &&
                 element.noise().canonical >= expected[i].noise().canonical);
      NTTF_CHECK(element.noise().known());
    }
  }
}

/// Batches of a, b and p that go together.
inline constexpr std::array<std::array<std::size_t, 3>, 6> kBatches{
    {{5, 5, 5}, {5, 1, 1}, {1, 5, 5}, {1, 1, 3}, {2, 2, 1}, {1, 3, 1}}};

/// For every one of kBatches.
template <class Party>
void check_batches(const Party& party, Rng& rng) {
  const RelinearizationKey key = party.generator.relinearization_key();
  const RotationKeys rotations =
      party.generator.rotation_keys(std::vector<std::int64_t>{1, 2}, /*column_swap=*/true);
  for (const auto& [a, b, p] : kBatches) check_results(party, key, rotations, rng, a, b, p);
}

}  // namespace nttforge::integer_encoding::testing
