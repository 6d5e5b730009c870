// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nttforge/device/memory.hpp"
#include "nttforge/random/samplers.hpp"

namespace nttforge {

/// A polynomial with small coefficients, named by what it is sampled from, times a factor.
struct SmallPolynomial {
  enum class Kind : std::uint8_t { ternary, binary, error };
  Kind kind = Kind::ternary;
  StreamName name;
  ErrorDistribution error = ErrorDistribution::sigma_3_2;  ///< read for Kind::error only
  std::uint64_t factor = 1;  ///< multiplies the sample modulo each prime; any word
};

/// Elements of a linear combination, of `parts` polynomials each, one after the other: the rows of polynomial
/// b begin at words + b stride, n words apart.
struct CombinedRows {
  ConstWordPtr words{};
  std::size_t stride = 0, parts = 1;
};

/// A term of sums of products: element e is the factor [limbs][n] at factor + e factor_stride times the
/// `parts` polynomials at x + e stride, one after the other. A stride of 0: the same for all elements.
struct FactorTerm {
  ConstWordPtr factor{};
  std::size_t factor_stride = 0;
  ConstWordPtr x{};
  std::size_t stride = 0, parts = 1;
};

/// Operations modulo the primes of one ring (queue.hpp says what holds for all).
class RingOperations : public MemoryAndOrder {
 public:
  // Transforms, in place.
  virtual void forward(const RingTables& ring, WordPtr x, std::size_t batch) const = 0;
  virtual void inverse(const RingTables& ring, WordPtr x, std::size_t batch) const = 0;
  /// out = forward(in).
  virtual void forward_into(const RingTables& ring, ConstWordPtr in, WordPtr out, std::size_t batch) const;

  // Residue by residue.
  virtual void add(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                   std::size_t batch) const = 0;
  virtual void sub(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                   std::size_t batch) const = 0;
  virtual void negate(const RingTables& ring, ConstWordPtr a, WordPtr out, std::size_t batch) const = 0;
  virtual void multiply(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                        std::size_t batch) const = 0;
  virtual void multiply_accumulate(const RingTables& ring, ConstWordPtr a, ConstWordPtr b,
                                   WordPtr accumulator, std::size_t batch) const = 0;
  /// out[., j, .] = a[., j, .] * scalars[j]; scalars on the host, one per limb, in [0, q_j).
  virtual void multiply_scalar(const RingTables& ring, ConstWordPtr a, std::span<const std::uint64_t> scalars,
                               WordPtr out, std::size_t batch) const = 0;
  /// out [elements][parts][limbs][n] = sum_i scalars_i x_i, each term of at most as many parts, and a
  /// constant is added to every word of a limb of each first part, if there are constants: scalars
  /// [terms][limbs] and constants [limbs] on the host, in [0, q_j). One term at least; out may be the first,
  /// if that lies as it does.
  virtual void linear_combination(const RingTables& ring, std::span<const CombinedRows> terms,
                                  std::span<const std::uint64_t> scalars,
                                  std::span<const std::uint64_t> constants, std::size_t parts, WordPtr out,
                                  std::size_t elements) const = 0;
  /// Every polynomial of `a` (batch of them) times the one polynomial b [limbs][n].
  virtual void multiply_broadcast(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                                  std::size_t batch) const = 0;
  /// Products of two-part ciphertexts in transformed form, a [batch][2][limbs][n], b [batch][2][limbs][n] ->
  /// out [batch][3][limbs][n]: a0 b0, a0 b1 + a1 b0, a1 b1. If accumulate, adds to out. out overlaps nothing.
  virtual void tensor(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out, bool accumulate,
                      std::size_t batch) const = 0;
  /// The same products `times` over, and a linear combination of other terms added, whose arguments are as
  /// above but that there may be none; times is below every q_j.
  virtual void tensor_combination(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, std::uint64_t times,
                                  std::span<const CombinedRows> terms, std::span<const std::uint64_t> scalars,
                                  std::span<const std::uint64_t> constants, WordPtr out,
                                  std::size_t batch) const;

  /// out [groups][parts][limbs][n] = sum_i factors[.][i] x[i], all transformed: factors
  /// [groups][terms][limbs][n], x [terms][parts][limbs][n], each at least one. out overlaps nothing.
  virtual void sums_of_products(const RingTables& ring, ConstWordPtr factors, ConstWordPtr x, WordPtr out,
                                std::size_t groups, std::size_t terms, std::size_t parts) const;
  /// out [elements][parts][limbs][n] = sum_i term_i, or that much more if `accumulate`; all transformed, each
  /// term of at most as many parts. out overlaps nothing. Interruptible before some terms (poll_interrupt).
  virtual void sum_of_terms(const RingTables& ring, std::span<const FactorTerm> terms, std::size_t parts,
                            WordPtr out, std::size_t elements, bool accumulate) const;

  /// X -> X^element, element odd in [1, 2n). Coefficient form; out overlaps nothing.
  virtual void automorphism(const RingTables& ring, ConstWordPtr in, std::uint64_t element, WordPtr out,
                            std::size_t batch) const = 0;

  /// The same of transformed polynomials.
  virtual void automorphism_transformed(const RingTables& ring, ConstWordPtr in, std::uint64_t element,
                                        WordPtr out, std::size_t batch) const;

  /// out[i] = in[index[i]] in each of `rows` rows of n words. out overlaps nothing.
  virtual void gather(const PermutationTables& permutation, ConstWordPtr in, WordPtr out,
                      std::size_t rows) const = 0;

  /// out[r][i] = in[r][i / times]: rows [rows][n / times] -> [rows][n], times a power of two that divides n.
  /// out overlaps nothing.
  virtual void repeat(ConstWordPtr in, std::size_t times, WordPtr out, std::size_t n, std::size_t rows) const;

  // Sampling, [limbs][n]. Small samples are reduced into every limb; coefficient form.
  virtual void sample_uniform(const RingTables& ring, const StreamName& name, WordPtr out) const = 0;
  /// Polynomials at out, out + stride ... by names whose indices follow each other.
  virtual void sample_uniforms(const RingTables& ring, const StreamName& name, WordPtr out,
                               std::size_t stride, std::size_t batch) const;
  virtual void sample_ternary(const RingTables& ring, const StreamName& name, WordPtr out) const = 0;
  virtual void sample_binary(const RingTables& ring, const StreamName& name, WordPtr out) const = 0;
  virtual void sample_error(const RingTables& ring, const StreamName& name, ErrorDistribution distribution,
                            WordPtr out) const = 0;
  /// Samples by the one of the three distributions that `polynomial` names, times its factor.
  virtual void sample_small(const RingTables& ring, const SmallPolynomial& polynomial, WordPtr out) const;
};

}  // namespace nttforge
