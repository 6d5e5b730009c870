// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/cuda/table/row.hpp"
#include "papers/kernels/bad18a_rows.hpp"

// The three kernels of [Bad18a] as rows of the launch table, forward and back, cyclic, natural order on both
// sides.

namespace nttforge::cuda {

/// kShape: of all three kernels, but for their steps.
template <bad18a::Shape kShape>
struct EmmartWeemsRow {
  using Word = std::uint64_t;
  static constexpr unsigned kLogN = 12 + kShape.log_r;
  template <bad18a::Step kStep>
  using Kernel = bad18a::KernelOf<bad18a::of_step(kShape, kStep)>;

  /// in -> workspace -> (in place) -> out, one [limbs][n] after the other.
  template <Where kWhere, bool kInverse>
  static int run(const CudaLaunch<Word>& launch, void* stream) {
    using bad18a::Step;
    const std::size_t words = std::size_t{launch.limb_count} << kLogN;
    bad18a::Args args;
    args.limbs = launch.limbs;
    args.limb_count = args.polynomials = launch.limb_count;
    args.powers[0] = 1;
    for (unsigned i = 1; i < 64; ++i) args.powers[i] = bad18a::mul(args.powers[i - 1], 8);
    int error = 0;
    for (std::size_t at = 0; at < launch.batch * words && error == 0; at += words) {
      const auto step = [&]<Step kStep>(const Word* in, Word* out) {
        args.in = in;
        args.out = out;
        if (error == 0) error = one<kWhere, Kernel<kStep>>(args, stream);
      };
      step.template operator()<kInverse ? Step::first_backwards : Step::first>(launch.in + at,
                                                                               launch.workspace);
      step.template operator()<Step::second>(launch.workspace, launch.workspace);
      step.template operator()<kInverse ? Step::third_scaled : Step::third>(launch.workspace,
                                                                            launch.out + at);
    }
    return error;
  }

 private:
  template <Where kWhere, class K>
  static int one(const bad18a::Args& args, void* stream) {
    if constexpr (kWhere == Where::host) {
      run_on_host<K>(args, K::blocks(args));
      return 0;
    } else {
      return launch_pass<K>(args, K::blocks(args), stream);
    }
  }
};

inline std::string emmart_weems_refuses(const NttSpec& spec) {
  if (spec.ring != Ring::cyclic) return "it is cyclic: use ring = cyclic or another recipe";
  for (const std::uint64_t root : spec.roots) {
    if (root == spec.roots[0] && wide_pow_mod(root, spec.n / 64, kGoldilocks) == 8) continue;
    unsigned log_n = 0;
    while (spec.n >> (log_n + 1) != 0) ++log_n;
    return "it multiplies by shifts, with 8 as 64th root of unity: use roots = " +
           std::to_string(bad18a::root_of(log_n)) + " for every limb, or another recipe";
  }
  return {};
}

/// w^i.
inline void emmart_weems_table(const NttSpec& spec, std::size_t limb, bool, std::uint64_t* table) {
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < spec.n; ++i, power = bad18a::mul(power, spec.roots[limb])) table[i] = power;
}

template <bad18a::Shape kShape>
CudaKernelRow<std::uint64_t> make_row(EmmartWeemsRow<kShape>) {
  using Row = EmmartWeemsRow<kShape>;
  CudaKernelRow<std::uint64_t> row;
  row.recipe.algorithm = "emmart_weems";
  row.recipe.arithmetic = Arithmetic::goldilocks;
  row.recipe.multiplication = Multiplication::goldilocks;
  row.recipe.points = 8;
  row.recipe.threads = 64;
  row.recipe.columns = kShape.halves ? 2 : 1;
  row.recipe.twiddle_memory = kShape.constant_roots ? TwiddleMemory::constant : TwiddleMemory::read_only;
  row.min_log_n = row.max_log_n = Row::kLogN;
  using First = typename Row::template Kernel<bad18a::Step::first>;
  row.shared_bytes = First::kSharedWords * unsigned{sizeof(typename First::Value)};
  row.launches = 3;
  row.entry_words = 1;
  row.entry = [](std::uint64_t w, std::uint64_t, std::uint64_t* entry) { *entry = w; };
  row.layout = [](unsigned) { return TableLayout{}; };
  row.fill_constants = [](CudaLimb<std::uint64_t>&) {};
  row.own_table = &emmart_weems_table;
  row.refuses = &emmart_weems_refuses;
  row.scales = row.whole = row.needs_workspace = row.natural_values = true;
  return row;
}

/// Base (packed, a case for each shift) and optimised (two padded halves: columns = 2; powers of 8 from
/// twiddle_memory = constant), 2^14 ... 2^16 points.
struct EmmartWeemsRows
    : RowList<EmmartWeemsRow<bad18a::Shape{.log_r = 2}>, EmmartWeemsRow<bad18a::Shape{.log_r = 3}>,
              EmmartWeemsRow<bad18a::Shape{.log_r = 4}>,
              EmmartWeemsRow<bad18a::Shape{.log_r = 2, .halves = true, .constant_roots = true}>,
              EmmartWeemsRow<bad18a::Shape{.log_r = 3, .halves = true, .constant_roots = true}>,
              EmmartWeemsRow<bad18a::Shape{.log_r = 4, .halves = true, .constant_roots = true}>> {};

}  // namespace nttforge::cuda
