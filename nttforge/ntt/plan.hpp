// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/ntt/recipe.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge {

class Wisdom;

/// An executable transform: tables precomputed, immutable, cheap to copy (shared), safe to use from many
/// threads.
///
/// Arrays are [batch][limbs][n], contiguous, residues in [0, q) of the limb's modulus; results are too.
/// `in` and `out` may be the same array but must not overlap otherwise. Any alignment; arrays that begin on a
/// cache line (AlignedBuffer) are transformed faster than malloc's, by 5 to 12 % on AVX2.
/// Execution allocates nothing (the first call on several threads: starts them; recipes of the algorithm
/// collection: unless more calls run at once than recipe.threads). Residues are trusted; require_reduced()
/// checks them. throws SizeError if a size is not batch * limbs * n or two sizes differ; ParameterError if
/// the word type is not the spec's.
class NttPlan {
 public:
  /// The explorer's recipe for the active target. threads: 1 ... 1024; 0: default_threads(), that is
  /// NTTFORGE_THREADS or the CPUs this process may use. More threads than CPUs are never started.
  /// throws ParameterError, UnsupportedError.
  explicit NttPlan(NttSpec spec, unsigned threads = 1);
  /// The recipe that `wisdom` holds for this CPU and use (wisdom.hpp), else the explorer's. throws the same.
  NttPlan(NttSpec spec, const Wisdom& wisdom, unsigned threads = 1, std::size_t batch = 1);
  /// throws also if the recipe cannot do the spec, saying why.
  NttPlan(NttSpec spec, NttRecipe recipe);

  const NttSpec& spec() const;  ///< with roots filled in
  const NttRecipe& recipe() const;
  std::size_t n() const { return spec().n; }
  std::size_t limbs() const { return spec().moduli.size(); }

  void forward(std::span<const std::uint64_t> in, std::span<std::uint64_t> out) const;
  void inverse(std::span<const std::uint64_t> in, std::span<std::uint64_t> out) const;
  void forward(std::span<const std::uint32_t> in, std::span<std::uint32_t> out) const;
  void inverse(std::span<const std::uint32_t> in, std::span<std::uint32_t> out) const;

  /// One row [n] of a limb, without checks and on the caller's thread, for code that has checked already. The
  /// row's words are the plan's; in == out or disjoint.
  void forward_row(std::size_t limb, const std::uint64_t* in, std::uint64_t* out) const;
  void inverse_row(std::size_t limb, const std::uint64_t* in, std::uint64_t* out) const;
  void forward_row(std::size_t limb, const std::uint32_t* in, std::uint32_t* out) const;
  void inverse_row(std::size_t limb, const std::uint32_t* in, std::uint32_t* out) const;

  /// out = a * b, residue by residue (the product of transformed polynomials).
  void multiply(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                std::span<std::uint64_t> out) const;
  void multiply(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                std::span<std::uint32_t> out) const;
  /// accumulator += a * b; a, b of several terms [terms][batch][limbs][n]: the sum of the terms' products,
  /// reduced once for as many as fit (then accumulator overlaps nothing).
  void multiply_accumulate(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                           std::span<std::uint64_t> accumulator) const;
  void multiply_accumulate(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                           std::span<std::uint32_t> accumulator) const;

  /// out = a * b in the spec's ring, all in coefficient form (input_order), as one fused operation.
  /// workspace: as many words as out, overlapping nothing. The same array twice is squared with one forward
  /// transform.
  void polynomial_product(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                          std::span<std::uint64_t> out, std::span<std::uint64_t> workspace) const;
  void polynomial_product(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                          std::span<std::uint32_t> out, std::span<std::uint32_t> workspace) const;

  /// out = a_0 b_0 + a_1 b_1 + ... in the spec's ring, all in coefficient form (input_order): products are
  /// added up as values, so there is one inverse transform, however many terms. a, b:
  /// [terms][batch][limbs][n], one term at least; the same array twice is transformed once. workspace: twice
  /// as many words as out, or k times that, to reduce sums of k products once (four to eight are enough). out
  /// and workspace overlap nothing.
  void sum_of_products(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                       std::span<std::uint64_t> out, std::span<std::uint64_t> workspace) const;
  void sum_of_products(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                       std::span<std::uint32_t> out, std::span<std::uint32_t> workspace) const;

  /// throws ParameterError naming the first residue that is not in [0, q), with its batch, limb and position.
  void require_reduced(std::span<const std::uint64_t> x) const;
  void require_reduced(std::span<const std::uint32_t> x) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace nttforge
