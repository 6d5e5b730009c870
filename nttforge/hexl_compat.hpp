// SPDX-License-Identifier: Apache-2.0
#pragma once

// The interface of Intel HEXL 1.2.6 (namespace intel::hexl) on this library's engine: for programs written
// for HEXL, by another include path and library alone. C++17. docs/hexl.md says how to build them and what
// differs.

#include "nttforge/hexl/allocator.hpp"
#include "nttforge/hexl/eltwise.hpp"
#include "nttforge/hexl/macros.hpp"
#include "nttforge/hexl/ntt.hpp"
#include "nttforge/hexl/number_theory.hpp"
