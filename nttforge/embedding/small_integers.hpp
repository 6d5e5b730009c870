// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/shoup.hpp"
#include "nttforge/embedding/embedding.hpp"

namespace nttforge {

/// How many of the primes, from the first on, hold coefficients below 2^bits.
inline std::size_t primes_that_hold(std::span<const std::uint64_t> moduli, double bits) {
  std::size_t count = 0;
  for (double held = 0; count < moduli.size() && held < bits + 1.5; ++count)
    held += std::log2(static_cast<double>(moduli[count]));
  return count;
}

/// Centred integers from residues modulo a few primes by mixed radices [Bad18b, Alg. 4], without a branch on
/// them. What is wanted is below half of the product of the primes and below 2^126.
class SmallIntegers {
 public:
  explicit SmallIntegers(std::span<const std::uint64_t> moduli) {
    for (const std::uint64_t q : moduli) moduli_.emplace_back(q);
    u128 weight = 1;
    for (std::size_t i = 0; i < moduli_.size(); ++i) {
      weights_.push_back(weight);
      weight *= moduli[i];
      bits_ += std::log2(static_cast<double>(moduli[i]));
      std::uint64_t product = 1;
      for (std::size_t j = 0; j < i; ++j) {
        products_.push_back(product);
        product = moduli_[i].mul(product, moduli_[i].reduce(moduli[j]));
      }
      inverses_.push_back(moduli_[i].inverse(product));
    }
    product_ = weight;
    if (moduli_.size() == 2) inverse_ = make_shoup(inverses_[1], moduli[1]);
  }
  std::size_t size() const { return moduli_.size(); }
  double bits() const { return bits_; }  ///< log2 of the product
  std::span<const Modulus> moduli() const { return moduli_; }
  std::span<const u128> weights() const { return weights_; }
  std::span<const std::uint64_t> products() const { return products_; }
  std::span<const std::uint64_t> inverses() const { return inverses_; }
  u128 product() const { return product_; }

  Coefficient centred(std::span<const std::uint64_t> residues, std::span<std::uint64_t> digits) const {
    u128 value = 0;
    const std::uint64_t* product = products_.data();
    std::uint64_t above = 0;  // beyond half of the product, whose digits are (q - 1) / 2
    for (std::size_t i = 0; i < moduli_.size(); ++i) {
      const Modulus& q = moduli_[i];
      std::uint64_t known = 0;
      for (std::size_t j = 0; j < i; ++j) known = q.add(known, q.mul(q.reduce(digits[j]), *product++));
      digits[i] = q.mul(q.sub(residues[i], known), inverses_[i]);
      value += weights_[i] * digits[i];
      const std::uint64_t half = (q.value() - 1) / 2;
      const auto greater = static_cast<std::uint64_t>(digits[i] > half);
      const auto equal = static_cast<std::uint64_t>(digits[i] == half);
      above = greater | (equal & above);
    }
    return static_cast<Coefficient>(value - (product_ & (u128{0} - above)));
  }

  /// The same of two primes whose product is below 2^62.
  std::int64_t centred(std::uint64_t first, std::uint64_t second) const {
    const std::uint64_t q = moduli_[1].value(), p = moduli_[0].value(), all = p * q;
    // x (second - first) for a first that may be above q.
    const std::uint64_t x = mul_shoup(second + all - first, inverse_, q);
    const std::uint64_t value = first + p * x;
    return static_cast<std::int64_t>(value - (all & (std::uint64_t{0} - ((all - 1) / 2 < value))));
  }

 private:
  std::vector<Modulus> moduli_;
  std::vector<u128> weights_;            // products of the primes before, modulo 2^128
  std::vector<std::uint64_t> products_;  // of the moduli below j, modulo each above it
  std::vector<std::uint64_t> inverses_;
  ShoupConstant inverse_;  // the last of two
  u128 product_ = 1;
  double bits_ = 0;
};

/// What centred coefficients of fewer bits are residues of, from which devices lift them to all primes: the
/// smaller one where it holds them, since words below 2^52 are reduced faster. 0: they have too many.
inline std::uint64_t lifting_modulus(double bits) {
  if (!(bits < 60)) return 0;
  return (std::uint64_t{1} << (bits < 50 ? 52 : 62)) - 1;
}

}  // namespace nttforge
