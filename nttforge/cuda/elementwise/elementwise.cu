// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/elementwise/elementwise.hpp"
#include "nttforge/cuda/elementwise/enqueue.cuh"

// The kernels of all operations on residues.

namespace nttforge::cuda {

// Compiles the kernels of a plan's elementwise operations; device/operations.cu has those of queues.
#define NTTF_INSTANTIATE(...) template int enqueue(const __VA_ARGS__&, void*);
NTTF_ELEMENTWISE(NTTF_INSTANTIATE)

}  // namespace nttforge::cuda
