// SPDX-License-Identifier: Apache-2.0
#pragma once

// A step between bases (rns/step.hpp) as a product of matrices: a thread holds the sums of kTargets targets
// of kCoefficients neighbouring coefficients in registers, and every source that it loads serves all of them.
//
//                 sources x_i [S][n]
//                     | kCoefficients words, scaled once
//                     v
//   factors  ->  sums [kTargets][kCoefficients]  ->  out_j [T][n]
//   [S][kTargets], from shared memory
//
// A block has the same targets for all its threads: their constants are copied to shared memory before the
// kernel waits for the one before it (tile/launch.cuh). The host reads them where they are.

#include <cstddef>
#include <cstdint>

#include "nttforge/cuda/device/operations.hpp"
#include "nttforge/cuda/tile/arith.hpp"
#include "nttforge/cuda/tile/matrix_step.hpp"

namespace nttforge::cuda {

inline constexpr unsigned kTileThreads = 128;
/// Tables are padded to a multiple of every kTargets that there is.
inline constexpr std::uint32_t kTilePadding = 24;

/// How the correction c of a step is made: none, modulo 2^32, modulo another p, by fractions, which only
/// products of matrices take.
enum class Correction : std::uint8_t { none, power, other, fractions };

/// Constants of a step in the device's memory.
template <class Arith>
struct TileStep {
  const typename Arith::Source* sources = nullptr;
  const typename Arith::Factor* factors = nullptr;     ///< [sources][padded targets]
  const typename Arith::Target* targets = nullptr;     ///< [padded targets]
  const typename Arith::Target* correction = nullptr;  ///< of p, where it is not 2^32
  MatrixStep matrix{};                                 ///< of 32-bit words, if the step is one for it
  std::uint64_t limit = 0;
  std::uint32_t source_count = 0, target_count = 0, padded_targets = 0;
  std::uint32_t first_products = 0, next_products = 0;  ///< before sums are folded, first and afterwards
  std::uint32_t first_source = 0;                       ///< row of source 0 in a polynomial
  /// Output rows kept_at ... kept_at + kept - 1 are the sources; the targets are the others, in order.
  std::uint32_t kept_at = 0, kept = 0;
  bool scaled = false, takes_own = false;
};

/// What a block of threads reads from shared memory, beginning at its first target.
template <class Arith>
struct TileConstants {
  const typename Arith::Source* sources;
  const typename Arith::Factor* factors;
  const typename Arith::Target* targets;
  std::uint32_t factor_stride;
};

/// Where a thread finds its coefficients: rows are 2^log words apart. Null: there are none.
template <class Word>
struct TileRows {
  const Word* sources;
  std::uint32_t log_sources;
  Word* out;
  std::uint32_t log_out;
  std::uint32_t log_n = 0;  ///< of the others
  const Word* own = nullptr;
  const Word* addend = nullptr;
  Word* copies = nullptr;
  WriteWords exceeded{};
};

/// The work of one thread.
template <class ArithOf, unsigned kCoefficientsOf, unsigned kTargetsOf, Correction kCorrection>
struct TileWork {
  using Arith = ArithOf;
  using Word = typename Arith::Word;
  using Sum = typename Arith::Sum;
  using Digit = typename Arith::Digit;
  using Step = TileStep<Arith>;
  using Constants = TileConstants<Arith>;
  using Rows = TileRows<Word>;
  static constexpr unsigned kCoefficients = kCoefficientsOf, kTargets = kTargetsOf, kAhead = 4;

  struct alignas(kCoefficients * sizeof(Word)) Vector {
    Word words[kCoefficients];
  };

  /// The outputs of a tile. sums_done() is called when nothing but the outputs is left to do.
  template <class Done>
  static NTTF_HD void run(const Step& step, const Constants& constants, std::uint32_t tile, const Rows& rows,
                          const Done& sums_done) {
    const std::uint32_t first = tile * kTargets, count = step.source_count;
    if (rows.copies != nullptr) copy_sources(step, rows, tile);
    Sum sum[kTargets][kCoefficients];
    begin(sum, step, constants, first, rows);
    Corrections correction;
    std::uint32_t end = step.first_products < count ? step.first_products : count;
    for (std::uint32_t i = 0;;) {
      for (; i + kAhead <= end; i += kAhead)
        add_sources<true>(sum, correction, step, constants, rows, i, end);
      if (i < end) add_sources<false>(sum, correction, step, constants, rows, i, end);
      i = end;
      if (i == count) break;
      NTTF_GPU_UNROLL
      for (unsigned j = 0; j < kTargets; ++j) {
        NTTF_GPU_UNROLL
        for (unsigned c = 0; c < kCoefficients; ++c) Arith::fold(sum[j][c], constants.targets[j]);
      }
      if constexpr (kCorrection == Correction::other) {
        NTTF_GPU_UNROLL
        for (unsigned c = 0; c < kCoefficients; ++c) Arith::fold(correction.other[c], *step.correction);
      }
      end = count - i < step.next_products ? count : i + step.next_products;
    }

    sums_done();
    Word size[kCoefficients] = {};
    bool negative[kCoefficients] = {};
    correct(correction, step, size, negative, tile == 0 ? rows.exceeded : WriteWords{});
    NTTF_GPU_UNROLL
    for (unsigned j = 0; j < kTargets; ++j) {
      const std::uint32_t row = first + j;
      if (row >= step.target_count) break;
      const typename Arith::Target& target = constants.targets[j];
      Vector result;
      NTTF_GPU_UNROLL
      for (unsigned c = 0; c < kCoefficients; ++c) {
        if constexpr (kCorrection != Correction::none) {
          const Word excess = negative[c] ? modulus_of(target) - target.excess : target.excess;
          Arith::add(sum[j][c], Arith::digit(size[c]), Arith::factor(excess));
        }
        result.words[c] = Arith::finish(sum[j][c], target);
      }
      *reinterpret_cast<Vector*>(rows.out + (row_of(step, row) << rows.log_out)) = result;
    }
  }

 private:
  /// Sums of the corrections: modulo 2^32, or another p.
  struct Corrections {
    std::uint32_t power[kCoefficients] = {};
    Sum other[kCoefficients] = {};
  };

  static NTTF_HD Word modulus_of(const typename Arith::Target& t) {
    if constexpr (Arith::kMontgomeryBits != 0)
      return t.q;
    else
      return t.modulus.q;
  }
  static NTTF_HD std::size_t row_of(const TileStep<Arith>& step, std::uint32_t j) {
    return j < step.kept_at ? j : j + step.kept;
  }

  /// Offsets, own words and addends.
  static NTTF_HD void begin(Sum (&sum)[kTargets][kCoefficients], const Step& step, const Constants& constants,
                            std::uint32_t first, const Rows& rows) {
    NTTF_GPU_UNROLL
    for (unsigned j = 0; j < kTargets; ++j) {
      NTTF_GPU_UNROLL
      for (unsigned c = 0; c < kCoefficients; ++c) {
        sum[j][c] = {};
        Arith::add(sum[j][c], Arith::digit(1), Arith::factor(constants.targets[j].offset));
      }
    }
    const auto add_words = [&](const Word* from, const auto& constant) {
      Vector words[kTargets];
      NTTF_GPU_UNROLL
      for (unsigned j = 0; j < kTargets; ++j) {
        const std::uint32_t row = first + j < step.target_count ? first + j : step.target_count - 1;
        words[j] = *reinterpret_cast<const Vector*>(from + (std::size_t{row} << rows.log_n));
      }
      NTTF_GPU_UNROLL
      for (unsigned j = 0; j < kTargets; ++j) {
        if (first + j >= step.target_count) break;
        NTTF_GPU_UNROLL
        for (unsigned c = 0; c < kCoefficients; ++c)
          Arith::add(sum[j][c], Arith::digit(words[j].words[c]),
                     Arith::factor(constant(constants.targets[j])));
      }
    };
    if (step.takes_own) add_words(rows.own, [](const auto& target) { return target.own; });
    if (rows.addend != nullptr) add_words(rows.addend, [](const auto& target) { return target.unit; });
  }

  /// The tiles of a polynomial copy its sources in turns.
  static NTTF_HD void copy_sources(const Step& step, const Rows& rows, std::uint32_t tile) {
    const std::uint32_t turns = (step.target_count + kTargets - 1) / kTargets;
    for (std::uint32_t i = tile; i < step.source_count; i += turns)
      *reinterpret_cast<Vector*>(rows.copies + (std::size_t{i} << rows.log_n)) =
          *reinterpret_cast<const Vector*>(rows.sources + (std::size_t{i} << rows.log_sources));
  }

  /// Adds the products of kAhead sources from i on, all of which are loaded first; kWhole: all are before
  /// `end`.
  template <bool kWhole>
  static NTTF_HD void add_sources(Sum (&sum)[kTargets][kCoefficients], Corrections& correction,
                                  const Step& step, const Constants& constants, const Rows& rows,
                                  std::uint32_t i, std::uint32_t end) {
    constexpr unsigned kPack = 16 / sizeof(typename Arith::Factor);
    struct alignas(16) Pack {
      typename Arith::Factor factors[kPack];
    };
    Vector y[kAhead];
    NTTF_GPU_UNROLL
    for (unsigned a = 0; a < kAhead; ++a) {
      const std::uint32_t row = kWhole || i + a < end ? i + a : end - 1;
      y[a] = *reinterpret_cast<const Vector*>(rows.sources + (std::size_t{row} << rows.log_sources));
    }
    if (step.scaled) {
      NTTF_GPU_UNROLL
      for (unsigned a = 0; a < kAhead; ++a) {
        const typename Arith::Source& source = constants.sources[kWhole || i + a < end ? i + a : i];
        NTTF_GPU_UNROLL
        for (unsigned c = 0; c < kCoefficients; ++c) y[a].words[c] = Arith::scaled(y[a].words[c], source);
      }
    }
    NTTF_GPU_UNROLL
    for (unsigned a = 0; a < kAhead; ++a) {
      if (!kWhole && i + a >= end) break;
      Digit digit[kCoefficients];
      NTTF_GPU_UNROLL
      for (unsigned c = 0; c < kCoefficients; ++c) {
        const Word word = y[a].words[c];
        digit[c] = Arith::digit(word);
        if constexpr (kCorrection == Correction::power)
          correction.power[c] +=
              static_cast<std::uint32_t>(word) * static_cast<std::uint32_t>(constants.sources[i + a].weight);
        if constexpr (kCorrection == Correction::other)
          Arith::add(correction.other[c], digit[c], Arith::factor(constants.sources[i + a].weight));
      }
      const auto* const packs =
          reinterpret_cast<const Pack*>(constants.factors + std::size_t{i + a} * constants.factor_stride);
      NTTF_GPU_UNROLL
      for (unsigned j = 0; j < kTargets; j += kPack) {
        const Pack pack = packs[j / kPack];
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < kPack; ++k) {
          NTTF_GPU_UNROLL
          for (unsigned c = 0; c < kCoefficients; ++c) Arith::add(sum[j + k][c], digit[c], pack.factors[k]);
        }
      }
    }
  }

  /// |c| and its sign.
  static NTTF_HD void correct(const Corrections& correction, const Step& step, Word (&size)[kCoefficients],
                              bool (&negative)[kCoefficients], const WriteWords& exceeded) {
    if constexpr (kCorrection == Correction::none) return;
    bool over = false;
    NTTF_GPU_UNROLL
    for (unsigned c = 0; c < kCoefficients; ++c) {
      if constexpr (kCorrection == Correction::power) {
        negative[c] = correction.power[c] >> 31 != 0;
        size[c] = negative[c] ? 0u - correction.power[c] : correction.power[c];
      } else if constexpr (kCorrection == Correction::other) {
        const Word p = modulus_of(*step.correction), r = Arith::finish(correction.other[c], *step.correction);
        negative[c] = r > (p - 1) / 2;
        size[c] = negative[c] ? p - r : r;
      }
      over = over || size[c] > step.limit;
    }
    if (over && exceeded.address != nullptr && step.limit != 0) exceeded.set(0, 1);
  }
};

}  // namespace nttforge::cuda
