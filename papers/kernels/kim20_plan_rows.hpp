// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/cuda/table/row.hpp"
#include "papers/kernels/kim20_rows.hpp"
#include "papers/kernels/kim20_tables.hpp"

// The kernels of [Kim20] as rows of the launch table, forward and back, selectable by their recipes.

namespace nttforge::cuda {

template <Where kWhere, class Kernel, class Arith>
int run_kim20(Kim20Args<Arith>& args, void* stream) {
  int error = 0;
  if constexpr (kWhere == Where::host) {
    run_on_host<Kernel>(args, Kernel::blocks(args));
  } else {
    error = launch_pass<Kernel>(args, Kernel::blocks(args), stream);
  }
  args.in = args.out;  // later kernels work in place
  return error;
}

template <class Arith>
Kim20Args<Arith> kim20_args(const CudaLaunch<typename Arith::Word>& launch, unsigned log_base = 0) {
  return {launch.in,    launch.out, launch.limbs, launch.limb_count, launch.limb_count * launch.batch,
          launch.log_n, 0,          log_base};
}

/// The product tree's table as it is: entry i at place i.
inline TableLayout kim20_layout(unsigned log_n) {
  TableLayout rounds;
  for (unsigned stage = 0; stage < log_n; ++stage) rounds.push_back({stage, 1});
  return rounds;
}

template <class Row>
CudaKernelRow<typename Row::Word> kim20_common_row() {
  using Arith = typename Row::Arith;
  CudaKernelRow<typename Row::Word> row;
  row.recipe.arithmetic = sizeof(typename Row::Word) == 8 ? Arithmetic::shoup64 : Arithmetic::shoup32;
  row.recipe.multiplication = parse_multiplication(Arith::kName);
  row.recipe.word_bits = 8 * sizeof(typename Row::Word);
  row.recipe.quotient_slack = row.recipe.multiplication == Multiplication::shoup ? 2 : 0;
  row.q_limit = Arith::kQLimit;
  row.layout = &kim20_layout;
  row.entry_words = Arith::kEntryWords;
  row.entry = &Arith::entry;
  row.fill_constants = &Arith::fill_constants;
  row.scales = row.whole = true;
  return row;
}

/// [Kim20] III, VI.A: radix 2^kLogRadix in registers, what is left over by a smaller one.
template <class ArithOf, unsigned kLogRadix>
struct Kim20RadixRow {
  using Arith = ArithOf;
  using Word = typename Arith::Word;

  template <Where kWhere, bool kInverse>
  static int run(const CudaLaunch<Word>& launch, void* stream) {
    auto args = kim20_args<Arith>(launch);
    const unsigned kernels = (launch.log_n + kLogRadix - 1) / kLogRadix;
    int error = 0;
    for (unsigned i = 0; i < kernels && error == 0; ++i) {
      args.first_stage = (kInverse ? kernels - 1 - i : i) * kLogRadix;
      error = one<kWhere, kInverse>(args, std::min(kLogRadix, launch.log_n - args.first_stage), stream);
    }
    return error;
  }

 private:
  template <Where kWhere, bool kInverse, unsigned kNow = kLogRadix>
  static int one(Kim20Args<Arith>& args, unsigned log_radix, void* stream) {
    if constexpr (kNow > 1) {
      if (log_radix != kNow) return one<kWhere, kInverse, kNow - 1>(args, log_radix, stream);
    }
    return run_kim20<kWhere, Kim20Radix<Arith, kNow, TwiddleMemory::read_only, kInverse>>(args, stream);
  }
};

template <class Arith, unsigned kLogRadix>
CudaKernelRow<typename Arith::Word> make_row(Kim20RadixRow<Arith, kLogRadix>) {
  auto row = kim20_common_row<Kim20RadixRow<Arith, kLogRadix>>();
  row.recipe.algorithm = kLogRadix == 1 ? "radix2" : "high_radix";
  row.recipe.points = 1u << kLogRadix;
  row.recipe.threads = 256;
  row.min_log_n = 1;
  row.max_log_n = 24;
  row.launches = (17 + kLogRadix - 1) / kLogRadix;
  return row;
}

/// [Kim20] VI.C and VII: n = 2^(log_first + log_last) in two kernels through shared memory, with the switches
/// of Kim20Shape (coalesced and preload: of the first kernel).
struct Kim20Pair {
  unsigned log_first = 8, log_last = 8, log_points = 3;
  bool coalesced = true, preload = true;
  unsigned on_the_fly = 0, log_base = 0;  ///< stages with twiddles on the fly, and the base of their factors

  constexpr Kim20Shape first() const {
    return kim20_merged({.kernel = Kim20Kernel::first,
                         .log_radix = log_first,
                         .log_points = log_points,
                         .coalesced = coalesced,
                         .preload = preload});
  }
  constexpr Kim20Shape last() const {
    return kim20_merged({.kernel = Kim20Kernel::last,
                         .log_radix = log_last,
                         .log_points = log_points,
                         .on_the_fly = on_the_fly});
  }
};

template <class ArithOf, Kim20Pair kPair>
struct Kim20SharedRow {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  static constexpr Kim20Shape kFirst = kPair.first(), kLast = kPair.last();
  static constexpr unsigned kLogN = kPair.log_first + kPair.log_last;
  static_assert(kFirst.log_merged <= kLast.log_radix && kLast.log_merged <= kFirst.log_radix);
  static_assert((kPair.on_the_fly != 0) == (kPair.log_base != 0));

  template <Where kWhere, bool kInverse>
  static int run(const CudaLaunch<Word>& launch, void* stream) {
    using A = Kim20Shared<Arith, kInverse ? kLast : kFirst, kInverse>;
    using B = Kim20Shared<Arith, kInverse ? kFirst : kLast, kInverse>;
    auto args = kim20_args<Arith>(launch, kPair.log_base);
    const int error = run_kim20<kWhere, A>(args, stream);
    return error != 0 ? error : run_kim20<kWhere, B>(args, stream);
  }
};

inline std::string kim20_refuses_cyclic(const NttSpec& spec) {
  return spec.ring == Ring::negacyclic
             ? ""
             : "twiddles on the fly are products of powers of psi: use ring = negacyclic or another recipe";
}

template <class Arith, Kim20Pair kPair>
CudaKernelRow<typename Arith::Word> make_row(Kim20SharedRow<Arith, kPair>) {
  using Row = Kim20SharedRow<Arith, kPair>;
  using A = Kim20Shared<Arith, Row::kFirst>;
  using B = Kim20Shared<Arith, Row::kLast>;
  auto row = kim20_common_row<Row>();
  row.recipe.algorithm = "shared_two_kernel";
  row.recipe.split = kPair.log_first;
  row.recipe.points = 1u << kPair.log_points;
  row.recipe.threads = std::max(A::kThreads, B::kThreads);
  row.recipe.columns = kPair.coalesced ? 1u << Row::kFirst.log_merged : 0;
  row.recipe.preload = kPair.preload;
  if (kPair.log_base != 0) {
    row.recipe.twiddles = {TwiddleSource::on_the_fly, std::size_t{1} << kPair.log_base, kPair.on_the_fly};
    row.refuses = &kim20_refuses_cyclic;
  }
  row.log_base = kPair.log_base;
  row.min_log_n = row.max_log_n = Row::kLogN;
  row.shared_bytes = std::max(A::kSharedWords, B::kSharedWords) * unsigned{sizeof(typename Arith::Value)};
  row.launches = 2;
  return row;
}

/// [Kim20] Alg. 3: Stockham's, natural order on both sides, between the result and a workspace.
template <class ArithOf, unsigned kLogRadix>
struct Kim20StockhamRow {
  using Arith = ArithOf;
  using Word = typename Arith::Word;

  static constexpr unsigned kMostLog = kLogRadix > 1 ? kLogRadix : 2;

  /// Stages of each kernel. An even number of kernels, as the first one writes to the workspace: one more
  /// than it takes, or, of an odd number of stages by radix 2, one with two.
  static std::vector<unsigned> kernels(unsigned log_n) {
    const unsigned least = (log_n + kLogRadix - 1) / kLogRadix;
    const unsigned count = least % 2 == 0 ? least : least < log_n ? least + 1 : least - 1;
    std::vector<unsigned> radices;
    for (unsigned left = log_n, i = 0; i < count; left -= radices.back(), ++i)
      radices.push_back((left + count - i - 1) / (count - i));
    return radices;
  }
  template <Where kWhere, bool kInverse>
  static int run(const CudaLaunch<Word>& launch, void* stream) {
    std::vector<unsigned> radices = kernels(launch.log_n);
    if constexpr (kInverse) std::reverse(radices.begin(), radices.end());
    auto args = kim20_args<Arith>(launch);
    args.polynomials = launch.limb_count;
    const std::size_t words = std::size_t{launch.limb_count} << launch.log_n;
    int error = 0;
    for (std::size_t at = 0; at < launch.batch * words; at += words) {
      args.in = launch.in + at;
      args.first_stage = kInverse ? launch.log_n : 0;
      for (std::size_t i = 0; i < radices.size() && error == 0; ++i) {
        args.out = i % 2 == 0 ? launch.workspace : launch.out + at;
        if constexpr (kInverse) args.first_stage -= radices[i];
        error = one<kWhere, kInverse>(args, radices[i], stream);
        if constexpr (!kInverse) args.first_stage += radices[i];
      }
    }
    return error;
  }

 private:
  template <Where kWhere, bool kInverse, unsigned kNow = kMostLog>
  static int one(Kim20Args<Arith>& args, unsigned log_radix, void* stream) {
    if constexpr (kNow > 1) {
      if (log_radix != kNow) return one<kWhere, kInverse, kNow - 1>(args, log_radix, stream);
    }
    return run_kim20<kWhere, Kim20Stockham<Arith, kNow, kInverse>>(args, stream);
  }
};

/// The product tree's twiddles of a stage in natural order: entry m + r is W[m + bitrev(r)].
template <class Arith>
void kim20_natural_table(const NttSpec& spec, std::size_t limb, bool inverse, typename Arith::Word* table) {
  const std::uint64_t q = spec.moduli[limb], root = spec.roots[limb];
  unsigned log_n = 0;
  while (spec.n >> (log_n + 1) != 0) ++log_n;
  const auto w = tree_twiddles(spec.ring, log_n, q, inverse ? wide_pow_mod(root, q - 2, q) : root);
  for (unsigned stage = 0; stage < log_n; ++stage) {
    for (std::uint32_t m = 1u << stage, r = 0; r < m; ++r)
      Arith::entry(w[m + kim20_bitrev(r, stage)], q, table + std::size_t{m + r} * Arith::kEntryWords);
  }
}

template <class Arith, unsigned kLogRadix>
CudaKernelRow<typename Arith::Word> make_row(Kim20StockhamRow<Arith, kLogRadix>) {
  auto row = kim20_common_row<Kim20StockhamRow<Arith, kLogRadix>>();
  row.recipe.algorithm = "stockham";
  row.recipe.points = 1u << kLogRadix;
  row.recipe.threads = 256;
  row.own_table = &kim20_natural_table<Arith>;
  row.needs_workspace = row.natural_values = true;
  row.min_log_n = 2;
  row.max_log_n = 24;
  row.launches = (17 + kLogRadix - 1) / kLogRadix;
  return row;
}

using Kim20Native64 = Kim20Strict<std::uint64_t, Kim20Native>;
using Kim20Barrett64 = Kim20Strict<std::uint64_t, Kim20Barrett>;
using Kim20Montgomery64 = Kim20Strict<std::uint64_t, Kim20Montgomery>;
using Kim20Native32 = Kim20Strict<std::uint32_t, Kim20Native>;
using Kim20Barrett32 = Kim20Strict<std::uint32_t, Kim20Barrett>;
using Kim20Montgomery32 = Kim20Strict<std::uint32_t, Kim20Montgomery>;

/// Radix 2 with every multiplication, radices 4 ... 128 with Shoup's, and Stockham's of some radices.
struct Kim20RadixRows64
    : RowList<Kim20RadixRow<Kim20Shoup64, 1>, Kim20RadixRow<Kim20Native64, 1>,
              Kim20RadixRow<Kim20Barrett64, 1>, Kim20RadixRow<Kim20Montgomery64, 1>,
              Kim20RadixRow<Kim20Shoup64, 2>, Kim20RadixRow<Kim20Shoup64, 3>, Kim20RadixRow<Kim20Shoup64, 4>,
              Kim20RadixRow<Kim20Shoup64, 5>, Kim20RadixRow<Kim20Shoup64, 6>, Kim20RadixRow<Kim20Shoup64, 7>,
              Kim20StockhamRow<Kim20Shoup64, 1>, Kim20StockhamRow<Kim20Shoup64, 2>,
              Kim20StockhamRow<Kim20Shoup64, 4>> {};
struct Kim20RadixRows32
    : RowList<Kim20RadixRow<Kim20Shoup32, 1>, Kim20RadixRow<Kim20Native32, 1>,
              Kim20RadixRow<Kim20Barrett32, 1>, Kim20RadixRow<Kim20Montgomery32, 1>,
              Kim20RadixRow<Kim20Shoup32, 2>, Kim20RadixRow<Kim20Shoup32, 3>, Kim20RadixRow<Kim20Shoup32, 4>,
              Kim20RadixRow<Kim20Shoup32, 5>, Kim20RadixRow<Kim20Shoup32, 6>, Kim20RadixRow<Kim20Shoup32, 7>,
              Kim20StockhamRow<Kim20Shoup32, 1>, Kim20StockhamRow<Kim20Shoup32, 4>> {};

template <class Arith, const auto& kPairs>
constexpr auto kim20_pair_rows() {
  return []<unsigned... kAt>(std::integer_sequence<unsigned, kAt...>) {
    return RowList<Kim20SharedRow<Arith, kPairs[kAt]>...>{};
  }(std::make_integer_sequence<unsigned, sizeof(kPairs) / sizeof(kPairs[0])>{});
}

/// Every split of 2^14 ... 2^17 into 2^6 ... 2^9 and 2^8 ... 2^10, and each switch alone at 2^16 = 2^8 x 2^8.
inline constexpr Kim20Pair kKim20Pairs64[] = {
    {.log_first = 6, .log_last = 8},
    {.log_first = 7, .log_last = 8},
    {.log_first = 8, .log_last = 8},
    {.log_first = 9, .log_last = 8},
    {.log_first = 6, .log_last = 9},
    {.log_first = 7, .log_last = 9},
    {.log_first = 8, .log_last = 9},
    {.log_first = 6, .log_last = 10},
    {.log_first = 7, .log_last = 10},
    {.log_points = 1},
    {.log_points = 2},
    {.log_points = 4},
    {.coalesced = false},
    {.preload = false},
    {.on_the_fly = 1, .log_base = 8},
    {.on_the_fly = 1, .log_base = 10},
    {.on_the_fly = 2, .log_base = 10},
    {.log_first = 8, .log_last = 9, .on_the_fly = 1, .log_base = 10},
};
inline constexpr Kim20Pair kKim20Pairs32[] = {
    {.log_first = 7, .log_last = 8},
    {.log_first = 8, .log_last = 8},
    {.log_first = 8, .log_last = 9},
    {.on_the_fly = 1, .log_base = 10},
};
struct Kim20SharedRows64 : decltype(kim20_pair_rows<Kim20Shoup64, kKim20Pairs64>()) {};
struct Kim20SharedRows32 : decltype(kim20_pair_rows<Kim20Shoup32, kKim20Pairs32>()) {};

}  // namespace nttforge::cuda
