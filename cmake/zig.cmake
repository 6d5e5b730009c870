# SPDX-License-Identifier: Apache-2.0
# Toolchain file: Zig's clang, which comes as a wheel, `pip install ziglang`, compiles for another system, or for an older glibc:
#   cmake -S . -B build/NAME -DCMAKE_TOOLCHAIN_FILE=cmake/zig.cmake -DNTTFORGE_ZIG_TARGET=aarch64-linux-gnu.2.28
# NTTFORGE_ZIG_TARGET is one of those below. PYTHON of the environment, or python3, is the Python that has the wheel.
set(NTTFORGE_ZIG_TARGET "" CACHE STRING "System to compile for, as Zig writes it")
set_property(CACHE NTTFORGE_ZIG_TARGET PROPERTY STRINGS x86_64-linux-gnu.2.28 aarch64-linux-gnu.2.28 x86_64-macos.11.0
  aarch64-macos.11.0 x86_64-windows-gnu)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NTTFORGE_ZIG_TARGET)
if(NOT NTTFORGE_ZIG_TARGET MATCHES "^(x86_64|aarch64)-(linux-gnu|macos|windows-gnu)(\\.[0-9.]+)?$")
  message(FATAL_ERROR "NTTFORGE_ZIG_TARGET = '${NTTFORGE_ZIG_TARGET}' is not a system of the form x86_64-linux-gnu.2.28, "
    "aarch64-linux-gnu.2.28, x86_64-macos.11.0, aarch64-macos.11.0 or x86_64-windows-gnu")
endif()
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
if(CMAKE_MATCH_2 STREQUAL "macos")
  set(CMAKE_SYSTEM_NAME Darwin)
elseif(CMAKE_MATCH_2 STREQUAL "windows-gnu")
  set(CMAKE_SYSTEM_NAME Windows)
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()

set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
if(CMAKE_HOST_WIN32)  # no scripts there: the words after the program are arguments of every call
  include(${CMAKE_CURRENT_LIST_DIR}/zig_program.cmake)
  unset(CMAKE_SYSTEM_NAME)  # the machine's own: what is built can run
  unset(CMAKE_SYSTEM_PROCESSOR)
  set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY BOTH)
  set(CMAKE_CXX_COMPILER "${zig}.exe" c++ -target ${NTTFORGE_ZIG_TARGET})
  set(CMAKE_C_COMPILER "${zig}.exe" cc -target ${NTTFORGE_ZIG_TARGET})
  set(CMAKE_AR "${zig}.exe" CACHE FILEPATH "")
  set(CMAKE_RANLIB "${zig}.exe" CACHE FILEPATH "")
  # CMake's own rules replace what is set here, and are followed by this file.
  set(CMAKE_USER_MAKE_RULES_OVERRIDE "${CMAKE_BINARY_DIR}/zig-ar.cmake")
  file(WRITE "${CMAKE_USER_MAKE_RULES_OVERRIDE}" "set(CMAKE_CXX_ARCHIVE_CREATE \"<CMAKE_AR> ar qc <TARGET> <LINK_FLAGS> <OBJECTS>\")\n"
    "set(CMAKE_CXX_ARCHIVE_APPEND \"<CMAKE_AR> ar q <TARGET> <LINK_FLAGS> <OBJECTS>\")\n"
    "set(CMAKE_CXX_ARCHIVE_FINISH \"<CMAKE_RANLIB> ranlib <TARGET>\")\n")
  return()
endif()

# CMake wants each tool as one program: a script for each, beside the build.
set(nttforge_zig_tools "${CMAKE_BINARY_DIR}/zig-tools")
if(DEFINED ENV{NTTFORGE_ZIG_TOOLS})  # a check of CMake's, whose folder is another: the scripts are there
  set(nttforge_zig_tools "$ENV{NTTFORGE_ZIG_TOOLS}")
endif()
set(ENV{NTTFORGE_ZIG_TOOLS} "${nttforge_zig_tools}")
if(NOT EXISTS "${nttforge_zig_tools}/${NTTFORGE_ZIG_TARGET}")
  include(${CMAKE_CURRENT_LIST_DIR}/zig_program.cmake)
  foreach(tool c++ cc ar ranlib)
    set(arguments "${tool}")
    if(tool MATCHES "^c")
      set(arguments "${tool} -target ${NTTFORGE_ZIG_TARGET}")
    endif()
    file(WRITE "${nttforge_zig_tools}/${tool}" "#!/bin/sh\nexec '${zig}' ${arguments} \"$@\"\n")
    file(CHMOD "${nttforge_zig_tools}/${tool}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endforeach()
  file(WRITE "${nttforge_zig_tools}/${NTTFORGE_ZIG_TARGET}" "")
endif()
set(CMAKE_CXX_COMPILER "${nttforge_zig_tools}/c++")
set(CMAKE_C_COMPILER "${nttforge_zig_tools}/cc")
set(CMAKE_AR "${nttforge_zig_tools}/ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${nttforge_zig_tools}/ranlib" CACHE FILEPATH "")
