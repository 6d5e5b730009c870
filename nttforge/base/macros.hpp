// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions used inside instruction-set specific translation units must never leave an out-of-line copy
// behind: the linker would be free to pick the AVX-512 copy for the whole program. tools/check_isa_symbols.py
// verifies it.
#define NTTF_INLINE inline __attribute__((always_inline))
// The same for a lambda, after its parameters.
#define NTTF_LAMBDA_INLINE __attribute__((always_inline))

namespace nttforge {
__extension__ using u128 = unsigned __int128;
}  // namespace nttforge
