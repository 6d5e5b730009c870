// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything of BGV for applications.

#include "nttforge/base/cxx20.hpp"
#include "nttforge/bgv/context.hpp"
#include "nttforge/bgv/evaluator.hpp"
#include "nttforge/bgv/parameters.hpp"
#include "nttforge/integer_encoding/batch_encoder.hpp"
#include "nttforge/integer_encoding/coefficient_encoder.hpp"
#include "nttforge/integer_encoding/decryptor.hpp"
#include "nttforge/integer_encoding/encryptor.hpp"
#include "nttforge/integer_encoding/serialize.hpp"
#include "nttforge/rlwe/galois.hpp"
#include "nttforge/rlwe/key_generator.hpp"
