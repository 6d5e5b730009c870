// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/parameters.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>
#include <string>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/bfv/noise_model.hpp"
#include "nttforge/bfv/presets.hpp"
#include "nttforge/rns/big_uint.hpp"

namespace nttforge::bfv {
namespace {

constexpr std::size_t kMinDimension = 2;
constexpr std::size_t kMaxDimension = std::size_t{1} << 17;
constexpr std::size_t kMaxLimbs = 64;
constexpr unsigned kMaxPrimeBits = 62;
constexpr unsigned kMaxPlainBits = 60;

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
  parameters.p = chain.special == 0 ? 0 : ntt_primes(parameters.n, chain.special, 1, parameters.q).front();
}

bool fresh_fits(const Parameters& parameters) {
  const NoiseModel model(parameters);
  return model.budget_bits(model.fresh_public()) > 0;
}

std::uint64_t smallest_batching_prime(std::size_t n) {
  const std::uint64_t step = 2 * static_cast<std::uint64_t>(n);
  std::uint64_t candidate = step + 1;
  while (!is_prime(candidate)) candidate += step;
  return candidate;
}

std::uint64_t default_plain_modulus(Parameters parameters) {
  for (std::uint64_t t : {std::uint64_t{65537}, smallest_batching_prime(parameters.n), std::uint64_t{2}}) {
    parameters.t = t;
    const bool used = std::find(parameters.q.begin(), parameters.q.end(), t) != parameters.q.end();
    if (!used && fresh_fits(parameters) && (t == 2 || parameters.has_batching())) return t;
  }
  return 2;
}

void check_dimension(std::size_t n) {
  if (n < kMinDimension || n > kMaxDimension || !std::has_single_bit(n))
    throw ParameterError(
        "n = " + text(n) + " is not allowed: the ring dimension must be a power of two in [" +
        text(kMinDimension) + ", " + text(kMaxDimension) + "]; use 4096 or 8192 to begin with");
}

void check_prime(const char* field, std::uint64_t value, std::size_t n) {
  const std::string name = std::string(field) + " = " + text(value);
  const std::string remedy = "; take primes from ntt_primes(" + text(n) + ", bits, count)";
  if (value < 2 || static_cast<unsigned>(std::bit_width(value)) > kMaxPrimeBits)
    throw ParameterError(name + " is out of range: each prime must be in [2, 2^" + text(kMaxPrimeBits) + ")" +
                         remedy);
  if (!is_prime(value)) throw ParameterError(name + " is composite: a prime is needed" + remedy);
  const std::uint64_t order = 2 * static_cast<std::uint64_t>(n);
  if (value % order != 1)
    throw ParameterError(name + " does not support n = " + text(n) + ": need " + field + " = 1 (mod " +
                         text(order) + "), and " + text(value) + " = " + text(value % order) + " (mod " +
                         text(order) + ")" + remedy);
}

void check_moduli(const Parameters& parameters) {
  if (parameters.q.empty()) throw ParameterError("q is empty: at least one prime is needed");
  if (parameters.q.size() > kMaxLimbs)
    throw ParameterError("q has " + text(parameters.q.size()) + " primes, at most " + text(kMaxLimbs) +
                         " are supported; use larger primes");
  for (std::size_t i = 0; i < parameters.q.size(); ++i) {
    check_prime(("q[" + text(i) + "]").c_str(), parameters.q[i], parameters.n);
    for (std::size_t j = 0; j < i; ++j)
      if (parameters.q[i] == parameters.q[j])
        throw ParameterError("q[" + text(j) + "] and q[" + text(i) + "] are both " + text(parameters.q[i]) +
                             ": the primes must be distinct; leave one out");
  }
  if (parameters.p == 0) return;
  check_prime("p", parameters.p, parameters.n);
  for (std::size_t i = 0; i < parameters.q.size(); ++i)
    if (parameters.q[i] == parameters.p)
      throw ParameterError("p = " + text(parameters.p) + " is also q[" + text(i) +
                           "]: the special prime must not be one of q; choose another");
}

void check_plain_modulus(const Parameters& parameters) {
  const std::string name = "t = " + text(parameters.t);
  if (parameters.t < 2 || static_cast<unsigned>(std::bit_width(parameters.t)) > kMaxPlainBits)
    throw ParameterError(name + " is out of range: the plaintext modulus must be in [2, 2^" +
                         text(kMaxPlainBits) + ")");
  for (std::size_t i = 0; i < parameters.q.size(); ++i)
    if (std::gcd(parameters.t, parameters.q[i]) != 1)
      throw ParameterError(name + " shares the factor " + text(parameters.q[i]) + " with q[" + text(i) +
                           "]: t must be coprime to every q; choose another t");
  if (!fresh_fits(parameters))
    throw ParameterError(
        name + " is too large for log2 Q = " + text(parameters.q_bits()) + " at n = " + text(parameters.n) +
        ": not even a fresh ciphertext would decrypt; use a smaller t or more " + "or larger primes q");
}

void check_enums(const Parameters& parameters) {
  if (static_cast<unsigned>(parameters.secret) > 1) throw ParameterError("secret distribution is unknown");
  if (static_cast<unsigned>(parameters.error) > 1) throw ParameterError("error distribution is unknown");
  if (static_cast<unsigned>(parameters.security) > 3) throw ParameterError("security level is unknown");
  security_table_name(parameters.security_table);  // throws if it is unknown
}

std::string table_title(SecurityTable table) { return "the " + std::string(security_table_title(table)); }

void check_security(const Parameters& parameters) {
  const unsigned claimed = security_level_bits(parameters.security);
  const SecurityVerdict verdict = parameters.security_verdict();
  if (verdict.bits >= claimed) return;
  std::string message = "security = " + std::string(security_level_name(parameters.security)) +
                        " is not reached: " + verdict.reason;
  const SecurityTable table = parameters.security_table;
  const unsigned allowed = max_modulus_bits(parameters.n, parameters.security, table);
  if (allowed != 0)
    message += "; at n = " + text(parameters.n) + " this level allows log2(Q p) <= " + text(allowed) +
               ", the set has " + text(parameters.modulus_bits());
  else if (max_modulus_bits(parameters.n, SecurityLevel::classical128, table) != 0)
    message += "; that table has no entry for n = " + text(parameters.n) + " at this level";
  throw ParameterError(message + "; use a larger n or a smaller modulus, or ask for " +
                       "security = insecure_by_request (tests and teaching only)");
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
                         table_title(table) + " have no limit for it; use n = 2048 or more");
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

Parameters Parameters::custom(std::size_t n, std::uint64_t t, std::vector<std::uint64_t> q, std::uint64_t p,
                              SecurityLevel security, SecretDistribution secret, ErrorDistribution error,
                              SecurityTable table) {
  Parameters parameters{n, t, std::move(q), p, secret, error, security, table};
  parameters.validate();
  return parameters;
}

void Parameters::validate() const {
  check_enums(*this);
  check_dimension(n);
  check_moduli(*this);
  check_plain_modulus(*this);
  check_security(*this);
}

unsigned Parameters::q_bits() const { return BigUint::product(q).bits(); }

unsigned Parameters::modulus_bits() const { return p == 0 ? q_bits() : (BigUint::product(q) * p).bits(); }

bool Parameters::has_batching() const {
  return n != 0 && t % (2 * static_cast<std::uint64_t>(n)) == 1 && is_prime(t);
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

std::string Parameters::describe() const {
  std::string result = "n = " + text(n) + ", log2 Q = " + text(q_bits()) + " (" + text(q.size()) +
                       (q.size() == 1 ? " prime)" : " primes)");
  if (p != 0) result += " + " + text(std::bit_width(p));
  result += ", t = " + text(t) + ", " + std::string(secret_distribution_name(secret)) + " secret, sigma " +
            (error == ErrorDistribution::sigma_3_2 ? "3.2" : "8");
  const unsigned bits = security_verdict().bits;
  return result + ", " + (bits != 0 ? text(bits) + "-bit classical security" : "no security level") + " by " +
         table_title(security_table);
}

}  // namespace nttforge::bfv
