// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included by every public header that needs C++20, so that older standards meet one sentence first;
// cxx17.hpp, hexl_compat.hpp and nttforge.h do without. tools/test_consumer.py tests it.
#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
// clang-format off
#error "This nttforge header needs C++20 (-std=c++20). From C++17 use nttforge/cxx17.hpp."
// clang-format on
#endif
