// SPDX-License-Identifier: Apache-2.0
#pragma once

// From places of a queue to the call of a tile kernel.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "nttforge/cuda/device/conversion.hpp"
#include "nttforge/cuda/device/gpu_launch.hpp"
#include "nttforge/cuda/tile/convert.hpp"
#include "nttforge/cuda/tile/matrix_shapes.hpp"
#include "nttforge/cuda/tile/shapes.hpp"

namespace nttforge::cuda {

template <class Word>
bool has_words(ConstWordPtr words) {
  return words == nullptr || words.word_bits() == 8 * sizeof(Word);
}
template <class Word>
TileRead<Word> tile_read(BatchRows rows) {
  return {rows.words.as<Word>(), rows.stride};
}
template <class Word>
TileWrite<Word> tile_write(OutRows rows) {
  return {rows.words.as<Word>(), rows.stride};
}

/// Whether threads may move `count` words at once.
template <class Rows>
bool moves_together(const Rows& rows, std::size_t count) {
  if (rows.words == nullptr) return true;
  const std::size_t bytes = count * rows.words.word_bits() / 8;
  return reinterpret_cast<std::uintptr_t>(rows.words.address()) % bytes == 0 && rows.stride % count == 0;
}
/// Rows as wide as tiles may take them: n, or 1 where words must be moved one by one.
inline bool moves_together(const Conversion& rows, std::size_t count) {
  return moves_together(rows.sources, count) && moves_together(BatchRows{rows.second, 0}, count) &&
         moves_together(rows.own, count) && moves_together(rows.out, count) &&
         moves_together(rows.copies, count) && moves_together(rows.addend, count);
}
inline std::size_t width_of(const Conversion& rows, std::size_t n) {
  constexpr std::size_t kMost = 2;
  return moves_together(rows, kMost) ? n : 1;
}
/// Whether the places of a step suit products of matrices.
inline bool suits_matrix(const Conversion& rows, std::size_t n) {
  return n >= kMatrixColumns && moves_together(rows, 4);
}

/// The call of a step's tiles; none if the step or the words are not theirs.
template <class Arith>
std::optional<TileCall<Arith>> tile_call(const std::optional<TileStep<Arith>>& step, const Conversion& rows,
                                         std::size_t n, std::size_t batch) {
  using Word = typename Arith::Word;
  if (!step || !has_words<Word>(rows.sources.words) || !has_words<Word>(rows.own.words) ||
      !has_words<Word>(rows.out.words) || !has_words<Word>(rows.copies.words) ||
      !has_words<Word>(rows.addend.words))
    return {};
  // Copied rows have one place, and no sum.
  if (step->kept != 0 && (rows.copies.words != nullptr || rows.addend_parts != 0)) return {};
  TileCall<Arith> call{{*step}};
  call.sources = tile_read<Word>(rows.sources);
  if (rows.second != nullptr) {
    call.second = rows.second.as<Word>();
    call.split = static_cast<std::uint32_t>(rows.split);
  }
  call.own = tile_read<Word>(rows.own);
  call.addend = tile_read<Word>(rows.addend);
  call.out = tile_write<Word>(rows.out);
  call.copies = tile_write<Word>(rows.copies);
  call.exceeded = write(rows.exceeded);
  call.log_n = static_cast<std::uint32_t>(std::countr_zero(n));
  call.items = static_cast<std::uint32_t>(batch);
  call.addend_parts = static_cast<std::uint32_t>(rows.addend_parts);
  call.parts = static_cast<std::uint32_t>(rows.parts);
  return call;
}

template <class Call>
void GpuQueue::run_tiles(const Call& call, TileShape shape, Correction correction) const {
  runtime_.launch(ordinal_, "step between bases", [&] {
    if (ordinal_ >= 0) return enqueue_tiles(call, shape, correction, stream());
    return with_tile_kernel(call, shape, correction,
                            [](const auto& kernel) { return tiles_on_host(kernel); });
  });
}

template <class Call>
void GpuQueue::run_matrix(const Call& call, std::uint32_t parts, Correction correction) const {
  runtime_.launch(ordinal_, "step between bases", [&] {
    if (ordinal_ >= 0) return enqueue_matrix(call, parts, correction, stream());
    return with_matrix_kernel(call, correction,
                              [&](const auto& kernel) { return matrix_on_host(kernel, parts); });
  });
}

}  // namespace nttforge::cuda
