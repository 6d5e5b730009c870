// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/embedding/kernels.hpp"

namespace nttforge::cpu {

/// What each embedding_<target>.cpp contributes; embedding_dispatch.cpp picks. AVX-512-IFMA uses the AVX-512
/// ones.
extern const EmbeddingKernels kEmbeddingScalar;
extern const EmbeddingKernels kEmbeddingAvx2;
extern const EmbeddingKernels kEmbeddingAvx512;
extern const EmbeddingKernels kEmbeddingNeon;

}  // namespace nttforge::cpu
