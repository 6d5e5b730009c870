// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a scheme with integers modulo t offers beside its own context and evaluator.
#include "nttforge/circuits/expansion.hpp"
#include "nttforge/circuits/linear_map.hpp"
#include "nttforge/integer_encoding/batch_encoder.hpp"
#include "nttforge/integer_encoding/coefficient_encoder.hpp"
#include "nttforge/integer_encoding/decryptor.hpp"
#include "nttforge/integer_encoding/encryptor.hpp"
#include "nttforge/integer_encoding/serialize.hpp"
#include "nttforge/rlwe/galois.hpp"
#include "nttforge/rlwe/key_generator.hpp"
#include "nttforge/rlwe/sampling.hpp"

namespace nttforge::integer_encoding {

using namespace circuits;  // NOLINT: the layer's names beside its own

}  // namespace nttforge::integer_encoding
