# SPDX-License-Identifier: Apache-2.0
# One row per instruction set: every *_<target>.cpp under nttforge/cpu is compiled with these flags and nothing else is.
set(NTTFORGE_TARGET_FLAGS_avx2 -mavx2 -mfma -mbmi2)
set(NTTFORGE_TARGET_FLAGS_avx512 -mavx2 -mfma -mbmi2 -mavx512f -mavx512dq -mavx512bw -mavx512vl)
set(NTTFORGE_TARGET_FLAGS_avx512_ifma ${NTTFORGE_TARGET_FLAGS_avx512} -mavx512ifma)
set(NTTFORGE_TARGET_FLAGS_neon "")  # every aarch64 compiler has NEON switched on
set(NTTFORGE_TARGET_FLAGS_wasm "")  # SIMD128 is switched on for whole modules (wasm.cmake)

# g++ schedules for registers only after it has handed them out, unless told otherwise: 4 to 6 % on AVX2 transforms, nothing
# or less elsewhere (docs/lab/avx2-and-scalar-attempts.md).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(NTTFORGE_SCHEDULING_FLAGS -fschedule-insns -fsched-pressure)
endif()

# What -mtune decides in transforms for AVX-512: one load instead of two halves, constants kept in registers. g++ 12 for any
# core writes up to 10 % more instructions.
set(NTTFORGE_TUNING_FLAGS -mtune=icelake-server)
if(NTTFORGE_ZIG_TARGET)
  set(NTTFORGE_TUNING_FLAGS -mtune=icelake_server)  # as Zig writes it
endif()

# The newest cores without AVX-512 are Zen 2 and 3: 1 to 4 % on AVX2 transforms of 64-bit words, and nothing or a loss of up
# to 3 % on those of 32-bit words, which have a file of their own (docs/lab/avx2-and-scalar-attempts.md).
set(NTTFORGE_AVX2_TUNING_FLAGS -mtune=znver3)

function(nttforge_apply_target_flags)
  foreach(source IN LISTS ARGN)
    foreach(target avx2 avx512 avx512_ifma neon wasm)
      if(source MATCHES "_${target}\\.cpp$")
        set(flags ${NTTFORGE_TARGET_FLAGS_${target}})
        if(source MATCHES "transform(32)?_avx2\\.cpp$")
          list(APPEND flags ${NTTFORGE_SCHEDULING_FLAGS})
        endif()
        if(source MATCHES "transform_avx2\\.cpp$")
          list(APPEND flags ${NTTFORGE_AVX2_TUNING_FLAGS})
        endif()
        if(source MATCHES "(transform|dgt)_avx512")
          list(APPEND flags ${NTTFORGE_TUNING_FLAGS})
        endif()
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${flags}" SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endforeach()
  endforeach()
endfunction()

# Runs while something is set up, read or written, once: optimized further it would only take longer to compile.
set(NTTFORGE_SELDOM_RUN
  "base/(target|text/(file|json|json_parse|real))" "bfv/(context|noise_model|parameters)" "bgv/(context|noise_model|parameters|presets)" "integer_encoding/(bounds/noise_model|context|parameters)" "rlwe/(chain|context|meta|noise|parameters|security|sizes|bytes/format)"
  "cuda/(explorer/[a-z_]*|plan/limb_classes|runtime/(error|runtime_without_[a-z]*)|step/rns_steps|table/rows)"
  "ntt/(explore|explorer|recipe|spec|trace|wisdom|explorer/(cost_model|wisdom_key))"
  "rns/(base_conversion|behz|hps|mod_down|scale)")

function(nttforge_apply_setup_flags)
  if(NTTFORGE_IS_WASM)  # everything else is compiled for size
    set(hot ${ARGN})
    list(FILTER hot INCLUDE REGEX "nttforge/(base/text/bits|cpu/(conversion|device|random|rows|transform)/|integer_encoding/encode\\.cpp|ntt/(stage_order|twiddles/)|random/)")
    set_property(SOURCE ${hot} APPEND PROPERTY COMPILE_OPTIONS -O2)
    set_property(SOURCE ${hot} PROPERTY SKIP_PRECOMPILE_HEADERS ON)  # these are compiled for size too
    return()
  endif()
  set(seldom_run ${NTTFORGE_SELDOM_RUN})
  # Every GPU refuses, so plans on them are never run; or there is none, and only tests of the host's run count.
  if((NOT NTTFORGE_HAS_CUDA AND NOT NTTFORGE_CUDA_HOST) OR NTTFORGE_CUDA_FAST_COMPILE)
    list(APPEND seldom_run "cuda/[a-z0-9_/]+")
  endif()
  if(NTTFORGE_ONLY)  # for a sample of the tests of kernels
    list(APPEND seldom_run "(arith|base|ntt)/[a-z0-9_/]+")
  endif()
  foreach(pattern IN LISTS seldom_run)
    set(found ${ARGN})
    list(FILTER found INCLUDE REGEX "/${pattern}\\.cpp$")
    set_property(SOURCE ${found} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# What most sources include, and the headers named behind the target, parsed once. Sources must not rely on it: builds with a
# compiler cache, which could not use it, and the library where tests are built are without.
function(nttforge_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <bit> <cmath> <cstddef> <cstdint> <cstring> <functional> <map>
    <memory> <mutex> <optional> <span> <stdexcept> <string> <string_view> <type_traits> <utility> <vector> ${ARGN})
endfunction()

# Sources that end in the name of a system, or in _posix, are for that system alone (nttforge/base/system/README.md).
function(nttforge_filter_systems list)
  if(NTTFORGE_IS_WASM)
    set(others linux|macos|posix|windows)
  elseif(WIN32)
    set(others linux|macos|posix|wasm)
  elseif(APPLE)
    set(others linux|wasm|windows)
  else()
    set(others macos|wasm|windows)
  endif()
  set(kept ${${list}})
  list(FILTER kept EXCLUDE REGEX "_(${others})(_test)?\\.cpp$|/nttforge/wasm/")
  set(${list} ${kept} PARENT_SCOPE)
endfunction()

# A page has no GPU, no files and no time to choose recipes.
function(nttforge_keep_client_half list)
  set(kept ${${list}})
  list(FILTER kept EXCLUDE REGEX "nttforge/(c|circuits|ckks/bootstrap|cuda|exact_bootstrap|hexl|multi|ntt/algorithms)/|base/text/file\\.cpp$|cpu/transform/dgt_scalar\\.cpp$|ntt/(explorer|explorer/explorer|explorer/wisdom_key|trace|wisdom|plan/incomplete)\\.cpp$")
  set(${list} ${kept} PARENT_SCOPE)
endfunction()

# The sources of a folder become one, but for those with options of their own: two thirds of what the compiler did was to
# read headers again.
function(nttforge_unite_folders target)
  set(apart "base/threads/thread_pool|bgv/presets|ckks/(decryptor|parameters|presets)|integer_encoding/flooding|rlwe/(bytes|parameters|presets/preset_checks|security)")
  foreach(source IN LISTS ARGN)
    if(NOT source MATCHES "${apart}" AND source MATCHES "/nttforge/([a-z_]+)/")
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${CMAKE_MATCH_1})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # CMake leaves alone what has options: of the sources compiled for speed, those that take no lanes.
  set(fast ${ARGN})
  list(FILTER fast INCLUDE REGEX "nttforge/(cpu/(conversion/cpu_step|device/)|cpu/[a-z]+/[a-z_]+_dispatch|random/)")
  set(united "${PROJECT_BINARY_DIR}/nttforge_fast.cpp")
  list(TRANSFORM fast REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE lines)
  list(JOIN lines "\n" text)
  file(CONFIGURE OUTPUT "${united}" CONTENT "${text}\n" @ONLY)
  set_property(SOURCE ${fast} PROPERTY HEADER_FILE_ONLY ON)
  set_source_files_properties(${united} PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${united})
endfunction()
