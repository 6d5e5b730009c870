// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nttforge/ckks/bootstrap/keys.hpp"
#include "nttforge/exact_bootstrap/plan.hpp"
#include "nttforge/integer_encoding/context.hpp"
#include "nttforge/rlwe/ciphertext.hpp"

namespace nttforge::exact_bootstrap {

using namespace integer_encoding;  // NOLINT: the layer's names beside its own

/// The keys of the circuit, of the chain's context, and whose ciphertexts they are for.
struct BootstrapKeys : ckks::BootstrapKeys {
  std::uint64_t fingerprint = 0;  ///< of the ciphertexts' context

  /// A copy in another chain of equal parameters. throws ContextError.
  BootstrapKeys to(const rlwe::RlweContextPtr& chain) const {
    return {ckks::BootstrapKeys::to(chain), fingerprint};
  }
};

/// Bootstrapping of BFV and BGV by bootstrapping their noise in CKKS [KSS24]. t times the phase of a
/// ciphertext of BFV modulo Q, or the phase itself in BGV, is w, which is less than Q by the budget: a
/// message of CKKS in coefficients, of which the plaintext is no part. A bootstrap of it, at the modulus Q
/// and scaled to w/t, is subtracted: its error is what noise is left, and the plaintext stays exactly.
/// Further passes do the same with that noise, times a power of two. Serves every t, and all coefficients
/// (docs/decisions/exact-bootstrap.md, docs/bounds/exact_bootstrap.md). Immutable; concurrent use is safe.
class Bootstrapper {
 public:
  /// context: of the ciphertexts, on whose device the circuit runs. throws ParameterError naming what is out
  /// of range and what is needed: the chain's primes, the size of Q and of its first prime, the range, the
  /// security level that the context claims; UnsupportedError for words of 32 bits.
  Bootstrapper(IntegerContextPtr context, Options options);

  const IntegerContextPtr& context() const { return context_; }
  const ckks::ContextPtr& chain() const { return chain_; }
  const Plan& plan() const { return plan_; }
  const ckks::Bootstrapper& circuit() const { return circuit_; }
  /// Bits of budget that arguments need for the whole of budget_bits(), and the least that is taken.
  double full_budget_bits() const { return plan_.ratio_bits() - 1; }
  static double least_budget_bits() { return Plan::kLeastRatio - 1; }
  /// Budget of results of arguments that have full_budget_bits(), by the heuristic bound.
  double budget_bits() const { return plan_.passes(full_budget_bits()).back().budget_bits; }
  std::uint64_t keys_bytes() const { return circuit_.keys_bytes(); }

  /// For ciphertexts under this secret, of context(). throws ContextError, UnsupportedError.
  /// offload: as ckks::Bootstrapper::make_keys.
  BootstrapKeys make_keys(const SecretKey& secret, std::optional<std::size_t> offload = std::nullopt) const;
  /// seed: of the ephemeral secret and of everything random in the keys; given in tests alone.
  BootstrapKeys make_keys(const SecretKey& secret, const Seed& seed,
                          std::optional<std::size_t> offload = std::nullopt) const;

  /// The same plaintexts, at the highest level. Two parts. budget: bits that are left of `a`, where its owner
  /// knows that and the ciphertext does not; what is wrong here makes the result wrong. The result's bounds
  /// are those of Plan::passes(), proved where precision suffices. throws ContextError; ParameterError for
  /// three parts; NoiseError where too little budget is left, or nothing is known of it.
  Ciphertext bootstrap(const Ciphertext& a, const BootstrapKeys& keys,
                       std::optional<double> budget = std::nullopt) const;

 private:
  /// Modulo Q, in coefficients.
  Ciphertext lifted(const Ciphertext& a) const;
  /// What a pass subtracts: a ciphertext of w and the circuit's error, as noise. ratio: at least that of `a`.
  Ciphertext noise_of(const Ciphertext& a, unsigned gain, double ratio,
                      const ckks::BootstrapKeys& keys) const;

  IntegerContextPtr context_;
  Plan plan_;
  double q_log2_;
  ckks::ContextPtr chain_;
  ckks::Evaluator evaluator_;
  ckks::Bootstrapper circuit_;
};

/// As in ckks/bootstrap/keys.hpp: objects of the ciphertexts' scheme and parameters, which tell the chain.
std::uint64_t serialized_size(const Bootstrapper& bootstrapper);
std::vector<std::uint8_t> to_bytes(const Bootstrapper& bootstrapper, const BootstrapKeys& keys);
void write(const Bootstrapper& bootstrapper, const BootstrapKeys& keys, const rlwe::WriteBytes& to,
           const rlwe::ByteProgress& progress = {});
BootstrapKeys bootstrap_keys_from_bytes(const Bootstrapper& bootstrapper, std::span<const std::uint8_t> bytes,
                                        std::optional<std::size_t> offload = std::nullopt);
BootstrapKeys read_bootstrap_keys(const Bootstrapper& bootstrapper, const rlwe::ReadBytes& from,
                                  const rlwe::ByteProgress& progress = {},
                                  std::optional<std::size_t> offload = std::nullopt);

}  // namespace nttforge::exact_bootstrap
