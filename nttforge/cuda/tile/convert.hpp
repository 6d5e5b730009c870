// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steps between bases by tiles (tile/work.hpp): what one launch reads and writes, and its run on the host.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nttforge/cuda/tile/work.hpp"

namespace nttforge::cuda {

template <class Word>
struct TileRead {
  const Word* words = nullptr;
  std::size_t stride = 0;
};
template <class Word>
struct TileWrite {
  Word* words = nullptr;
  std::size_t stride = 0;
};

/// What a launch reads and writes. kSteps: at most so many steps, each of which has an output for every
/// polynomial: item i is step i % steps_used of polynomial i / steps_used.
template <class ArithOf, unsigned kStepsOf = 1>
struct TileCall {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  static constexpr unsigned kSteps = kStepsOf;
  TileStep<Arith> steps[kSteps];
  TileRead<Word> sources{}, own{}, addend{};
  const Word* second = nullptr;  ///< sources of the polynomials from `split` on
  std::uint32_t split = ~0u;
  TileWrite<Word> out{}, copies{};
  WriteWords exceeded{};  ///< or null
  std::uint32_t log_n = 0;
  std::uint32_t steps_used = 1;
  std::uint32_t first_item = 0, items = 0;
  std::size_t out_gap =
      0;  ///< words between the outputs of a polynomial and those of the next, beside stride
  std::uint32_t addend_parts = 0, parts = 1;  ///< as conversion.hpp has them
  bool leaves_kept = false;                   ///< kept rows are not written

  NTTF_HD const TileStep<Arith>& step_of(std::uint32_t item) const {
    if constexpr (kSteps == 1) return steps[0];
    return steps[item % steps_used];
  }
  /// Rows of polynomial `member` from a column on.
  NTTF_HD TileRows<Word> rows(const TileStep<Arith>& step, std::uint32_t member, std::uint32_t item,
                              std::uint32_t column) const {
    const Word* const from =
        member < split ? sources.words + member * sources.stride : second + (member - split) * sources.stride;
    TileRows<Word> rows{from + (std::size_t{step.first_source} << log_n) + column, log_n,
                        out.words + item * out.stride + member * out_gap + column, log_n, log_n};
    if (step.takes_own) rows.own = own.words + member * own.stride + column;
    if (addend_parts != 0) {
      const std::uint32_t object = member / parts, part = member - object * parts;
      const std::size_t row = std::size_t{part} * step.target_count;
      if (part < addend_parts) rows.addend = addend.words + object * addend.stride + (row << log_n) + column;
    }
    if (copies.words != nullptr)
      rows.copies = copies.words + item * copies.stride + column;
    else if (step.kept != 0 && !leaves_kept)
      rows.copies = rows.out + (std::size_t{step.kept_at} << log_n);
    rows.exceeded = exceeded;
    return rows;
  }

  std::uint32_t most_targets() const {
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < steps_used; ++i)
      if (steps[i].target_count > most) most = steps[i].target_count;
    return most;
  }
};

/// Tiles of one shape.
template <class CallOf, unsigned kCoefficientsOf, unsigned kTargetsOf, Correction kCorrection>
struct ConvertTile : CallOf {
  using Call = CallOf;
  using Arith = typename Call::Arith;
  using Word = typename Arith::Word;
  using Work = TileWork<Arith, kCoefficientsOf, kTargetsOf, kCorrection>;
  static constexpr unsigned kCoefficients = kCoefficientsOf, kTargets = kTargetsOf;

  /// Coefficients column ... column + kCoefficients - 1 of one tile of one item.
  template <class Done>
  NTTF_HD void operator()(const TileConstants<Arith>& constants, std::uint32_t tile, std::uint32_t column,
                          std::uint32_t item, const Done& sums_done) const {
    const TileStep<Arith>& step = this->step_of(item);
    const std::uint32_t member = Call::kSteps == 1 ? item : item / this->steps_used;
    Work::run(step, constants, tile, this->rows(step, member, item, column), sums_done);
  }
};

/// Runs every tile on the host.
template <class Kernel>
int tiles_on_host(const Kernel& kernel) {
  using Arith = typename Kernel::Arith;
  for (std::uint32_t item = kernel.first_item; item < kernel.first_item + kernel.items; ++item) {
    const TileStep<Arith>& step = kernel.step_of(item);
    for (std::uint32_t first = 0; first < step.target_count; first += Kernel::kTargets) {
      const TileConstants<Arith> constants{step.sources, step.factors + first, step.targets + first,
                                           step.padded_targets};
      for (std::uint32_t column = 0; column >> kernel.log_n == 0; column += Kernel::kCoefficients)
        kernel(constants, first / Kernel::kTargets, column, item, [] {});
    }
  }
  return 0;
}
}  // namespace nttforge::cuda
