// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stage loops for thirty-two registers: which butterflies, in which order; the arithmetic is the Butterfly's,
// the order of passes over memory is stage_run.hpp's.
//
// Forward, n = 2^log_n points, L lanes:
//   passes    the first log_n - 2 log L stages, radix_log of them per pass (pass_steps.hpp has the
//             exceptions): a group's 2^radix_log rows lie t words apart, `columns` vectors of each row are
//             in flight at once
//   codelets  the last 2 log L stages on L x L points in registers (stage_codelets.hpp)
//
// One lane (L = 1) has no codelets; its last pass reduces. The inverse runs the same steps backwards; its
// last pass multiplies by 1/n and reduces.
//
// Twiddles (value, quotient) lie in the order they are read; see twiddles.hpp.

#include <cstddef>
#include <cstdint>

#include "nttforge/ntt/kernels.hpp"
#include "nttforge/ntt/kernels/thirty_two/stage_products.hpp"

namespace nttforge {

/// The passes and codelets of one butterfly; stage_run.hpp says in which order they go over memory.
template <class Butterfly, StageShape shape>
class StagePasses : public StageProducts<Butterfly, shape> {
  using Codelets = StageProducts<Butterfly, shape>;

 public:
  using Codelets::kLanes;
  using Codelets::kLanesLog;
  using typename Codelets::Constants;
  using typename Codelets::Lanes;
  using typename Codelets::Product;
  using typename Codelets::Twiddle;
  using typename Codelets::V;
  using typename Codelets::Walk;
  using typename Codelets::Word;
  static constexpr unsigned kRadixLog = shape.radix_log;
  static constexpr unsigned kLogBlock = shape.log_block;
  static constexpr unsigned kLongAbove = shape.long_above();
  static constexpr unsigned kQuotientsFrom = shape.quotients_from;
  /// Columns of a pass are a multiple of this many words.
  static constexpr std::size_t kColumnWords = kLanes * static_cast<std::size_t>(shape.columns);
  /// Stages that a block keeps: rows of two codelets, or the reducing pass.
  static constexpr unsigned kKeptLog = kLanesLog == 0 ? kRadixLog : 1;
  static constexpr unsigned kTailLog = 2 * kLanesLog;
  static constexpr bool kHasTail = kLanesLog != 0;
  static constexpr bool kMultipliesValues = true;  ///< a product of values between passes is worth while
  static constexpr LaneTwiddles kLaneTwiddles =
      Codelets::kExchanged ? LaneTwiddles::exchanged : LaneTwiddles::vectors;
  /// A pass must be left for 1/n, and two codelets for interleaving.
  static constexpr unsigned kMinLogN = kLanesLog == 0 ? 0 : 2 * kLanesLog + 1;
  static_assert(shape.log_block >= 2 * kLanesLog + 2 && shape.columns <= static_cast<int>(kLanes) &&
                shape.codelets <= 2);
  static_assert(!Butterfly::kConverts || kLanesLog != 0);  // one lane has no codelets to enter through

 private:
  using typename Codelets::GroupRole;
  using typename Codelets::None;
  using typename Codelets::Twiddles;

  static constexpr bool kLong = kLongAbove != 0;
  enum class Mode { forward_first, forward_lazy, forward, forward_last, inverse, inverse_last };

  template <Mode mode>
  static constexpr Step kFirstStep = mode == Mode::forward_first  ? Step::first
                                     : mode == Mode::forward_lazy ? Step::lazy
                                                                  : Step::reduce;

  /// `table`: the twiddles of the area's first group. Area and constants are copied, so that no store through
  /// `out` makes the compiler load them again.
  template <unsigned log, Mode mode>
  static NTTF_KERNEL void pass(const Word* table, const Constants constants, const Twiddle scale,
                               const Area<Word> area, [[maybe_unused]] std::size_t first_group) {
    constexpr int kRows = 1 << log;
    constexpr int kColumns = kLong && log == 3 ? shape.columns / 2 : shape.columns;
    const Constants c = constants;
    const std::size_t row = area.place.row, columns = area.columns;
    for (std::size_t group = 0; group < area.groups; ++group) {
      const auto twiddles = Twiddles::template hold<kRows - 1>(table);
      table += 2 * (kRows - 1);
      const Word* in = area.in + group * area.place.group;
      Word* out = area.out + group * area.place.group;
      for (std::size_t chunk = 0; chunk < area.chunks; ++chunk) {
        for (std::size_t k = 0; k < columns; k += kColumns * kLanes) {
          V r[kRows][kColumns];
          load_rows<Lanes>(r, in + k, row, kLanes);
          if constexpr (mode == Mode::forward_first || mode == Mode::forward_lazy) {
            each_vector(r, [](const V& v) NTTF_LAMBDA_INLINE { return Butterfly::enter(v); });
          }
          if constexpr (mode <= Mode::forward_last) {
            Codelets::template forward_stages<log, kColumns, mode == Mode::forward_last>(
                r, twiddles, kFirstStep<mode>, None{}, c);
          } else {
            Codelets::template inverse_stages<log, kColumns, mode == Mode::inverse_last>(
                r, twiddles, scale, Step::keep, GroupRole{first_group + group}, c);
          }
          store_rows<Lanes>(r, out + k, row, kLanes);
        }
        in += area.place.chunk;
        out += area.place.chunk;
      }
    }
  }

  /// Handles the first pass and, in scalar code, the last one: only these may merge a different number of
  /// stages.
  template <Mode mode>
  static NTTF_KERNEL void run(const Walk& walk, const Constants& c, const Twiddle& scale,
                              const Area<Word>& area, unsigned log_m, std::size_t group) {
    const unsigned log = walk.step(log_m);
    const Word* const table = walk.scalars(log_m, log, group);
    if constexpr (kLong) {
      if (log == 3) return pass<3, mode>(table, c, scale, area, group);
    }
    if (log == kRadixLog) {
      pass<kRadixLog, mode>(table, c, scale, area, group);
    } else if (kRadixLog == 3 && log == 2) {
      pass<2, mode>(table, c, scale, area, group);
    } else {
      pass<1, mode>(table, c, scale, area, group);
    }
  }
  /// Runs the other passes.
  template <Mode mode>
  static NTTF_KERNEL void run_inner(const Walk& walk, const Constants& c, const Twiddle& scale,
                                    const Area<Word>& area, unsigned log_m, std::size_t group) {
    if constexpr (kLong) {
      if (walk.step(log_m) == 3) {
        return pass<3, mode>(walk.scalars(log_m, 3, group), c, scale, area, group);
      }
    }
    pass<kRadixLog, mode>(walk.scalars(log_m, kRadixLog, group), c, scale, area, group);
  }

 public:
  /// Runs the pass at 2^log_m over an area whose first group is `group`.
  static void forward_pass(const Walk& walk, const Constants& c, const Area<Word>& area, unsigned log_m,
                           std::size_t group) {
    const Twiddle none{};
    if (kLanesLog == 0 && log_m + walk.step(log_m) == walk.end()) {
      run<Mode::forward_last>(walk, c, none, area, log_m, group);
    } else if (log_m == 0 && walk.lazy_input) {
      run<Mode::forward_lazy>(walk, c, none, area, log_m, group);
    } else if (log_m == 0) {
      run<Mode::forward_first>(walk, c, none, area, log_m, group);
    } else {
      run_inner<Mode::forward>(walk, c, none, area, log_m, group);
    }
  }

  static void inverse_pass(const Walk& walk, const Constants& c, const Twiddle& scale, const Area<Word>& area,
                           unsigned log_m, std::size_t group) {
    if (log_m == 0) {
      run<Mode::inverse_last>(walk, c, scale, area, log_m, group);
    } else {
      run_inner<Mode::inverse>(walk, c, scale, area, log_m, group);
    }
  }
};

}  // namespace nttforge
