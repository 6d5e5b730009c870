// SPDX-License-Identifier: Apache-2.0
#pragma once

// Levels: every operation at every level and between levels decrypts to what integers modulo t give, with
// budgets that are not above the measured one. Not installed.

#include <algorithm>
#include <initializer_list>
#include <string>

#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/testing.hpp"
#include "nttforge/rlwe/galois.hpp"

namespace nttforge::integer_encoding::testing {

/// A ciphertext and the polynomial modulo t that it encrypts.
struct Pair {
  Ciphertext cipher;
  Values plain;
};

template <class Scheme>
class Levels {
 public:
  explicit Levels(const typename Scheme::Parameters& parameters)
      : party_(parameters, make_cpu_device(1)),
        t_(parameters.t),
        key_(party_.generator.relinearization_key()),
        rotations_(party_.generator.rotation_keys(std::vector<std::int64_t>{1})) {}

  void run() {
    const std::size_t top = party_.context->limbs(), lowest = party_.context->lowest_level();
    for (std::size_t level = top; level >= lowest; --level)
      for (std::size_t other = top; other >= lowest; --other) operations(at(level), at(other));
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
    if (measured < predicted || measured < *x.proved_noise_budget_bits())
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
    const auto& e = party_.evaluator;
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
    if (three.level() > party_.context->lowest_level()) {
      check("x y, lower", e.mod_switch(three), xy);
      check("x y, lower, relinearized", e.relinearize(e.mod_switch(three), key_), xy);
      const Ciphertext bottom = e.mod_switch_to(two, party_.context->lowest_level());
      NTTF_CHECK_EQ(bottom.level(), party_.context->lowest_level());
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
  PartyOf<Scheme> party_;
  Modulus t_;
  RelinearizationKey key_;
  RotationKeys rotations_;
  std::size_t checked_ = 0;
};

/// All operations at and between all levels; at least ten results for each pair of levels have a budget.
template <class Scheme>
void check_levels(std::initializer_list<typename Scheme::Parameters> sets) {
  for (const auto& parameters : sets) {
    Levels<Scheme> levels(parameters);
    levels.run();
    if (levels.checked() < 10 * parameters.limbs() * parameters.limbs())
      nttforge::testing::fail(__FILE__, __LINE__,
                              std::to_string(levels.checked()) + " for " + parameters.describe());
  }
}

}  // namespace nttforge::integer_encoding::testing
