# SPDX-License-Identifier: Apache-2.0
# Links the modules of this folder against glibc NTTFORGE_LINK_GLIBC, 2.28 for example, though g++ compiles against the
# machine's own: CUDA's compiler takes no clang as new as Zig's, but Zig's linker takes what g++ compiled. g++'s own C++
# library is linked in (docs/decisions/gpu-wheels.md).
include(${CMAKE_CURRENT_LIST_DIR}/zig_program.cmake)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a OUTPUT_VARIABLE nttforge_libstdcxx
  OUTPUT_STRIP_TRAILING_WHITESPACE)
set(nttforge_linker "${PROJECT_BINARY_DIR}/zig-linker")
file(WRITE "${nttforge_linker}" "#!/bin/sh\nexec '${zig}' cc -target ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu.${NTTFORGE_LINK_GLIBC} \"$@\"\n")
file(CHMOD "${nttforge_linker}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(CMAKE_CXX_CREATE_SHARED_MODULE
  "\"${nttforge_linker}\" -shared -s <LINK_FLAGS> -o <TARGET> <OBJECTS> <LINK_LIBRARIES> \"${nttforge_libstdcxx}\" -lunwind -lm -ldl -lrt -lpthread")
