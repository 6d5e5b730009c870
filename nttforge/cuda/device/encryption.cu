// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/block/device.cuh"
#include "nttforge/cuda/device/decryption.hpp"
#include "nttforge/cuda/elementwise/enqueue.cuh"

namespace nttforge::cuda {

template <class Word>
int enqueue(const SampleCall<Word>& call, void* stream) {
  return launch_kernel<SampleKernel<Word>>(call.args, call.args.clusters(),
                                           static_cast<cudaStream_t>(stream));
}

#define NTTF_INSTANTIATE(...) template int enqueue(const __VA_ARGS__&, void*);
NTTF_ENCRYPTION_OPERATIONS(NTTF_INSTANTIATE)

}  // namespace nttforge::cuda
