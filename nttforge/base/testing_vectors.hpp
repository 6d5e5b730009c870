// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the oracle's vectors (python/nttforge/spec): those of tests/vectors, and the long ones, which the
// build makes. Not installed.

#include <string>

#include "nttforge/base/text/json.hpp"

namespace nttforge::testing {

/// Reads the file of vectors with this name. throws Error if it cannot be read, FormatError.
Json load_vectors(const std::string& name);

}  // namespace nttforge::testing
