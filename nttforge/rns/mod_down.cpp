// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/mod_down.hpp"

#include <string>

#include "nttforge/base/error.hpp"

namespace nttforge {
namespace {

const RnsBase& checked(const RnsBase& base) {
  if (base.size() < 2)
    throw ParameterError("base has " + std::to_string(base.size()) +
                         " modulus: dividing by the last one needs at least 2");
  return base;
}

}  // namespace

ModDown::ModDown(const RnsBase& base) : base_(checked(base)) {
  const std::uint64_t p = base_.values().back();
  for (std::size_t j = 0; j + 1 < base_.size(); ++j) {
    const Modulus& q = base_.modulus(j);
    inverse_p_.push_back(make_shoup(q.inverse(q.reduce(p)), q.value()));
    half_p_.push_back(q.reduce(p / 2));
  }
}

void ModDown::apply(std::span<const std::uint64_t> x, std::span<std::uint64_t> out) const {
  if (x.size() != base_.size() || out.size() + 1 != base_.size())
    throw SizeError("x has " + std::to_string(x.size()) + " residues and out " + std::to_string(out.size()) +
                    ": need " + std::to_string(base_.size()) + " and " + std::to_string(base_.size() - 1));
  // round(x / p) = floor((x + h) / p) = (x + h - [x + h]_p) / p with h = floor(p / 2).
  const Modulus& p = base_.modulus(base_.size() - 1);
  const std::uint64_t rest = p.add(x.back(), p.value() / 2);
  for (std::size_t j = 0; j < out.size(); ++j) {
    const Modulus& q = base_.modulus(j);
    const std::uint64_t numerator = q.sub(q.add(x[j], half_p_[j]), q.reduce(rest));
    out[j] = mul_shoup(numerator, inverse_p_[j], q.value());
  }
}

}  // namespace nttforge
