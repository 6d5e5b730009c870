// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/product/key_product.hpp"
#include "nttforge/cuda/table/row.hpp"

// What key switching in values takes of a row's transforms, each of which saves a pass over the data: forward
// transforms of digits without their own rows; the last pass of these with the product with a key; the last
// pass of a division.

namespace nttforge::cuda {

/// Whether a row has it: transforms in two passes, of words of 32 bits, that have fused steps too.
template <class Row>
inline constexpr bool kHasSwitching = Row::kHasStep && Row::kCount == 2 && sizeof(typename Row::Word) == 4;

/// Threads need registers for their sums, two words for each point and polynomial of the key.
constexpr PassShape key_product_shape(PassShape shape) {
  if (shape.min_blocks > 1) shape.min_blocks = 2 * shape.min_blocks / 3;
  return shape;
}

template <class Row, unsigned kPass>
constexpr PassRole switching_role() {
  return {.shape = Row::kShape.pass(kPass),
          .log_n = Row::kLogN,
          .first_stage = Row::kShape.first_stage(kPass),
          .backwards = kPass % 2 != 0};
}

template <Where kWhere, class Row>
int run_join(const CudaJoinLaunch<typename Row::Word>& launch, void* stream) {
  constexpr PassRole kRole = [] {
    PassRole role = switching_role<Row, 1>();
    role.joined = true;
    role.shape.min_blocks = 5 * role.shape.min_blocks / 6;
    return role;
  }();
  using K = Pass<typename Row::Arith, kRole>;
  const auto& call = launch.call;
  const typename K::Args args{pass_args(call, call.in, kRole.first_stage), launch.join};
  return run_clusters<kWhere, K>(args, K::clusters(call.log_n, call.limbs_of_call() * call.batch), stream);
}

template <Where kWhere, class Row, unsigned kPass>
int run_digits_pass(const CudaDigitsLaunch<typename Row::Word>& launch, void* stream) {
  constexpr PassRole kRole = [] {
    PassRole role = switching_role<Row, kPass>();
    role.digits = true;
    return role;
  }();
  using K = Pass<typename Row::Arith, kRole>;
  const auto& call = launch.call;
  const typename K::Args args{pass_args(call, kPass == 0 ? call.in : call.out, kRole.first_stage),
                              launch.rows};
  return run_clusters<kWhere, K>(args, K::clusters(call.log_n, launch.rows.count(call.limb_count)), stream);
}
template <Where kWhere, class Row>
int run_digits(const CudaDigitsLaunch<typename Row::Word>& launch, void* stream) {
  const int error = run_digits_pass<kWhere, Row, 0>(launch, stream);
  if (error != 0 || launch.call.part == PassPart::before_last) return error;
  return run_digits_pass<kWhere, Row, 1>(launch, stream);
}

template <Where kWhere, class Row>
int run_key_product(const CudaKeyLaunch<typename Row::Word>& launch, void* stream) {
  constexpr PassRole kRole = [] {
    PassRole role = switching_role<Row, 1>();
    role.shape = key_product_shape(role.shape);
    return role;
  }();
  using K = KeyProduct<typename Row::Arith, kRole>;
  const auto& call = launch.call;
  const typename K::Args args{pass_args(call, call.in, kRole.first_stage), launch.rows, launch.key};
  return run_clusters<kWhere, K>(args, K::Forward::clusters(call.log_n, call.limbs_of_call() * call.batch),
                                 stream);
}

template <class List, Where kWhere>
void fill_switching(CudaKernelRow<typename List::Word>* rows) {
  List::each([&]<class Row>(Row) {
    using Word = typename Row::Word;
    using Join = CudaJoinLaunch<Word>;
    using Digits = CudaDigitsLaunch<Word>;
    using Key = CudaKeyLaunch<Word>;
    if constexpr (!kHasSwitching<Row>) {
    } else if constexpr (kWhere == Where::device) {
      rows->forward_join = [](const Join& l, void* stream) { return run_join<kWhere, Row>(l, stream); };
      rows->forward_digits = [](const Digits& l, void* stream) { return run_digits<kWhere, Row>(l, stream); };
      rows->key_product = [](const Key& l, void* stream) { return run_key_product<kWhere, Row>(l, stream); };
    } else {
      rows->forward_join_on_host = [](const Join& l) { run_join<kWhere, Row>(l, nullptr); };
      rows->forward_digits_on_host = [](const Digits& l) { run_digits<kWhere, Row>(l, nullptr); };
      rows->key_product_on_host = [](const Key& l) { run_key_product<kWhere, Row>(l, nullptr); };
    }
    rows->has_switching = kHasSwitching<Row>;
    ++rows;
  });
}

}  // namespace nttforge::cuda
