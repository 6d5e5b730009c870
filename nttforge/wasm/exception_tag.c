// SPDX-License-Identifier: Apache-2.0
// The tag that C++ exceptions carry, which the linker wants from the runtime and Zig's does not have.
__asm__(
    "  .globl __cpp_exception\n"
    "  .tagtype __cpp_exception i32\n"
    "__cpp_exception:\n");
