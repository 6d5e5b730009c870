// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/lanes/lanes_avx2.hpp"
#include "nttforge/cpu/random/random_kernels.hpp"
#include "nttforge/cpu/random/random_tables.hpp"

namespace nttforge::cpu {

// ChaCha20 in eight blocks side by side, samples in vectors of four words.
constinit const RandomKernels kRandomAvx2 = RandomKernelsOf<Lanes32Avx2, LanesAvx2>::table();

}  // namespace nttforge::cpu
