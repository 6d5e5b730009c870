// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "nttforge/ntt/plan.hpp"

namespace nttforge {

/// A transform that stops after `layers` layers of butterflies, for primes that carry no more: instead of n
/// values it gives 2^layers polynomials of degree below d = n / 2^layers, the residues modulo the factors
/// X^d - gamma_k of X^n + 1 (gamma_k = zeta^(2k+1), zeta a primitive 2^(layers+1)-th root of unity) or of
/// X^n - 1 (gamma_k = zeta^k). ML-KEM has n = 256, q = 3329, layers = 7, zeta = 17 [FIPS 203, section 4.3].
///
/// Arrays are those of NttPlan; a residue's d coefficients stand together, the lowest first, and the residues
/// in `output_order`. Computed by complete transforms of 2^layers coefficients, d of them for a row, with
/// their kernels and recipe. Immutable, cheap to copy, safe to use from many threads; arrays, aliases and
/// errors as NttPlan's.
class IncompleteNttPlan {
 public:
  /// spec.roots are the zetas; none: the smallest. layers: 1 ... log2(n), the last being the complete
  /// transform. threads as NttPlan's. throws ParameterError, also for bit-reversed coefficients.
  IncompleteNttPlan(const NttSpec& spec, unsigned layers, unsigned threads = 1);
  /// From a plan of the complete transforms, for complete_part(). n: a multiple of its own.
  IncompleteNttPlan(const NttPlan& complete, std::size_t n);

  const NttSpec& spec() const;  ///< with n and zetas; says nothing about layers
  unsigned layers() const;
  std::size_t degree() const { return n() >> layers(); }  ///< d
  const NttRecipe& recipe() const;                        ///< of the complete transforms
  std::size_t n() const { return spec().n; }
  std::size_t limbs() const { return spec().moduli.size(); }

  void forward(std::span<const std::uint64_t> in, std::span<std::uint64_t> out) const;
  void inverse(std::span<const std::uint64_t> in, std::span<std::uint64_t> out) const;
  void forward(std::span<const std::uint32_t> in, std::span<std::uint32_t> out) const;
  void inverse(std::span<const std::uint32_t> in, std::span<std::uint32_t> out) const;

  /// The base product: of residues modulo each X^d - gamma_k. Costs d multiplications a word.
  void multiply(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                std::span<std::uint64_t> out) const;
  void multiply(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                std::span<std::uint32_t> out) const;
  /// accumulator += a * b, or the sum of several terms' products, as NttPlan's.
  void multiply_accumulate(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                           std::span<std::uint64_t> accumulator) const;
  void multiply_accumulate(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                           std::span<std::uint32_t> accumulator) const;

  /// As NttPlan's, so that the same code calls either; the workspace is not used.
  void polynomial_product(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                          std::span<std::uint64_t> out, std::span<std::uint64_t> workspace) const;
  void polynomial_product(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                          std::span<std::uint32_t> out, std::span<std::uint32_t> workspace) const;
  void sum_of_products(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                       std::span<std::uint64_t> out, std::span<std::uint64_t> workspace) const;
  void sum_of_products(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                       std::span<std::uint32_t> out, std::span<std::uint32_t> workspace) const;

  void require_reduced(std::span<const std::uint64_t> x) const;
  void require_reduced(std::span<const std::uint32_t> x) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// The spec of the complete transforms that an incomplete one consists of: n = 2^layers. throws
/// ParameterError where `spec` has no incomplete transform of so many layers, saying how many it has.
NttSpec complete_part(const NttSpec& spec, unsigned layers);

}  // namespace nttforge
