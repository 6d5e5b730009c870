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
// kernel waits for the one before it (tile_launch.cuh). The host reads them where they are.

#include <cstddef>
#include <cstdint>

#include "nttforge/cuda/device/operations.hpp"
#include "nttforge/cuda/device/tile_arith.hpp"

namespace nttforge::cuda {

inline constexpr unsigned kTileThreads = 128;
/// Tables are padded to a multiple of every kTargets that there is.
inline constexpr std::uint32_t kTilePadding = 24;

/// How the correction c of a step is made: none, modulo 2^32, modulo another p.
enum class Correction : std::uint8_t { none, power, other };

/// Constants of a step in the device's memory.
template <class Arith>
struct TileStep {
  const typename Arith::Source* sources = nullptr;
  const typename Arith::Factor* factors = nullptr;  ///< [sources][padded targets]
  const typename Arith::Target* targets = nullptr;  ///< [padded targets]
  typename Arith::Target correction{};              ///< of p, where it is not 2^32
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
  std::uint32_t addend_parts = 0, parts = 1;  ///< as conversion.hpp has them
  std::uint32_t tiles = 0;                    ///< of the step with most targets, set at the launch

  std::uint32_t most_targets() const {
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < steps_used; ++i)
      if (steps[i].target_count > most) most = steps[i].target_count;
    return most;
  }
};

template <class CallOf, unsigned kCoefficientsOf, unsigned kTargetsOf, Correction kCorrection>
struct ConvertTile : CallOf {
  using Call = CallOf;
  using Arith = typename Call::Arith;
  using Word = typename Arith::Word;
  using Sum = typename Arith::Sum;
  using Digit = typename Arith::Digit;
  using Call::addend, Call::addend_parts, Call::copies, Call::exceeded, Call::log_n, Call::out, Call::own,
      Call::parts, Call::second, Call::sources, Call::split, Call::steps, Call::steps_used, Call::tiles;
  static constexpr unsigned kCoefficients = kCoefficientsOf, kTargets = kTargetsOf, kAhead = 4;

  struct alignas(kCoefficients * sizeof(Word)) Vector {
    Word words[kCoefficients];
  };

  NTTF_HD const TileStep<Arith>& step_of(std::uint32_t item) const {
    if constexpr (Call::kSteps == 1) return steps[0];
    return steps[item % steps_used];
  }

  /// Coefficients column ... column + kCoefficients - 1 of one tile of one item. sums_done() is called when
  /// only the outputs are left to do.
  template <class Done>
  NTTF_HD void operator()(const TileConstants<Arith>& constants, std::uint32_t tile, std::uint32_t column,
                          std::uint32_t item, const Done& sums_done) const {
    const TileStep<Arith>& step = step_of(item);
    const std::uint32_t member = Call::kSteps == 1 ? item : item / steps_used, first = tile * kTargets;
    const std::uint32_t count = step.source_count;
    const Word* const x = (member < split ? sources.words + member * sources.stride
                                          : second + (member - split) * sources.stride) +
                          (std::size_t{step.first_source} << log_n) + column;
    Word* const to = out.words + item * out.stride + column;
    Word* copy_to = copies.words != nullptr ? copies.words + item * copies.stride + column
                                            : to + (std::size_t{step.kept_at} << log_n);
    // The tiles of a polynomial copy its sources in turns.
    std::uint32_t next_copy = copies.words != nullptr || step.kept != 0 ? tile : count;

    Sum sum[kTargets][kCoefficients];
    begin(sum, step, constants, first, member, column);
    Sum other_sum[kCoefficients] = {};
    std::uint32_t power_sum[kCoefficients] = {};
    std::uint32_t end = step.first_products < count ? step.first_products : count;
    for (std::uint32_t i = 0; i < count;) {
      for (; i < end; i += kAhead) {
        Vector ahead[kAhead];
        NTTF_UNROLL
        for (unsigned a = 0; a < kAhead; ++a) {
          const std::uint32_t row = i + a < end ? i + a : end - 1;
          ahead[a] = *reinterpret_cast<const Vector*>(x + (std::size_t{row} << log_n));
        }
        NTTF_UNROLL
        for (unsigned a = 0; a < kAhead; ++a) {
          if (i + a >= end) break;
          if (i + a == next_copy) {
            *reinterpret_cast<Vector*>(copy_to + (std::size_t{i + a} << log_n)) = ahead[a];
            next_copy += tiles;
          }
          take(sum, other_sum, power_sum, ahead[a], step, constants, i + a);
        }
      }
      i = end;
      if (i == count) break;
      NTTF_UNROLL
      for (unsigned j = 0; j < kTargets; ++j) {
        NTTF_UNROLL
        for (unsigned c = 0; c < kCoefficients; ++c) Arith::fold(sum[j][c], constants.targets[j]);
      }
      if constexpr (kCorrection == Correction::other) {
        NTTF_UNROLL
        for (unsigned c = 0; c < kCoefficients; ++c) Arith::fold(other_sum[c], step.correction);
      }
      end = count - i < step.next_products ? count : i + step.next_products;
    }

    sums_done();
    Word size[kCoefficients] = {};
    bool negative[kCoefficients] = {};
    correct(other_sum, power_sum, step, tile, size, negative);
    NTTF_UNROLL
    for (unsigned j = 0; j < kTargets; ++j) {
      const std::uint32_t row = first + j;
      if (row >= step.target_count) break;
      const typename Arith::Target& target = constants.targets[j];
      Vector result;
      NTTF_UNROLL
      for (unsigned c = 0; c < kCoefficients; ++c) {
        if constexpr (kCorrection != Correction::none) {
          const Word excess = negative[c] ? modulus_of(target) - target.excess : target.excess;
          Arith::add(sum[j][c], Arith::digit(size[c]), Arith::factor(excess));
        }
        result.words[c] = Arith::finish(sum[j][c], target);
      }
      *reinterpret_cast<Vector*>(to + (row_of(step, row) << log_n)) = result;
    }
  }

 private:
  static NTTF_HD std::uint32_t modulus_of(const NarrowTiles::Target& t) { return t.q; }
  static NTTF_HD std::uint64_t modulus_of(const WideTarget& t) { return t.modulus.q; }
  static NTTF_HD std::size_t row_of(const TileStep<Arith>& step, std::uint32_t j) {
    return j < step.kept_at ? j : j + step.kept;
  }

  /// Offsets, own words and addends.
  NTTF_HD void begin(Sum (&sum)[kTargets][kCoefficients], const TileStep<Arith>& step,
                     const TileConstants<Arith>& constants, std::uint32_t first, std::uint32_t member,
                     std::uint32_t column) const {
    NTTF_UNROLL
    for (unsigned j = 0; j < kTargets; ++j) {
      NTTF_UNROLL
      for (unsigned c = 0; c < kCoefficients; ++c) {
        sum[j][c] = {};
        Arith::add(sum[j][c], Arith::digit(1), Arith::factor(constants.targets[j].offset));
      }
    }
    const auto add_rows = [&](const Word* rows, const auto& constant) {
      Vector words[kTargets];
      NTTF_UNROLL
      for (unsigned j = 0; j < kTargets; ++j) {
        const std::uint32_t row = first + j < step.target_count ? first + j : step.target_count - 1;
        words[j] = *reinterpret_cast<const Vector*>(rows + (std::size_t{row} << log_n));
      }
      NTTF_UNROLL
      for (unsigned j = 0; j < kTargets; ++j) {
        if (first + j >= step.target_count) break;
        NTTF_UNROLL
        for (unsigned c = 0; c < kCoefficients; ++c)
          Arith::add(sum[j][c], Arith::digit(words[j].words[c]),
                     Arith::factor(constant(constants.targets[j])));
      }
    };
    if (step.takes_own)
      add_rows(own.words + member * own.stride + column, [](const auto& target) { return target.own; });
    if (addend_parts == 0) return;
    const std::uint32_t object = member / parts, part = member - object * parts;
    if (part >= addend_parts) return;
    const std::size_t row = std::size_t{part} * step.target_count;
    add_rows(addend.words + object * addend.stride + (row << log_n) + column,
             [](const auto& target) { return target.unit; });
  }

  /// Adds the products of one source.
  NTTF_HD void take(Sum (&sum)[kTargets][kCoefficients], Sum (&other_sum)[kCoefficients],
                    std::uint32_t (&power_sum)[kCoefficients], const Vector& x, const TileStep<Arith>& step,
                    const TileConstants<Arith>& constants, std::uint32_t i) const {
    constexpr unsigned kPack = 16 / sizeof(typename Arith::Factor);
    struct alignas(16) Pack {
      typename Arith::Factor factors[kPack];
    };
    Digit digit[kCoefficients];
    const typename Arith::Source& source = constants.sources[i];
    NTTF_UNROLL
    for (unsigned c = 0; c < kCoefficients; ++c) {
      const Word y = step.scaled ? Arith::scaled(x.words[c], source) : x.words[c];
      digit[c] = Arith::digit(y);
      if constexpr (kCorrection == Correction::power)
        power_sum[c] += static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(source.weight);
      if constexpr (kCorrection == Correction::other)
        Arith::add(other_sum[c], digit[c], Arith::factor(source.weight));
    }
    const auto* const packs =
        reinterpret_cast<const Pack*>(constants.factors + std::size_t{i} * constants.factor_stride);
    NTTF_UNROLL
    for (unsigned j = 0; j < kTargets; j += kPack) {
      const Pack pack = packs[j / kPack];
      NTTF_UNROLL
      for (unsigned k = 0; k < kPack; ++k) {
        NTTF_UNROLL
        for (unsigned c = 0; c < kCoefficients; ++c) Arith::add(sum[j + k][c], digit[c], pack.factors[k]);
      }
    }
  }

  /// |c| and its sign.
  NTTF_HD void correct(const Sum (&other_sum)[kCoefficients], const std::uint32_t (&power_sum)[kCoefficients],
                       const TileStep<Arith>& step, std::uint32_t tile, Word (&size)[kCoefficients],
                       bool (&negative)[kCoefficients]) const {
    if constexpr (kCorrection == Correction::none) return;
    bool over = false;
    NTTF_UNROLL
    for (unsigned c = 0; c < kCoefficients; ++c) {
      if constexpr (kCorrection == Correction::power) {
        negative[c] = power_sum[c] >> 31 != 0;
        size[c] = negative[c] ? 0u - power_sum[c] : power_sum[c];
      } else if constexpr (kCorrection == Correction::other) {
        const Word p = modulus_of(step.correction), r = Arith::finish(other_sum[c], step.correction);
        negative[c] = r > (p - 1) / 2;
        size[c] = negative[c] ? p - r : r;
      }
      over = over || size[c] > step.limit;
    }
    if (over && exceeded.address != nullptr && step.limit != 0 && tile == 0) exceeded.set(0, 1);
  }
};

/// Runs every tile on the host.
template <class Kernel>
int tiles_on_host(Kernel kernel) {
  using Arith = typename Kernel::Arith;
  kernel.tiles = (kernel.most_targets() + Kernel::kTargets - 1) / Kernel::kTargets;
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
