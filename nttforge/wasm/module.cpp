// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/bfv.hpp"
#include "nttforge/bgv/bgv.hpp"
#include "nttforge/ckks/ckks.hpp"
