// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/lanes/lanes_neon.hpp"
#include "nttforge/cpu/random/random_kernels.hpp"
#include "nttforge/cpu/random/random_tables.hpp"

namespace nttforge::cpu {

// ChaCha20 in four blocks side by side, whose sixteen vectors are half of the registers; samples in vectors
// of two words.
constinit const RandomKernels kRandomNeon = RandomKernelsOf<Lanes32Neon, LanesNeon>::table();

}  // namespace nttforge::cpu
