// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/base.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"

namespace nttforge {
namespace {

std::vector<Modulus> checked_moduli(std::span<const std::uint64_t> values) {
  if (values.empty()) throw ParameterError("RNS base is empty: need at least one modulus");
  std::vector<Modulus> moduli;
  moduli.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t q = values[i];
    if (q < 2 || q >> kMaxModulusBits != 0)
      throw ParameterError("RNS base modulus q[" + std::to_string(i) + "] = " + std::to_string(q) +
                           " is out of range: need 2 <= q < 2^" + std::to_string(kMaxModulusBits));
    for (std::size_t j = 0; j < i; ++j) {
      const std::uint64_t factor = std::gcd(values[j], q);
      if (factor == 1) continue;
      const std::string names = "q[" + std::to_string(j) + "] = " + std::to_string(values[j]) + " and q[" +
                                std::to_string(i) + "] = " + std::to_string(q);
      throw ParameterError(values[j] == q
                               ? "RNS base repeats a modulus: " + names + "; moduli must be distinct"
                               : "RNS base moduli " + names + " share the factor " + std::to_string(factor) +
                                     ": they must be pairwise coprime; use distinct primes");
    }
    moduli.emplace_back(q);
  }
  return moduli;
}

void require_count(std::span<const std::uint64_t> residues, std::size_t expected) {
  if (residues.size() != expected)
    throw SizeError("residues has " + std::to_string(residues.size()) + " words: this RNS base needs " +
                    std::to_string(expected) + ", one per modulus");
}

}  // namespace

RnsBase::RnsBase(std::vector<std::uint64_t> moduli)
    : values_(std::move(moduli)), moduli_(checked_moduli(values_)), product_(BigUint::product(values_)) {
  for (std::size_t i = 0; i < size(); ++i) {
    inverse_punctured_.push_back(make_shoup(moduli_[i].inverse(punctured_mod(i, moduli_[i])), values_[i]));
    std::uint64_t prefix = 1 % values_[i];
    for (std::size_t j = 0; j < i; ++j) prefix = moduli_[i].mul(prefix, moduli_[i].reduce(values_[j]));
    garner_.push_back(moduli_[i].inverse(prefix));
  }
}

std::uint64_t RnsBase::punctured_mod(std::size_t i, const Modulus& m) const {
  std::uint64_t result = 1 % m.value();
  for (std::size_t j = 0; j < size(); ++j)
    if (j != i) result = m.mul(result, m.reduce(values_[j]));
  return result;
}

std::vector<std::uint64_t> RnsBase::decompose(const BigUint& x) const {
  std::vector<std::uint64_t> residues;
  residues.reserve(size());
  for (const std::uint64_t q : values_) residues.push_back(x.mod(q));
  return residues;
}

BigUint RnsBase::compose(std::span<const std::uint64_t> residues) const {
  require_count(residues, size());
  BigUint sum;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::uint64_t y = mul_shoup(residues[i], inverse_punctured_[i], values_[i]);
    sum += product_.divided_by(values_[i]) * y;
  }
  while (sum >= product_) sum -= product_;  // sum < k Q
  return sum;
}

BigUint RnsBase::compose_garner(std::span<const std::uint64_t> residues) const {
  require_count(residues, size());
  std::vector<std::uint64_t> digits;  // x = d_0 + d_1 q_0 + d_2 q_0 q_1 + ...
  for (std::size_t i = 0; i < size(); ++i) {
    const Modulus& q = moduli_[i];
    std::uint64_t known = 0;
    for (std::size_t j = i; j-- > 0;) known = q.add(q.mul(known, q.reduce(values_[j])), q.reduce(digits[j]));
    digits.push_back(q.mul(q.sub(q.reduce(residues[i]), known), garner_[i]));
  }
  BigUint x;
  for (std::size_t i = size(); i-- > 0;) x = x * values_[i] + BigUint(digits[i]);
  return x;
}

}  // namespace nttforge
