// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/cuda/arith/shoup32.hpp"
#include "nttforge/cuda/arith/shoup64.hpp"
#include "nttforge/cuda/table/row.hpp"
#include "papers/kernels/din24_pass.hpp"
#include "papers/kernels/din24_stages.hpp"

// The seven algorithms of [Din24] as rows of the launch table, twice each: as the paper has them
// (din24_x_paper) and as well as each allows (din24_x_tuned). Coefficients in natural order; values too, but
// DIF's, which are bit-reversed. The inverse is the same algorithm with the inverse root; DIF's has a bit
// reversal at either end.

namespace nttforge::cuda::din24 {

/// Launches one after another, on the device or the host, until one fails.
template <Where kWhere, class Word>
struct Launches {
  Args<Word> args;
  void* stream;
  int error = 0;

  Launches(const CudaLaunch<Word>& launch, bool inverse, void* on) : stream(on) {
    args.limbs = launch.limbs;
    args.limb_count = args.polynomials = launch.limb_count;
    args.log_n = launch.log_n;
    args.inverse = inverse ? 1 : 0;
  }
  template <class Kernel>
  void run(const Word* in, Word* out, unsigned stage = 0, bool begins = false) {
    args.in = in;
    args.out = out;
    args.stage = stage;
    args.begins = begins ? 1 : 0;
    if (error == 0) error = run_clusters<kWhere, Kernel>(args, Kernel::blocks(args), stream);
  }
};

/// body(in, out) for each [limbs][n] of a call, which share a workspace.
template <class Word, class Body>
void each_member(const CudaLaunch<Word>& launch, const Body& body) {
  const std::size_t words = std::size_t{launch.limb_count} << launch.log_n;
  for (std::size_t at = 0; at < launch.batch * words; at += words) body(launch.in + at, launch.out + at);
}

enum class Name : std::uint8_t { dit, dif, flat, pease, pease_nc, six_step, stockham };
constexpr const char* kNames[] = {"dit", "dif", "flat", "pease", "pease_nc", "six_step", "stockham"};
constexpr Method method_of(Name name) {
  switch (name) {
    case Name::dif:
      return Method::dif;
    case Name::pease:
      return Method::pease;
    case Name::pease_nc:
      return Method::pease_nc;
    case Name::six_step:
      return Method::six_step;
    case Name::stockham:
      return Method::stockham;
    default:
      return Method::dit;  // flat: one loop over all butterflies is what a grid of threads is
  }
}

template <class ArithOf, Name kName>
struct PaperRow {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  static constexpr Method kMethod = method_of(kName);
  static constexpr bool kTuned = false;
  /// Whether members of a batch go one by one, through a workspace.
  static constexpr bool kOutOfPlace = is_pease(kMethod) || is_stockham(kMethod);
  static constexpr unsigned kLeast = kName == Name::six_step ? 2 : 1;
  static constexpr unsigned kMost = kName == Name::six_step ? 2 * RowsInBlocks<Arith>::kMost : 24;
  template <Work kWork>
  using Stage = OneStage<Arith, kWork>;

  template <Where kWhere, bool kInverse>
  static int run(const CudaLaunch<Word>& launch, void* stream) {
    Launches<kWhere, Word> go(launch, kInverse, stream);
    if constexpr (kOutOfPlace) {
      each_member(launch, [&](const Word* in, Word* out) {
        transform(go, in, out, launch.workspace);
        if constexpr (kInverse) go.template run<Stage<Work::scale>>(out, out);
      });
    } else {
      go.args.polynomials = launch.limb_count * launch.batch;
      constexpr bool kReverses = kName == Name::dif && kInverse;
      if constexpr (kReverses) go.template run<Stage<Work::reverse>>(launch.in, launch.out);
      transform(go, kReverses ? launch.out : launch.in, launch.out, launch.workspace);
      if constexpr (kReverses) go.template run<Stage<Work::reverse>>(launch.out, launch.out);
      if constexpr (kInverse) go.template run<Stage<Work::scale>>(launch.out, launch.out);
    }
    return go.error;
  }

  /// The algorithm's launches; `stages` of them only, for traces, with the values in the array that is
  /// returned.
  template <class Go>
  static const Word* transform(Go& go, const Word* in, Word* out, Word* work, unsigned stages = 99) {
    const unsigned log_n = go.args.log_n, count = stages < log_n ? stages : log_n;
    if constexpr (kName == Name::dif) {
      for (unsigned s = 1; s <= count; ++s)
        go.template run<Stage<Work::dif_stage>>(s == 1 ? in : out, out, s, s == 1);
      return out;
    } else if constexpr (kName == Name::dit || kName == Name::flat) {
      go.template run<Stage<Work::reverse>>(in, out);
      constexpr Work kWork = kName == Name::dit ? Work::dit_stage : Work::flat_stage;
      for (unsigned s = 1; s <= count; ++s) go.template run<Stage<kWork>>(out, out, s);
      return out;
    } else if constexpr (kName == Name::pease) {
      go.template run<Stage<Work::reverse>>(in, out);
      for (unsigned s = 1; s <= count; ++s) {
        go.template run<Stage<Work::pease_stage>>(out, work, s);
        go.template run<Stage<Work::copy>>(work, out);
      }
      return out;
    } else if constexpr (kName == Name::pease_nc) {
      Word* here = log_n % 2 == 0 ? out : work;
      if (here == work || in != out) {
        go.template run<Stage<Work::reverse>>(in, here);
      } else {
        go.template run<Stage<Work::reverse>>(out, out);
      }
      return by_turns<Work::pease_stage>(go, here, here == out ? work : out, count);
    } else if constexpr (kName == Name::stockham) {
      if (log_n % 2 != 0 && in == out) {  // the first stage would write where it reads
        go.template run<Stage<Work::copy>>(in, work);
        in = work;
      }
      Word* const to = log_n % 2 == 0 ? work : out;
      go.template run<Stage<Work::stockham_stage>>(in, to, 1, true);
      return by_turns<Work::stockham_stage>(go, to, to == out ? work : out, count, 2);
    } else {
      return six_steps(go, in, out, work, stages);
    }
  }

 private:
  template <Work kWork, class Go>
  static const Word* by_turns(Go& go, Word* from, Word* to, unsigned count, unsigned stage = 1) {
    for (; stage <= count; ++stage) {
      go.template run<Stage<kWork>>(from, to, stage);
      std::swap(from, to);
    }
    return from;
  }
  template <class Go>
  static const Word* six_steps(Go& go, const Word* in, Word* out, Word* work, unsigned steps) {
    const unsigned log_1 = go.args.log_n / 2, log_2 = go.args.log_n - log_1;
    if (in == out) {
      go.template run<Stage<Work::copy>>(in, work);
      in = work;
    }
    const auto step = [&]<class Kernel>(unsigned number, const Word* from, Word* to, unsigned log,
                                        bool begins = false) {
      if (number <= steps) go.template run<Kernel>(from, to, log, begins);
    };
    step.template operator()<Stage<Work::transpose>>(1, in, out, log_1, true);
    step.template operator()<RowsInBlocks<Arith>>(2, out, out, log_1);
    step.template operator()<Stage<Work::twiddles>>(3, out, out, 0);
    step.template operator()<Stage<Work::transpose>>(4, out, work, log_2);
    step.template operator()<RowsInBlocks<Arith>>(5, work, work, log_2);
    step.template operator()<Stage<Work::transpose>>(6, work, out, log_1);
    return steps == 4 || steps == 5 ? work : out;
  }
};

template <class ArithOf, Name kName>
struct TunedRow {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  static constexpr Method kMethod = method_of(kName);
  static constexpr bool kTuned = true, kOutOfPlace = kMethod != Method::dif;
  static constexpr unsigned kLeast = 10, kMost = 20;
  /// Up to so many points a thread block has the whole of a polynomial.
  static constexpr unsigned kMostWhole = kMethod == Method::six_step ? 0 : 11;
  /// Calls of up to so many points, 2^11 for each of a large card's multiprocessors, are given small tiles.
  static constexpr unsigned kFewPoints = 1u << 18, kMostSmall = 18;
  /// Many short polynomials of 32-bit words fill the card with large tiles sooner.
  static constexpr unsigned few_points(unsigned log_n) {
    return sizeof(Word) == 4 && log_n < 14 ? kFewPoints / 4 : kFewPoints;
  }
  template <Role kRole, unsigned kStages, bool kSmall>
  using Kernel = Pass<Arith, Shape{kMethod, kRole, kStages, kSmall}>;

  template <Where kWhere, bool kInverse>
  static int run(const CudaLaunch<Word>& launch, void* stream) {
    Launches<kWhere, Word> go(launch, kInverse, stream);
    const bool in_place = kMethod == Method::dif || launch.log_n <= kMostWhole ||
                          (!is_pease(kMethod) && launch.in != launch.out);
    if (!in_place) {
      each_member(launch, [&](const Word* in, Word* out) { transform(go, in, launch.workspace, out); });
      return go.error;
    }
    go.args.polynomials = launch.limb_count * launch.batch;
    if constexpr (kMethod == Method::dif && kInverse) {
      go.template run<OneStage<Arith, Work::reverse>>(launch.in, launch.out);
      transform(go, launch.out, launch.out, launch.out);
      go.template run<OneStage<Arith, Work::reverse>>(launch.out, launch.out);
      go.template run<OneStage<Arith, Work::scale>>(launch.out, launch.out);
    } else {
      transform(go, launch.in, launch.out, launch.out);
    }
    return go.error;
  }

 private:
  /// In one launch, or in two with `between` between them.
  template <class Go>
  static void transform(Go& go, const Word* in, Word* between, Word* out) {
    const unsigned log_n = go.args.log_n;
    if (log_n <= kMostWhole) {
      launch<Role::whole, false, 10, 11>(go, log_n, in, out);
    } else if (log_n <= kMostSmall && std::uint64_t{go.args.polynomials} << log_n <= few_points(log_n)) {
      launch<Role::first, true, kLeastPart, 9>(go, log_n / 2, in, between);
      launch<Role::last, true, kLeastPart, 9>(go, log_n - log_n / 2, between, out);
    } else {
      const unsigned stages = first_stages(log_n);
      launch<Role::first, false, kLeastPart, 10>(go, stages, in, between);
      launch<Role::last, false, kLeastPart, kSplitsElsewhere ? 11 : 10>(go, log_n - stages, between, out);
    }
  }
  static constexpr unsigned kLeastPart = kMostWhole == 0 ? kLeast / 2 : 6;
  static constexpr bool kSplitsElsewhere = sizeof(Word) == 8 ? is_pease(kMethod) : kMethod == Method::dif;
  /// Stages of the first of two kernels: half of them but where the tiles of other parts read and write whole
  /// sectors, or more columns at once (papers/kernels/README.md).
  static constexpr unsigned first_stages(unsigned log_n) {
    if (kSplitsElsewhere && sizeof(Word) == 8 && (log_n == 16 || log_n == 20)) return log_n == 16 ? 7 : 9;
    if (kSplitsElsewhere && sizeof(Word) == 4 && log_n >= 15 && log_n <= 17) return 6;
    return log_n / 2;
  }
  template <Role kRole, bool kSmall, unsigned kStages, unsigned kMostStages, class Go>
  static void launch(Go& go, unsigned stages, const Word* in, Word* out) {
    if constexpr (kStages <= kMostStages && (kRole != Role::whole || kMostWhole != 0)) {
      if (stages != kStages) return launch<kRole, kSmall, kStages + 1, kMostStages>(go, stages, in, out);
      go.template run<Kernel<kRole, kStages, kSmall>>(in, out);
    }
  }
};

/// The sections of a table, as din24_shape.hpp has them.
template <class Arith, unsigned kSections>
void fill_table(const NttSpec& spec, std::size_t limb, bool inverse, typename Arith::Word* table) {
  const std::uint64_t q = spec.moduli[limb], n = spec.n;
  const bool twisted = spec.ring == Ring::negacyclic;
  const std::uint64_t root = inverse ? wide_pow_mod(spec.roots[limb], q - 2, q) : spec.roots[limb];
  const std::uint64_t omega = twisted ? wide_mul_mod(root, root, q) : root;
  const auto put = [&](std::size_t at, std::uint64_t w) {
    Arith::entry(w, q, table + Arith::kEntryWords * at);
  };
  put(0, twisted ? 1 : 0);
  std::uint64_t power = 1, twist = 1;
  for (std::size_t k = 0; k < n; ++k) {
    // omega^k = omega^(k n / 2h) for each h with k n / 2h a multiple of n / 2h.
    for (std::size_t h = n / 2, at = k; h != 0 && k < n / 2; h /= 2, at /= 2) {
      put(h + at, power);
      if (at % 2 != 0) break;
    }
    put(n + k, twist);
    power = wide_mul_mod(power, omega, q);
    if (twisted) twist = wide_mul_mod(twist, root, q);
  }
  if constexpr (kSections > kMatrix) {
    std::size_t n1 = 1;
    while (n1 * n1 * 4 <= n) n1 *= 2;
    std::uint64_t row = 1;
    for (std::size_t j2 = 0; j2 < n / n1; ++j2) {
      std::uint64_t entry = 1;
      for (std::size_t k1 = 0; k1 < n1; ++k1) {
        put(kMatrix * n + j2 * n1 + k1, entry);
        entry = wide_mul_mod(entry, row, q);
      }
      row = wide_mul_mod(row, omega, q);
    }
  }
}

template <class Row, Name kName>
CudaKernelRow<typename Row::Word> din24_row() {
  using Arith = typename Row::Arith;
  CudaKernelRow<typename Row::Word> row;
  constexpr unsigned kSections = sections_of(Row::kMethod);
  row.recipe.algorithm =
      std::string("din24_") + kNames[static_cast<unsigned>(kName)] + (Row::kTuned ? "_tuned" : "_paper");
  row.recipe.arithmetic = Arith::kArithmetic;
  row.recipe.multiplication = Arith::kMultiplication;
  row.recipe.word_bits = 8 * sizeof(typename Row::Word);
  row.recipe.quotient_slack = Row::kTuned ? Arith::kSlack : 0;
  row.recipe.points = Row::kTuned ? 8 : 2;
  row.recipe.threads = !Row::kTuned ? 256 : sizeof(typename Row::Word) == 8 ? 512 : 1024;
  row.q_limit = Arith::kQLimit;
  row.min_log_n = Row::kLeast;
  row.max_log_n = Row::kMost;
  row.shared_bytes = Row::kTuned ? 72 * 1024 : 16 * 1024;
  row.launches = Row::kTuned ? 2 : 17;
  row.entry_words = Arith::kEntryWords * kSections;  // as the table has so many entries for each point
  row.entry = &Arith::entry;
  row.layout = [](unsigned) { return TableLayout{}; };
  row.fill_constants = &Arith::fill_constants;
  row.own_table = &fill_table<Arith, kSections>;
  row.scales = row.whole = true;
  row.needs_workspace = Row::kOutOfPlace;
  row.natural_values = Row::kMethod != Method::dif;
  return row;
}
template <class Arith, Name kName>
CudaKernelRow<typename Arith::Word> make_row(PaperRow<Arith, kName>) {
  return din24_row<PaperRow<Arith, kName>, kName>();
}
template <class Arith, Name kName>
CudaKernelRow<typename Arith::Word> make_row(TunedRow<Arith, kName>) {
  return din24_row<TunedRow<Arith, kName>, kName>();
}

}  // namespace nttforge::cuda::din24

namespace nttforge::cuda {

template <template <class, din24::Name> class Row, class Arith, din24::Name... kNames>
struct Din24Rows : RowList<Row<Arith, kNames>...> {};

using Din24Words64 = Shoup64<16>;
template <template <class, din24::Name> class Row, class Arith>
struct Din24TimeRows
    : Din24Rows<Row, Arith, din24::Name::dit, din24::Name::flat, din24::Name::pease, din24::Name::pease_nc> {
};
template <template <class, din24::Name> class Row, class Arith>
struct Din24FrequencyRows
    : Din24Rows<Row, Arith, din24::Name::dif, din24::Name::six_step, din24::Name::stockham> {};

struct Din24PaperTime64 : Din24TimeRows<din24::PaperRow, Din24Words64> {};
struct Din24PaperTime32 : Din24TimeRows<din24::PaperRow, Shoup32> {};
struct Din24PaperFrequency64 : Din24FrequencyRows<din24::PaperRow, Din24Words64> {};
struct Din24PaperFrequency32 : Din24FrequencyRows<din24::PaperRow, Shoup32> {};
struct Din24TunedTime64 : Din24TimeRows<din24::TunedRow, Din24Words64> {};
struct Din24TunedTime32 : Din24TimeRows<din24::TunedRow, Shoup32> {};
struct Din24TunedFrequency64 : Din24FrequencyRows<din24::TunedRow, Din24Words64> {};
struct Din24TunedFrequency32 : Din24FrequencyRows<din24::TunedRow, Shoup32> {};

}  // namespace nttforge::cuda
