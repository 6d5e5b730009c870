// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/table/row.hpp"

// Transforms with a step between RNS bases (step/rns_step.hpp) where their first pass loads, forward, or
// stores, inverse. That saves a pass over the data. The other pass of the transform is the row's own.

namespace nttforge::cuda {

/// Threads with 8 points of 64 bits need registers for the sums, which have two words a point.
template <class Word>
constexpr PassShape stepped_shape(PassShape shape) {
  if (shape.log_points >= 3 && sizeof(Word) == 8 && shape.min_blocks > 3)
    shape.min_blocks = 3 * shape.min_blocks / 4;
  return shape;
}

/// Runs the first pass of a row together with the step.
template <Where kWhere, bool kInverse, class Row>
int run_step(const CudaStepLaunch<typename Row::Word>& launch, void* stream) {
  using Word = typename Row::Word;
  using K = Pass<typename Row::Arith, PassRole{.shape = stepped_shape<Word>(Row::kShape.first),
                                               .inverse = kInverse,
                                               .log_n = Row::kLogN,
                                               .stepped = true}>;
  const CudaLaunch<Word>& call = launch.call;
  const typename K::Args args{pass_args(call, call.in, 0), launch.step};
  const std::uint32_t clusters = K::clusters(call.log_n, call.limbs_of_call() * call.batch);
  return run_clusters<kWhere, K>(args, clusters, stream);
}

template <class List, Where kWhere>
void fill_steps(CudaKernelRow<typename List::Word>* rows) {
  List::each([&]<class Row>(Row) {
    using Launch = CudaStepLaunch<typename Row::Word>;
    if constexpr (!Row::kHasStep) {
    } else if constexpr (kWhere == Where::device) {
      rows->forward_step = [](const Launch& l, void* stream) {
        return run_step<kWhere, false, Row>(l, stream);
      };
      rows->inverse_step = [](const Launch& l, void* stream) {
        return run_step<kWhere, true, Row>(l, stream);
      };
    } else {
      rows->forward_step_on_host = [](const Launch& l) { run_step<kWhere, false, Row>(l, nullptr); };
      rows->inverse_step_on_host = [](const Launch& l) { run_step<kWhere, true, Row>(l, nullptr); };
    }
    ++rows;
  });
}

}  // namespace nttforge::cuda
