// SPDX-License-Identifier: Apache-2.0
// The collection of algorithms for study is not in this module: a recipe that asks for one is refused.
#include "nttforge/base/error.hpp"
#include "nttforge/ntt/algorithms/engine.hpp"

namespace nttforge {

void require_algorithm(const NttSpec&, const NttRecipe&) {
  throw UnsupportedError(
      "recipe.algorithm is one of those for study, which the module for WebAssembly does not have: leave it "
      "out");
}

namespace algorithms {

template <class Word>
Engine<Word>::Engine(const NttSpec& spec, const NttRecipe& recipe)
    : spec_(spec), recipe_(recipe), info_{}, log_n_(0), workspaces_(0, 0) {}
template <class Word>
void Engine<Word>::forward(std::size_t, const Word*, Word*, std::vector<TraceStep>*) const {}
template <class Word>
void Engine<Word>::inverse(std::size_t, const Word*, Word*, std::vector<TraceStep>*) const {}

template class Engine<std::uint64_t>;
template class Engine<std::uint32_t>;

}  // namespace algorithms
}  // namespace nttforge
