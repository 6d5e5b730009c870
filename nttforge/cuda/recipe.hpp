// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "nttforge/ntt/recipe.hpp"

namespace nttforge::cuda {

/// How a product by a constant, or of two residues, is reduced on the device.
enum class Multiplication { shoup, native, barrett, montgomery, fp64, goldilocks };
std::string_view multiplication_name(Multiplication multiplication);
Multiplication parse_multiplication(std::string_view name);  ///< throws ParameterError

/// Where a kernel reads its twiddles.
enum class TwiddleMemory { global, read_only, constant, shared };
std::string_view twiddle_memory_name(TwiddleMemory memory);
TwiddleMemory parse_twiddle_memory(std::string_view name);  ///< throws ParameterError

/// How a GPU computes a transform. Plain data: comparable, printable, JSON both ways. Fields that an
/// algorithm does not have are 0 or false. Algorithms:
///   one_pass    a polynomial lives in one thread block, or in a cluster of them: one kernel, one pass
///   two_pass    two kernels, split = log2 of the first one's transforms
///   multi_pass  as many kernels as the size needs
/// and those of the papers, for comparison (paper_recipes() of candidates.hpp):
///   radix2, high_radix   [Kim20]: 2 ... 128 points in registers, as many kernels as it takes
///   shared_two_kernel    [Kim20]: split, points, columns (coalesced), preload, twiddles on the fly
///   stockham             [Kim20]: natural order on both sides
///   emmart_weems         [Bad18a]: three kernels modulo Goldilocks (papers/kernels/bad18a_plan_rows.hpp)
///   din24_x_paper, din24_x_tuned   [Din24]: x = dit, dif, flat, pease, pease_nc, six_step or stockham
/// The last three, but dif, use a workspace of their plan: calls of one plan must not run at once.
struct CudaRecipe {
  std::string algorithm = "one_pass";
  Arithmetic arithmetic = Arithmetic::shoup64;
  Multiplication multiplication = Multiplication::shoup;
  unsigned word_bits = 64;
  unsigned quotient_slack = 0;  ///< log2 of the lazy range's limit in units of q
  unsigned split = 0;           ///< log2 of the first kernel's transforms, 0: not split
  unsigned points = 8;          ///< per thread
  unsigned threads = 256;       ///< per block, of the largest kernel
  unsigned cluster = 1;         ///< thread blocks that share a polynomial
  unsigned columns = 0;         ///< neighbouring transforms merged in a block for coalescing
  TwiddlePolicy twiddles{};
  TwiddleMemory twiddle_memory = TwiddleMemory::read_only;
  bool preload = false;  ///< twiddles of the first stages copied to shared memory first
  /// Polynomial products in one kernel where a polynomial fits a block or cluster, else in the passes of both
  /// factors, one kernel for their last pass, the product and the first one back, and the passes back.
  bool fused_product = false;

  friend bool operator==(const CudaRecipe&, const CudaRecipe&) = default;

  /// This recipe without what it says about products.
  CudaRecipe of_transform() const {
    CudaRecipe recipe = *this;
    recipe.fused_product = false;
    return recipe;
  }

  std::string to_json() const;
  /// Members that are missing have their defaults. throws FormatError naming the member.
  static CudaRecipe from_json(std::string_view text);
};

}  // namespace nttforge::cuda
