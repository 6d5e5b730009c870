// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/base_conversion.hpp"

#include <string>

#include "nttforge/base/error.hpp"

namespace nttforge {

std::uint64_t inner_product(std::span<const std::uint64_t> a, const std::uint64_t* b, const Modulus& m) {
  // 16 products of 62-bit words stay below 2^128; the sixteenth is left for the reduced partial sum.
  constexpr std::size_t kTerms = 15;
  u128 sum = 0;
  std::size_t pending = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += static_cast<u128>(a[i]) * b[i];
    if (++pending == kTerms) {
      sum = m.reduce128(sum);
      pending = 0;
    }
  }
  return m.reduce128(sum);
}

BaseConversion::BaseConversion(const RnsBase& from, std::span<const std::uint64_t> to, const BigUint& factor)
    : from_(from.values().begin(), from.values().end()) {
  for (const std::uint64_t m : to) to_.emplace_back(m);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Modulus& q = from.modulus(i);
    scale_.push_back(make_shoup(q.mul(factor.mod(q.value()), from.inverse_punctured(i).value), q.value()));
  }
  for (const Modulus& m : to_)
    for (std::size_t i = 0; i < from.size(); ++i) punctured_.push_back(from.punctured_mod(i, m));
}

std::vector<std::uint64_t> BaseConversion::digits(std::span<const std::uint64_t> x) const {
  if (x.size() != from_size())
    throw SizeError("x has " + std::to_string(x.size()) + " residues: this base conversion takes " +
                    std::to_string(from_size()));
  std::vector<std::uint64_t> y(from_size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = mul_shoup(x[i], scale_[i], from_[i]);
  return y;
}

void BaseConversion::apply(std::span<const std::uint64_t> x, std::span<std::uint64_t> out) const {
  if (out.size() != to_size())
    throw SizeError("out has " + std::to_string(out.size()) + " residues: this base conversion gives " +
                    std::to_string(to_size()));
  const std::vector<std::uint64_t> y = digits(x);
  for (std::size_t j = 0; j < to_size(); ++j)
    out[j] = inner_product(y, punctured_.data() + j * from_size(), to_[j]);
}

}  // namespace nttforge
