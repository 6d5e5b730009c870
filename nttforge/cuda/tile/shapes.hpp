// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tiles of steps between bases there are, and which one a launch takes: the one place for both.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "nttforge/cuda/tile/chain.hpp"
#include "nttforge/cuda/tile/convert.hpp"

namespace nttforge::cuda {

struct TileShape {
  unsigned coefficients = 1, targets = 4;
  unsigned blocks = 1;  ///< that a multiprocessor should hold: what limits a thread's registers
  friend bool operator==(TileShape, TileShape) = default;
};

/// What a thread does for one source, in instructions: targets and coefficients each cost a product; a
/// coefficient its scaling; a target its share of a constant's load. And what else there is to do.
struct TileCosts {
  double product, scaling, constant, other;
};

template <class Arith>
struct TileShapes;
template <>
struct TileShapes<NarrowTiles> {
  static constexpr TileShape kAll[] = {{1, 4, 8}, {1, 8, 8}, {2, 8, 6}, {2, 12, 5}};
  static constexpr TileCosts kCosts{1, 4, 0.25, 2};
};
template <>
struct TileShapes<SplitTiles> {
  static constexpr TileShape kAll[] = {{1, 4, 8}, {1, 8, 4}, {2, 8, 3}};
  static constexpr TileCosts kCosts{3.2, 16, 0.5, 2};
};
template <>
struct TileShapes<WholeTiles> {
  static constexpr TileShape kAll[] = {{1, 4, 8}, {1, 8, 5}, {2, 4, 5}};
  static constexpr TileCosts kCosts{8, 16, 0.5, 2};
};

/// The shape with the least work for `coefficients` coefficients in all and rows of n words, on a card that
/// runs kThreadsAtOnce threads at full speed: fewer cost as much.
template <class Arith>
TileShape choose_tile_shape(std::size_t coefficients, std::size_t n, std::uint32_t targets) {
  constexpr double kThreadsAtOnce = 132 * 512;
  constexpr TileCosts kCosts = TileShapes<Arith>::kCosts;
  TileShape best{};
  double least = std::numeric_limits<double>::infinity();
  for (const TileShape shape : TileShapes<Arith>::kAll) {
    if (n < shape.coefficients) continue;
    const std::uint32_t tiles = (targets + shape.targets - 1) / shape.targets;
    const double threads =
        static_cast<double>(coefficients) * tiles / static_cast<double>(shape.coefficients);
    const double each = shape.coefficients * (shape.targets * kCosts.product + kCosts.scaling) +
                        shape.targets * kCosts.constant + kCosts.other;
    const double cost = std::max(1.0, threads / kThreadsAtOnce) * each;
    if (cost < least) least = cost, best = shape;
  }
  return best;
}

/// Calls body(kernel) with the kernel of a shape of the list and a correction; returns what it returns.
/// Several steps at once have no corrections.
template <class Call, class Body>
int with_tile_kernel(const Call& call, TileShape shape, Correction correction, const Body& body) {
  constexpr auto& kAll = TileShapes<typename Call::Arith>::kAll;
  int result = 0;
  const auto try_shape = [&]<std::size_t kAt>() {
    constexpr unsigned kCoefficients = kAll[kAt].coefficients, kTargets = kAll[kAt].targets;
    if (shape != kAll[kAt]) return;
    if constexpr (Call::kSteps == 1) {
      if (correction == Correction::power)
        result = body(ConvertTile<Call, kCoefficients, kTargets, Correction::power>{call});
      if (correction == Correction::other)
        result = body(ConvertTile<Call, kCoefficients, kTargets, Correction::other>{call});
    }
    if (correction == Correction::none)
      result = body(ConvertTile<Call, kCoefficients, kTargets, Correction::none>{call});
  };
  [&]<std::size_t... kAt>(std::index_sequence<kAt...>) {
    (try_shape.template operator()<kAt>(), ...);
  }(std::make_index_sequence<std::size(kAll)>{});
  return result;
}

template <class Kernel>
constexpr unsigned tile_blocks() {
  for (const TileShape shape : TileShapes<typename Kernel::Arith>::kAll)
    if (shape.coefficients == Kernel::kCoefficients && shape.targets == Kernel::kTargets) return shape.blocks;
  return 1;
}

/// Whether two steps are one launch: where the second launch would cost more than the better shapes of two
/// kernels save. Returns the targets of its tiles, 0 for no.
inline unsigned chain_targets(std::size_t coefficients, std::uint32_t most_targets) {
  constexpr std::size_t kMostCoefficients = std::size_t{1} << 15;
  if (coefficients > kMostCoefficients || most_targets > 32) return 0;
  return most_targets <= 8 ? 4 : 8;
}
template <class Arith, class Body>
int with_chain_kernel(const ChainCall<Arith>& call, unsigned targets, const Body& body) {
  return targets == 4 ? body(ConvertChain<Arith, 4>{call}) : body(ConvertChain<Arith, 8>{call});
}

/// Enqueues every tile; returns a CUDA error code.
template <class Call>
int enqueue_tiles(const Call& call, TileShape shape, Correction correction, void* stream);

/// The same for two steps.
template <class Arith>
int enqueue_chain(const ChainCall<Arith>& call, unsigned targets, void* stream);

/// Digits that one launch makes.
inline constexpr unsigned kTileSteps = 24;
#define NTTF_INSTANTIATE_TILES(...) \
  template int enqueue_tiles(const __VA_ARGS__&, TileShape, Correction, void*);
#define NTTF_TILES_OF(apply, Arith)                                                     \
  apply(TileCall<Arith>) apply(TileCall<Arith, kTileSteps>) template int enqueue_chain( \
      const ChainCall<Arith>&, unsigned, void*);

}  // namespace nttforge::cuda
