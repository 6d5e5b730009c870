// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/algorithms/run_table.hpp"

#include <string>
#include <string_view>

#include "nttforge/base/error.hpp"
#include "nttforge/ntt/algorithms/dif.hpp"
#include "nttforge/ntt/algorithms/dit.hpp"
#include "nttforge/ntt/algorithms/flat.hpp"
#include "nttforge/ntt/algorithms/pease.hpp"
#include "nttforge/ntt/algorithms/pease_nc.hpp"
#include "nttforge/ntt/algorithms/radix_r.hpp"
#include "nttforge/ntt/algorithms/recursive.hpp"
#include "nttforge/ntt/algorithms/six_step.hpp"
#include "nttforge/ntt/algorithms/stockham.hpp"

namespace nttforge::algorithms {
namespace {

/// One algorithm both ways; the tables make it the inverse.
template <class Algorithm>
struct BothWays {
  template <class... Arguments>
  static auto forward(Arguments&&... arguments) {
    return Algorithm::run(arguments...);
  }
  template <class... Arguments>
  static auto inverse(Arguments&&... arguments) {
    return Algorithm::run(arguments...);
  }
};

template <class Word>
struct Row {
  std::string_view name;
  unsigned radix;
  Runs<Word> runs;
};

template <class Ring, class Algorithm>
constexpr Row<typename Ring::Word> row(std::string_view name, unsigned radix = 2) {
  using Word = typename Ring::Word;
  return {name,
          radix,
          {[](Word q, const Tables<Word>& tables, Word* x, Word* work, StageValues<Word>* values) {
             return Algorithm::forward(Ring{q}, tables, x, work, values);
           },
           [](Word q, const Tables<Word>& tables, Word* x, Word* work, StageValues<Word>* values) {
             return Algorithm::inverse(Ring{q}, tables, x, work, values);
           }}};
}

/// One place to add an algorithm: its row here and in algorithms.cpp.
template <class Ring>
Runs<typename Ring::Word> find(const NttRecipe& recipe) {
  static constexpr Row<typename Ring::Word> kRows[] = {
      row<Ring, BothWays<Dit>>("dit"),           row<Ring, BothWays<Dif>>("dif"),
      row<Ring, BothWays<Flat>>("flat"),         row<Ring, BothWays<Pease>>("pease"),
      row<Ring, BothWays<PeaseNc>>("pease_nc"),  row<Ring, BothWays<SixStep>>("six_step"),
      row<Ring, BothWays<Stockham>>("stockham"), row<Ring, BothWays<Recursive>>("recursive"),
      row<Ring, RadixR<1>>("radix_r", 2),        row<Ring, RadixR<2>>("radix_r", 4),
      row<Ring, RadixR<3>>("radix_r", 8),        row<Ring, RadixR<4>>("radix_r", 16),
  };
  for (const auto& entry : kRows) {
    if (entry.name == recipe.algorithm && entry.radix == recipe.radix) return entry.runs;
  }
  throw ParameterError("algorithm " + recipe.algorithm + " has no radix " + std::to_string(recipe.radix));
}

}  // namespace

template <>
Runs<std::uint64_t> find_runs<std::uint64_t>(const NttRecipe& recipe, bool goldilocks) {
  return goldilocks ? find<GoldilocksRing>(recipe) : find<ShoupRing64>(recipe);
}
template <>
Runs<std::uint32_t> find_runs<std::uint32_t>(const NttRecipe& recipe, bool) {
  return find<ShoupRing32>(recipe);
}

}  // namespace nttforge::algorithms
