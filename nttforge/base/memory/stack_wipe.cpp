// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/memory/stack_wipe.hpp"

#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/target.hpp"

namespace nttforge {
namespace {

thread_local std::size_t active_bytes = 0;

/// Registers outlive a call; whatever saves them later would write the words to memory again. Asks the CPU
/// first, so tools/check_isa_symbols.py lets it name wide registers.
__attribute__((noinline)) void clear_vector_registers() {
#if defined(__x86_64__)
  static const bool avx2 = target_available(Target::avx2), avx512 = target_available(Target::avx512);
  if (avx512)
    __asm__ __volatile__(
        "vpxord %%zmm16, %%zmm16, %%zmm16\n\tvpxord %%zmm17, %%zmm17, %%zmm17\n\t"
        "vpxord %%zmm18, %%zmm18, %%zmm18\n\tvpxord %%zmm19, %%zmm19, %%zmm19\n\t"
        "vpxord %%zmm20, %%zmm20, %%zmm20\n\tvpxord %%zmm21, %%zmm21, %%zmm21\n\t"
        "vpxord %%zmm22, %%zmm22, %%zmm22\n\tvpxord %%zmm23, %%zmm23, %%zmm23\n\t"
        "vpxord %%zmm24, %%zmm24, %%zmm24\n\tvpxord %%zmm25, %%zmm25, %%zmm25\n\t"
        "vpxord %%zmm26, %%zmm26, %%zmm26\n\tvpxord %%zmm27, %%zmm27, %%zmm27\n\t"
        "vpxord %%zmm28, %%zmm28, %%zmm28\n\tvpxord %%zmm29, %%zmm29, %%zmm29\n\t"
        "vpxord %%zmm30, %%zmm30, %%zmm30\n\tvpxord %%zmm31, %%zmm31, %%zmm31" ::
            : "memory");  // this file is compiled without AVX-512: the compiler keeps nothing in them
  if (avx2)
    __asm__ __volatile__("vzeroall" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                               "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#elif defined(__aarch64__)
  __asm__ __volatile__(
      "movi v0.2d, #0\n\tmovi v1.2d, #0\n\tmovi v2.2d, #0\n\tmovi v3.2d, #0\n\t"
      "movi v4.2d, #0\n\tmovi v5.2d, #0\n\tmovi v6.2d, #0\n\tmovi v7.2d, #0\n\t"
      "movi v16.2d, #0\n\tmovi v17.2d, #0\n\tmovi v18.2d, #0\n\tmovi v19.2d, #0\n\t"
      "movi v20.2d, #0\n\tmovi v21.2d, #0\n\tmovi v22.2d, #0\n\tmovi v23.2d, #0\n\t"
      "movi v24.2d, #0\n\tmovi v25.2d, #0\n\tmovi v26.2d, #0\n\tmovi v27.2d, #0\n\t"
      "movi v28.2d, #0\n\tmovi v29.2d, #0\n\tmovi v30.2d, #0\n\tmovi v31.2d, #0\n\t"
      // The lower halves of these are the caller's, who has them back by now; nobody keeps the upper ones.
      "mov v8.d[1], xzr\n\tmov v9.d[1], xzr\n\tmov v10.d[1], xzr\n\tmov v11.d[1], xzr\n\t"
      "mov v12.d[1], xzr\n\tmov v13.d[1], xzr\n\tmov v14.d[1], xzr\n\tmov v15.d[1], xzr" ::
          : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
            "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
#endif
}

/// One frame of as many bytes as are wiped. Not inlined: it must lie below its caller's frame. The array is
/// not aligned further, which would leave a gap above it.
template <std::size_t kBytes>
__attribute__((noinline)) void wipe_frame() {
  unsigned char area[kBytes];
  secure_zero(area, sizeof area);
}

}  // namespace

__attribute__((noinline)) void wipe_stack(std::size_t bytes) {
  if (bytes <= static_cast<std::size_t>(StackDepth::shallow))
    wipe_frame<static_cast<std::size_t>(StackDepth::shallow)>();
  else
    wipe_frame<static_cast<std::size_t>(StackDepth::deep)>();
  wipe_frame<120>();  // a large frame keeps registers above its array that a small one does not
  clear_vector_registers();
}

StackWipe::StackWipe(StackDepth depth) : before_(active_bytes) {
  if (before_ == 0) active_bytes = static_cast<std::size_t>(depth);
}

StackWipe::~StackWipe() {
  if (before_ != 0) return;
  wipe_stack(active_bytes);
  active_bytes = 0;
}

std::size_t StackWipe::active() { return active_bytes; }

}  // namespace nttforge
