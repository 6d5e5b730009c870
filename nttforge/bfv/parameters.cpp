// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/parameters.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/bfv/noise_model.hpp"
#include "nttforge/bfv/presets.hpp"
#include "nttforge/rlwe/presets/equal_primes.hpp"
#include "nttforge/rlwe/presets/preset_checks.hpp"
#include "nttforge/rlwe/serialize.hpp"
#include "nttforge/rns/big_uint.hpp"

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

/// Primes of nearly one size, the last `special` of them special, as many in a digit.
void fill_equal(unsigned bits, unsigned primes, std::size_t special, std::uint64_t t,
                Parameters& parameters) {
  const auto all = primes_of_sizes(parameters.n, equal_sizes(bits, primes), {{t}});
  if (!all)
    throw ParameterError("n = " + text(parameters.n) + " has too few primes of " + text(bits / primes) +
                         " bits; ask for other digit_primes");
  const auto middle = all->end() - static_cast<std::ptrdiff_t>(special);
  parameters.q.assign(all->begin(), middle);
  parameters.special.assign(middle, all->end());
  parameters.digit_primes = std::max<std::size_t>(1, special);
}

/// The row of a dimension that require_preset accepts.
template <class Row>
const Row& row_of(std::span<const Row> rows, std::size_t n) {
  return *std::find_if(rows.begin(), rows.end(), [n](const Row& row) { return row.n == n; });
}

bool fresh_fits(const Parameters& parameters) {
  const NoiseModel model(parameters);
  return model.budget_bits(model.fresh_public()) > 0;
}

unsigned depth_of(const Parameters& parameters, bool proved) {
  const NoiseModel model(parameters);
  const unsigned limit = parameters.has_evaluation_keys() ? 1000 : 1;
  Noise noise = model.fresh_public();
  unsigned depth = 0;
  while (depth < limit) {
    noise = model.level(noise);
    if ((proved ? model.proved_budget_bits(noise, parameters.limbs()) : model.budget_bits(noise)) <= 0) break;
    ++depth;
  }
  return depth;
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

Parameters Parameters::preset(std::size_t n, std::uint64_t t, SecurityLevel security, SecurityTable table,
                              unsigned word_bits, std::size_t digit_primes) {
  require_preset(n, security, table, word_bits);
  Parameters parameters;
  parameters.n = n;
  parameters.security = security;
  parameters.security_table = table;
  parameters.word_bits = word_bits;
  const PresetChain& chain = row_of(preset_chains(security, table), n);
  const PresetSplit& split = row_of(preset_splits(security, table), n);
  const unsigned primes = word_bits == 32 ? split.primes : chain.low + chain.high + (chain.special != 0);
  const unsigned special = word_bits == 32 ? split.special : chain.special != 0;
  require_digit_primes(n, digit_primes, special == 0 ? 0 : primes / 2);
  if (word_bits == 64 && digit_primes <= 1)
    fill_primes(chain, parameters);
  else
    fill_equal(max_modulus_bits(n, security, table), primes, digit_primes != 0 ? digit_primes : special, t,
               parameters);
  parameters.t = t != 0 ? t : default_plain_modulus(parameters);
  parameters.validate();
  return parameters;
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
  parameters.t = t;
  parameters.assign(n, std::move(q), std::move(special), security, secret, error, table, word_bits,
                    digit_primes);
  parameters.validate();
  return parameters;
}

void Parameters::validate() const {
  check_integers(*this);
  if (scheme != Scheme::bfv)
    throw ParameterError("scheme = " + std::string(scheme_name(scheme)) + ": these are parameters of BFV");
  if (!fresh_fits(*this))
    throw ParameterError(
        "t = " + text(t) + " is too large for log2 Q = " + text(q_bits()) + " at n = " + text(n) +
        ": not even a fresh ciphertext would decrypt; use a smaller t or more " + "or larger primes q");
  check_security(*this);
}

std::size_t Parameters::lowest_level() const {
  std::size_t level = 1;
  while (level < q.size() && BigUint::product(std::span(q).first(level)) < BigUint(t) * 4) ++level;
  return level;
}

unsigned Parameters::promised_depth() const { return depth_of(*this, false); }

unsigned Parameters::proved_depth() const { return depth_of(*this, true); }

Parameters parameters_from_bytes(std::span<const std::uint8_t> bytes, bool allow_insecure,
                                 SecurityTable table) {
  return load_parameters<Parameters>(bytes, allow_insecure, table);
}

}  // namespace nttforge::bfv
