// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/primes.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/transform_size.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"

namespace nttforge {
namespace {

// The first twelve primes: as Miller-Rabin bases they decide every number below 3.18 * 10^23 [SW17], so every
// 64-bit one.
constexpr std::uint64_t kBases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

constexpr std::size_t kMaxPrimeCount = 65536;
constexpr std::uint64_t kTrialDivisors = 1000;

bool is_strong_probable_prime(std::uint64_t value, std::uint64_t base) {
  const int twos = std::countr_zero(value - 1);
  std::uint64_t x = wide_pow_mod(base, (value - 1) >> twos, value);
  if (x == 1 || x == value - 1) return true;
  for (int i = 1; i < twos; ++i) {
    x = wide_mul_mod(x, x, value);
    if (x == value - 1) return true;
  }
  return false;
}

/// A proper divisor of an odd composite without small factors: Pollard's rho with Floyd's cycle search.
std::uint64_t find_divisor(std::uint64_t value) {
  for (std::uint64_t c = 1;; ++c) {
    const auto step = [&](std::uint64_t x) {
      return static_cast<std::uint64_t>((static_cast<u128>(x) * x + c) % value);
    };
    std::uint64_t slow = 2, fast = 2, divisor = 1;
    while (divisor == 1) {
      constexpr int kBatch = 128;  // differences multiplied together before one gcd
      const std::uint64_t slow_start = slow, fast_start = fast;
      std::uint64_t product = 1;
      poll_interrupt();
      for (int i = 0; i < kBatch; ++i) {
        slow = step(slow);
        fast = step(step(fast));
        product = wide_mul_mod(product, slow > fast ? slow - fast : fast - slow, value);
      }
      divisor = std::gcd(product, value);
      if (divisor != value) continue;
      // All factors were met within this batch: go through it again one by one.
      slow = slow_start, fast = fast_start, divisor = 1;
      while (divisor == 1) {
        slow = step(slow);
        fast = step(step(fast));
        divisor = std::gcd(slow > fast ? slow - fast : fast - slow, value);
      }
    }
    if (divisor != value) return divisor;  // else this c runs into one common cycle: take the next
  }
}

void collect_factors(std::uint64_t value, std::vector<std::uint64_t>& factors) {
  if (value == 1) return;
  if (is_prime(value)) {
    factors.push_back(value);
    return;
  }
  const std::uint64_t divisor = find_divisor(value);
  collect_factors(divisor, factors);
  collect_factors(value / divisor, factors);
}

void check_bits(unsigned bits) {
  if (bits < 2 || bits > kMaxModulusBits) {
    throw ParameterError("bits = " + std::to_string(bits) + " is outside 2 ... " +
                         std::to_string(kMaxModulusBits) + ": primes of the 64-bit class are below 2^" +
                         std::to_string(kMaxModulusBits));
  }
}

std::vector<std::uint64_t> largest_primes(std::size_t n, unsigned bits, std::size_t count,
                                          std::span<const std::uint64_t> exclude) {
  std::vector<std::uint64_t> primes;
  const std::uint64_t step = 2 * std::uint64_t{n};
  const std::uint64_t lowest = std::uint64_t{1} << (bits - 1);
  std::uint64_t candidate = ((std::uint64_t{1} << bits) - 2) / step * step + 1;
  for (; primes.size() < count && candidate >= lowest && candidate > 1; candidate -= step) {
    poll_interrupt();
    if (!is_prime(candidate)) continue;
    if (std::find(exclude.begin(), exclude.end(), candidate) == exclude.end()) primes.push_back(candidate);
  }
  return primes;
}

std::string number_of_primes(std::size_t count) {
  if (count == 0) return "are no primes";
  return count == 1 ? "is only 1 prime" : "are only " + std::to_string(count) + " primes";
}

/// The fewest bits above `bits` and the largest n below `n` for which there are `count` primes.
std::string sizes_with_enough(std::size_t n, unsigned bits, std::size_t count,
                              std::span<const std::uint64_t> exclude) {
  const auto enough = [&](std::size_t size, unsigned b) {
    return largest_primes(size, b, count, exclude).size() == count;
  };
  unsigned more = bits + 1;
  while (more <= kMaxModulusBits && !enough(n, more)) ++more;
  std::size_t smaller = n / 2;
  while (smaller != 0 && !enough(smaller, bits)) smaller /= 2;
  if (more > kMaxModulusBits && smaller == 0)
    return "neither more bits nor a smaller n has enough: ask for fewer";
  const std::string by_bits = "bits = " + std::to_string(more) + " has enough for this n";
  const std::string by_size = "n = " + std::to_string(smaller) + " has enough of this size";
  if (smaller == 0) return by_bits + ", and no smaller n of this size";
  if (more > kMaxModulusBits) return by_size + ", and no more bits for this n";
  return by_bits + ", and " + by_size;
}

}  // namespace

bool is_prime(std::uint64_t value) {
  if (value < 2) return false;
  for (const std::uint64_t base : kBases) {
    if (value % base == 0) return value == base;
  }
  return std::all_of(std::begin(kBases), std::end(kBases),
                     [value](std::uint64_t base) { return is_strong_probable_prime(value, base); });
}

std::vector<std::uint64_t> prime_factors(std::uint64_t value) {
  if (value == 0) throw ParameterError("value = 0 has no prime factorisation; give a value >= 1");
  std::vector<std::uint64_t> factors;
  for (std::uint64_t d = 2; d < kTrialDivisors && d * d <= value; ++d) {
    if (value % d != 0) continue;
    factors.push_back(d);
    while (value % d == 0) value /= d;
  }
  collect_factors(value, factors);
  std::sort(factors.begin(), factors.end());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  return factors;
}

std::vector<std::uint64_t> ntt_primes(std::size_t n, unsigned bits, std::size_t count,
                                      std::span<const std::uint64_t> exclude) {
  require_transform_size(n);
  check_bits(bits);
  if (count > kMaxPrimeCount) {
    throw ParameterError("count = " + std::to_string(count) + " is too large: ask for at most " +
                         std::to_string(kMaxPrimeCount) + " primes");
  }
  const std::vector<std::uint64_t> primes = largest_primes(n, bits, count, exclude);
  if (primes.size() == count) return primes;
  throw ParameterError("count = " + std::to_string(count) + ": there " + number_of_primes(primes.size()) +
                       " of " + std::to_string(bits) + " bits with q = 1 (mod " + std::to_string(2 * n) +
                       ")" + (exclude.empty() ? "" : " besides the excluded ones") + "; " +
                       sizes_with_enough(n, bits, count, exclude));
}

std::string GeneralisedMersennePrime::text() const {
  const auto signed_term = [](int sign, const std::string& term) {
    return (sign < 0 ? " - " : " + ") + term;
  };
  return "2^" + std::to_string(i) + signed_term(sign_j, "2^" + std::to_string(j)) + signed_term(sign_0, "1");
}

std::vector<GeneralisedMersennePrime> generalised_mersenne_primes(unsigned bits) {
  check_bits(bits);
  std::vector<GeneralisedMersennePrime> primes;
  // A larger i comes first, so of two ways to write a value the one with the larger i stays.
  for (const unsigned i : {bits, bits - 1}) {
    for (unsigned j = 1; j < i; ++j) {
      for (const int sign_j : {-1, 1}) {
        for (const int sign_0 : {-1, 1}) {
          const std::uint64_t power_j = std::uint64_t{1} << j;
          const std::uint64_t base =
              (std::uint64_t{1} << i) + (sign_j < 0 ? std::uint64_t{0} - power_j : power_j);
          const std::uint64_t value = sign_0 < 0 ? base - 1 : base + 1;
          if (value >> (bits - 1) == 1 && is_prime(value)) primes.push_back({value, i, j, sign_j, sign_0});
        }
      }
    }
  }
  std::stable_sort(primes.begin(), primes.end(),
                   [](const auto& a, const auto& b) { return a.value > b.value; });
  primes.erase(std::unique(primes.begin(), primes.end(),
                           [](const auto& a, const auto& b) { return a.value == b.value; }),
               primes.end());
  return primes;
}

}  // namespace nttforge
