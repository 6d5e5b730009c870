// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nttforge/base/memory/aligned_buffer.hpp"
#include "nttforge/ntt/algorithms/algorithms.hpp"
#include "nttforge/ntt/algorithms/run_table.hpp"
#include "nttforge/ntt/plan/workspaces.hpp"
#include "nttforge/ntt/trace.hpp"

namespace nttforge::algorithms {

/// Runs one algorithm of the collection for every limb of a spec: twisting, reordering, stages, scaling.
/// Immutable apart from its workspaces; threads may share it.
template <class Word>
class Engine {
 public:
  /// The spec is validated and the recipe passed require_algorithm().
  Engine(const NttSpec& spec, const NttRecipe& recipe);

  /// One row of n residues in the spec's orders; in == out or disjoint. Allocates only if more than
  /// recipe.threads calls run at once and the algorithm needs a workspace, or if `steps` is given, which then
  /// receives the values after each step.
  void forward(std::size_t limb, const Word* in, Word* out, std::vector<TraceStep>* steps = nullptr) const;
  void inverse(std::size_t limb, const Word* in, Word* out, std::vector<TraceStep>* steps = nullptr) const;

 private:
  struct Direction {
    AlignedBuffer<Factor<Word>> powers, tree, low, high;
    AlignedBuffer<Factor<Word>> twist;  ///< per position, in spec.input_order; empty: none
    Tables<Word> view;
  };
  struct Limb {
    Word q;
    bool goldilocks;
    Runs<Word> runs;
    Factor<Word> scale;  ///< 1/n, where no twist holds it
    Direction forward, inverse;
  };

  template <class Ring>
  void make_tables(const Ring& ring, std::uint64_t root, Limb& limb) const;
  template <class Ring>
  void make_direction(const Ring& ring, std::uint64_t root, std::uint64_t scale, Direction& out) const;
  template <class Ring>
  void make_tree(const Ring& ring, std::uint64_t root, Direction& out) const;
  void run(Run<Word> function, const Limb& limb, const Direction& direction, Order from, Order to, Word* x,
           std::vector<TraceStep>* steps) const;

  NttSpec spec_;
  NttRecipe recipe_;
  AlgorithmInfo info_;
  unsigned log_n_;
  std::vector<Limb> limbs_;
  Workspaces<Word> workspaces_;
};

extern template class Engine<std::uint64_t>;
extern template class Engine<std::uint32_t>;

}  // namespace nttforge::algorithms
