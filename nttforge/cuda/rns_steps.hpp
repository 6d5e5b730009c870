// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/step/rns_step.hpp"
#include "nttforge/ntt/spec.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge::cuda {

/// The constants of a step between bases (rns/step.hpp) on a device, for plans whose moduli are its targets;
/// cheap to copy, immutable. Its sources are digits: a scale is left to what comes before, such as a plan's
/// inverse_factors or the step before (folded()).
class CudaRnsStep {
 public:
  /// Whether a plan computes it where its transforms load or store, or in a kernel of its own. automatic:
  /// what should be faster (docs/decisions/gpu-transforms.md). The words are the same.
  static constexpr std::size_t kMostFusedSources = 4, kMostFusedSources32 = 8;
  enum class Fusion : std::uint8_t { automatic, fused, composed };

  /// throws ParameterError as RnsStep::validate, for targets that are not the moduli of `spec`, a scale, a
  /// modulus of more than 31 bits in 32-bit words (p may be 2^32); UnsupportedError for offsets and
  /// fractions; as CudaBuffer.
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
