// SPDX-License-Identifier: Apache-2.0
// The seven algorithms of [Din24] on the GPU, as the paper has them and tuned, their phases run on the host:
// the values after each launch against the traces of the CPU's algorithms of the same names.
#include <algorithm>
#include <string>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/candidates.hpp"
#include "nttforge/cuda/plan/tables.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"
#include "nttforge/ntt/algorithms/algorithms.hpp"
#include "nttforge/ntt/order.hpp"
#include "nttforge/ntt/trace.hpp"
#include "papers/kernels/din24_plan_rows.hpp"

namespace nttforge::cuda {
namespace {

using din24::Name, din24::Role;

/// One polynomial, the trace of the CPU's algorithm, and tables.
template <class Row, Name kName>
struct Case {
  using Word = typename Row::Word;
  NttSpec spec;
  std::vector<TraceStep> steps;
  std::vector<Word> input;
  LimbTables<Word> tables;
  CudaLaunch<Word> launch;
  std::vector<Word> out, work;
  std::vector<CudaLimb<Word>> limbs;

  Case(unsigned log_n, Ring ring, testing::Rng& rng) {
    const bool natural = kName != Name::dif;
    spec = validated({.n = std::size_t{1} << log_n,
                      .moduli = ntt_primes(std::size_t{1} << log_n, sizeof(Word) == 8 ? 60 : 30, 1),
                      .ring = ring,
                      .output_order = natural ? Order::natural : Order::bit_reversed,
                      .word_bits = 8 * sizeof(Word)});
    std::vector<std::uint64_t> a(spec.n);
    for (auto& x : a) x = rng.below(8) == 0 ? spec.moduli[0] - 1 : rng.below(spec.moduli[0]);
    input.assign(a.begin(), a.end());
    const NttRecipe recipe = algorithm_recipe(spec, din24::kNames[static_cast<unsigned>(kName)]);
    steps = trace_transform(spec, recipe, Direction::forward, a).steps;
    tables = build_tables<Word>({spec, 0}, din24::din24_row<Row, kName>());
    out.resize(spec.n);
    work.resize(spec.n);
    launch.in = input.data();
    launch.out = out.data();
    launch.limbs = &tables.limb;
    launch.limb_count = launch.batch = 1;
    launch.log_n = log_n;
    launch.workspace = work.data();
  }
  /// The same polynomial and limb so many times.
  void repeat(std::uint32_t count) {
    limbs.assign(count, tables.limb);
    input.resize(count * spec.n);
    for (std::uint32_t i = 1; i < count; ++i) std::copy_n(input.begin(), spec.n, &input[i * spec.n]);
    out.resize(input.size());
    work.resize(input.size());
    launch.in = input.data();
    launch.out = out.data();
    launch.workspace = work.data();
    launch.limbs = limbs.data();
    launch.limb_count = count;
  }
  /// Whether an array holds the values after a stage of the CPU's algorithm.
  bool is_stage(const Word* found, unsigned stage) const {
    const auto step = std::find_if(steps.begin(), steps.end(),
                                   [&](const TraceStep& s) { return s.name == "stage" && s.index == stage; });
    return step != steps.end() && std::equal(step->values.begin(), step->values.end(), found);
  }
  unsigned stages() const { return kName == Name::six_step ? 6 : launch.log_n; }
};

template <class Arith, Name kName>
void check_paper(testing::Rng& rng) {
  using Row = din24::PaperRow<Arith, kName>;
  for (const unsigned log_n : {2u, 5u, 10u, 11u}) {
    for (const Ring ring : {Ring::cyclic, Ring::negacyclic}) {
      Case<Row, kName> data(log_n, ring, rng);
      for (unsigned stage = 1; stage <= data.stages(); ++stage) {
        din24::Launches<Where::host, typename Row::Word> go(data.launch, false, nullptr);
        const auto* const found =
            Row::transform(go, data.launch.in, data.launch.out, data.launch.workspace, stage);
        NTTF_CHECK(data.is_stage(found, stage));
      }
      Row::template run<Where::host, false>(data.launch, nullptr);
      NTTF_CHECK(data.is_stage(data.out.data(), data.stages()));
    }
  }
}

/// The first kernel of two with any number of stages, with large tiles and small ones: what it leaves in
/// memory is the trace's stage.
template <class Arith, Name kName, bool kSmall, unsigned kStages = 3>
void check_first(testing::Rng& rng) {
  using Row = din24::TunedRow<Arith, kName>;
  using Word = typename Arith::Word;
  if constexpr (kStages <= 8) {
    using Kernel = din24::Pass<Arith, din24::Shape{Row::kMethod, Role::first, kStages, kSmall}>;
    unsigned log_n = kStages + std::max(6u, Kernel::kColumns);
    if (kName == Name::six_step) log_n = 2 * kStages + (kStages > 4 ? 1 : 0);
    if (log_n >= kStages + Kernel::kColumns && log_n <= 16) {
      Case<Row, kName> data(log_n, kStages % 2 == 0 ? Ring::cyclic : Ring::negacyclic, rng);
      din24::Launches<Where::host, Word> go(data.launch, false, nullptr);
      go.template run<Kernel>(data.launch.in, data.launch.out);
      NTTF_CHECK(data.is_stage(data.out.data(), kName == Name::six_step ? 3 : kStages));
    }
    check_first<Arith, kName, kSmall, kStages + 1>(rng);
  }
}

/// The row as the library has it: the values after its last kernel.
template <class Arith, Name kName>
void check_tuned(testing::Rng& rng) {
  using Row = din24::TunedRow<Arith, kName>;
  using Word = typename Arith::Word;
  const std::string name = din24::din24_row<Row, kName>().recipe.algorithm;
  for (const auto& row : cuda_rows<Word>(CudaRowKind::papers)) {
    if (row.recipe.algorithm != name) continue;
    for (const unsigned log_n : {10u, 11u, 12u, 13u, 14u, 17u}) {
      Case<Row, kName> data(log_n, log_n % 2 == 0 ? Ring::negacyclic : Ring::cyclic, rng);
      row.forward_on_host(data.launch);
      NTTF_CHECK(data.is_stage(data.out.data(), data.stages()));
    }
    // One more polynomial than small tiles are for.
    for (const unsigned log_n : {10u, 12u, 13u, 15u, 16u}) {
      Case<Row, kName> data(log_n, Ring::cyclic, rng);
      const std::uint32_t count = (Row::kFewPoints >> log_n) + 1;
      data.repeat(count);
      row.forward_on_host(data.launch);
      for (std::uint32_t i = 0; i < count; i += count - 1)
        NTTF_CHECK(data.is_stage(&data.out[std::size_t{i} << log_n], data.stages()));
    }
  }
  if constexpr (sizeof(Word) == 4 && kName != Name::flat) check_first<Arith, kName, false>(rng);
  if constexpr (sizeof(Word) == 8 && kName != Name::flat) check_first<Arith, kName, true, 5>(rng);
}

template <template <class, Name> class Check>
void each_name() {
  testing::Rng rng;
  [&]<unsigned... kAt>(std::integer_sequence<unsigned, kAt...>) {
    (Check<Din24Words64, static_cast<Name>(kAt)>::run(rng), ...);
    (Check<Shoup32, static_cast<Name>(kAt)>::run(rng), ...);
  }(std::make_integer_sequence<unsigned, 7>{});
}
template <class Arith, Name kName>
struct Paper {
  static void run(testing::Rng& rng) { check_paper<Arith, kName>(rng); }
};
template <class Arith, Name kName>
struct Tuned {
  static void run(testing::Rng& rng) { check_tuned<Arith, kName>(rng); }
};

NTTF_TEST("[Din24] as the paper has it: every stage is the CPU's") { each_name<Paper>(); }

NTTF_TEST("[Din24] tuned: what kernels leave in memory are the CPU's stages") { each_name<Tuned>(); }

}  // namespace
}  // namespace nttforge::cuda
