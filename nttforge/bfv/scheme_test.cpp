// SPDX-License-Identifier: Apache-2.0
// The scheme end to end on small sets, against plain integer arithmetic, on every device there is.

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"

namespace nttforge::bfv::testing {
namespace {

std::vector<std::shared_ptr<const Device>> devices() {
  std::vector<std::shared_ptr<const Device>> result = nttforge::testing::gpu_devices();
  for (const auto& device :
       {nttforge::testing::make_reference_device(), make_cpu_device(1), make_cpu_device(2)})
    result.push_back(device);
  return result;
}

NTTF_TEST("encrypt and decrypt: both keys, n = 2 ... 256, many t") {
  Rng rng;
  for (const auto& device : devices())
    for (std::size_t n : {2u, 4u, 8u, 64u, 256u})
      for (std::uint64_t t : {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{256}, std::uint64_t{65537},
                              (std::uint64_t{1} << 40) + 15}) {
        const Party party(small_parameters(n, t), device);
        const Plaintext plain(party.context, random_values(rng, n, t));
        const Ciphertext by_public = party.encryptor.encrypt(plain),
                         by_secret = party.secret_encryptor.encrypt(plain);
        NTTF_CHECK(party.decryptor.decrypt(by_public) == plain);
        NTTF_CHECK(party.decryptor.decrypt(by_secret) == plain);
        NTTF_CHECK(party.decryptor.noise_budget_bits(by_public) >= predicted_noise_budget_bits(by_public));
        NTTF_CHECK(party.decryptor.noise_budget_bits(by_secret) >= predicted_noise_budget_bits(by_secret));
        if (n >= 64)
          NTTF_CHECK(!(by_public == party.encryptor.encrypt(plain)));  // fresh randomness each time
        NTTF_CHECK(by_secret.meta().seed.has_value() && !by_public.meta().seed.has_value());
      }
}

NTTF_TEST("without special prime: encrypt, add, multiply, decrypt three parts") {
  Rng rng;
  for (const auto& device : devices()) {
    const std::size_t n = 64;
    const std::uint64_t t = 257;
    const Party party(small_parameters(n, t, 3, 40, false), device);
    const auto a = random_values(rng, n, t), b = random_values(rng, n, t);
    const Ciphertext x = party.encryptor.encrypt(Plaintext(party.context, a));
    const Ciphertext y = party.encryptor.encrypt(Plaintext(party.context, b));
    const Ciphertext product = party.evaluator.multiply(x, y);
    NTTF_CHECK_EQ(product.size(), std::size_t{3});
    NTTF_CHECK(party.decryptor.decrypt(product).coefficients() == negacyclic_product(a, b, t));
    NTTF_CHECK(party.decryptor.noise_budget_bits(product) >= predicted_noise_budget_bits(product));
    NTTF_CHECK_THROWS(party.generator.relinearization_key(), UnsupportedError, "special = []");
  }
}

NTTF_TEST("every operation against polynomial arithmetic modulo t") {
  Rng rng;
  for (const auto& device : devices())
    for (std::uint64_t t : {std::uint64_t{2}, std::uint64_t{256}, std::uint64_t{65537}}) {
      const std::size_t n = 64;
      const Modulus m(t);
      const Party party(small_parameters(n, t, 3, 45), device);
      const Evaluator& e = party.evaluator;
      const auto key = party.generator.relinearization_key();
      const auto a = random_values(rng, n, t), b = random_values(rng, n, t);
      const Plaintext pa(party.context, a), pb(party.context, b);
      const Ciphertext x = party.encryptor.encrypt(pa), y = party.secret_encryptor.encrypt(pb);
      const auto expect = [&](const Ciphertext& c, const std::vector<std::uint64_t>& values) {
        NTTF_CHECK(party.decryptor.decrypt(c).coefficients() == values);
        NTTF_CHECK(party.decryptor.noise_budget_bits(c) >= predicted_noise_budget_bits(c));
        NTTF_CHECK(predicted_noise_budget_bits(c) > 0);
      };
      const auto each = [&](auto f) {
        std::vector<std::uint64_t> out(n);
        for (std::size_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
        return out;
      };
      const auto sum = each([&](auto u, auto v) { return m.add(u, v); });
      const auto difference = each([&](auto u, auto v) { return m.sub(u, v); });
      const auto product = negacyclic_product(a, b, t), square = negacyclic_product(a, a, t);
      expect(e.add(x, y), sum);
      expect(e.sub(x, y), difference);
      expect(e.negate(x), each([&](auto u, auto) { return m.negate(u); }));
      expect(e.add_plain(x, pb), sum);
      expect(e.sub_plain(x, pb), difference);
      expect(e.multiply_plain(x, pb), product);
      expect(e.multiply(x, y), product);
      expect(e.multiply(x, x), square);
      expect(e.square(x), square);
      expect(e.multiply_relinearize(x, y, key), product);
      expect(e.square_relinearize(x, key), square);
      expect(e.relinearize(e.multiply(x, y), key), product);
      NTTF_CHECK_EQ(e.multiply_relinearize(x, y, key).size(), std::size_t{2});
      NTTF_CHECK(e.square(x) == e.multiply(x, Ciphertext(x)));  // three products give the same words as four

      // Sizes 2 and 3 mixed, both ways, and in place.
      std::vector<std::uint64_t> mixed(n), reverse(n);
      for (std::size_t i = 0; i < n; ++i) mixed[i] = m.sub(product[i], b[i]), reverse[i] = m.negate(mixed[i]);
      expect(e.sub(e.multiply(x, y), y), mixed);
      expect(e.sub(y, e.multiply(x, y)), reverse);
      Ciphertext z = y;
      e.sub_in_place(z, e.multiply(x, y));
      expect(z, reverse);
      e.negate_in_place(z);
      e.relinearize_in_place(z, key);
      expect(z, mixed);
      z = x;
      e.add_in_place(z, y);
      e.multiply_plain_in_place(z, PreparedPlaintext(pa));
      expect(z, negacyclic_product(sum, a, t));
      NTTF_CHECK(party.decryptor.decrypt(x) == pa && party.decryptor.decrypt(y) == pb);  // operands unchanged

      const Ciphertext* terms[] = {&x, &y, &x};
      expect(e.sum(terms), each([&](auto u, auto v) { return m.add(m.add(u, v), u); }));
    }
}

NTTF_TEST("dot products: one scaling for many terms, also beyond max_terms") {
  Rng rng;
  for (const auto& device : devices()) {
    const std::size_t n = 32;
    const std::uint64_t t = 12289;
    const Modulus m(t);
    const Party party(small_parameters(n, t, 2, 50), device);
    const std::size_t group = Products::kTerms;
    for (std::size_t count : {std::size_t{1}, std::size_t{3}, group, group + 1}) {
      std::vector<Ciphertext> x, y;
      std::vector<PreparedPlaintext> plain;
      std::vector<std::uint64_t> expected(n, 0);
      for (std::size_t i = 0; i < count; ++i) {
        const auto a = random_values(rng, n, t), b = random_values(rng, n, t);
        x.push_back(party.encryptor.encrypt(Plaintext(party.context, a)));
        y.push_back(party.encryptor.encrypt(Plaintext(party.context, b)));
        plain.emplace_back(Plaintext(party.context, b));
        const auto product = negacyclic_product(a, b, t);
        for (std::size_t j = 0; j < n; ++j) expected[j] = m.add(expected[j], product[j]);
      }
      const Ciphertext by_ciphertext = party.evaluator.dot_product(x, y);
      const Ciphertext by_plaintext = party.evaluator.dot_product(x, plain);
      NTTF_CHECK(party.decryptor.decrypt(by_ciphertext).coefficients() == expected);
      NTTF_CHECK(party.decryptor.decrypt(by_plaintext).coefficients() == expected);
      NTTF_CHECK(party.decryptor.noise_budget_bits(by_ciphertext) >=
                 predicted_noise_budget_bits(by_ciphertext));
      NTTF_CHECK(party.decryptor.noise_budget_bits(by_plaintext) >=
                 predicted_noise_budget_bits(by_plaintext));
      if (count == 1) NTTF_CHECK(by_ciphertext == party.evaluator.multiply(x[0], y[0]));
    }
  }
}

NTTF_TEST("slots: rotations, column swap, inner sum") {
  Rng rng;
  for (const auto& device : devices()) {
    const std::size_t n = 32, half = n / 2;
    const std::uint64_t t = 65537;
    const Party party(small_parameters(n, t, 2, 45), device);
    const BatchEncoder encoder(party.context);
    const auto values = random_values(rng, n, t);
    const Ciphertext x = party.encryptor.encrypt(encoder.encode(values));
    std::vector<std::int64_t> steps;
    for (std::int64_t step = -15; step <= 15; ++step) steps.push_back(step);
    const RotationKeys keys = party.generator.rotation_keys(steps, true);
    NTTF_CHECK_EQ(keys.elements().size(), half);  // half - 1 rotations and the swap: equal ones are made once
    for (std::int64_t step : steps) {
      const Ciphertext y = party.evaluator.rotate_rows(x, step, keys);
      const auto slots = encoder.decode(party.decryptor.decrypt(y));
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t from = i / half * half + (i + static_cast<std::size_t>(step + 32)) % half;
        NTTF_CHECK_EQ(slots[i], values[from]);
      }
      NTTF_CHECK(party.decryptor.noise_budget_bits(y) >= predicted_noise_budget_bits(y));
    }
    const auto swapped = encoder.decode(party.decryptor.decrypt(party.evaluator.swap_columns(x, keys)));
    for (std::size_t i = 0; i < n; ++i) NTTF_CHECK_EQ(swapped[i], values[(i + half) % n]);
    for (std::size_t span = 1; span <= n; span *= 2) {
      const RotationKeys sum_keys = party.generator.inner_sum_keys(span);
      const auto sums = encoder.decode(party.decryptor.decrypt(party.evaluator.inner_sum(x, span, sum_keys)));
      for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t expected = 0;
        for (std::size_t j = 0; j < span; ++j)
          expected += span == n ? values[j] : values[i / half * half + (i + j) % half];
        NTTF_CHECK_EQ(sums[i], expected % t);
      }
    }
  }
}

NTTF_TEST("encoders: slots multiply, signed values, ranges") {
  Rng rng;
  const auto device = make_cpu_device(1);
  const std::size_t n = 64;
  const std::uint64_t t = 65537;
  const Party party(small_parameters(n, t, 2, 45), device);
  const BatchEncoder batch(party.context);
  const CoefficientEncoder coefficients(party.context);
  std::vector<std::int64_t> values(n);
  for (auto& value : values) value = static_cast<std::int64_t>(rng.below(t)) - 32768;
  values[0] = -32768, values[1] = 32768, values[2] = 0;
  NTTF_CHECK(batch.decode_signed(batch.encode(values)) == values);
  NTTF_CHECK(coefficients.decode_signed(coefficients.encode(values)) == values);
  const auto a = random_values(rng, n, t), b = random_values(rng, n, t);
  const auto product = party.evaluator.multiply(party.encryptor.encrypt(batch.encode(a)),
                                                party.encryptor.encrypt(batch.encode(b)));
  const auto slots = batch.decode(party.decryptor.decrypt(product));
  for (std::size_t i = 0; i < n; ++i) NTTF_CHECK_EQ(slots[i], Modulus(t).mul(a[i], b[i]));
  // Short input is padded with zeros; a constant in every slot is a constant polynomial.
  const std::vector<std::uint64_t> five(n, 5), two{1, 2};
  auto constant = batch.encode(five).coefficients();
  NTTF_CHECK_EQ(constant[0], 5u);
  constant[0] = 0;
  NTTF_CHECK(constant == std::vector<std::uint64_t>(n, 0));
  const auto padded = batch.decode(batch.encode(two));
  NTTF_CHECK_EQ(padded[1], 2u);
  NTTF_CHECK_EQ(padded[2], 0u);
  // t = 2: bits, 0 and 1 also where signed values are meant.
  const Party bits(small_parameters(n, 2, 2, 45), device);
  const CoefficientEncoder binary(bits.context);
  NTTF_CHECK((binary.decode_signed(binary.encode(std::vector<std::int64_t>{1, 0, 1})) == [&] {
    std::vector<std::int64_t> v(n, 0);
    v[0] = v[2] = 1;
    return v;
  }()));
  NTTF_CHECK_THROWS(binary.encode(std::vector<std::int64_t>{0, -1}), ParameterError,
                    "values[1] = -1 is out of range [0, 1]");
}

}  // namespace
}  // namespace nttforge::bfv::testing
