// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steps between bases as products of matrices of bytes, for tensor cores: 32-bit words, up to 32 sources.
//
// A source word y < 2^32 is four bytes y_i, and sum_s c_s y_s = sum_s sum_i (c_s 2^(8 i) mod q) y_si. Each
// constant c_s 2^(8 i) mod q is again four bytes, so that byte j of the constants gives a product of
// matrices of bytes, and the four products S_j with sums below 2^23 are the value S_0 + 2^8 S_1 + 2^16 S_2 +
// 2^24 S_3 < 2^48, which is reduced once. docs/bounds/gpu_conversions.md
//
// A warp takes 32 coefficients and all rows. Thread 4 g + t owns coefficients 4 g ... 4 g + 3 of the rows t
// modulo 4, sources and targets alike: what it loads is its part of the left factor as the instruction wants
// it (mma.m16n8k32 of the PTX manual; k is a byte of a source, m a coefficient, n a target), and what comes
// out may be the left factor of the next product without leaving its registers.
//
//   rows of sources    8 k + 4 h + t          word k of thread: y[k][h][4 coefficients]
//   columns            4 g + 2 m + r          row g + 8 r of product m
//   targets            8 j + t, 8 j + 4 + t   columns 2 t and 2 t + 1 of product j

#include <cstdint>

#include "nttforge/cuda/tile/chain.hpp"
#include "nttforge/cuda/tile/warp.hpp"

namespace nttforge::cuda {

inline constexpr unsigned kMatrixColumns = 32, kMatrixGroup = 8, kMostMatrixGroups = 4;
/// Words of the constants of one group of sources and one of targets.
inline constexpr unsigned kMatrixWords = 8 * kWarpThreads;

NTTF_HD std::uint32_t matrix_groups(std::uint32_t rows) { return (rows + kMatrixGroup - 1) / kMatrixGroup; }

/// Which thread holds the constants of a source of its group and a target of its group, and which of the
/// group's words has byte `byte` of them.
constexpr unsigned matrix_lane_of_factor(unsigned source, unsigned target) {
  return 4 * (2 * (target % 4) + target / 4) + source % 4;
}
constexpr unsigned matrix_word_of_factor(unsigned lane, unsigned byte, unsigned half) {
  return (byte / 2 * kWarpThreads + lane) * 4 + byte % 2 * 2 + half;
}

struct alignas(16) FourWords {
  std::uint32_t words[4];
};

/// A thread's share of a step: its sources, the sums of one group of targets, and the correction.
template <unsigned kGroupsOf>
struct MatrixLane {
  static constexpr unsigned kGroups = kGroupsOf;
  std::uint32_t y[kGroups][2][4];
  std::uint32_t factor[4][2];
  std::uint32_t sum[2][4][4];
  std::uint32_t correction[4];
  FourWords own[2], addend[2];  ///< what the sums of a group of targets are added to
};

/// The work of a warp: kGroups groups of sources.
template <unsigned kGroupsOf, Correction kCorrectionOf>
struct MatrixWork {
  using Arith = NarrowTiles;
  using Step = TileStep<NarrowTiles>;
  using Rows = TileRows<std::uint32_t>;
  using Lane = MatrixLane<kGroupsOf>;
  static constexpr unsigned kGroups = kGroupsOf;
  static constexpr Correction kCorrection = kCorrectionOf;

  static NTTF_HD std::uint32_t row_of(unsigned lane, unsigned group, unsigned half) {
    return kMatrixGroup * group + 4 * half + lane % 4;
  }

  /// The thread's sources, which are copied if `copies`.
  static NTTF_HD void load(Lane& own, unsigned lane, const Step& step, const Rows& rows, bool copies) {
    NTTF_UNROLL
    for (unsigned k = 0; k < kGroups; ++k) {
      NTTF_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        const std::uint32_t row = row_of(lane, k, h);
        FourWords x{};
        if (row < step.source_count)
          x = *reinterpret_cast<const FourWords*>(rows.sources + (std::size_t{row} << rows.log_sources));
        NTTF_UNROLL
        for (unsigned c = 0; c < 4; ++c) own.y[k][h][c] = x.words[c];
      }
    }
    if (!copies) return;
    NTTF_UNROLL
    for (unsigned k = 0; k < kGroups; ++k) {
      NTTF_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        const std::uint32_t row = row_of(lane, k, h);
        if (row >= step.source_count) continue;
        FourWords x;
        NTTF_UNROLL
        for (unsigned c = 0; c < 4; ++c) x.words[c] = own.y[k][h][c];
        *reinterpret_cast<FourWords*>(rows.copies + (std::size_t{row} << rows.log_n)) = x;
      }
    }
  }

  /// Scales the sources and sums the thread's share of the correction.
  static NTTF_HD void scale(Lane& own, unsigned lane, const Step& step) {
    std::uint64_t other[4] = {};
    NTTF_UNROLL
    for (unsigned c = 0; c < 4; ++c) own.correction[c] = 0;
    NTTF_UNROLL
    for (unsigned k = 0; k < kGroups; ++k) {
      if constexpr (kCorrection == Correction::other) {
        // Two products fit beside a folded sum.
        NTTF_UNROLL
        for (unsigned c = 0; c < 4 && k != 0; ++c) Arith::fold(other[c], *step.correction);
      }
      NTTF_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        const std::uint32_t row = row_of(lane, k, h);
        if (!step.scaled && kCorrection == Correction::none) continue;
        const Arith::Source source =
            load_packed(step.sources + (row < step.source_count ? row : step.source_count - 1));
        NTTF_UNROLL
        for (unsigned c = 0; c < 4; ++c) {
          std::uint32_t& y = own.y[k][h][c];
          if (step.scaled) y = Arith::scaled(y, source);
          if constexpr (kCorrection == Correction::power) own.correction[c] += y * source.weight;
          if constexpr (kCorrection == Correction::other) Arith::add(other[c], y, source.weight);
        }
      }
    }
    if constexpr (kCorrection == Correction::other) {
      NTTF_UNROLL
      for (unsigned c = 0; c < 4; ++c) own.correction[c] = Arith::finish(other[c], *step.correction);
    }
  }

  /// Loads, scales, and sums corrections over the threads that share coefficients. lane_of(state) is the
  /// MatrixLane within a thread's state, rows_of(lane) the thread's places.
  template <class Warp, class LaneOf, class RowsOf>
  static NTTF_HD void begin(Warp& warp, const LaneOf& lane_of, const Step& step, const RowsOf& rows_of,
                            bool loads, bool copies) {
    warp.each([&](unsigned lane, auto& state) {
      if (loads) load(lane_of(state), lane, step, rows_of(lane), copies);
    });
    warp.each([&](unsigned lane, auto& state) { scale(lane_of(state), lane, step); });
    if constexpr (kCorrection != Correction::none) {
      const auto sum = [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t both = a + b;
        if constexpr (kCorrection == Correction::power) return both;
        const std::uint32_t q = step.correction->q;
        return both < q ? both : both - q;
      };
      NTTF_UNROLL
      for (unsigned c = 0; c < 4; ++c)
        warp.sum_quads([&](auto& state) -> std::uint32_t& { return lane_of(state).correction[c]; }, sum);
    }
  }

  /// The sums of targets 8 j ... 8 j + 7.
  template <class Warp, class LaneOf, class RowsOf>
  static NTTF_HD void multiply(Warp& warp, const LaneOf& lane_of, const Step& step, const RowsOf& rows_of,
                               std::uint32_t j) {
    warp.each([&](unsigned lane, auto& state) {
      load_beside(lane_of(state), lane, step, rows_of(lane), j);
      NTTF_UNROLL
      for (unsigned m = 0; m < 2; ++m) {
        NTTF_UNROLL
        for (unsigned b = 0; b < 4; ++b) {
          NTTF_UNROLL
          for (unsigned i = 0; i < 4; ++i) lane_of(state).sum[m][b][i] = 0;
        }
      }
    });
    NTTF_UNROLL
    for (unsigned k = 0; k < kGroups; ++k) {
      const std::uint32_t* const factors = step.matrix + std::size_t{j * kGroups + k} * kMatrixWords;
      warp.each([&](unsigned lane, auto& state) {
        NTTF_UNROLL
        for (unsigned half = 0; half < 2; ++half) {
          const auto four =
              load_packed(reinterpret_cast<const FourWords*>(factors) + half * kWarpThreads + lane);
          NTTF_UNROLL
          for (unsigned i = 0; i < 4; ++i) lane_of(state).factor[2 * half + i / 2][i % 2] = four.words[i];
        }
      });
      NTTF_UNROLL
      for (unsigned b = 0; b < 4; ++b) {
        NTTF_UNROLL
        for (unsigned m = 0; m < 2; ++m)
          warp.multiply_bytes([&](auto& state) -> auto& { return lane_of(state).sum[m][b]; },
                              [&](const auto& state, unsigned i) {
                                return lane_of(state).y[k][i / 2][2 * m + i % 2];
                              },
                              [&](const auto& state, unsigned i) { return lane_of(state).factor[b][i]; });
      }
    }
  }

  /// |c| and its sign; sets rows.exceeded if `reports`.
  struct Correct {
    std::uint32_t size[4];
    bool negative[4];
  };
  static NTTF_HD Correct correct(const Lane& own, const Step& step, const Rows& rows, bool reports) {
    Correct result{};
    if constexpr (kCorrection == Correction::none) return result;
    bool over = false;
    NTTF_UNROLL
    for (unsigned c = 0; c < 4; ++c) {
      const std::uint32_t r = own.correction[c];
      if constexpr (kCorrection == Correction::power) {
        result.negative[c] = r >> 31 != 0;
        result.size[c] = result.negative[c] ? 0u - r : r;
      } else {
        const std::uint32_t p = step.correction->q;
        result.negative[c] = r > (p - 1) / 2;
        result.size[c] = result.negative[c] ? p - r : r;
      }
      over = over || result.size[c] > step.limit;
    }
    if (over && reports && rows.exceeded.address != nullptr && step.limit != 0) rows.exceeded.set(0, 1);
    return result;
  }

  /// Loads the words that the sums of group j are added to.
  static NTTF_HD void load_beside(Lane& own, unsigned lane, const Step& step, const Rows& rows,
                                  std::uint32_t j) {
    NTTF_UNROLL
    for (unsigned h = 0; h < 2; ++h) {
      const std::uint32_t row = row_of(lane, j, h);
      if (row >= step.target_count) continue;
      const std::size_t at = std::size_t{row} << rows.log_n;
      if (step.takes_own) own.own[h] = *reinterpret_cast<const FourWords*>(rows.own + at);
      if (rows.addend != nullptr) own.addend[h] = *reinterpret_cast<const FourWords*>(rows.addend + at);
    }
  }

  /// The residues of the thread's target in half h of group j.
  static NTTF_HD FourWords finish(const Lane& own, unsigned lane, const Step& step, const Rows& rows,
                                  const Correct& correction, std::uint32_t j, unsigned h) {
    const std::uint32_t row = row_of(lane, j, h);
    FourWords result{};
    if (row >= step.target_count) return result;
    const Arith::Target target = load_packed(step.targets + row);
    NTTF_UNROLL
    for (unsigned c = 0; c < 4; ++c) {
      const auto byte = [&](unsigned b) { return own.sum[c / 2][b][2 * (c % 2) + h]; };
      std::uint64_t sum = byte(0) + (byte(1) << 8);
      sum += std::uint64_t{byte(2) + (byte(3) << 8)} << 16;
      sum += target.offset;
      if (step.takes_own) Arith::add(sum, own.own[h].words[c], target.own);
      if (rows.addend != nullptr) Arith::add(sum, own.addend[h].words[c], target.unit);
      if constexpr (kCorrection != Correction::none)
        Arith::add(sum, correction.size[c], correction.negative[c] ? target.q - target.excess : target.excess);
      result.words[c] = Arith::finish(sum, target);
    }
    return result;
  }
};

/// One step, or several at once.
template <class CallOf, unsigned kGroupsOf, Correction kCorrection>
struct MatrixTile : CallOf {
  using Call = CallOf;
  using Work = MatrixWork<kGroupsOf, kCorrection>;
  using State = typename Work::Lane;
  static constexpr unsigned kGroups = kGroupsOf;

  NTTF_HD const TileStep<NarrowTiles>& step_of(std::uint32_t item) const {
    if constexpr (Call::kSteps == 1) return this->steps[0];
    return this->steps[item % this->steps_used];
  }

  /// Columns `column` ... + 31 of an item, and of its targets the groups part, part + parts ...
  template <class Warp>
  NTTF_HD void operator()(Warp& warp, std::uint32_t column, std::uint32_t item, std::uint32_t part,
                          std::uint32_t part_count) const {
    const TileStep<NarrowTiles>& step = step_of(item);
    const std::uint32_t member = Call::kSteps == 1 ? item : item / this->steps_used;
    const auto rows_of = [&](unsigned lane) { return this->rows(step, member, item, column + lane / 4 * 4); };
    const auto lane_of = [](auto& state) -> auto& { return state; };
    const bool makes_copies = part == 0 && rows_of(0).copies != nullptr;
    Work::begin(warp, lane_of, step, rows_of, true, makes_copies);
    const std::uint32_t groups = matrix_groups(step.target_count);
    for (std::uint32_t j = part; j < groups; j += part_count) {
      Work::multiply(warp, lane_of, step, rows_of, j);
      if (j + part_count >= groups) warp.last_sums();
      warp.each([&](unsigned lane, const State& state) {
        const auto rows = rows_of(lane);
        const auto correction = Work::correct(state, step, rows, j == 0);
        NTTF_UNROLL
        for (unsigned h = 0; h < 2; ++h) {
          const std::uint32_t row = Work::row_of(lane, j, h);
          const FourWords result = Work::finish(state, lane, step, rows, correction, j, h);
          if (row >= step.target_count) continue;
          const std::size_t at = row < step.kept_at ? row : row + step.kept;
          *reinterpret_cast<FourWords*>(rows.out + (at << rows.log_out)) = result;
        }
      });
    }
  }
};

/// Two steps, with the words between them in registers: the first without correction, the second with one by
/// a modulus other than 2^32.
template <unsigned kFirstOf, unsigned kSecondOf>
struct MatrixChain : ChainCall<NarrowTiles> {
  static constexpr unsigned kFirst = kFirstOf, kSecond = kSecondOf;
  using First = MatrixWork<kFirst, Correction::none>;
  using Second = MatrixWork<kSecond, Correction::other>;
  struct State {
    typename First::Lane first;
    typename Second::Lane second;
  };

  template <class Warp>
  NTTF_HD void operator()(Warp& warp, std::uint32_t column, std::uint32_t item) const {
    const TileStep<NarrowTiles>&from = first.steps[0], &to = second.steps[0];
    const auto first_rows = [&](unsigned lane) {
      return first.rows(from, item, item, column + lane / 4 * 4);
    };
    const auto second_rows = [&](unsigned lane) {
      return second.rows(to, item, item, column + lane / 4 * 4);
    };
    const auto first_of = [](auto& state) -> auto& { return state.first; };
    const auto second_of = [](auto& state) -> auto& { return state.second; };
    First::begin(warp, first_of, from, first_rows, true, false);
    NTTF_UNROLL
    for (unsigned j = 0; j < kSecond; ++j) {
      First::multiply(warp, first_of, from, first_rows, j);
      warp.each([&](unsigned lane, State& state) {
        const auto rows = first_rows(lane);
        NTTF_UNROLL
        for (unsigned h = 0; h < 2; ++h) {
          const FourWords result = First::finish(state.first, lane, from, rows, {}, j, h);
          NTTF_UNROLL
          for (unsigned c = 0; c < 4; ++c) state.second.y[j][h][c] = result.words[c];
        }
      });
    }
    Second::begin(warp, second_of, to, second_rows, false, false);
    const std::uint32_t groups = matrix_groups(to.target_count);
    for (std::uint32_t j = 0; j < groups; ++j) {
      Second::multiply(warp, second_of, to, second_rows, j);
      if (j + 1 == groups) warp.last_sums();
      warp.each([&](unsigned lane, const State& state) {
        const auto rows = second_rows(lane);
        const auto correction = Second::correct(state.second, to, rows, j == 0);
        NTTF_UNROLL
        for (unsigned h = 0; h < 2; ++h) {
          const std::uint32_t row = Second::row_of(lane, j, h);
          const FourWords result = Second::finish(state.second, lane, to, rows, correction, j, h);
          if (row < to.target_count)
            *reinterpret_cast<FourWords*>(rows.out + (std::size_t{row} << rows.log_out)) = result;
        }
      });
    }
  }
};

}  // namespace nttforge::cuda
