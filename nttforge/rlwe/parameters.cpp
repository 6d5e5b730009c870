// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/parameters.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/rns/big_uint.hpp"

namespace nttforge::rlwe {
namespace {

constexpr std::size_t kMinDimension = 2;
constexpr std::size_t kMaxDimension = std::size_t{1} << 17;
constexpr std::size_t kMaxLimbs = 64;
constexpr std::size_t kMaxSpecial = 24;  // also of the primes of a digit
constexpr unsigned kMaxPrimeBits = 62;

std::string text(std::uint64_t value) { return std::to_string(value); }

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

void check_moduli(const RlweParameters& parameters) {
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
}

void check_special(const RlweParameters& parameters) {
  const std::vector<std::uint64_t>&q = parameters.q, &special = parameters.special;
  if (special.size() > kMaxSpecial)
    throw ParameterError("special has " + text(special.size()) + " special primes, at most " +
                         text(kMaxSpecial) + " are supported; use fewer or larger ones");
  for (std::size_t i = 0; i < special.size(); ++i) {
    const std::string name = special.size() == 1 ? "special" : "special[" + text(i) + "]";
    check_prime(name.c_str(), special[i], parameters.n);
    for (std::size_t j = 0; j < q.size(); ++j)
      if (q[j] == special[i])
        throw ParameterError(name + " = " + text(special[i]) + " is also q[" + text(j) +
                             "]: the special prime must not be one of q; choose another");
    for (std::size_t j = 0; j < i; ++j)
      if (special[j] == special[i])
        throw ParameterError("special[" + text(j) + "] and special[" + text(i) + "] are both " +
                             text(special[i]) + ": the special primes must be distinct; leave one out");
  }
}

void check_digits(const RlweParameters& parameters) {
  const std::string name = "digit_primes = " + text(parameters.digit_primes);
  if (parameters.special.empty() && parameters.digit_primes != 1)
    throw ParameterError(name + ": without special primes nothing is switched, so it must be 1");
  const std::size_t most = std::min(kMaxSpecial, parameters.q.size());
  if (parameters.digit_primes < 1 || parameters.digit_primes > most)
    throw ParameterError(name + " is out of range [1, " + text(most) + "]: a digit has at most the " +
                         text(parameters.q.size()) + " primes of q, and at most " + text(kMaxSpecial) +
                         "; as many as there are special primes are right");
}

/// Products of a digit's primes and of the special ones are kept in doubles.
void check_products(const RlweParameters& parameters) {
  constexpr double kMostBits = 1000;
  const auto bits = [](std::span<const std::uint64_t> primes) {
    double sum = 0;
    for (const std::uint64_t prime : primes) sum += std::log2(static_cast<double>(prime));
    return sum;
  };
  const auto require = [&](double value, const std::string& what) {
    if (value > kMostBits)
      throw ParameterError(what + " has " + text(static_cast<std::uint64_t>(value)) + " bits, at most " +
                           text(static_cast<std::uint64_t>(kMostBits)) + " are supported; use fewer primes");
  };
  require(bits(parameters.special), "the product of the special primes");
  for (std::size_t first = 0; first < parameters.q.size(); first += parameters.digit_primes)
    require(bits(std::span(parameters.q)
                     .subspan(first, std::min(parameters.digit_primes, parameters.q.size() - first))),
            "a digit of digit_primes = " + text(parameters.digit_primes));
}

void check_levels(const RlweParameters& parameters) {
  const std::vector<Window>& levels = parameters.levels;
  const std::size_t count = parameters.q.size();
  double below = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Window w = levels[i];
    const std::string name = "levels[" + text(i) + "] = [" + text(w.first) + ", " + text(w.last) + ")";
    if (w.first >= w.last || w.last > count)
      throw ParameterError(name + " is no window of the " + text(count) + " primes of q");
    double bits = 0;
    for (std::size_t j = w.first; j < w.last; ++j) bits += std::log2(static_cast<double>(parameters.q[j]));
    if (bits <= below) throw ParameterError(name + " has no more bits than the level below: levels go up");
    below = bits;
  }
  if (!levels.empty() && levels.back() != Window{0, count})
    throw ParameterError("levels: the last one must have all " + text(count) + " primes of q");
}

void check_word_bits(const RlweParameters& parameters) {
  if (parameters.word_bits == 64) return;
  if (parameters.word_bits != 32)
    throw ParameterError("word_bits = " + text(parameters.word_bits) + " is not allowed: 32 or 64");
  for (const std::uint64_t prime : parameters.key_moduli())
    if (prime >> 32 != 0)
      throw ParameterError("word_bits = 32: the prime " + text(prime) +
                           " has more than 32 bits; use smaller primes or word_bits = 64");
}

void check_enums(const RlweParameters& parameters) {
  if (static_cast<unsigned>(parameters.error) > 1) throw ParameterError("error distribution is unknown");
  if (static_cast<unsigned>(parameters.security) > 3) throw ParameterError("security level is unknown");
  security_table_name(parameters.security_table);  // throws if it is unknown
}

/// value with one decimal.
std::string tenths(double value) {
  const auto whole = static_cast<std::uint64_t>(value * 10 + 0.5);
  return text(whole / 10) + "." + text(whole % 10);
}

/// What hybrid key switching costs and saves, against one special prime and digits of one prime out of the
/// same primes: K - 1 digits, whose keys have 2K rows each and whose switching takes K - 1 + 2 times K
/// transforms.
std::string describe_digits(const RlweParameters& parameters) {
  const std::size_t primes = parameters.digit_primes, digits = parameters.digits(),
                    special = parameters.special.size();
  std::string result = text(special) + (special == 1 ? " special prime, " : " special primes, ") +
                       text(digits) + (digits == 1 ? " digit of " : " digits of ") + text(primes) +
                       (primes == 1 ? " prime: " : " primes: ");
  const auto all = static_cast<double>(parameters.key_limbs()), count = static_cast<double>(digits);
  const unsigned cost = BigUint::product(parameters.special).bits() -
                        static_cast<unsigned>(std::bit_width(parameters.special.back()));
  return result + text(cost) + " bits of Q are spent on keys " + tenths((all - 1) / count) +
         " times smaller and " + tenths((all + 1) / (count + 2)) + " times fewer transforms";
}

std::string table_title(SecurityTable table) { return "the " + std::string(security_table_title(table)); }

}  // namespace

std::string_view scheme_name(Scheme scheme) {
  switch (scheme) {
    case Scheme::bfv:
      return "BFV";
    case Scheme::bgv:
      return "BGV";
    case Scheme::ckks:
      return "CKKS";
  }
  throw ParameterError("unknown scheme " + text(static_cast<std::uint64_t>(scheme)));
}

void RlweParameters::assign(std::size_t n_, std::vector<std::uint64_t> q_, SpecialPrimes special_,
                            SecurityLevel security_, SecretDistribution secret_, ErrorDistribution error_,
                            SecurityTable table, unsigned word_bits_, std::size_t digit_primes_) {
  n = n_;
  q = std::move(q_);
  special = std::move(special_.primes);
  security = security_;
  secret = secret_;
  error = error_;
  security_table = table;
  word_bits = word_bits_;
  const std::size_t recommended = std::max<std::size_t>(1, std::min(special.size(), q.size()));
  digit_primes = digit_primes_ != 0 ? digit_primes_ : recommended;
}

void check_ring(const RlweParameters& parameters) {
  check_enums(parameters);
  check_dimension(parameters.n);
  check_secret_distribution(parameters.secret, parameters.n);
  check_moduli(parameters);
  check_special(parameters);
  check_digits(parameters);
  check_products(parameters);
  check_levels(parameters);
  check_word_bits(parameters);
}

void check_security(const RlweParameters& parameters) {
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

std::span<const std::uint64_t> RlweParameters::moduli(std::size_t level) const {
  const Window w = window(level);
  return std::span(q).subspan(w.first, w.size());
}

Window RlweParameters::key_window(std::size_t level) const {
  Window rows = window(level);
  for (std::size_t below = 1; below < level && !levels.empty(); ++below) {
    const Window w = window(below);
    rows = {std::min(rows.first, w.first), std::max(rows.last, w.last)};
  }
  return rows;
}

std::size_t RlweParameters::digits(std::size_t level) const {
  const Window rows = key_window(level);
  return rows.size() == 0 ? 0 : (rows.last - 1) / digit_primes - rows.first / digit_primes + 1;
}

std::vector<std::uint64_t> RlweParameters::key_moduli() const { return key_moduli(top_level()); }

std::vector<std::uint64_t> RlweParameters::key_moduli(std::size_t level) const {
  const Window rows = key_window(level);
  std::vector<std::uint64_t> moduli(q.begin() + static_cast<std::ptrdiff_t>(rows.first),
                                    q.begin() + static_cast<std::ptrdiff_t>(rows.last));
  moduli.insert(moduli.end(), special.begin(), special.end());
  return moduli;
}

unsigned RlweParameters::q_bits() const { return BigUint::product(q).bits(); }

unsigned RlweParameters::modulus_bits() const { return BigUint::product(key_moduli()).bits(); }

std::string RlweParameters::describe() const {
  std::string result = "n = " + text(n) + ", log2 Q = " + text(q_bits()) + " (" + text(q.size()) +
                       (q.size() == 1 ? " prime)" : " primes)");
  if (!special.empty()) result += " + " + text(BigUint::product(special).bits());
  if (special.size() > 1 || digit_primes > 1) result += " (" + describe_digits(*this) + ")";
  result += ", " + describe_plain() + ", " + secret.describe() + ", sigma " +
            (error == ErrorDistribution::sigma_3_2 ? "3.2" : "8");
  if (word_bits != 64) result += ", " + text(word_bits) + "-bit words";
  const unsigned bits = security_verdict().bits;
  return result + ", " + (bits != 0 ? text(bits) + "-bit classical security" : "no security level") + " by " +
         table_title(security_table);
}

}  // namespace nttforge::rlwe
