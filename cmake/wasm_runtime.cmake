# SPDX-License-Identifier: Apache-2.0
# The C++ library with exceptions, from the sources in Zig's wheel, and the module nttforge.wasm; included where the
# toolchain is wasm.cmake.
enable_language(C)
file(READ "${CMAKE_BINARY_DIR}/zig-tools/lib" zig_lib)
set(runtime_sources "${PROJECT_SOURCE_DIR}/nttforge/wasm/exception_tag.c")
foreach(name algorithm atomic call_once charconv chrono condition_variable condition_variable_destructor error_category exception
    functional future hash memory mutex mutex_destructor new new_handler new_helpers optional ryu/d2fixed ryu/d2s ryu/f2s stdexcept
    string system_error thread typeinfo variant vector verbose_abort)
  list(APPEND runtime_sources "${zig_lib}/libcxx/src/${name}.cpp")
endforeach()
foreach(name abort_message cxa_aux_runtime cxa_default_handlers cxa_exception cxa_exception_storage cxa_guard cxa_handlers
    cxa_personality cxa_thread_atexit cxa_vector cxa_virtual fallback_malloc private_typeinfo stdlib_exception stdlib_stdexcept
    stdlib_typeinfo)
  list(APPEND runtime_sources "${zig_lib}/libcxxabi/src/${name}.cpp")
endforeach()
list(APPEND runtime_sources "${zig_lib}/libunwind/src/Unwind-wasm.c")
add_library(nttforge_wasm_runtime STATIC ${runtime_sources})
target_include_directories(nttforge_wasm_runtime PRIVATE ${zig_lib}/libcxx/src ${zig_lib}/libcxx/src/include ${zig_lib}/libcxx/libc
  ${zig_lib}/libunwind/include)
# Names of types are not demangled, and nothing is printed, before an uncaught exception ends the program.
target_compile_definitions(nttforge_wasm_runtime PRIVATE _LIBCPP_BUILDING_LIBRARY _LIBCXXABI_BUILDING_LIBRARY
  LIBCXX_BUILDING_LIBCXXABI _LIBCXXABI_HAS_NO_THREADS _LIBUNWIND_HIDE_SYMBOLS __WASM_EXCEPTIONS__
  LIBCXXABI_NON_DEMANGLING_TERMINATE LIBCXXABI_SILENT_TERMINATE)
target_compile_options(nttforge_wasm_runtime PRIVATE -w -Os -ffunction-sections -fdata-sections
  $<$<COMPILE_LANGUAGE:CXX>:-std=c++23>)

set(CMAKE_CXX_LINK_EXECUTABLE
  "${CMAKE_BINARY_DIR}/zig-tools/link <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
file(GLOB wasm_sources CONFIGURE_DEPENDS nttforge/wasm/*.cpp)
add_executable(nttforge_wasm ${wasm_sources})
# Zig compiles a C library when a first program is linked, in half a minute: beside everything else.
set(first_program "${PROJECT_BINARY_DIR}/zig-tools/first.wasm")
file(CONFIGURE OUTPUT zig-tools/first.c CONTENT "int main(void) { return 0; }\n" @ONLY)
add_custom_command(OUTPUT ${first_program} VERBATIM COMMENT "The C library"
  COMMAND ${CMAKE_C_COMPILER} -c zig-tools/first.c -o zig-tools/first.o
  COMMAND "${PROJECT_BINARY_DIR}/zig-tools/link" -s zig-tools/first.o -o ${first_program})
add_custom_target(nttforge_wasm_c_library DEPENDS ${first_program})
add_dependencies(nttforge_wasm nttforge_wasm_c_library)
set_target_properties(nttforge_wasm PROPERTIES OUTPUT_NAME nttforge SUFFIX .wasm)
target_compile_features(nttforge_wasm PRIVATE cxx_std_20)
target_link_libraries(nttforge_wasm PRIVATE nttforge nttforge_options nttforge_wasm_runtime)
target_link_options(nttforge_wasm PRIVATE -Wl,--gc-sections -Wl,-z,stack-size=1048576 -s)
