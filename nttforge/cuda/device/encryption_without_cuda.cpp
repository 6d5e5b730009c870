// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/device/decryption.hpp"

namespace nttforge::cuda {

// These are never reached, because the runtime of such a build refuses every launch.
template <class Operation>
int enqueue(const Operation&, void*) {
  return 801;  // cudaErrorNotSupported
}
template <class Word>
int enqueue(const SampleCall<Word>&, void*) {
  return 801;
}

#define NTTF_INSTANTIATE(...) template int enqueue(const __VA_ARGS__&, void*);
NTTF_ENCRYPTION_OPERATIONS(NTTF_INSTANTIATE)

}  // namespace nttforge::cuda
