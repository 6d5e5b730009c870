// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which steps are products of matrices of bytes, their kernels by the count of sources, and their run on the
// host.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "nttforge/cuda/tile/matrix.hpp"
#include "nttforge/cuda/tile/shapes.hpp"

namespace nttforge::cuda {

/// Into how many parts the targets of a step are cut, each with warps of its own, though each part loads the
/// sources again: as many as give every multiprocessor kWarps warps; where there are more warps than a card
/// runs at once, as many as end together. sources: groups of them; more than two make the loads of parts too
/// dear.
inline std::uint32_t matrix_parts(std::size_t coefficients, std::uint32_t targets, std::uint32_t sources) {
  constexpr std::size_t kWarps = 132 * 8, kAtOnce = 132 * 24;
  constexpr double kLoading = 0.1;  // of the sources, beside the work of all targets
  const std::size_t warps = std::max<std::size_t>(coefficients / kMatrixColumns, 1);
  const std::uint32_t groups = std::max<std::uint32_t>(matrix_groups(targets), 1);
  if (warps <= kAtOnce || sources > 2)
    return static_cast<std::uint32_t>(std::clamp<std::size_t>(kWarps / warps, 1, groups));
  const auto cost = [&](std::uint32_t parts) {
    const auto turns = static_cast<double>((warps * parts + kAtOnce - 1) / kAtOnce);
    return turns * (static_cast<double>((groups + parts - 1) / parts) / groups + kLoading);
  };
  std::uint32_t best = 1;
  for (std::uint32_t parts = 2; parts <= groups; ++parts)
    if (cost(parts) < cost(best)) best = parts;
  return best;
}

/// Groups of sources of every step of a call; 0 if they differ, or if a step is not a product of matrices.
template <unsigned kSteps>
std::uint32_t matrix_groups_of(const TileCall<NarrowTiles, kSteps>& call) {
  const std::uint32_t groups = call.steps[0].matrix.groups;
  for (std::uint32_t i = 1; i < call.steps_used; ++i)
    if (call.steps[i].matrix.groups != groups) return 0;
  return groups;
}

/// Whether the step of a call, with what the call adds, is a product of matrices: beside a correction modulo
/// a number there are neither own words nor addends.
template <class Call>
bool has_words_beside(const Call& call) {
  return Call::kSteps == 1 && (call.steps[0].takes_own || call.addend_parts != 0);
}
template <class Call>
bool is_matrix(const Call& call, Correction correction) {
  return matrix_groups_of(call) != 0 &&
         (correction == Correction::none || correction == Correction::fractions || !has_words_beside(call));
}

/// Calls body(kernel) with the kernel of a call that is_matrix(); returns what it returns.
template <class Call, class Body>
int with_matrix_kernel(const Call& call, Correction correction, const Body& body) {
  const std::uint32_t groups = matrix_groups_of(call);
  int result = 0;
  const auto try_groups = [&]<unsigned kGroups>() {
    if (groups != kGroups) return;
    if constexpr (Call::kSteps == 1) {
      if (correction == Correction::power)
        result = body(MatrixTile<Call, kGroups, Correction::power, Beside::nothing>{call});
      if (correction == Correction::other)
        result = body(MatrixTile<Call, kGroups, Correction::other, Beside::nothing>{call});
      if (correction == Correction::fractions)
        result = has_words_beside(call)
                     ? body(MatrixTile<Call, kGroups, Correction::fractions, Beside::any>{call})
                     : body(MatrixTile<Call, kGroups, Correction::fractions, Beside::nothing>{call});
      if (correction == Correction::none && has_words_beside(call))
        result = body(MatrixTile<Call, kGroups, Correction::none, Beside::any>{call});
    }
    if (correction == Correction::none && !has_words_beside(call))
      result = body(MatrixTile<Call, kGroups, Correction::none, Beside::nothing>{call});
  };
  [&]<unsigned... kLess>(std::integer_sequence<unsigned, kLess...>) {
    (try_groups.template operator()<kLess + 1>(), ...);
  }(std::make_integer_sequence<unsigned, kMostMatrixGroups>{});
  return result;
}

/// Whether a chain is one launch of products: the words between its steps are at most a group more than its
/// sources, as BEHZ's are.
inline bool is_matrix_chain(const ChainCall<NarrowTiles>& call) {
  const std::uint32_t from = matrix_groups_of(call.first), to = matrix_groups_of(call.second);
  return from != 0 && (to == from || to == from + 1) && is_matrix(call.second, Correction::other) &&
         call.first.steps[0].takes_own;
}
template <class Body>
int with_matrix_chain(const ChainCall<NarrowTiles>& call, const Body& body) {
  const std::uint32_t from = matrix_groups_of(call.first), to = matrix_groups_of(call.second);
  int result = 0;
  const auto try_groups = [&]<unsigned kFrom>() {
    if (from != kFrom) return;
    if (to == kFrom) result = body(MatrixChain<kFrom, kFrom>{call});
    if constexpr (kFrom < kMostMatrixGroups) {
      if (to == kFrom + 1) result = body(MatrixChain<kFrom, kFrom + 1>{call});
    }
  };
  [&]<unsigned... kLess>(std::integer_sequence<unsigned, kLess...>) {
    (try_groups.template operator()<kLess + 1>(), ...);
  }(std::make_integer_sequence<unsigned, kMostMatrixGroups>{});
  return result;
}

template <class Kernel>
int matrix_on_host(const Kernel& kernel, std::uint32_t parts) {
  for (std::uint32_t item = kernel.first_item; item < kernel.first_item + kernel.items; ++item)
    for (std::uint32_t part = 0; part < parts; ++part)
      for (std::uint32_t column = 0; column >> kernel.log_n == 0; column += kMatrixColumns) {
        HostWarp<typename Kernel::State> warp;
        kernel(warp, column, item, part, parts);
      }
  return 0;
}
template <class Kernel>
int matrix_chain_on_host(const Kernel& kernel) {
  for (std::uint32_t item = 0; item < kernel.first.items; ++item)
    for (std::uint32_t column = 0; column >> kernel.first.log_n == 0; column += kMatrixColumns) {
      HostWarp<typename Kernel::State> warp;
      kernel(warp, column, item);
    }
  return 0;
}

/// Enqueues every warp; returns a CUDA error code.
template <class Call>
int enqueue_matrix(const Call& call, std::uint32_t parts, Correction correction, void* stream);
int enqueue_matrix_chain(const ChainCall<NarrowTiles>& call, void* stream);

#define NTTF_MATRICES(apply) apply(TileCall<NarrowTiles>) apply(TileCall<NarrowTiles, kTileSteps>)
#define NTTF_INSTANTIATE_MATRIX(...) \
  template int enqueue_matrix(const __VA_ARGS__&, std::uint32_t, Correction, void*);

}  // namespace nttforge::cuda
