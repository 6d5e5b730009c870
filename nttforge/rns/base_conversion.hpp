// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/shoup.hpp"
#include "nttforge/rns/base.hpp"

namespace nttforge {

/// sum_i a[i] b[i] mod m for any 62-bit words a[i], b[i], any count.
std::uint64_t inner_product(std::span<const std::uint64_t> a, const std::uint64_t* b, const Modulus& m);

/// Fast base conversion of f x, f a fixed factor: equation (3) of [Bad18b],
///   FastBconv(x) = sum_i [f x_i (Q/q_i)^-1]_{q_i} Q/q_i = [f x]_Q + u Q   with 0 <= u < k,
/// returned modulo each target modulus. The multiple u is the price of never computing [f x]_Q itself.
class BaseConversion {
 public:
  /// to  any moduli, 2 <= m < 2^62 (they need not be coprime to `from` or to one another).
  /// throws ParameterError for a target modulus out of range.
  BaseConversion(const RnsBase& from, std::span<const std::uint64_t> to, const BigUint& factor = BigUint(1));

  std::size_t from_size() const { return scale_.size(); }
  std::size_t to_size() const { return to_.size(); }

  /// One coefficient: x residues modulo `from`, out modulo `to`. throws SizeError.
  void apply(std::span<const std::uint64_t> x, std::span<std::uint64_t> out) const;

  /// y_i = [f x_i (Q/q_i)^-1]_{q_i}, the digits all targets share.
  std::vector<std::uint64_t> digits(std::span<const std::uint64_t> x) const;

  std::span<const ShoupConstant> scale() const { return scale_; }          ///< [k] f (Q/q_i)^-1 mod q_i
  std::span<const std::uint64_t> punctured() const { return punctured_; }  ///< [targets][k] Q/q_i mod m_j

 private:
  std::vector<std::uint64_t> from_;
  std::vector<Modulus> to_;
  std::vector<ShoupConstant> scale_;
  std::vector<std::uint64_t> punctured_;
};

}  // namespace nttforge
