// SPDX-License-Identifier: Apache-2.0
#pragma once

// The whole scheme in one include.
#include "nttforge/bfv/batch_encoder.hpp"
#include "nttforge/bfv/ciphertext.hpp"
#include "nttforge/bfv/coefficient_encoder.hpp"
#include "nttforge/bfv/context.hpp"
#include "nttforge/bfv/decryptor.hpp"
#include "nttforge/bfv/encryptor.hpp"
#include "nttforge/bfv/evaluator.hpp"
#include "nttforge/bfv/galois.hpp"
#include "nttforge/bfv/key_generator.hpp"
#include "nttforge/bfv/keys.hpp"
#include "nttforge/bfv/noise_model.hpp"
#include "nttforge/bfv/parameters.hpp"
#include "nttforge/bfv/plaintext.hpp"
#include "nttforge/bfv/serialize.hpp"
