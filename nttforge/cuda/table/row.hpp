// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "nttforge/cuda/block/host.hpp"
#include "nttforge/cuda/pass/pass.hpp"
#include "nttforge/cuda/table/kernels.hpp"

// Makes rows of the launch table from the shapes of their passes.

namespace nttforge::cuda {

/// Where the phases of a pass run. launch_pass is defined in pass/launch.cuh, for the CUDA compiler.
enum class Where { device, host };

template <class Kernel>
int launch_pass(const typename Kernel::Args& args, unsigned clusters, void* stream);

template <class Word>
PassArgs<Word> pass_args(const CudaLaunch<Word>& launch, const Word* in, unsigned first_stage) {
  return {
      in,           launch.out,   launch.limbs, launch.limb_count, launch.first_limb, launch.limbs_of_call(),
      launch.batch, launch.log_n, first_stage};
}

/// Enqueues clusters of a kernel on the device, or runs them on the host.
template <Where kWhere, class K>
int run_clusters(const typename K::Args& args, std::uint32_t clusters, void* stream) {
  if constexpr (kWhere == Where::host) {
    run_on_host<K>(args, clusters);
    return 0;
  } else {
    return launch_pass<K>(args, clusters, stream);
  }
}

template <Where kWhere, class K, class Word>
int run_pass(const CudaLaunch<Word>& launch, const Word* in, unsigned first_stage, void* stream) {
  const std::uint32_t clusters = K::clusters(launch.log_n, launch.limbs_of_call() * launch.batch);
  return run_clusters<kWhere, K>(pass_args(launch, in, first_stage), clusters, stream);
}

template <class K>
void append_rounds(TableLayout& rounds, unsigned first_stage) {
  for (unsigned i = 0; i < K::kRounds.count; ++i) {
    rounds.push_back({first_stage + K::kRounds.first[i], K::kRounds.radix[i], K::slot_major(i),
                      K::slot_major(i) ? K::kDerived : 0});
  }
}

/// Everything that makes a row of the launch table except its arithmetic: one or two passes in the order of
/// the forward transform, and the fused forms that are compiled with them.
struct TransformShape {
  PassShape first{};
  PassShape last{};           ///< if it has no stages, the first pass is the whole transform
  bool fused_product = true;  ///< product/product.hpp; short transforms gain nothing
  bool fused_step = false;    ///< pass/stepped.hpp

  constexpr unsigned passes() const { return last.stages == 0 ? 1 : 2; }
  constexpr unsigned log_n() const { return first.stages + last.stages; }
  constexpr PassShape pass(unsigned i) const { return i == 0 ? first : last; }
  constexpr unsigned first_stage(unsigned pass) const { return pass == 0 ? 0 : first.stages; }
};

/// The first pass of a transform reads `in`, the other works in place on `out`.
template <class ArithOf, TransformShape kShapeOf>
struct Passes {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  static constexpr TransformShape kShape = kShapeOf;
  static constexpr unsigned kLogN = kShape.log_n(), kCount = kShape.passes();
  static constexpr bool kHasProduct = kShape.fused_product, kHasStep = kShape.fused_step;

  template <unsigned kPass, bool kInverse>
  using Kernel = Pass<Arith, PassRole{.shape = kShape.pass(kPass),
                                      .inverse = kInverse,
                                      .log_n = kLogN,
                                      .first_stage = kShape.first_stage(kPass),
                                      .backwards = kPass % 2 != 0}>;

  /// Calls f.operator()<kPass>() for each pass, in the order of execution.
  template <bool kInverse, class F>
  static constexpr void each_pass(const F& f) {
    [&]<unsigned... kPass>(std::integer_sequence<unsigned, kPass...>) {
      (f.template operator()<kInverse ? kCount - 1 - kPass : kPass>(), ...);
    }(std::make_integer_sequence<unsigned, kCount>{});
  }
  static TableLayout layout(unsigned) {
    TableLayout rounds;
    each_pass<false>(
        [&]<unsigned kPass>() { append_rounds<Kernel<kPass, false>>(rounds, kShape.first_stage(kPass)); });
    return rounds;
  }
  template <Where kWhere, bool kInverse>
  static int run(const CudaLaunch<Word>& launch, void* stream) {
    int error = 0;
    const Word* in = launch.in;
    each_pass<kInverse>([&]<unsigned kPass>() {
      constexpr PassPart kPart = kPass + 1 == kCount ? PassPart::last : PassPart::before_last;
      if (error != 0 || (launch.part != PassPart::all && launch.part != kPart)) return;
      error = run_pass<kWhere, Kernel<kPass, kInverse>>(launch, in, kShape.first_stage(kPass), stream);
      in = launch.out;
    });
    return error;
  }
  static constexpr std::uint32_t shared_bytes() {
    std::uint32_t most = 0;
    each_pass<false>([&]<unsigned kPass>() {
      using K = Kernel<kPass, false>;
      const std::uint32_t bytes = shared_bytes_of<K>();
      if (bytes > most) most = bytes;
    });
    return most;
  }
  static constexpr unsigned threads() {
    unsigned most = 0;
    each_pass<false>([&]<unsigned kPass>() {
      if (Kernel<kPass, false>::kThreads > most) most = Kernel<kPass, false>::kThreads;
    });
    return most;
  }
};

/// A list of rows, which compile together.
template <class First, class... Rows>
struct RowList {
  using Word = typename First::Word;

  /// Calls f(row) for each row.
  template <class F>
  static constexpr void each(const F& f) {
    f(First{});
    (f(Rows{}), ...);
  }
};

template <class First, class Second, class... Rows>
RowList<First, Second> first_rows(RowList<First, Second, Rows...>);
template <class Row>
RowList<Row> first_rows(RowList<Row>);

/// The first rows of a list, of which at most two: what a build with NTTFORGE_CUDA_SAMPLE compiles for GPUs.
template <class List>
using FirstRows = decltype(first_rows(List{}));

template <class... Rows, class... More>
constexpr RowList<Rows..., More...> operator+(RowList<Rows...>, RowList<More...>) {
  return {};
}

/// A list with one row for each shape of an array.
template <class Arith, const auto& kShapes>
constexpr auto rows_of() {
  return []<unsigned... kAt>(std::integer_sequence<unsigned, kAt...>) {
    return RowList<Passes<Arith, kShapes[kAt]>...>{};
  }(std::make_integer_sequence<unsigned, sizeof(kShapes) / sizeof(kShapes[0])>{});
}

/// Set the functions of a list's rows that run where kWhere says: transforms, fused products, sums of
/// products, fused steps, key switching. The units of cmake/cuda_table.cmake instantiate these templates,
/// whose definitions are in fill_transforms.hpp, product/product.hpp, and summed.hpp, stepped.hpp and
/// switching.hpp of pass/.
template <class List, Where kWhere>
void fill_transforms(CudaKernelRow<typename List::Word>* rows);
template <class List, Where kWhere>
void fill_products(CudaKernelRow<typename List::Word>* rows);
template <class List, Where kWhere>
void fill_sums(CudaKernelRow<typename List::Word>* rows);
template <class List, Where kWhere>
void fill_steps(CudaKernelRow<typename List::Word>* rows);
template <class List, Where kWhere>
void fill_switching(CudaKernelRow<typename List::Word>* rows);

/// A row with what its arithmetic decides.
template <class Row>
CudaKernelRow<typename Row::Word> common_row() {
  using Arith = typename Row::Arith;
  CudaKernelRow<typename Row::Word> row;
  row.recipe.arithmetic = Arith::kArithmetic;
  row.recipe.multiplication = Arith::kMultiplication;
  row.recipe.word_bits = 8 * sizeof(typename Row::Word);
  row.recipe.quotient_slack = Arith::kSlack;
  row.q_limit = Arith::kQLimit;
  row.layout = &Row::layout;
  row.entry_words = Arith::kEntryWords;
  if constexpr (parts_of<Arith>() == 1) {
    row.entry = &Arith::entry;
  } else {
    row.complex_entry = &Arith::complex_entry;
  }
  row.fill_constants = &Arith::fill_constants;
  return row;
}

template <class Arith, TransformShape kShape>
CudaKernelRow<typename Arith::Word> make_row(Passes<Arith, kShape>) {
  using Row = Passes<Arith, kShape>;
  CudaKernelRow<typename Arith::Word> row = common_row<Row>();
  const PassShape &first = kShape.first, &last = kShape.last;
  const bool one = Row::kCount == 1;
  row.recipe.algorithm = one ? "one_pass" : "two_pass";
  row.recipe.split = one ? 0 : first.stages;
  row.recipe.points = 1u << first.log_points;
  row.recipe.threads = Row::threads();
  row.recipe.cluster = 1u << first.log_cluster;
  row.recipe.columns = one ? 0 : 1u << first.log_columns;
  if (const unsigned derived = first.derived + last.derived; derived != 0) {
    const unsigned last_points = one ? first.log_points : last.log_points;
    row.recipe.twiddles = {TwiddleSource::on_the_fly, std::size_t{1} << (Row::kLogN + 1 - last_points),
                           derived};
  }
  row.recipe.preload = first.fetches || last.fetches;
  row.min_log_n = row.max_log_n = Row::kLogN;
  row.shared_bytes = Row::shared_bytes();
  row.launches = Row::kCount;
  return row;
}

}  // namespace nttforge::cuda
