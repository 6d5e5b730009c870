// SPDX-License-Identifier: Apache-2.0
#pragma once

// The macros and global names that programs written for HEXL use. This folder's headers are C++17 and stand
// on the standard library alone.

#include <cstdint>
#include <sstream>
#include <stdexcept>

#if defined(__clang__)
#define HEXL_USE_CLANG
#elif defined(__GNUC__)
#define HEXL_USE_GNU
#endif

__extension__ typedef __int128 int128_t;            ///< signed words of 128 bits
__extension__ typedef unsigned __int128 uint128_t;  ///< unsigned words of 128 bits

#define HEXL_UNUSED(x) (void)(x)
#define HEXL_VLOG(level, text) \
  {                            \
  }
#define START_EASYLOGGINGPP(argc, argv) \
  {                                     \
  }

#ifdef HEXL_DEBUG  // throws where HEXL's debug build does
#define HEXL_CHECK(condition, text)                 \
  if (!(condition)) {                               \
    std::ostringstream hexl_message;                \
    hexl_message << text << " in " << __FUNCTION__; \
    throw std::runtime_error(hexl_message.str());   \
  }
#define HEXL_CHECK_BOUNDS(words, count, bound, text)                       \
  for (std::uint64_t hexl_index = 0; hexl_index < (count); ++hexl_index) { \
    HEXL_CHECK((words)[hexl_index] < (bound), text);                       \
  }
#else
#define HEXL_CHECK(condition, text) \
  {                                 \
  }
#define HEXL_CHECK_BOUNDS(...) \
  {                            \
  }
#endif

#if defined(HEXL_USE_CLANG)
#define HEXL_LOOP_UNROLL_4 _Pragma("clang loop unroll_count(4)")
#define HEXL_LOOP_UNROLL_8 _Pragma("clang loop unroll_count(8)")
#else
#define HEXL_LOOP_UNROLL_4 _Pragma("GCC unroll 4")
#define HEXL_LOOP_UNROLL_8 _Pragma("GCC unroll 8")
#endif

// Headers of Windows define these as macros; CMPINT has values of these names.
#undef TRUE
#undef FALSE
