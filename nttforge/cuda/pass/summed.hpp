// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/table/row.hpp"

// Inverse transforms that begin with sums of products (product/sums.hpp). That saves a pass over the data.
// The other pass of the transform is the row's own.

namespace nttforge::cuda {

/// Threads need registers for a term's factors, which are on their way together, and for the sums, which have
/// two words a point.
template <class Word>
constexpr PassShape summed_shape(PassShape shape) {
  if (shape.min_blocks > 3)
    shape.min_blocks = sizeof(Word) == 8 ? shape.min_blocks / 2 : 3 * shape.min_blocks / 4;
  return shape;
}

/// Whether a row's list may have it: transforms in one or two passes of known size, on words.
template <class Row>
inline constexpr bool kHasSums = false;
template <class Arith, TransformShape kShape>
inline constexpr bool kHasSums<Passes<Arith, kShape>> = parts_of<Arith>() == 1;

template <Where kWhere, class Row>
int run_sums(const CudaSumsLaunch<typename Row::Word>& launch, void* stream) {
  using Word = typename Row::Word;
  constexpr unsigned kPass = Row::kCount - 1, kFirst = Row::kShape.first_stage(kPass);
  using K = Pass<typename Row::Arith, PassRole{.shape = summed_shape<Word>(Row::kShape.pass(kPass)),
                                               .inverse = true,
                                               .log_n = Row::kLogN,
                                               .first_stage = kFirst,
                                               .backwards = kPass % 2 != 0,
                                               .summed = true}>;
  const CudaLaunch<Word>& call = launch.call;
  const typename K::Args args{pass_args(call, call.in, kFirst), launch.sums};
  const std::uint32_t clusters = K::clusters(call.log_n, call.limbs_of_call() * call.batch);
  return run_clusters<kWhere, K>(args, clusters, stream);
}

template <class List, Where kWhere>
void fill_sums(CudaKernelRow<typename List::Word>* rows) {
  List::each([&]<class Row>(Row) {
    using Launch = CudaSumsLaunch<typename Row::Word>;
    if constexpr (!kHasSums<Row>) {
    } else if constexpr (kWhere == Where::device) {
      rows->inverse_sums = [](const Launch& l, void* stream) { return run_sums<kWhere, Row>(l, stream); };
    } else {
      rows->inverse_sums_on_host = [](const Launch& l) { run_sums<kWhere, Row>(l, nullptr); };
    }
    rows->has_sums = kHasSums<Row>;
    ++rows;
  });
}

}  // namespace nttforge::cuda
