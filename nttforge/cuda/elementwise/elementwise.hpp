// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operations on single residues and their order, one thread an element: written once, run on the device
// (elementwise.cu) and on the host. They move more bytes than they compute, so nothing here is tuned for
// arithmetic.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/product/modulus.hpp"
#include "nttforge/cuda/step/rns_step.hpp"

namespace nttforge::cuda {

NTTF_HD std::uint32_t reversed(std::uint32_t index, unsigned log_n) {
#ifdef __CUDA_ARCH__
  return log_n == 0 ? 0 : __brev(index) >> (32 - log_n);
#else
  std::uint32_t out = 0;
  for (unsigned bit = 0; bit < log_n; ++bit) out |= ((index >> bit) & 1u) << (log_n - 1 - bit);
  return out;
#endif
}

/// What every operation works on: [rows][n] with rows = batch * limbs.
template <class Word>
struct Rows {
  const ProductModulus<Word>* moduli = nullptr;
  std::uint32_t limb_count = 0;
  std::uint32_t rows = 0;
  std::uint32_t log_n = 0;
};

/// out = a b, or out += a b.
template <class Word, bool kAccumulate>
struct Multiply {
  using Value = Word;
  Rows<Word> shape;
  const Word* a;
  const Word* b;
  Word* out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const ProductModulus<Word> m = shape.moduli[row % shape.limb_count];
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    Word value = product_mod(a[at], b[at], m);
    if constexpr (kAccumulate) value = sum_mod(value, out[at], m.q);
    out[at] = value;
  }
};

/// Products in Z_q[i], the values of a DGT: shape.log_n counts them, imaginary parts stand as many words
/// after real ones.
template <class Word, bool kAccumulate>
struct ComplexMultiply {
  using Value = Word;
  Rows<Word> shape;
  const Word* a;
  const Word* b;
  Word* out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const ProductModulus<Word> m = shape.moduli[row % shape.limb_count];
    const std::size_t re = (std::size_t{row} << (shape.log_n + 1)) + column;
    const std::size_t im = re + (std::size_t{1} << shape.log_n);
    const Word x = a[re], y = a[im], u = b[re], v = b[im];
    Word real = difference_mod(product_mod(x, u, m), product_mod(y, v, m), m.q);
    Word imaginary = sum_mod(product_mod(x, v, m), product_mod(y, u, m), m.q);
    if constexpr (kAccumulate) {
      real = sum_mod(real, out[re], m.q);
      imaginary = sum_mod(imaginary, out[im], m.q);
    }
    out[re] = real;
    out[im] = imaginary;
  }
};

/// A step between bases. A thread computes some limbs of a coefficient, so that sources are read less often:
/// shape.rows counts those groups of limbs, shape.moduli is not used.
template <class Word>
struct ApplyRnsStep {
  static constexpr unsigned kTargets = 4;
  using Value = Word;
  Rows<Word> shape;
  RnsStepArgs<Word> step;
  const Word* own;  ///< or null
  Word* out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t groups = (shape.limb_count + kTargets - 1) / kTargets, member = row / groups;
    const std::uint32_t first = (row - member * groups) * kTargets;
    const Word* const y = step.sources + (std::size_t{member} * step.count << shape.log_n) + column;
    const auto load = [&](std::uint32_t i, unsigned) { return y[std::size_t{i} << shape.log_n]; };
    const auto limb = [&](unsigned k) -> const RnsStepLimb<Word>& {
      const std::uint32_t at = first + k;
      return step.limbs[at < shape.limb_count ? at : shape.limb_count - 1];
    };
    const std::size_t at = ((std::size_t{member} * shape.limb_count + first) << shape.log_n) + column;
    Word r = 0;
    if (step.correction.q != 0) corrections<1>(step, load, &r);
    typename WideSum<Word>::Sum sum[kTargets];
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kTargets; ++k) {
      const bool inside = own != nullptr && first + k < shape.limb_count;
      sum[k] = first_products(inside ? own[at + (std::size_t{k} << shape.log_n)] : Word{0}, r, step, limb(k));
    }
    add_products<kTargets, Word>(
        sum, 2, step.used, load,
        [&](std::uint32_t i, unsigned k) { return load_constant(limb(k).factors + i); },
        [&](unsigned k) -> const WideModulus<Word>& { return limb(k).modulus; });
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kTargets; ++k) {
      if (first + k < shape.limb_count)
        out[at + (std::size_t{k} << shape.log_n)] = reduce_wide(sum[k], limb(k).modulus);
    }
  }
};

/// Bit reversal of each row, in place or not.
template <class Word>
struct Permute {
  using Value = Word;
  Rows<Word> shape;
  const Word* in;
  Word* out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t base = std::size_t{row} << shape.log_n;
    const std::uint32_t other = reversed(column, shape.log_n);
    if (in != out) {
      out[base + column] = in[base + other];
    } else if (column < other) {
      const Word x = out[base + column], y = out[base + other];
      out[base + column] = y;
      out[base + other] = x;
    }
  }
};

/// The least position of a word that is not below its modulus; `found` begins as all ones.
template <class Word>
struct FindUnreduced {
  using Value = Word;
  Rows<Word> shape;
  const Word* x;
  unsigned long long* found;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    if (x[at] < shape.moduli[row % shape.limb_count].q) return;
#ifdef __CUDA_ARCH__
    atomicMin(found, static_cast<unsigned long long>(at));
#else
    if (at < *found) *found = at;
#endif
  }
};

/// Enqueues the operation for every element; returns a CUDA error code.
template <class Operation>
int enqueue(const Operation& operation, void* stream);
/// Runs the operation for every element on the host.
template <class Operation>
int each_on_host(const Operation& operation) {
  const std::uint32_t n = std::uint32_t{1} << operation.shape.log_n;
  for (std::uint32_t row = 0; row < operation.shape.rows; ++row) {
    for (std::uint32_t column = 0; column < n; ++column) operation(row, column);
  }
  return 0;
}

#define NTTF_ELEMENTWISE_OF_WORD(apply, Word)                                                  \
  apply(Multiply<Word, false>) apply(Multiply<Word, true>) apply(ComplexMultiply<Word, false>) \
      apply(ComplexMultiply<Word, true>) apply(Permute<Word>) apply(FindUnreduced<Word>)       \
          apply(ApplyRnsStep<Word>)
#define NTTF_ELEMENTWISE(apply) \
  NTTF_ELEMENTWISE_OF_WORD(apply, std::uint64_t) NTTF_ELEMENTWISE_OF_WORD(apply, std::uint32_t)

}  // namespace nttforge::cuda
