// SPDX-License-Identifier: Apache-2.0
#pragma once

// The whole scheme in one include: its own names, and those of the layers below it, are in nttforge::bfv.
#include "nttforge/base/cxx20.hpp"
#include "nttforge/bfv/context.hpp"
#include "nttforge/bfv/evaluator.hpp"
#include "nttforge/bfv/noise_model.hpp"
#include "nttforge/bfv/parameters.hpp"
#include "nttforge/integer_encoding/integer_encoding.hpp"
