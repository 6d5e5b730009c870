// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers of the ckks/ tests. Not installed.

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/ckks/ckks.hpp"
#include "nttforge/device/testing.hpp"

namespace nttforge::ckks::testing {

using nttforge::testing::Rng;
using Values = std::vector<std::complex<double>>;

/// A small insecure set: a lowest prime of 50 or 60 bits, `levels` more of scale_bits, special primes as the
/// first.
inline Parameters small_parameters(std::size_t n, std::size_t levels, unsigned scale_bits = 40,
                                   std::size_t special = 1) {
  std::vector<std::uint64_t> q = ntt_primes(n, scale_bits < 50 ? 50 : 60, 1 + special);
  std::vector<std::uint64_t> p(q.begin() + 1, q.end());
  q.resize(1);
  const std::vector<std::uint64_t> chain = ntt_primes(n, scale_bits, levels);
  q.insert(q.end(), chain.begin(), chain.end());
  return Parameters::custom(n, std::exp2(scale_bits), q, p, SecurityLevel::insecure_by_request);
}

/// The windows of the sets with 32-bit words, at any n.
inline Parameters window_parameters(std::size_t n, std::size_t special = 3) {
  std::vector<std::uint64_t> q = ntt_primes(n, 25, 4), p = ntt_primes(n, 31, special);
  const std::vector<std::uint64_t> mains = ntt_primes(n, 30, 5);
  q.insert(q.end(), mains.begin(), mains.end());
  return Parameters::custom(n, 0x1p60, q, p, SecurityLevel::insecure_by_request, SecretDistribution::ternary,
                            ErrorDistribution::sigma_3_2, kStrictestTable, 32, 0,
                            {{3, 5}, {4, 7}, {0, 5}, {2, 8}, {0, 9}});
}

/// Lowest prime of 55 bits, `levels` of 45, `last` of 50 at scales that come down from 58, `high` of 58 above
/// them for a bootstrap.
inline Parameters bootstrap_parameters(std::size_t n, std::size_t levels, std::size_t last,
                                       std::size_t high) {
  std::vector<std::uint64_t> q = ntt_primes(n, 55, 1);
  for (const auto& [count, bits] : {std::pair{levels, 45u}, {last, 50u}, {high, 58u}}) {
    const std::vector<std::uint64_t> primes = ntt_primes(n, bits, count);
    q.insert(q.end(), primes.begin(), primes.end());
  }
  std::vector<double> scales(levels + last + 1, 0.0);
  for (std::size_t i = 0; i < last; ++i)
    scales[levels + i] = std::exp2(45 + 5 * static_cast<double>(i) / static_cast<double>(last));
  double scale = 0x1p58;
  for (std::size_t i = scales.size(); i < q.size(); ++i) scale = std::sqrt(scale * static_cast<double>(q[i]));
  return Parameters::custom(n, scale, q, ntt_primes(n, 60, 3), SecurityLevel::insecure_by_request,
                            SecretDistribution::ternary, ErrorDistribution::sigma_3_2, kStrictestTable, 64, 0,
                            {}, scales);
}

inline Values random_values(Rng& rng, std::size_t count, double bound = 1, bool real = false) {
  Values values(count);
  const auto part = [&] { return bound * (2 * (static_cast<double>(rng.next() >> 11) * 0x1p-53) - 1); };
  for (auto& value : values) value = {part(), real ? 0 : part()};
  return values;
}

/// log2 of the largest difference of two messages.
inline double difference_log2(const Values& a, const Values& b) {
  double largest = 0x1p-200;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return std::log2(largest);
}

template <class Function>
Values map(const Values& a, const Values& b, const Function& function) {
  Values result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = function(a[i], b[i]);
  return result;
}

struct Party {
  explicit Party(const Parameters& parameters, std::shared_ptr<const Device> device = make_cpu_device(1))
      : context(Context::create(parameters, std::move(device))),
        generator(context),
        encryptor(generator.public_key()),
        decryptor(generator.secret_key()),
        evaluator(context),
        relinearization(generator.relinearization_key()) {}
  Ciphertext encrypt(const Values& values, const Encode& options = {}) const {
    return encryptor.encrypt(Plaintext(context, values, options));
  }
  /// The values are those that were meant but for the error that the ciphertext says.
  void check(const Ciphertext& x, const Values& meant, const char* what) const {
    const double error = std::max(difference_log2(decryptor.decrypt(x), meant), -80.0);
    // Doubles tell no smaller differences apart.
    const double said = std::max(error_log2(x), -50.0),
                 proved = std::max(error_log2(x, NoiseBound::proved), -50.0);
    if (!(error <= said) || !(error <= proved) || (said > error + 20 && error > -49))
      std::printf("  %s: error 2^%.2f, said 2^%.2f, proved 2^%.2f\n", what, error, said, proved);
    NTTF_CHECK(error <= said && error <= proved);
    NTTF_CHECK(said <= error + 20 || error < -49);  // a bound that says nothing would hold too
  }

  ContextPtr context;
  KeyGenerator generator;
  Encryptor encryptor;
  Decryptor decryptor;
  Evaluator evaluator;
  RelinearizationKey relinearization;
};

}  // namespace nttforge::ckks::testing
