// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything of CKKS for applications.

#include "nttforge/base/cxx20.hpp"
#include "nttforge/ckks/bootstrap/presets.hpp"
#include "nttforge/ckks/context.hpp"
#include "nttforge/ckks/decryptor.hpp"
#include "nttforge/ckks/encryptor.hpp"
#include "nttforge/ckks/evaluator.hpp"
#include "nttforge/ckks/linear_transform.hpp"
#include "nttforge/ckks/parameters.hpp"
#include "nttforge/ckks/plaintext.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/rlwe/galois.hpp"
#include "nttforge/rlwe/key_generator.hpp"
#include "nttforge/rlwe/serialize.hpp"
