// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random circuits whose exact noise is measured after every operation: neither bound may ever be below it.
// Not installed.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/testing.hpp"

namespace nttforge::integer_encoding::testing {

/// Least margins, in bits, between a measured budget and its bounds.
struct NoiseMargins {
  double heuristic = std::numeric_limits<double>::infinity();
  double proved = std::numeric_limits<double>::infinity();
  std::size_t operations = 0;
};

template <class Scheme>
class NoiseCircuits {
 public:
  explicit NoiseCircuits(const typename Scheme::Parameters& parameters, std::uint8_t key)
      : party_(parameters, make_cpu_device(1), key) {
    if (!parameters.has_evaluation_keys()) return;
    key_ = party_.generator.relinearization_key();
    rotations_ = party_.generator.rotation_keys(std::vector<std::int64_t>{1}, true);
  }

  /// Up to twelve operations on two fresh ciphertexts and on what comes out of them.
  void run(Rng& rng, NoiseMargins& margins) {
    std::vector<Ciphertext> pool;
    for (const auto* encryptor : {&party_.encryptor, &party_.secret_encryptor}) {
      pool.push_back(encryptor->encrypt(plain(rng)));
      check(pool.back(), "encryption", margins);
    }
    for (std::uint64_t left = 4 + rng.below(9); left > 0; --left) {
      const char* name = "";
      Ciphertext next = operation(rng, pool[rng.below(pool.size())], pool[rng.below(pool.size())], name);
      if (next.size() == 3 && !key_.empty()) {
        check(next, name, margins);
        next = party_.evaluator.relinearize(next, key_);
        name = "relinearization";
      }
      if (!check(next, name, margins)) continue;
      if (pool.size() < 4)
        pool.push_back(std::move(next));
      else
        pool[rng.below(pool.size())] = std::move(next);
    }
  }

 private:
  Plaintext plain(Rng& rng) {
    const std::uint64_t t = party_.context->t();
    Values values = random_values(rng, party_.context->n(), t);
    const auto kind = rng.below(4);
    if (kind == 0) std::fill(values.begin(), values.end(), t / 2);  // the largest
    if (kind == 1) std::fill(values.begin() + 1, values.end(), 0);
    return Plaintext(party_.context, values);
  }

  Ciphertext operation(Rng& rng, const Ciphertext& a, const Ciphertext& b, const char*& name) {
    const auto& e = party_.evaluator;
    if (a.level() > party_.context->lowest_level() && rng.below(8) == 0) {
      name = "modulus switching";
      return e.mod_switch(a);
    }
    const double budget = *a.predicted_noise_budget_bits();
    if (budget > 1 && rng.below(16) == 0) {
      name = "shrinking";
      return e.shrink(a, budget / 2);
    }
    switch (rng.below(a.size() == 2 && b.size() == 2 ? 9 : 5)) {
      case 0:
        name = "addition";
        return e.add(a, b);
      case 1:
        name = "subtraction";
        return e.sub(a, b);
      case 2:
        name = "plaintext addition";
        return e.add_plain(a, plain(rng));
      case 3:
        name = "plaintext product";
        return e.multiply_plain(a, plain(rng));
      case 4:
        name = "doubling";
        return e.add(a, a);
      case 5:
        name = "square";
        return e.square(a);
      case 6:
        if (!key_.empty()) {
          name = "rotation";
          const std::uint64_t n = party_.context->n();
          return e.apply_galois(a, rng.below(2) == 0 ? 3 : 2 * n - 1, rotations_);
        }
        [[fallthrough]];
      case 7: {
        name = "sum of products";
        const std::vector<Ciphertext> left{a, b, a}, right{b, a, a};
        return e.dot_product(left, right);
      }
      default:
        name = "product";
        return e.multiply(a, b);
    }
  }

  /// Whether the noise is still within what decryption bears, so that it can be compared.
  bool check(const Ciphertext& c, const char* name, NoiseMargins& margins) {
    ++margins.operations;
    const double measured = party_.decryptor.noise_budget_bits(c);
    const double predicted = c.predicted_noise_budget_bits().value();
    const double proved = c.proved_noise_budget_bits().value();
    if (measured == 0) {
      if (predicted > 0.5 || proved > 0.5) fail(name, measured, predicted, proved);
      return false;
    }
    if (measured < predicted || measured < proved) fail(name, measured, predicted, proved);
    margins.heuristic = std::min(margins.heuristic, measured - predicted);
    margins.proved = std::min(margins.proved, measured - proved);
    return true;
  }

  void fail(const char* name, double measured, double predicted, double proved) {
    nttforge::testing::fail(__FILE__, __LINE__,
                            std::string(name) + ": measured " + std::to_string(measured) + ", predicted " +
                                std::to_string(predicted) + ", proved " + std::to_string(proved) + ", " +
                                party_.context->parameters().describe());
  }

  PartyOf<Scheme> party_;
  RelinearizationKey key_;
  RotationKeys rotations_;
};

/// `quick` circuits over all sets, or as many as NTTFORGE_NOISE_CIRCUITS says; then a line of the result.
template <class Scheme>
void run_noise_circuits(const std::vector<typename Scheme::Parameters>& sets, std::size_t quick) {
  const char* asked = std::getenv("NTTFORGE_NOISE_CIRCUITS");
  const std::size_t count = asked != nullptr ? std::strtoull(asked, nullptr, 10) : quick;
  constexpr std::size_t kCircuitsOfAKey = 50;
  Rng rng;
  NoiseMargins margins;
  std::size_t done = 0;
  for (std::uint8_t key = 1; done < count; ++key)
    for (const auto& set : sets) {
      if (done >= count) break;
      NoiseCircuits<Scheme> circuits(set, key);
      for (std::size_t i = 0; i < kCircuitsOfAKey && done < count; ++i, ++done) circuits.run(rng, margins);
    }
  NTTF_CHECK(margins.heuristic >= 0 && margins.proved >= 0 && margins.operations > 4 * count);
  if (asked != nullptr)
    std::printf(
        "{\"circuits\": %zu, \"operations\": %zu, \"least_heuristic_margin_bits\": %.3f, "
        "\"least_proved_margin_bits\": %.3f}\n",
        done, margins.operations, margins.heuristic, margins.proved);
}

}  // namespace nttforge::integer_encoding::testing
