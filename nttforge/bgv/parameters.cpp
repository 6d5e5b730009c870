// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bgv/parameters.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/bgv/noise_model.hpp"
#include "nttforge/bgv/presets.hpp"
#include "nttforge/rlwe/presets/preset_checks.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::bgv {
namespace {

constexpr unsigned kMaxPlainBits = 60;

std::string text(std::uint64_t value) { return std::to_string(value); }

constexpr std::size_t kFirstWithKeys = 4096;

}  // namespace

Parameters Parameters::preset(std::size_t n, std::uint64_t t, SecurityLevel security, SecurityTable table,
                              unsigned word_bits, std::size_t digit_primes) {
  require_preset(n, security, table, word_bits);
  Parameters parameters;
  parameters.n = n;
  parameters.security = security;
  parameters.security_table = table;
  parameters.word_bits = word_bits;
  const unsigned bits = max_modulus_bits(n, security, table), max_bits = word_bits == 32 ? 30 : 50;
  require_digit_primes(n, digit_primes, n < kFirstWithKeys ? 0 : (bits + max_bits - 1) / max_bits / 2);
  const auto fill = [&](std::uint64_t plain) {
    const std::optional<Chain> chain = word_bits == 64 && digit_primes <= 1
                                           ? best_chain(n, plain, bits)
                                           : equal_chain(n, plain, bits, max_bits, digit_primes);
    if (!chain) return false;
    parameters.t = plain;
    parameters.q = chain->q;
    parameters.special = chain->special;
    parameters.digit_primes = std::max<std::size_t>(1, std::min(chain->special.size(), chain->q.size()));
    return true;
  };
  const bool in_range = t >= 2 && static_cast<unsigned>(std::bit_width(t)) <= kMaxPlainBits;
  if (t == 0) {
    for (const std::uint64_t plain : default_plain_moduli(n))
      if (fill(plain) && (plain == 2 || parameters.has_batching())) break;
  } else if (!in_range) {
    fill(2);
    parameters.t = t;  // validate() says what is allowed
  } else if (!fill(t)) {
    throw ParameterError("t = " + text(t) + " is too large for n = " + text(n) + ", where " +
                         std::string(security_level_name(security)) + " allows log2(Q p) <= " + text(bits) +
                         ": not even a fresh ciphertext would decrypt; use a smaller t or a larger n");
  }
  parameters.validate();
  return parameters;
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
  if (scheme != Scheme::bgv)
    throw ParameterError("scheme = " + std::string(scheme_name(scheme)) + ": these are parameters of BGV");
  for (const std::uint64_t p : special)
    if (std::gcd(t, p) != 1)
      throw ParameterError("t = " + text(t) + " shares the factor " + text(p) +
                           " with special: t must be coprime to every special prime; choose another t");
  const NoiseModel model(*this);
  if (model.budget_bits(model.fresh_public(), limbs()) <= 0)
    throw ParameterError(
        "t = " + text(t) + " is too large for log2 Q = " + text(q_bits()) + " at n = " + text(n) +
        ": not even a fresh ciphertext would decrypt; use a smaller t or more or " + "larger primes q");
  check_security(*this);
}

unsigned Parameters::promised_depth() const { return NoiseModel(*this).promise().depth; }

unsigned Parameters::proved_depth() const { return NoiseModel(*this).promise(true).depth; }

Parameters parameters_from_bytes(std::span<const std::uint8_t> bytes, bool allow_insecure,
                                 SecurityTable table) {
  return load_parameters<Parameters>(bytes, allow_insecure, table);
}

}  // namespace nttforge::bgv
