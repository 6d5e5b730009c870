// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "nttforge/cuda/device/encryption.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge::cuda {

/// A step that encryption or decryption may have in a kernel of their own.
class GpuStepConstants {
 public:
  GpuStepConstants(std::span<const RnsStep> chain, int device);

  /// A division by few primes that leave the base, or null. In words of 32 bits its constants have 32 bits.
  const StepConstants* division(unsigned word_bits) const {
    return is_division_ && (word_bits == 64 || short_words_) ? &constants_ : nullptr;
  }
  /// From a phase to the one modulus of plaintexts, or null.
  const StepConstants* recovery() const { return is_recovery_ ? &constants_ : nullptr; }
  /// From plaintexts to what a ciphertext takes of them, a correction alone, or null.
  const StepConstants* embedding() const { return is_embedding_ ? &constants_ : nullptr; }

 private:
  CudaBuffer memory_;
  StepConstants constants_;
  bool is_division_ = false, is_recovery_ = false, is_embedding_ = false, short_words_ = false;
};

}  // namespace nttforge::cuda
