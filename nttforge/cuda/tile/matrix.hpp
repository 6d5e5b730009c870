// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steps between bases as products of matrices of bytes, for tensor cores: 32-bit words, up to 32 sources.
//
// A source word y < 2^32 is four bytes y_i, and sum_s c_s y_s = sum_s sum_i (c_s 2^(8 i) mod q) y_si. Each
// constant c_s 2^(8 i) mod q is again four bytes, so that byte j of the constants gives a product of
// matrices of bytes, and the four sums S_j < 2^23 are the value S_0 + 2^8 S_1 + 2^16 S_2 + 2^24 S_3, which is
// reduced once. The correction c is one more source, c + h >= 0, and the offset h short of its excess.
// docs/bounds/gpu_conversions.md
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
#include "nttforge/cuda/tile/matrix_step.hpp"
#include "nttforge/cuda/tile/warp.hpp"

namespace nttforge::cuda {

inline constexpr unsigned kMatrixColumns = 32;

struct alignas(16) FourWords {
  std::uint32_t words[4];
};

/// A thread's share of a step: its sources, the sums of one group of targets, and its part of the correction.
template <unsigned kGroupsOf>
struct MatrixLane {
  TileRows<std::uint32_t> rows;
  std::uint32_t y[kGroupsOf][2][4];
  std::uint32_t factor[4][2];
  std::uint32_t sum[2][4][4];
  std::uint32_t correction[4];
  std::uint64_t high[4];  ///< sums of the high parts of fractions; those of the low ones are `correction`
  MatrixTarget target[2];
  FourWords own[2], addend[2];  ///< what the sums of a group of targets are added to
};

/// What sums are added to: nothing, own words, or own words and an addend where there are some.
enum class Beside : std::uint8_t { nothing, own, any };

/// The work of a warp: kGroups groups of sources.
template <unsigned kGroupsOf, Correction kCorrectionOf, Beside kBeside>
struct MatrixWork {
  using Step = TileStep<NarrowTiles>;
  using Lane = MatrixLane<kGroupsOf>;
  static constexpr unsigned kGroups = kGroupsOf;
  static constexpr Correction kCorrection = kCorrectionOf;

  static NTTF_HD bool takes_own(const Step& step) {
    return kBeside == Beside::own || (kBeside == Beside::any && step.takes_own);
  }
  static NTTF_HD bool has_addend(const Lane& own) {
    return kBeside == Beside::any && own.rows.addend != nullptr;
  }
  static NTTF_HD std::uint32_t row_of(unsigned lane, unsigned group, unsigned half) {
    return kMatrixGroup * group + 4 * half + lane % 4;
  }
  static NTTF_HD FourWords four_of(const std::uint32_t* rows, std::uint32_t row, std::uint32_t count,
                                   std::uint32_t log_row) {
    return *reinterpret_cast<const FourWords*>(rows + ((row < count ? row : count - 1) << log_row));
  }

  /// The thread's sources, which are copied if `copies`. Rows beyond the last have factors of zero.
  static NTTF_HD void load(Lane& own, unsigned lane, const Step& step, bool copies) {
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kGroups; ++k) {
      NTTF_GPU_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        const FourWords x =
            four_of(own.rows.sources, row_of(lane, k, h), step.source_count, own.rows.log_sources);
        NTTF_GPU_UNROLL
        for (unsigned c = 0; c < 4; ++c) own.y[k][h][c] = x.words[c];
      }
    }
    if (!copies) return;
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kGroups; ++k) {
      NTTF_GPU_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        const std::uint32_t row = row_of(lane, k, h);
        FourWords x;
        NTTF_GPU_UNROLL
        for (unsigned c = 0; c < 4; ++c) x.words[c] = own.y[k][h][c];
        if (row < step.source_count)
          *reinterpret_cast<FourWords*>(own.rows.copies + (row << own.rows.log_n)) = x;
      }
    }
  }

  /// Scales the sources and sums the thread's share of the correction.
  static NTTF_HD void scale(Lane& own, unsigned lane, const Step& step) {
    if (!step.scaled && kCorrection == Correction::none) return;
    const MatrixStep& matrix = step.matrix;
    std::uint64_t other[4] = {};
    NTTF_GPU_UNROLL
    for (unsigned c = 0; c < 4; ++c) own.correction[c] = 0, own.high[c] = 0;
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kGroups; ++k) {
      NTTF_GPU_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        const MatrixSource source = load_packed(matrix.sources + row_of(lane, k, h));
        MatrixFraction fraction;
        if constexpr (kCorrection == Correction::fractions) fraction = matrix.fractions[row_of(lane, k, h)];
        NTTF_GPU_UNROLL
        for (unsigned c = 0; c < 4; ++c) {
          std::uint32_t& y = own.y[k][h][c];
          if (step.scaled) y = source.scaled(y);
          if constexpr (kCorrection == Correction::power) own.correction[c] += y * source.weight;
          if constexpr (kCorrection == Correction::other) other[c] += std::uint64_t{y} * source.weight;
          if constexpr (kCorrection == Correction::fractions) {
            own.high[c] += std::uint64_t{y} * fraction.high;
            other[c] += std::uint64_t{y} * fraction.low;
          }
        }
      }
      if constexpr (kCorrection == Correction::other) {
        if (!matrix.folds) continue;
        NTTF_GPU_UNROLL
        for (unsigned c = 0; c < 4; ++c) NarrowTiles::fold(other[c], matrix.modulus);
      }
    }
    if constexpr (kCorrection == Correction::other) {
      NTTF_GPU_UNROLL
      for (unsigned c = 0; c < 4; ++c) own.correction[c] = NarrowTiles::finish(other[c], matrix.modulus);
    }
    if constexpr (kCorrection == Correction::fractions) {
      NTTF_GPU_UNROLL
      for (unsigned c = 0; c < 4; ++c) {
        own.high[c] += other[c] >> kLowFractionBits;
        own.correction[c] = static_cast<std::uint32_t>(other[c]) & ((1u << kLowFractionBits) - 1);
      }
    }
  }

  /// Makes the correction a source. `reports`: says whether it is beyond its limit.
  static NTTF_HD void take_correction(Lane& own, unsigned lane, const Step& step, bool reports) {
    const MatrixStep& matrix = step.matrix;
    bool over = false;
    std::uint32_t source[4];
    NTTF_GPU_UNROLL
    for (unsigned c = 0; c < 4; ++c) {
      const std::uint32_t r = own.correction[c];
      if constexpr (kCorrection == Correction::power) {
        source[c] = r ^ 0x80000000u;
        over = over || (r >> 31 != 0 ? 0u - r : r) > step.limit;
      } else if constexpr (kCorrection == Correction::fractions) {
        source[c] =
            static_cast<std::uint32_t>((own.high[c] + (r >> kLowFractionBits) + matrix.half) >> matrix.shift);
        over = over || source[c] > step.limit;
      } else {
        const std::uint32_t q = matrix.modulus.q, most = (q - 1) / 2;
        source[c] = r > most ? r - most - 1 : r + most;
        over = over || (r > most ? q - r : r) > step.limit;
      }
    }
    NTTF_GPU_UNROLL
    for (unsigned h = 0; h < 2; ++h) {
      if (row_of(lane, kGroups - 1, h) != matrix.correction_row) continue;
      NTTF_GPU_UNROLL
      for (unsigned c = 0; c < 4; ++c) own.y[kGroups - 1][h][c] = source[c];
    }
    if (step.limit != 0 && over && reports && own.rows.exceeded.address != nullptr)
      own.rows.exceeded.set(0, 1);
  }

  /// Prepares the sources, which are there, and sums corrections over the threads that share coefficients.
  /// lane_of(state): the MatrixLane within a thread's state.
  template <class Warp, class LaneOf>
  static NTTF_HD void begin(Warp& warp, const LaneOf& lane_of, const Step& step, bool reports) {
    warp.each([&](unsigned lane, auto& state) { scale(lane_of(state), lane, step); });
    if constexpr (kCorrection != Correction::none) {
      const std::uint32_t q = step.matrix.modulus.q;
      const auto sum = [q](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t both = a + b;
        return kCorrection != Correction::other || both < q ? both : both - q;
      };
      NTTF_GPU_UNROLL
      for (unsigned c = 0; c < 4; ++c) {
        warp.sum_quads([&](auto& state) -> std::uint32_t& { return lane_of(state).correction[c]; }, sum);
        if constexpr (kCorrection == Correction::fractions)
          warp.sum_quads([&](auto& state) -> std::uint64_t& { return lane_of(state).high[c]; },
                         [](std::uint64_t a, std::uint64_t b) { return a + b; });
      }
      warp.each([&](unsigned lane, auto& state) { take_correction(lane_of(state), lane, step, reports); });
    }
  }

  /// The sums of the targets of group j.
  template <class Warp, class LaneOf>
  static NTTF_HD void multiply(Warp& warp, const LaneOf& lane_of, const Step& step, std::uint32_t j) {
    warp.each([&](unsigned lane, auto& state) { begin_sums(lane_of(state), lane, step, j); });
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kGroups; ++k) {
      const std::uint32_t* const factors = step.matrix.factors + std::size_t{j * kGroups + k} * kMatrixWords;
      warp.each([&](unsigned lane, auto& state) {
        NTTF_GPU_UNROLL
        for (unsigned half = 0; half < 2; ++half) {
          const auto four =
              load_packed(reinterpret_cast<const FourWords*>(factors) + half * kWarpThreads + lane);
          NTTF_GPU_UNROLL
          for (unsigned i = 0; i < 4; ++i) lane_of(state).factor[2 * half + i / 2][i % 2] = four.words[i];
        }
      });
      NTTF_GPU_UNROLL
      for (unsigned b = 0; b < 4; ++b) {
        NTTF_GPU_UNROLL
        for (unsigned m = 0; m < 2; ++m)
          warp.multiply_bytes(
              [&](auto& state) -> auto& { return lane_of(state).sum[m][b]; },
              [&](const auto& state, unsigned i) { return lane_of(state).y[k][i / 2][2 * m + i % 2]; },
              [&](const auto& state, unsigned i) { return lane_of(state).factor[b][i]; });
      }
    }
  }

  /// The residues of the thread's target in half h of group j; anything where there is none.
  static NTTF_HD FourWords finish(const Lane& own, const Step& step, unsigned h) {
    const MatrixTarget& target = own.target[h];
    FourWords result;
    NTTF_GPU_UNROLL
    for (unsigned c = 0; c < 4; ++c) {
      const auto byte = [&](unsigned b) { return own.sum[c / 2][b][2 * (c % 2) + h]; };
      std::uint64_t sum = byte(0) + (byte(1) << 8);
      sum += std::uint64_t{byte(2) + (byte(3) << 8)} << 16;
      if (takes_own(step)) sum += std::uint64_t{own.own[h].words[c]} * target.own;
      result.words[c] = NarrowTiles::reduced(sum, target.q, target.inverse);
      if (has_addend(own)) {
        const std::uint32_t more = result.words[c] + own.addend[h].words[c], less = more - target.q;
        result.words[c] = more < less ? more : less;
      }
    }
    return result;
  }

 private:
  /// Loads what belongs to the targets of group j, and begins their sums with the offset's halves.
  static NTTF_HD void begin_sums(Lane& own, unsigned lane, const Step& step, std::uint32_t j) {
    NTTF_GPU_UNROLL
    for (unsigned h = 0; h < 2; ++h) {
      const std::uint32_t row = row_of(lane, j, h), count = step.target_count;
      if (takes_own(step)) own.own[h] = four_of(own.rows.own, row, count, own.rows.log_n);
      if (has_addend(own)) own.addend[h] = four_of(own.rows.addend, row, count, own.rows.log_n);
      own.target[h] = load_packed(step.matrix.targets + row);
      NTTF_GPU_UNROLL
      for (unsigned m = 0; m < 2; ++m) {
        NTTF_GPU_UNROLL
        for (unsigned i = h; i < 4; i += 2) {
          own.sum[m][0][i] = own.target[h].offset & 0xFFFF;
          own.sum[m][2][i] = own.target[h].offset >> 16;
          own.sum[m][1][i] = own.sum[m][3][i] = 0;
        }
      }
    }
  }
};

/// One step, or several at once.
template <class CallOf, unsigned kGroupsOf, Correction kCorrection, Beside kBeside>
struct MatrixTile : CallOf {
  using Call = CallOf;
  using Work = MatrixWork<kGroupsOf, kCorrection, kBeside>;
  using State = typename Work::Lane;
  static constexpr unsigned kGroups = kGroupsOf;

  /// Columns `column` ... + 31 of an item, and of its targets the groups part, part + parts ...
  template <class Warp>
  NTTF_HD void operator()(Warp& warp, std::uint32_t column, std::uint32_t item, std::uint32_t part,
                          std::uint32_t part_count) const {
    const TileStep<NarrowTiles>& step = this->step_of(item);
    const std::uint32_t member = Call::kSteps == 1 ? item : item / this->steps_used;
    const auto lane_of = [](auto& state) -> auto& { return state; };
    warp.each([&](unsigned lane, State& state) {
      state.rows = this->rows(step, member, item, column + lane / 4 * 4);
      Work::load(state, lane, step, part == 0 && state.rows.copies != nullptr);
    });
    Work::begin(warp, lane_of, step, part == 0);
    const std::uint32_t groups = matrix_groups(step.target_count);
    for (std::uint32_t j = part; j < groups; j += part_count) {
      Work::multiply(warp, lane_of, step, j);
      if (j + part_count >= groups) warp.last_sums();
      warp.each([&](unsigned lane, const State& state) {
        NTTF_GPU_UNROLL
        for (unsigned h = 0; h < 2; ++h) {
          const std::uint32_t row = Work::row_of(lane, j, h);
          const FourWords result = Work::finish(state, step, h);
          const std::uint32_t at = row < step.kept_at ? row : row + step.kept;
          if (row < step.target_count)
            *reinterpret_cast<FourWords*>(state.rows.out + (at << state.rows.log_out)) = result;
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
  using First = MatrixWork<kFirst, Correction::none, Beside::own>;
  using Second = MatrixWork<kSecond, Correction::other, Beside::nothing>;
  struct State {
    typename First::Lane first;
    typename Second::Lane second;
  };

  template <class Warp>
  NTTF_HD void operator()(Warp& warp, std::uint32_t column, std::uint32_t item) const {
    const TileStep<NarrowTiles>&from = first.steps[0], &to = second.steps[0];
    const auto first_of = [](auto& state) -> auto& { return state.first; };
    const auto second_of = [](auto& state) -> auto& { return state.second; };
    warp.each([&](unsigned lane, State& state) {
      state.first.rows = first.rows(from, item, item, column + lane / 4 * 4);
      First::load(state.first, lane, from, false);
    });
    First::begin(warp, first_of, from, false);
    const std::uint32_t between = matrix_groups(from.target_count);
    NTTF_GPU_UNROLL
    for (unsigned j = 0; j < kSecond; ++j) {
      // The correction may be the only source of the last group.
      const bool there = j + 1 < kSecond || j < between;
      if (there) First::multiply(warp, first_of, from, j);
      warp.each([&](unsigned, State& state) {
        NTTF_GPU_UNROLL
        for (unsigned h = 0; h < 2; ++h) {
          const FourWords result = there ? First::finish(state.first, from, h) : FourWords{};
          NTTF_GPU_UNROLL
          for (unsigned c = 0; c < 4; ++c) state.second.y[j][h][c] = result.words[c];
        }
      });
    }
    warp.each([&](unsigned lane, State& state) {
      state.second.rows = second.rows(to, item, item, column + lane / 4 * 4);
    });
    Second::begin(warp, second_of, to, true);
    const std::uint32_t groups = matrix_groups(to.target_count);
    for (std::uint32_t j = 0; j < groups; ++j) {
      Second::multiply(warp, second_of, to, j);
      if (j + 1 == groups) warp.last_sums();
      warp.each([&](unsigned lane, const State& state) {
        NTTF_GPU_UNROLL
        for (unsigned h = 0; h < 2; ++h) {
          const std::uint32_t row = Second::row_of(lane, j, h);
          const FourWords result = Second::finish(state.second, to, h);
          if (row < to.target_count)
            *reinterpret_cast<FourWords*>(state.second.rows.out + (row << state.second.rows.log_out)) =
                result;
        }
      });
    }
  }
};

}  // namespace nttforge::cuda
