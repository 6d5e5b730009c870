// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions used inside instruction-set specific translation units must never leave an out-of-line copy
// behind: the linker would be free to pick the AVX-512 copy for the whole program. tools/check_isa_symbols.py
// verifies it.
#define NTTF_INLINE inline __attribute__((always_inline))
// The same for a lambda, after its parameters.
#define NTTF_LAMBDA_INLINE __attribute__((always_inline))
// Clang must not see what becomes of a word: it would choose other, slower instructions or a branch. `kind`
// is the constraint of its register.
#if defined(__clang__) && !defined(__CUDA_ARCH__)
#define NTTF_HIDE_FROM_CLANG(kind, word) __asm__("" : "+" kind(word))
#else
#define NTTF_HIDE_FROM_CLANG(kind, word) static_cast<void>(0)
#endif

namespace nttforge {
__extension__ using u128 = unsigned __int128;
}  // namespace nttforge
