// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/lanes/lanes_avx512.hpp"
#include "nttforge/cpu/random/random_kernels.hpp"
#include "nttforge/cpu/random/random_tables.hpp"

namespace nttforge::cpu {

// ChaCha20 in sixteen blocks side by side, samples in vectors of eight words.
constinit const RandomKernels kRandomAvx512 = RandomKernelsOf<Lanes32Avx512, LanesAvx512>::table();

}  // namespace nttforge::cpu
