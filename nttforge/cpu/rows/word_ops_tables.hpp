// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/ntt/word_ops.hpp"

namespace nttforge::cpu {

/// What one word_ops_<target>.cpp contributes; word_ops_dispatch.cpp picks by target.
extern const WordOps kWordOpsScalar;
extern const WordOps kWordOpsAvx2;
extern const WordOps kWordOpsAvx512;
extern const WordOps kWordOpsAvx512Ifma;
extern const WordOps kWordOpsNeon;

}  // namespace nttforge::cpu
