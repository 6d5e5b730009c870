// SPDX-License-Identifier: Apache-2.0
// The kernels of arithmetic on residues, in words of both sizes.
#include "nttforge/cuda/device/residues.hpp"
#include "nttforge/cuda/elementwise/enqueue.cuh"

namespace nttforge::cuda {

#define NTTF_INSTANTIATE(...) template int enqueue(const __VA_ARGS__&, void*);
NTTF_RESIDUE_OPERATIONS(NTTF_INSTANTIATE)

}  // namespace nttforge::cuda
