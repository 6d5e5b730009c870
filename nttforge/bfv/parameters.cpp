// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/parameters.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/bfv/noise_model.hpp"
#include "nttforge/bfv/presets.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::bfv {
namespace {

std::string text(std::uint64_t value) { return std::to_string(value); }

void fill_primes(const PresetChain& chain, Parameters& parameters) {
  parameters.q.clear();
  const auto append = [&](unsigned bits, unsigned count) {
    if (count == 0) return;
    const auto primes = ntt_primes(parameters.n, bits, count, parameters.q);
    parameters.q.insert(parameters.q.end(), primes.begin(), primes.end());
  };
  append(chain.low_bits, chain.low);
  append(chain.low_bits + 1, chain.high);
  parameters.special.clear();
  if (chain.special != 0) parameters.special = ntt_primes(parameters.n, chain.special, 1, parameters.q);
}

bool fresh_fits(const Parameters& parameters) {
  const NoiseModel model(parameters);
  return model.budget_bits(model.fresh_public()) > 0;
}

std::uint64_t default_plain_modulus(Parameters parameters) {
  for (const std::uint64_t t : default_plain_moduli(parameters.n)) {
    parameters.t = t;
    const bool used = std::find(parameters.q.begin(), parameters.q.end(), t) != parameters.q.end();
    if (!used && fresh_fits(parameters) && (t == 2 || parameters.has_batching())) return t;
  }
  return 2;
}

}  // namespace

Parameters Parameters::preset(std::size_t n, std::uint64_t t, SecurityLevel security, SecurityTable table) {
  if (security == SecurityLevel::insecure_by_request)
    throw ParameterError(
        "security = insecure_by_request has no preset: presets are secure; use Parameters::custom");
  for (const PresetChain& chain : preset_chains(security, table)) {
    if (chain.n != n) continue;
    Parameters parameters;
    parameters.n = n;
    parameters.security = security;
    parameters.security_table = table;
    fill_primes(chain, parameters);
    parameters.t = t != 0 ? t : default_plain_modulus(parameters);
    parameters.validate();
    return parameters;
  }
  if (n == 1024)
    throw ParameterError("n = 1024 has no preset for " + std::string(security_level_name(security)) + ": " +
                         "the " + std::string(security_table_title(table)) +
                         " have no limit for it; use n = 2048 or more");
  throw ParameterError("n = " + text(n) + " has no preset: use 1024, 2048, 4096, 8192, 16384 or 32768, or " +
                       "Parameters::custom");
}

Parameters Parameters::badawi2018(std::size_t n, std::uint64_t t) {
  for (const PresetChain& chain : kBadawiChains) {
    if (chain.n != n) continue;
    Parameters parameters;
    parameters.n = n;
    parameters.t = t;
    parameters.secret = SecretDistribution::binary;
    parameters.error = ErrorDistribution::sigma_8_bound_48;
    parameters.security = SecurityLevel::insecure_by_request;
    fill_primes(chain, parameters);
    parameters.validate();
    return parameters;
  }
  throw ParameterError("n = " + text(n) + " is not in [Bad18b] Table 4: use 2048, 4096, 8192 or 16384");
}

Parameters Parameters::custom(std::size_t n, std::uint64_t t, std::vector<std::uint64_t> q,
                              SpecialPrimes special, SecurityLevel security, SecretDistribution secret,
                              ErrorDistribution error, SecurityTable table, unsigned word_bits,
                              std::size_t digit_primes) {
  Parameters parameters;
  parameters.assign(n, t, std::move(q), std::move(special), security, secret, error, table, word_bits,
                    digit_primes);
  parameters.validate();
  return parameters;
}

void Parameters::validate() const {
  check_ring(*this);
  if (scheme != Scheme::bfv)
    throw ParameterError("scheme = " + std::string(scheme_name(scheme)) + ": these are parameters of BFV");
  if (!fresh_fits(*this))
    throw ParameterError(
        "t = " + text(t) + " is too large for log2 Q = " + text(q_bits()) + " at n = " + text(n) +
        ": not even a fresh ciphertext would decrypt; use a smaller t or more " + "or larger primes q");
  check_security(*this);
}

unsigned Parameters::promised_depth() const {
  const NoiseModel model(*this);
  const unsigned limit = has_evaluation_keys() ? 1000 : 1;
  Noise noise = model.fresh_public();
  unsigned depth = 0;
  while (depth < limit) {
    noise = model.level(noise);
    if (model.budget_bits(noise) <= 0) break;
    ++depth;
  }
  return depth;
}

Parameters parameters_from_bytes(std::span<const std::uint8_t> bytes, bool allow_insecure) {
  return load_parameters<Parameters>(bytes, allow_insecure);
}

}  // namespace nttforge::bfv
