# SPDX-License-Identifier: Apache-2.0
# Toolchain file: Zig's clang (requirements-zig.txt) compiles for WebAssembly:
#   cmake -S . -B build/wasm -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/wasm.cmake
# PYTHON of the environment, or python3, is the Python that has the wheel. Zig builds a C++ library without exceptions for
# this system; wasm_runtime.cmake builds one with them, from the sources that Zig brings.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(nttforge_wasm_tools "${CMAKE_BINARY_DIR}/zig-tools")
if(DEFINED ENV{NTTFORGE_ZIG_TOOLS})  # a check of CMake's, whose folder is another: the scripts are there
  set(nttforge_wasm_tools "$ENV{NTTFORGE_ZIG_TOOLS}")
endif()
set(ENV{NTTFORGE_ZIG_TOOLS} "${nttforge_wasm_tools}")
if(NOT EXISTS "${nttforge_wasm_tools}/lib")
  include(${CMAKE_CURRENT_LIST_DIR}/zig_program.cmake)
  get_filename_component(zig_folder "${zig}" DIRECTORY)
  # Exceptions in their older encoding: Node 20 and browsers of before 2025 know no other.
  set(machine "--target=wasm32-wasip1 -msimd128 -mbulk-memory -mexception-handling -fwasm-exceptions -mllvm -wasm-use-legacy-eh=true -nostdinc")
  set(c_headers "")
  foreach(folder include libc/include/wasm-wasi-musl libc/include/generic-musl libc/include/wasm32-wasi-any
      libc/include/any-wasi-any)
    string(APPEND c_headers " -isystem '${zig_folder}/lib/${folder}'")
  endforeach()
  set(cxx_headers " -isystem '${zig_folder}/lib/libcxx/include' -isystem '${zig_folder}/lib/libcxxabi/include'")
  # What libc++ asks its builder. Threads are those of wasi-libc, which starts none: locks do nothing.
  foreach(answer ABI_VERSION=1 ABI_NAMESPACE=__1 HAS_THREADS=1 HAS_THREAD_API_PTHREAD=1 HAS_MONOTONIC_CLOCK=1 HAS_TERMINAL=0
      HAS_MUSL_LIBC=1 HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0 HAS_FILESYSTEM=0 HAS_RANDOM_DEVICE=0 HAS_LOCALIZATION=0
      HAS_UNICODE=0 HAS_WIDE_CHARACTERS=0 PSTL_BACKEND_SERIAL=1 HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE
      ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE DISABLE_VISIBILITY_ANNOTATIONS=1)
    string(APPEND cxx_headers " -D_LIBCPP_${answer}")
  endforeach()
  string(APPEND cxx_headers " -D_LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS")
  foreach(tool "c++;clang ${machine}${cxx_headers}${c_headers}" "cc;clang ${machine}${cxx_headers}${c_headers}" "ar;ar" "ranlib;ranlib"
      "link;cc -target wasm32-wasi -mcpu=generic+simd128+bulk_memory+exception_handling -mexec-model=reactor -nostdlib++"
      "link-program;cc -target wasm32-wasi -mcpu=generic+simd128+bulk_memory+exception_handling -nostdlib++")
    list(GET tool 0 name)
    list(GET tool 1 words)
    file(WRITE "${nttforge_wasm_tools}/${name}" "#!/bin/sh\nexec '${zig}' ${words} \"$@\"\n")
    file(CHMOD "${nttforge_wasm_tools}/${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endforeach()
  file(WRITE "${nttforge_wasm_tools}/lib" "${zig_folder}/lib")
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-Oz -DNDEBUG" CACHE STRING "")
set(CMAKE_CXX_COMPILER "${nttforge_wasm_tools}/c++")
set(CMAKE_C_COMPILER "${nttforge_wasm_tools}/cc")
set(CMAKE_AR "${nttforge_wasm_tools}/ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${nttforge_wasm_tools}/ranlib" CACHE FILEPATH "")
