// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "nttforge/base/macros.hpp"

#define NTTF_BODY NTTF_LAMBDA_INLINE

namespace nttforge {
namespace {

/// body(0), ..., body(kCount - 1) with constant indices: arrays of sums indexed so become registers, in a
/// loop that is unrolled later they stay in memory. The body is a lambda marked NTTF_BODY.
template <std::size_t kCount, class Body>
NTTF_INLINE void unrolled(const Body& body) {
  if constexpr (kCount > 0) {
    unrolled<kCount - 1>(body);
    body(kCount - 1);
  }
}

}  // namespace
}  // namespace nttforge
