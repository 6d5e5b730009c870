// SPDX-License-Identifier: Apache-2.0
#include "nttforge/exact_bootstrap/presets.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ckks/bootstrap/fourier.hpp"
#include "nttforge/rns/big_uint.hpp"

namespace nttforge::exact_bootstrap {
namespace {

/// Sizes of the chain's primes above those of Q, and of its special ones.
struct Shape {
  std::string_view name;
  unsigned log_n;
  unsigned to_coefficients_bits;
  std::size_t to_coefficients;
  unsigned sine_bits;
  unsigned to_slots_bits;
  std::size_t to_slots;
  unsigned special_bits;
  std::size_t special, digit_primes;
  unsigned passes;
  unsigned word_bits = 64;  ///< 32: every size is of two primes, but for the special ones
};

constexpr unsigned kLeastLogN = 7;                   // for an ephemeral secret of weight 32
constexpr unsigned kLeastBits = 40, kMostBits = 62;  // of a prime of Q
constexpr unsigned kMostNarrowBits = 29;             // in words of 32 bits
constexpr unsigned kFineBits = 8;                    // above log2 n, of small primes: there are some
constexpr double kFirstSpare = 1;                    // bits, so that the first prime rounds little
constexpr std::size_t kSineLevels = 8;

constexpr Shape kShapes[] = {
    {"exact16", 16, 44, 3, 62, 56, 4, 61, 10, 9, 3},
    {"exact16w", 16, 60, 3, 60, 60, 4, 30, 18, 17, 3, 32},
    {"exact15", 15, 30, 2, 48, 43, 3, 51, 4, 4, 4},
};

/// So many primes of so many bits together.
void append(std::size_t n, unsigned bits, unsigned count, std::vector<std::uint64_t> taken,
            std::vector<std::uint64_t>& q) {
  taken.insert(taken.end(), q.begin(), q.end());
  for (const std::uint64_t prime : ntt_primes(n, (bits + count - 1) / count, count, taken))
    q.push_back(prime);
}

}  // namespace

BootstrapSet bootstrap_preset(std::string_view name, std::uint64_t t, unsigned passes, unsigned log_n,
                              Scheme scheme) {
  std::string names;
  for (const Shape& shape : kShapes) {
    names += (names.empty() ? "" : ", ") + std::string(shape.name);
    if (shape.name != name) continue;
    if (log_n == 0) log_n = shape.log_n;
    if (passes == 0) passes = shape.passes;
    if (log_n < kLeastLogN || log_n > shape.log_n)
      throw ParameterError("log_n = " + std::to_string(log_n) + " is out of range [" +
                           std::to_string(kLeastLogN) + ", " + std::to_string(shape.log_n) + "]");
    if (t < 2) throw ParameterError("t = " + std::to_string(t) + " must be 2 at least");
    BootstrapSet set;
    set.n = std::size_t{1} << log_n;
    set.t = t;
    set.security = log_n == shape.log_n ? SecurityLevel::classical128 : SecurityLevel::insecure_by_request;
    set.word_bits = shape.word_bits;
    const bool narrow = shape.word_bits == 32;
    const unsigned each = narrow ? 2 : 1, most_bits = narrow ? kMostNarrowBits : kMostBits;
    std::vector<std::uint64_t> taken;
    const auto take = [&](unsigned bits, std::size_t count, std::vector<std::uint64_t>& out) {
      for (const std::uint64_t prime : ntt_primes(set.n, bits, count, taken)) out.push_back(prime);
      taken.insert(taken.end(), out.end() - static_cast<std::ptrdiff_t>(count), out.end());
    };
    take(shape.to_coefficients_bits / each, each * shape.to_coefficients, set.options.primes);
    take(shape.sine_bits / each, each * kSineLevels, set.options.primes);
    take(shape.to_slots_bits / each, each * shape.to_slots, set.options.primes);
    take(shape.special_bits, shape.special, set.options.special);
    set.special = {set.options.special.front()};
    set.options.digit_primes = shape.digit_primes;
    set.options.passes = passes;
    set.options.to_slots = ckks::split_layers(log_n - 1, shape.to_slots);
    set.options.to_coefficients = ckks::split_layers(log_n - 1, shape.to_coefficients);
    // Q has as few bits as the plan takes. Products of BGV divide by primes one by one, and want small ones
    // above the first; BFV's primes are of one size.
    for (unsigned bits = 2 * kLeastBits, first = std::max(kLeastBits, each * (log_n + kFineBits));; ++bits) {
      set.q.clear();
      const unsigned least = log_n + kFineBits;  // of a prime: below there are few
      if (scheme == Scheme::bgv) {
        append(set.n, first, each, taken, set.q);
        const unsigned rest = bits - first,
                       count = std::max((rest + most_bits - 1) / most_bits, rest / least);
        append(set.n, std::max(rest, count * least), count, taken, set.q);
      } else {
        const unsigned count = std::max(each + 1, (bits + most_bits - 1) / most_bits);
        append(set.n, std::max(bits, count * least), count, taken, set.q);
      }
      ckks::Parameters own;
      own.assign(set.n, set.q, {}, SecurityLevel::insecure_by_request, SecretDistribution::ternary,
                 ErrorDistribution::sigma_3_2, kStrictestTable, set.word_bits, 1);
      const Plan plan(own, t, set.options);
      const double missing = plan.needed_q_log2() - BigUint::product(set.q).log2();
      const double missing_first = plan.needed_first_log2() + kFirstSpare - plan.first_log2();
      if (missing <= 0 && missing_first <= 0) break;
      const auto of_first = static_cast<unsigned>(std::max(0.0, std::ceil(missing_first)));
      const auto of_all = static_cast<unsigned>(std::max(0.0, std::floor(missing)));
      first += of_first;
      bits += scheme == Scheme::bgv || of_first == 0
                  ? of_all
                  : std::max(of_all, static_cast<unsigned>(set.q.size()) / each * of_first - 1);
    }
    return set;
  }
  throw ParameterError("name = '" + std::string(name) + "' is no bootstrapping set: " + names);
}

}  // namespace nttforge::exact_bootstrap
