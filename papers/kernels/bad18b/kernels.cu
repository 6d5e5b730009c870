// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/elementwise/enqueue.cuh"
#include "papers/kernels/bad18b/kernels.hpp"

namespace nttforge::cuda {

// Compiles the kernels; without a compiler for cards without_cuda.cpp stands in their place.
#define NTTF_INSTANTIATE(...) template int enqueue(const __VA_ARGS__&, void*);
NTTF_BAD18B(NTTF_INSTANTIATE)

}  // namespace nttforge::cuda
