// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/lanes/lanes_scalar.hpp"
#include "nttforge/cpu/random/random_kernels.hpp"
#include "nttforge/cpu/random/random_tables.hpp"

namespace nttforge::cpu {

// ChaCha20 a block at a time, samples a word at a time.
constinit const RandomKernels kRandomScalar = RandomKernelsOf<Lanes32Scalar, LanesScalar>::table();

}  // namespace nttforge::cpu
