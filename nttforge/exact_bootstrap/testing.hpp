// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers of the exact_bootstrap/ tests: parties of both schemes with keys to bootstrap, ciphertexts with as
// much noise as is asked for. Not installed.

#include <cmath>
#include <optional>
#include <vector>

#include "nttforge/bfv/bfv.hpp"
#include "nttforge/bgv/bgv.hpp"
#include "nttforge/exact_bootstrap/presets.hpp"
#include "nttforge/integer_encoding/testing.hpp"

namespace nttforge::exact_bootstrap::testing {

using namespace integer_encoding::testing;  // NOLINT: the layer's helpers beside its own

struct Bfv {
  static constexpr Scheme kScheme = Scheme::bfv;
  using Parameters = bfv::Parameters;
  using Context = bfv::Context;
  using Evaluator = bfv::Evaluator;
};

struct Bgv {
  static constexpr Scheme kScheme = Scheme::bgv;
  using Parameters = bgv::Parameters;
  using Context = bgv::Context;
  using Evaluator = bgv::Evaluator;
};

template <class Scheme>
typename Scheme::Parameters parameters_of(const BootstrapSet& set) {
  return Scheme::Parameters::custom(set.n, set.t, set.q, set.special, set.security,
                                    SecretDistribution::ternary, ErrorDistribution::sigma_3_2,
                                    kStrictestTable, set.word_bits);
}

/// A party whose ciphertexts can be bootstrapped.
template <class Scheme>
struct BootstrappingParty : PartyOf<Scheme> {
  explicit BootstrappingParty(const BootstrapSet& set,
                              std::shared_ptr<const Device> device = make_cpu_device(1))
      : PartyOf<Scheme>(parameters_of<Scheme>(set), std::move(device)),
        bootstrapper(this->context, set.options),
        keys(bootstrapper.make_keys(this->generator.secret_key())),
        relinearization(this->generator.relinearization_key()) {}

  Ciphertext encrypt(const Values& values, std::size_t batch = 1) const {
    return this->encryptor.encrypt(CoefficientEncoder(this->context).encode(values, batch));
  }
  Values decrypt(const Ciphertext& x) const {
    return CoefficientEncoder(this->context).decode(this->decryptor.decrypt(x));
  }
  double measured(const Ciphertext& x) const { return this->decryptor.noise_budget_bits(x); }

  /// The same plaintexts with noise up to Q / 2^(1 + budget), uniform, of which the ciphertext says so.
  Ciphertext noisy(const Ciphertext& a, double budget, Rng& rng) const {
    const IntegerContext& own = *this->context;
    const std::span<const std::uint64_t> primes(own.parameters().q.data(), a.level());
    const std::uint64_t step = own.t() / own.budget_scale();  // the plaintext stays
    const double most =
        BigUint::product(primes).log2() - 1 - budget - std::log2(static_cast<double>(own.t()));
    constexpr unsigned kBits = 40;
    const auto shift = static_cast<unsigned>(std::max(0.0, std::floor(most) - kBits));
    const auto range = static_cast<std::uint64_t>(std::exp2(most - shift));
    std::vector<std::uint64_t> residues = a.residues();
    const std::size_t n = own.n();
    for (std::size_t e = 0; e < a.batch(); ++e)
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t size = i == 0 ? range : rng.below(range + 1);
        const bool negative = rng.below(2) == 1;
        for (std::size_t j = 0; j < primes.size(); ++j) {
          const Modulus q(primes[j]);
          std::uint64_t value = q.mul(q.mul(q.reduce(size), q.pow(2, shift)), q.reduce(step));
          std::uint64_t& place = residues[(e * 2 * primes.size() + j) * n + i];
          place = negative ? q.sub(place, value) : q.add(place, value);
        }
      }
    Meta meta{static_cast<const CiphertextKind&>(a.meta())};
    meta.form = Form::coefficients;
    return Ciphertext(this->context, 2, residues, meta, a.batch()).in(a.form());
  }

  Bootstrapper bootstrapper;
  BootstrapKeys keys;
  RelinearizationKey relinearization;
};

}  // namespace nttforge::exact_bootstrap::testing
