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

/// Into how many parts the targets of a step are cut, each with warps of its own: as many as give every
/// multiprocessor kWarps warps, though each part loads the sources again.
inline std::uint32_t matrix_parts(std::size_t coefficients, std::uint32_t targets) {
  constexpr std::size_t kWarps = 132 * 8;
  const std::size_t warps = std::max<std::size_t>(coefficients / kMatrixColumns, 1);
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(kWarps / warps, 1, std::max<std::uint32_t>(matrix_groups(targets), 1)));
}

/// Groups of sources of every step of a call; 0 if they differ, or if a step is not a product of matrices.
template <unsigned kSteps>
std::uint32_t matrix_groups_of(const TileCall<NarrowTiles, kSteps>& call) {
  const std::uint32_t groups = matrix_groups(call.steps[0].source_count);
  for (std::uint32_t i = 0; i < call.steps_used; ++i)
    if (call.steps[i].matrix == nullptr || matrix_groups(call.steps[i].source_count) != groups) return 0;
  return groups;
}

/// Calls body(kernel) with the kernel of a step's sources and correction; returns what it returns.
template <class Call, class Body>
int with_matrix_kernel(const Call& call, std::uint32_t groups, Correction correction, const Body& body) {
  int result = 0;
  const auto try_groups = [&]<unsigned kGroups>() {
    if (groups != kGroups) return;
    if constexpr (Call::kSteps == 1) {
      if (correction == Correction::power)
        result = body(MatrixTile<Call, kGroups, Correction::power>{call});
      if (correction == Correction::other)
        result = body(MatrixTile<Call, kGroups, Correction::other>{call});
    }
    if (correction == Correction::none) result = body(MatrixTile<Call, kGroups, Correction::none>{call});
  };
  [&]<unsigned... kLess>(std::integer_sequence<unsigned, kLess...>) {
    (try_groups.template operator()<kLess + 1>(), ...);
  }(std::make_integer_sequence<unsigned, kMostMatrixGroups>{});
  return result;
}

/// Whether a chain is one launch of products: the words between its steps are at most a group more than its
/// sources, as BEHZ's are.
inline bool is_matrix_chain(const ChainCall<NarrowTiles>& call) {
  const TileStep<NarrowTiles>&first = call.first.steps[0], &second = call.second.steps[0];
  const std::uint32_t from = matrix_groups(first.source_count), to = matrix_groups(second.source_count);
  return first.matrix != nullptr && second.matrix != nullptr && (to == from || to == from + 1);
}
template <class Body>
int with_matrix_chain(const ChainCall<NarrowTiles>& call, const Body& body) {
  const std::uint32_t from = matrix_groups(call.first.steps[0].source_count),
                      to = matrix_groups(call.second.steps[0].source_count);
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
int enqueue_matrix(const Call& call, std::uint32_t groups, std::uint32_t parts, Correction correction,
                   void* stream);
int enqueue_matrix_chain(const ChainCall<NarrowTiles>& call, void* stream);

#define NTTF_MATRICES(apply) apply(TileCall<NarrowTiles>) apply(TileCall<NarrowTiles, kTileSteps>)
#define NTTF_INSTANTIATE_MATRIX(...) \
  template int enqueue_matrix(const __VA_ARGS__&, std::uint32_t, std::uint32_t, Correction, void*);

}  // namespace nttforge::cuda
