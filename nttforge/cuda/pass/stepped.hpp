// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>
#include <vector>

#include "nttforge/cuda/table/row.hpp"

// Transforms with a step between RNS bases (rns_step.hpp) where their first pass loads, forward, or stores,
// inverse: one pass over the data less than one after the other. The other pass is the row's own.

namespace nttforge::cuda {

/// The rows of a list at the places kAt.
template <class List, std::size_t... kAt>
struct PickedRows {
  using Word = typename List::Word;

  /// f(place in the list, row) for each.
  template <class F>
  static void each(const F& f) {
    (f(kAt, std::tuple_element_t<kAt, typename List::Tuple>{}), ...);
  }
};

/// A shape for steps: 8 points of 64 bits a thread need registers for sums of two words a point.
template <class Shape, class Word>
struct SteppedShape : Shape {
  static constexpr bool kWide = Shape::kLogPoints >= 3 && sizeof(Word) == 8;
  static constexpr unsigned kMinBlocks =
      kWide && Shape::kMinBlocks > 3 ? 3 * Shape::kMinBlocks / 4 : Shape::kMinBlocks;
};

/// The pass of a row with the step; both directions.
template <class Row>
struct SteppedPass;
template <class ArithOf, class First, class... Shapes>
struct SteppedPass<Passes<ArithOf, First, Shapes...>> {
  using Row = Passes<ArithOf, First, Shapes...>;
  using Word = typename Row::Word;
  static_assert(Row::kCount <= 2, "one pass is the row's own");

  template <Where kWhere, bool kInverse>
  static int run(const CudaStepLaunch<Word>& launch, void* stream) {
    using K = Pass<ArithOf, SteppedShape<First, Word>, kInverse, Row::kLogN, 0, false, true>;
    const CudaLaunch<Word>& call = launch.call;
    const typename K::Args args{pass_args(call, call.in, 0), launch.step};
    const std::uint32_t clusters = K::clusters(call.log_n, call.limbs_of_call() * call.batch);
    return run_clusters<kWhere, K>(args, clusters, stream);
  }
  template <bool kInverse>
  static int run_on_device(const CudaStepLaunch<Word>& launch, void* stream) {
    return run<Where::device, kInverse>(launch, stream);
  }
  template <bool kInverse>
  static void run_here(const CudaStepLaunch<Word>& launch) {
    run<Where::host, kInverse>(launch, nullptr);
  }
};

/// Forward and inverse of the row at a place of its list; one file for each picked list and side.
template <class Word>
struct DeviceSteps {
  std::size_t row;
  int (*forward)(const CudaStepLaunch<Word>&, void* stream);
  int (*inverse)(const CudaStepLaunch<Word>&, void* stream);
};
template <class Word>
struct HostSteps {
  std::size_t row;
  void (*forward)(const CudaStepLaunch<Word>&);
  void (*inverse)(const CudaStepLaunch<Word>&);
};
template <class Picked>
std::vector<DeviceSteps<typename Picked::Word>> device_steps();
template <class Picked>
std::vector<HostSteps<typename Picked::Word>> host_steps();

}  // namespace nttforge::cuda

#define NTTF_DEFINE_STEPS(Kind, function, run, Picked)                                                      \
  template <>                                                                                               \
  std::vector<nttforge::cuda::Kind<typename nttforge::cuda::Picked::Word>>                                  \
  nttforge::cuda::function<nttforge::cuda::Picked>() {                                                      \
    std::vector<Kind<typename Picked::Word>> steps;                                                         \
    Picked::each([&]<class Row>(std::size_t at, Row) {                                                      \
      steps.push_back({at, &SteppedPass<Row>::template run<false>, &SteppedPass<Row>::template run<true>}); \
    });                                                                                                     \
    return steps;                                                                                           \
  }
#define NTTF_DEFINE_DEVICE_STEPS(Picked) NTTF_DEFINE_STEPS(DeviceSteps, device_steps, run_on_device, Picked)
#define NTTF_DEFINE_HOST_STEPS(Picked) NTTF_DEFINE_STEPS(HostSteps, host_steps, run_here, Picked)
