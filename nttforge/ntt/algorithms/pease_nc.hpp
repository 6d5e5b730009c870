// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pease_nc, "no copy" [Din24, III.B]: Pease's stages, the two arrays changing roles after each one.
//
// Bit-reversed -> natural order; odd stages x -> work, even stages work -> x, otherwise as pease.hpp. If
// log n is odd the result is in work.
// The paper's "two types of butterfly operations in different stages" is not defined there; since its access
// sets are the same in all stages, the two types are taken to be the two directions. docs/algorithms.md

#include <utility>

#include "nttforge/ntt/algorithms/pease.hpp"

namespace nttforge::algorithms {

struct PeaseNc {
  template <class Ring, class Word = typename Ring::Word>
  static Word* run(const Ring& ring, const Tables<Word>& tables, Word* x, Word* work,
                   StageValues<Word>* values) {
    for (unsigned s = 1; s <= tables.log_n; ++s) {
      pease_stage(ring, tables, s, x, work);
      std::swap(x, work);
      report(values, s, x);
    }
    return x;
  }
};

}  // namespace nttforge::algorithms
