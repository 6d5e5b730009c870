// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "nttforge/cuda/block/host.hpp"
#include "nttforge/cuda/pass/pass.hpp"
#include "nttforge/cuda/table/kernels.hpp"

// From the shapes of its passes to a row of the launch table.

namespace nttforge::cuda {

/// Where the phases of a pass run. launch_pass is defined in pass_launch.cuh, for the CUDA compiler.
enum class Where { device, host };

template <class Kernel>
int launch_pass(const typename Kernel::Args& args, unsigned clusters, void* stream);

template <class Word>
PassArgs<Word> pass_args(const CudaLaunch<Word>& launch, const Word* in, unsigned first_stage) {
  return {
      in,           launch.out,   launch.limbs, launch.limb_count, launch.first_limb, launch.limbs_of_call(),
      launch.batch, launch.log_n, first_stage};
}

/// Enqueues clusters of a kernel, or runs them.
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

/// The entries of the launch table from Row::run<Where, kInverse>().
template <class Row, class Word>
struct Runs {
  template <bool kInverse>
  static int run_on_device(const CudaLaunch<Word>& launch, void* stream) {
    return Row::template run<Where::device, kInverse>(launch, stream);
  }
  template <bool kInverse>
  static void run_here(const CudaLaunch<Word>& launch) {
    Row::template run<Where::host, kInverse>(launch, nullptr);
  }
};

template <class K>
void append_rounds(TableLayout& rounds, unsigned first_stage) {
  for (unsigned i = 0; i < K::kRounds.count; ++i) {
    rounds.push_back({first_stage + K::kRounds.first[i], K::kRounds.radix[i], K::slot_major(i),
                      K::slot_major(i) ? K::kDerived : 0});
  }
}

/// A transform of n = 2^(sum of the shapes' stages), forward in the order of the shapes. The first pass reads
/// `in`, the others work in place on `out`.
template <class ArithOf, class... Shapes>
struct Passes : Runs<Passes<ArithOf, Shapes...>, typename ArithOf::Word> {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  static constexpr unsigned kLogN = (Shapes::kStages + ...);
  static constexpr unsigned kCount = sizeof...(Shapes);

  static constexpr unsigned first_stage(unsigned pass) {
    constexpr unsigned kStages[] = {Shapes::kStages...};
    unsigned first = 0;
    for (unsigned i = 0; i < pass; ++i) first += kStages[i];
    return first;
  }
  template <unsigned kPass, bool kInverse>
  using Kernel = Pass<Arith, std::tuple_element_t<kPass, std::tuple<Shapes...>>, kInverse, kLogN,
                      first_stage(kPass), kPass % 2 != 0>;

  /// f.operator()<kPass>() for each pass, in the order of execution.
  template <bool kInverse, class F>
  static constexpr void each_pass(const F& f) {
    [&]<unsigned... kPass>(std::integer_sequence<unsigned, kPass...>) {
      (f.template operator()<kInverse ? kCount - 1 - kPass : kPass>(), ...);
    }(std::make_integer_sequence<unsigned, kCount>{});
  }
  static TableLayout layout(unsigned) {
    TableLayout rounds;
    each_pass<false>(
        [&]<unsigned kPass>() { append_rounds<Kernel<kPass, false>>(rounds, first_stage(kPass)); });
    return rounds;
  }
  template <Where kWhere, bool kInverse>
  static int run(const CudaLaunch<Word>& launch, void* stream) {
    int error = 0;
    const Word* in = launch.in;
    each_pass<kInverse>([&]<unsigned kPass>() {
      constexpr PassPart kPart = kPass + 1 == kCount ? PassPart::last : PassPart::before_last;
      if (error != 0 || (launch.part != PassPart::all && launch.part != kPart)) return;
      error = run_pass<kWhere, Kernel<kPass, kInverse>>(launch, in, first_stage(kPass), stream);
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

/// The launches of one row.
template <class Word>
struct RowLaunches {
  int (*forward)(const CudaLaunch<Word>&, void* stream);
  int (*inverse)(const CudaLaunch<Word>&, void* stream);
};

/// Rows of the launch table, in the order of their launches.
template <class First, class... Rows>
struct RowList {
  using Word = typename First::Word;
  using Tuple = std::tuple<First, Rows...>;
  static constexpr std::size_t kCount = 1 + sizeof...(Rows);

  template <class F>
  static void each(const F& f) {
    f(First{});
    (f(Rows{}), ...);
  }
};

/// The launches of a list's rows; defined by the CUDA compiler (launch_*.cu), one file per list.
template <class List>
std::span<const RowLaunches<typename List::Word>> device_launches();

/// What the arithmetic says, and where the row runs.
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
#ifdef NTTFORGE_CUDA_HOST
  row.forward_on_host = &Row::template run_here<false>;
  row.inverse_on_host = &Row::template run_here<true>;
#endif
  row.entry_words = Arith::kEntryWords;
  if constexpr (parts_of<Arith>() == 1) {
    row.entry = &Arith::entry;
  } else {
    row.complex_entry = &Arith::complex_entry;
  }
  row.fill_constants = &Arith::fill_constants;
  return row;
}

template <class Arith, class... Shapes>
CudaKernelRow<typename Arith::Word> make_row(Passes<Arith, Shapes...>) {
  using Row = Passes<Arith, Shapes...>;
  CudaKernelRow<typename Arith::Word> row = common_row<Row>();
  row.recipe.algorithm = Row::kCount == 1 ? "one_pass" : Row::kCount == 2 ? "two_pass" : "multi_pass";
  constexpr unsigned kFirstStages[] = {Shapes::kStages...}, kPoints[] = {Shapes::kLogPoints...},
                     kClusters[] = {Shapes::kLogCluster...}, kColumns[] = {Shapes::kLogColumns...};
  row.recipe.split = Row::kCount == 1 ? 0 : kFirstStages[0];
  row.recipe.points = 1u << kPoints[0];
  row.recipe.threads = Row::threads();
  row.recipe.cluster = 1u << kClusters[0];
  row.recipe.columns = Row::kCount == 1 ? 0 : 1u << kColumns[0];
  constexpr unsigned kDerived = (Shapes::kDerived + ...), kLastPoints = kPoints[Row::kCount - 1];
  if (kDerived != 0) {
    const std::size_t base = std::size_t{1} << (Row::kLogN + 1 - kLastPoints);
    row.recipe.twiddles = {TwiddleSource::on_the_fly, base, kDerived};
  }
  row.recipe.preload = (Shapes::kFetches || ...);
  row.min_log_n = row.max_log_n = Row::kLogN;
  row.shared_bytes = Row::shared_bytes();
  row.launches = Row::kCount;
  return row;
}

/// The rows of a list without their launches; one file per list (rows_*.cpp), as each holds the host's run of
/// all its kernels in builds that have it (NTTFORGE_CUDA_HOST).
template <class List>
std::vector<CudaKernelRow<typename List::Word>> host_rows();

}  // namespace nttforge::cuda

#define NTTF_DEFINE_HOST_ROWS(List)                                               \
  template <>                                                                     \
  std::vector<nttforge::cuda::CudaKernelRow<typename nttforge::cuda::List::Word>> \
  nttforge::cuda::host_rows<nttforge::cuda::List>() {                             \
    std::vector<CudaKernelRow<typename List::Word>> rows;                         \
    List::each([&]<class Row>(Row row) { rows.push_back(make_row(row)); });       \
    return rows;                                                                  \
  }
