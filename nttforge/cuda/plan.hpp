// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/cuda/device.hpp"
#include "nttforge/cuda/recipe.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge {
class Wisdom;
}

namespace nttforge::cuda {

class CudaRnsStep;
template <class Word>
struct ProductSums;
template <class Word>
struct DivisionJoin;
struct DigitRows;
template <class Word>
struct KeyWords;

/// What a scheme has done on the way, at no cost.
struct CudaPlanOptions {
  /// A factor in [0, q) for each limb, which inverse() and polynomial_product() multiply their results by: it
  /// is merged with the last stage's 1/n. So the first step of a base conversion, a (Q/q)^-1 mod q, or a
  /// scaling costs nothing. Empty: none.
  std::vector<std::uint64_t> inverse_factors{};
};

/// Whether a call asks the driver where its arrays are, and with several GPUs whose its stream is: some 50 ns
/// each. `promised`: the caller knows the arrays to be whole in memory of the plan's device, and the stream
/// to be of that device. A wrong promise is an illegal access, which ends all use of the GPU by the process.
enum class CallPlaces : std::uint8_t { checked, promised };

/// An executable transform on one GPU: tables uploaded once, immutable, cheap to copy (shared), safe to use
/// from many threads and streams. Gives the words of NttPlan.
///
/// Arrays are [batch][limbs][n], contiguous, in the memory of the plan's device (spans are not followed by
/// the host), residues in [0, q) of the limb's modulus; results are too. `in` and `out` may be the same array
/// but must not overlap otherwise. Execution enqueues on the caller's stream and returns: nothing is
/// allocated, nothing waits, and it may be captured into a graph; the plan must outlive what it enqueued.
/// Residues are trusted; require_reduced() checks them. throws SizeError if a size is not batch * limbs * n
/// or two sizes differ; ParameterError if the word type is not the spec's, an array is not in the device's
/// memory, or the stream belongs to another device; ContextError if the device was reset since the plan was
/// made; what a broken device or driver answers.
class CudaNttPlan {
 public:
  /// The explorer's recipe. device: as in device.hpp; kHost runs the same kernels on the CPU, for tests.
  /// throws ParameterError, and UnsupportedError if the device cannot be used, has no code in this build or
  /// not enough memory (checked before anything is allocated), or no recipe can do the spec.
  explicit CudaNttPlan(NttSpec spec, int device = 0, const CudaPlanOptions& options = {});
  /// The recipe that `wisdom` holds for this GPU and batch, else the explorer's.
  CudaNttPlan(NttSpec spec, const Wisdom& wisdom, std::size_t batch = 1, int device = 0,
              const CudaPlanOptions& options = {});
  /// throws also if the recipe cannot do the spec or the card cannot run it, saying why.
  CudaNttPlan(NttSpec spec, CudaRecipe recipe, int device = 0, const CudaPlanOptions& options = {});

  const NttSpec& spec() const;  ///< with roots filled in
  const CudaRecipe& recipe() const;
  /// Recipe of one limb. It differs from recipe() only when a plan mixes Goldilocks and other primes.
  const CudaRecipe& recipe_of(std::size_t limb) const;
  int device() const;
  std::size_t n() const { return spec().n; }
  std::size_t limbs() const { return spec().moduli.size(); }
  /// On the device; plans of one device share the tables of the limbs that they have in common.
  std::size_t table_bytes() const;
  /// Identity of the context that the plan was made in. Memory with the same one (CudaBuffer::context_id())
  /// can be used with the plan as long as calls of the plan are not refused.
  std::uint64_t context_id() const;

  void forward(std::span<const std::uint64_t> in, std::span<std::uint64_t> out, CudaStream stream = {},
               CallPlaces places = CallPlaces::checked) const;
  void forward(std::span<const std::uint32_t> in, std::span<std::uint32_t> out, CudaStream stream = {},
               CallPlaces places = CallPlaces::checked) const;
  void inverse(std::span<const std::uint64_t> in, std::span<std::uint64_t> out, CudaStream stream = {},
               CallPlaces places = CallPlaces::checked) const;
  void inverse(std::span<const std::uint32_t> in, std::span<std::uint32_t> out, CudaStream stream = {},
               CallPlaces places = CallPlaces::checked) const;

  /// out = a * b, residue by residue (the product of transformed polynomials).
  void multiply(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                std::span<std::uint64_t> out, CudaStream stream = {},
                CallPlaces places = CallPlaces::checked) const;
  void multiply(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                std::span<std::uint32_t> out, CudaStream stream = {},
                CallPlaces places = CallPlaces::checked) const;
  /// accumulator += a * b.
  void multiply_accumulate(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                           std::span<std::uint64_t> accumulator, CudaStream stream = {},
                           CallPlaces places = CallPlaces::checked) const;
  void multiply_accumulate(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                           std::span<std::uint32_t> accumulator, CudaStream stream = {},
                           CallPlaces places = CallPlaces::checked) const;

  /// out = a * b in the spec's ring, all in coefficient form (input_order), fused where recipe() says so. The
  /// same array twice is squared with one forward transform.
  /// workspace: as many words as out, overlapping nothing.
  void polynomial_product(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                          std::span<std::uint64_t> out, std::span<std::uint64_t> workspace,
                          CudaStream stream = {}, CallPlaces places = CallPlaces::checked) const;
  void polynomial_product(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                          std::span<std::uint32_t> out, std::span<std::uint32_t> workspace,
                          CudaStream stream = {}, CallPlaces places = CallPlaces::checked) const;

  /// forward() of a step between bases (rns_steps.hpp) of `in`, the limbs' own words, and of `sources`,
  /// [batch][step.sources()][n] in input_order, words below 2^62 (2^31 in 32-bit words) that overlap no part
  /// of out. in: empty if the step takes no own words. Fused with the first pass where recipe and step allow
  /// it; the words are the same. throws as forward(); ParameterError also if the step was made for another
  /// spec or device; UnsupportedError if it must be fused and the recipe cannot.
  void forward_converted(const CudaRnsStep& step, std::span<const std::uint64_t> in,
                         std::span<const std::uint64_t> sources, std::span<std::uint64_t> out,
                         CudaStream stream = {}) const;
  void forward_converted(const CudaRnsStep& step, std::span<const std::uint32_t> in,
                         std::span<const std::uint32_t> sources, std::span<std::uint32_t> out,
                         CudaStream stream = {}) const;
  /// The step of the coefficients that inverse() gives, as the limbs' own words, and of `sources`.
  void inverse_converted(const CudaRnsStep& step, std::span<const std::uint64_t> in,
                         std::span<const std::uint64_t> sources, std::span<std::uint64_t> out,
                         CudaStream stream = {}) const;
  void inverse_converted(const CudaRnsStep& step, std::span<const std::uint32_t> in,
                         std::span<const std::uint32_t> sources, std::span<std::uint32_t> out,
                         CudaStream stream = {}) const;

  /// inverse() of sums of products of transformed arrays (product/sums.hpp), in one go with them. out is what
  /// they say, [batch][parts][limbs][n], and overlaps nothing. Sizes are the caller's promise. Returns false,
  /// with nothing done, where the recipe has no such kernels. For devices (cuda/device/).
  bool inverse_of_sums(const ProductSums<std::uint64_t>& sums, std::span<std::uint64_t> out,
                       CudaStream stream = {}) const;
  bool inverse_of_sums(const ProductSums<std::uint32_t>& sums, std::span<std::uint32_t> out,
                       CudaStream stream = {}) const;

  /// Whether forward_joined, forward_digits and key_product are there.
  bool has_switching() const;
  // Parts of key switching in values (table/kernels.hpp says what arguments are), for devices as the above:
  // false, with nothing done, where the recipe has no such kernels.
  /// inverse() of limbs first ... first + count - 1; of other limbs nothing is read or written.
  /// forward_joined: forward() of x, joined with the rest of a division. forward_digits: of digits without
  /// their own rows. key_product: the same, times a key to out [elements][2][limbs][n]; x is overwritten.
  bool inverse_limbs(std::span<const std::uint64_t> in, std::span<std::uint64_t> out, std::size_t first,
                     std::size_t count, CudaStream stream = {}) const;
  bool forward_joined(const DivisionJoin<std::uint64_t>& join, std::span<std::uint64_t> x,
                      CudaStream stream = {}) const;
  bool forward_digits(const DigitRows& rows, std::span<std::uint64_t> x, CudaStream stream = {}) const;
  bool key_product(const DigitRows& rows, const KeyWords<std::uint64_t>& key, std::span<std::uint64_t> x,
                   std::span<std::uint64_t> out, CudaStream stream = {}) const;
  bool inverse_limbs(std::span<const std::uint32_t> in, std::span<std::uint32_t> out, std::size_t first,
                     std::size_t count, CudaStream stream = {}) const;
  bool forward_joined(const DivisionJoin<std::uint32_t>& join, std::span<std::uint32_t> x,
                      CudaStream stream = {}) const;
  bool forward_digits(const DigitRows& rows, std::span<std::uint32_t> x, CudaStream stream = {}) const;
  bool key_product(const DigitRows& rows, const KeyWords<std::uint32_t>& key, std::span<std::uint32_t> x,
                   std::span<std::uint32_t> out, CudaStream stream = {}) const;

  /// Waits for the stream. throws ParameterError naming the first residue that is not in [0, q), with its
  /// batch, limb and position.
  void require_reduced(std::span<const std::uint64_t> x, CudaStream stream = {}) const;
  void require_reduced(std::span<const std::uint32_t> x, CudaStream stream = {}) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace nttforge::cuda
