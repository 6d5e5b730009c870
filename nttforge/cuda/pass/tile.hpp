// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/cuda/pass/traits.hpp"

// Which data the threads of a pass (pass.hpp) work on.

namespace nttforge::cuda {

template <class T>
NTTF_HD unsigned size_of(const typename T::Args& args) {
  return T::kLogN != 0 ? T::kLogN : args.log_n;
}
template <class T>
NTTF_HD unsigned first_stage_of(const typename T::Args& args) {
  return T::kLogN != 0 ? T::kFirstStage : args.first_stage;
}

/// Position of a thread's tile in the data.
template <class T>
struct PassTile {
  unsigned thread, rank, shared_base, high, low, limb, member;  ///< member: of the batch
  unsigned log_low;
  bool inside;             ///< false: past the last polynomial
  std::size_t polynomial;  ///< first word

  NTTF_HD PassTile(const Place& at, const typename T::Args& args) {
    rank = at.rank;
    thread = at.thread & ((1u << T::kLogTileThreads) - 1);
    const unsigned transform = at.thread >> T::kLogTileThreads;
    shared_base = transform * T::kTileWords;
    std::uint32_t index, b;
    if constexpr (T::kLogTransforms != 0) {
      index = (at.cluster << T::kLogTransforms) + transform;
      inside = index < args.limbs_here * args.batch;
      b = index / args.limbs_here;
      limb = args.first_limb + index - b * args.limbs_here;
      high = low = log_low = 0;
    } else {
      // Tiles of a polynomial, then its batch, then limbs: blocks that run together share twiddles.
      // Every other pass goes backwards: it begins with what the pass before wrote last, still in the
      // cache.
      const unsigned log_tiles = size_of<T>(args) - T::kLogTile - T::kLogNeighbours;
      std::uint32_t rows = args.limbs_here * args.batch;
      if constexpr (T::kDigits) rows = args.rows.count(args.limb_count);
      const std::uint32_t cluster = T::kBackwards ? (rows << log_tiles) - 1 - at.cluster : at.cluster;
      index = cluster >> log_tiles;
      inside = true;
      if constexpr (T::kDigits) {
        args.rows.find(index, limb, b);
      } else {
        const std::uint32_t limb_here = args.batch == 1 ? index : index / args.batch;
        limb = args.first_limb + limb_here;
        b = index - limb_here * args.batch;
      }
      const std::uint32_t tile = cluster & ((1u << log_tiles) - 1);
      log_low = T::kContiguous ? 0 : size_of<T>(args) - first_stage_of<T>(args) - T::kStages;
      high = T::kContiguous ? tile << T::kLogNeighbours : tile >> (log_low - T::kLogColumns);
      low = T::kContiguous ? 0 : (tile << T::kLogColumns) & ((1u << log_low) - 1);
    }
    member = b;
    polynomial = (std::size_t{b} * args.limb_count + limb) << (size_of<T>(args) + T::kLogParts);
  }
  /// Word of the polynomial at index `i` of the whole tile (stages and columns).
  NTTF_HD std::uint32_t word(std::uint32_t i) const {
    if constexpr (T::kContiguous) return (high << T::kLogTile) + i;
    return (high << (T::kStages + log_low)) + low + word_offset(i);
  }
  /// word(i + j) = word(i) + word_offset(j) if i and j have no bit in common.
  NTTF_HD std::uint32_t word_offset(std::uint32_t i) const {
    if constexpr (T::kContiguous) return i;
    return ((i >> T::kLogColumns) << log_low) + (i & ((1u << T::kLogColumns) - 1));
  }
};

/// The group of sub-butterfly m of a thread and its first index; later ones are 2^log_stride apart.
struct PassPosition {
  unsigned group;  ///< within the tile
  unsigned index;  ///< in the block's part of the tile; round 0 of a cluster: in the whole tile
};
template <class T, unsigned kRound>
NTTF_HD PassPosition position_of(const PassTile<T>& tile, unsigned m) {
  constexpr unsigned kStride = T::log_stride(kRound), kRadix = T::kRounds.radix[kRound];
  if constexpr (kRound == 0 && T::kLogNeighbours == 0) {
    return {0, (((m << T::kLogCluster) + tile.rank) << T::kLogTileThreads) + tile.thread};
  } else {
    const unsigned v = (m << T::kLogTileThreads) + tile.thread;
    constexpr unsigned kLogBlocks = T::kLogTileThreads > kStride ? T::kLogTileThreads - kStride : 0;
    unsigned block = v >> kStride;
    if constexpr (!T::kArranged)
      block = spread_sub_block<kLogBanks<typename T::Value>, kStride, kRadix, kLogBlocks>(block);
    const unsigned offset = v & ((1u << kStride) - 1);
    constexpr unsigned kGroupBits = T::kRounds.first[kRound] - T::kLogCluster;
    return {(tile.rank << kGroupBits) + block, (block << (kStride + kRadix)) + offset};
  }
}

}  // namespace nttforge::cuda
