// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/lanes/lanes_wasm.hpp"
#include "nttforge/cpu/random/random_kernels.hpp"
#include "nttforge/cpu/random/random_tables.hpp"

namespace nttforge::cpu {

// ChaCha20 in four blocks side by side, samples in vectors of two words.
constinit const RandomKernels kRandomWasm = RandomKernelsOf<Lanes32Wasm, LanesWasm>::table();

}  // namespace nttforge::cpu
