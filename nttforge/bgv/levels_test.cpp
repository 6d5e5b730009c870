// SPDX-License-Identifier: Apache-2.0
// Levels and correction factors: every operation at every level and between levels decrypts to what integers
// modulo t give, with a predicted budget that is not above the measured one.

#include <algorithm>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/bgv/correction.hpp"
#include "nttforge/bgv/testing.hpp"

namespace nttforge::bgv::testing {
namespace {

/// A ciphertext and the polynomial modulo t that it encrypts.
struct Pair {
  Ciphertext cipher;
  Values plain;
};

class Levels {
 public:
  explicit Levels(const Parameters& parameters)
      : party_(parameters, make_cpu_device(1)),
        t_(parameters.t),
        key_(party_.generator.relinearization_key()),
        rotations_(party_.generator.rotation_keys(std::vector<std::int64_t>{1})) {}

  void run() {
    const std::size_t top = party_.context->limbs();
    for (std::size_t level = top; level >= 1; --level)
      for (std::size_t other = top; other >= 1; --other) operations(at(level), at(other));
  }

 private:
  Pair fresh() {
    Values values = random_values(rng_, party_.context->n(), t_.value());
    const Plaintext plain(party_.context, values);
    const bool by_secret = rng_.below(2) == 0;
    return {(by_secret ? party_.secret_encryptor : party_.encryptor).encrypt(plain), std::move(values)};
  }
  Pair at(std::size_t level) {
    Pair x = fresh();
    if (level < x.cipher.level()) x.cipher = party_.evaluator.mod_switch_to(x.cipher, level);
    return x;
  }

  void check(const char* what, const Ciphertext& x, const Values& expected) {
    const double predicted = *x.predicted_noise_budget_bits();
    if (predicted <= 0) return;
    const double measured = party_.decryptor.noise_budget_bits(x);
    if (measured < predicted)
      nttforge::testing::fail(__FILE__, __LINE__, std::string(what) + ": less budget than predicted");
    if (party_.decryptor.decrypt(x).coefficients() != expected)
      nttforge::testing::fail(__FILE__, __LINE__,
                              std::string(what) + " at level " + std::to_string(x.level()));
    ++checked_;
  }

  Values sum(const Values& a, const Values& b, bool minus = false) const {
    Values out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = minus ? t_.sub(a[i], b[i]) : t_.add(a[i], b[i]);
    return out;
  }
  Values product(const Values& a, const Values& b) const { return negacyclic_product(a, b, t_.value()); }

  void operations(const Pair& x, const Pair& y) {
    const Evaluator& e = party_.evaluator;
    const Values m = random_values(rng_, party_.context->n(), t_.value());
    const Plaintext plain(party_.context, m);
    check("x", x.cipher, x.plain);
    check("x + y", e.add(x.cipher, y.cipher), sum(x.plain, y.plain));
    check("x - y", e.sub(x.cipher, y.cipher), sum(x.plain, y.plain, true));
    check("x + plain", e.add_plain(x.cipher, plain), sum(x.plain, m));
    check("x - plain", e.sub_plain(x.cipher, plain), sum(x.plain, m, true));
    check("x plain", e.multiply_plain(x.cipher, plain), product(x.plain, m));
    const Ciphertext three = e.multiply(x.cipher, y.cipher);
    const Values xy = product(x.plain, y.plain);
    check("x y", three, xy);
    const Ciphertext two = e.relinearize(three, key_);
    check("x y relinearized", two, xy);
    NTTF_CHECK(three.level() <= std::min(x.cipher.level(), y.cipher.level()) && two.level() == three.level());
    NTTF_CHECK(two.factor() == three.factor());
    check("x y + x", e.add(three, x.cipher), sum(xy, x.plain));
    check("y - x y", e.sub(y.cipher, two), sum(y.plain, xy, true));
    Ciphertext target = y.cipher;
    e.add_in_place(target, three);
    check("y += x y", target, sum(y.plain, xy));
    check("x y + plain", e.add_plain(two, plain), sum(xy, m));
    if (three.level() > 1) {
      check("x y, lower", e.mod_switch(three), xy);
      check("x y, lower, relinearized", e.relinearize(e.mod_switch(three), key_), xy);
      const Ciphertext bottom = e.mod_switch_to(two, 1);
      NTTF_CHECK_EQ(bottom.level(), 1u);
      check("x y at the bottom", bottom, xy);
    }
    const Ciphertext left[] = {x.cipher, two, y.cipher}, right[] = {y.cipher, y.cipher, y.cipher};
    check("dot product", e.dot_product(left, right),
          sum(sum(xy, product(xy, y.plain)), product(y.plain, y.plain)));
    const PreparedPlaintext prepared[] = {PreparedPlaintext(plain), PreparedPlaintext(plain),
                                          PreparedPlaintext(plain)};
    check("dot product with plaintexts", e.dot_product(left, prepared),
          product(sum(sum(x.plain, xy), y.plain), m));
    const Ciphertext* terms[] = {&three, &x.cipher, &y.cipher};
    check("sum", e.sum(terms), sum(sum(xy, x.plain), y.plain));
    const std::uint64_t element = rotation_element(party_.context->n(), 1);
    Values image(m.size());
    for (std::size_t i = 0; i < image.size(); ++i) {
      const std::size_t to = i * element % (2 * image.size());
      image[to % image.size()] = to < image.size() ? x.plain[i] : t_.negate(x.plain[i]);
    }
    check("rotation", e.apply_galois(x.cipher, element, rotations_), image);
  }

 public:
  std::size_t checked() const { return checked_; }

 private:
  Rng rng_;
  Party party_;
  Modulus t_;
  RelinearizationKey key_;
  RotationKeys rotations_;
  std::size_t checked_ = 0;
};

NTTF_TEST("levels: every operation at and between all levels, for t prime, even, large") {
  for (const Parameters& parameters :
       {small_parameters(32, 257, 4, 45), small_parameters(16, 2, 3, 30), small_parameters(32, 256, 4, 40),
        small_parameters(64, 65537, 5, 36), small_parameters(16, (std::uint64_t{1} << 45) - 229, 4, 60),
        hybrid_parameters(32, 257, 5, 45, 2), hybrid_parameters(16, 2, 7, 30, 3),
        hybrid_parameters(64, 97, 6, 40, 3, 4)}) {
    Levels levels(parameters);
    levels.run();
    if (levels.checked() < 10 * parameters.limbs() * parameters.limbs())
      nttforge::testing::fail(__FILE__, __LINE__,
                              std::to_string(levels.checked()) + " for " + parameters.describe());
  }
}

NTTF_TEST("levels: operands that need nothing stay as they are, words and levels are those of the steps") {
  const Party party(small_parameters(32, 257, 4, 45), make_cpu_device(1));
  const Evaluator& e = party.evaluator;
  Rng rng;
  const Plaintext plain(party.context, random_values(rng, 32, 257));
  const Ciphertext x = party.encryptor.encrypt(plain);
  NTTF_CHECK(x.level() == 4 && x.factor() == 1);
  NTTF_CHECK(e.mod_switch_to(x, 4) == x);
  NTTF_CHECK(e.mod_switch_to(x, 2) == e.mod_switch(e.mod_switch(x)));
  const Ciphertext lower = e.mod_switch(x);
  NTTF_CHECK_EQ(lower.level(), 3u);
  NTTF_CHECK_EQ(lower.words(), 2u * 3 * 32);
  NTTF_CHECK_EQ(lower.factor() * (party.context->parameters().q[3] % 257) % 257, 1u);
  // Fresh operands multiply at the top: there is no noise to divide. A square goes down first.
  const Ciphertext product = e.multiply(x, x);
  NTTF_CHECK_EQ(product.level(), 4u);
  const RelinearizationKey key = party.generator.relinearization_key();
  Ciphertext deep = e.relinearize(product, key);
  std::size_t level = deep.level();
  for (int i = 0; i < 4; ++i) deep = e.square_relinearize(deep, key);
  NTTF_CHECK(deep.level() < level);
  // Nothing is known: the lower level of both, and no further.
  const Ciphertext unknown(party.context, 2, e.relinearize(product, key).residues(), Encoding::coefficients);
  NTTF_CHECK_EQ(e.multiply(unknown, lower).level(), 3u);
  NTTF_CHECK(!e.multiply(unknown, lower).predicted_noise_budget_bits().has_value());
  NTTF_CHECK(e.square(x) == e.multiply(x, x));
}

NTTF_TEST("correction factors: balanced scalars are units, short, and what the name says") {
  Rng rng;
  for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{257}, std::uint64_t{1} << 20,
                                std::uint64_t{65537}, (std::uint64_t{1} << 59) - 55}) {
    const Modulus m(t);
    for (int i = 0; i < 50; ++i) {
      std::uint64_t a = 1 + rng.below(t - 1) * (t > 2 ? 1 : 0), b = 1 + rng.below(t - 1) * (t > 2 ? 1 : 0);
      if (t % 2 == 0) a |= 1, b |= 1;
      const auto [f, g] = balance(a, b, t);
      const auto residue = [&](std::int64_t x) {
        return x < 0 ? m.negate(m.reduce(static_cast<std::uint64_t>(-x)))
                     : m.reduce(static_cast<std::uint64_t>(x));
      };
      NTTF_CHECK_EQ(m.mul(residue(f), a), m.mul(residue(g), b));
      NTTF_CHECK_EQ(m.mul(residue(f), inverse_unit(residue(f), t)), 1 % t);
      NTTF_CHECK_EQ(m.mul(residue(g), inverse_unit(residue(g), t)), 1 % t);
      if (t % 2 == 1)
        NTTF_CHECK(static_cast<double>(std::abs(f)) * static_cast<double>(std::abs(g)) <
                   4.0 * static_cast<double>(t));
    }
  }
}

}  // namespace
}  // namespace nttforge::bgv::testing
