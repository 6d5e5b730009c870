// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/rns_step.hpp"
#include "nttforge/ntt/spec.hpp"
#include "nttforge/rns/base_conversion.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge::cuda {

/// A step from sources, residues modulo whatever they are, to the limbs of a plan: of each coefficient
///
///   out_j = x_j own_j + sum_i y_i factors_ji + r excess_j   mod q_j
///   r = sum_i y_i weights_i mod p, centred: those above (p - 1) / 2 minus p; 0 if p = 0
struct RnsStep {
  std::size_t sources = 0;
  std::vector<std::uint64_t> own{};      ///< [limbs]; empty: x takes no part
  std::vector<std::uint64_t> factors{};  ///< [limbs][sources]; empty: 0
  std::uint64_t modulus = 0;             ///< p; 2^32 and anything below 2^62 (2^31 for 32-bit words)
  std::vector<std::uint64_t> weights{};  ///< [sources]
  std::vector<std::uint64_t> excess{};   ///< [limbs]

  /// The step that multiplies x_j by a constant.
  static RnsStep scaling(std::vector<std::uint64_t> factors);
  /// The step from the digits of `conversion` to FastBconv modulo its targets.
  static RnsStep conversion(const BaseConversion& conversion);
  /// Behz::extend, from the digits y_i = [m_tilde x_i (Q/q_i)^-1]_{q_i}, to B_sk.
  static RnsStep extend(const Behz& behz);
  /// Behz::floor: x modulo B_sk, sources the digits y_i = [t x_i (Q/q_i)^-1]_{q_i}.
  static RnsStep floor(const Behz& behz);
  /// Behz::to_q, from the digits [x_j (M/m_j)^-1]_{m_j} of B and x modulo m_sk (last), to Q.
  static RnsStep to_q(const Behz& behz);
  /// ModDown: x modulo all primes but the last, the source x modulo the last.
  static RnsStep mod_down(const ModDown& down);
};

/// A step's constants on a device, for plans with those moduli and words; cheap to copy, immutable.
class CudaRnsStep {
 public:
  /// Whether a plan computes it where its transforms load or store, or in a kernel of its own. automatic:
  /// what should be faster (docs/decisions/gpu-transforms.md). The words are the same.
  static constexpr std::size_t kMostFusedSources = 4, kMostFusedSources32 = 8;
  enum class Fusion : std::uint8_t { automatic, fused, composed };

  /// throws ParameterError naming a field of `step` of wrong size or out of range, or a modulus that has more
  /// than 62 bits (31 in 32-bit words); as CudaBuffer.
  CudaRnsStep(const NttSpec& spec, const RnsStep& step, int device = 0, Fusion fusion = Fusion::automatic);

  std::size_t sources() const { return sources_; }
  bool takes_own_words() const { return takes_own_words_; }
  Fusion fusion() const { return fusion_; }
  /// Whether it is taken along where that is possible.
  bool wants_fusion() const {
    const std::size_t most = word_bits_ == 64 ? kMostFusedSources : kMostFusedSources32;
    return fusion_ == Fusion::fused || (fusion_ == Fusion::automatic && sources_ <= most);
  }
  int device() const { return memory_.device(); }
  const std::vector<std::uint64_t>& moduli() const { return moduli_; }
  unsigned word_bits() const { return word_bits_; }
  const CudaBuffer& memory() const { return memory_; }
  /// Arguments for kernels. throws nothing; Word must be that of word_bits().
  template <class Word>
  RnsStepArgs<Word> args(const Word* sources) const;

 private:
  template <class Word>
  void upload(const RnsStep& step, int device);

  std::vector<std::uint64_t> moduli_;
  std::size_t sources_;
  std::uint64_t modulus_;
  unsigned word_bits_;
  bool takes_own_words_, has_factors_;
  Fusion fusion_;
  CudaBuffer memory_;
};

}  // namespace nttforge::cuda
