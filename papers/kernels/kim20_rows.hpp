// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "nttforge/cuda/arith/shoup32.hpp"
#include "nttforge/cuda/arith/shoup64.hpp"
#include "nttforge/cuda/block/host.hpp"
#include "papers/kernels/kim20_arith.hpp"
#include "papers/kernels/kim20_radix.hpp"
#include "papers/kernels/kim20_shared.hpp"
#ifdef __CUDACC__
#include "nttforge/cuda/block/device.cuh"
#endif

// Every kernel of [Kim20] that is measured and tested, by what it is made of.

namespace nttforge::cuda {

using Kim20Shoup64 = Kim20Shoup<Shoup64<4>>;
using Kim20Shoup32 = Kim20Shoup<Shoup32>;

enum class Kim20Kind { radix, stockham, first, last };

/// What the compiler made of a kernel, and how many of its blocks a multiprocessor holds.
struct Kim20Occupancy {
  int registers = 0, local_bytes = 0, blocks = 0;
};

template <class Arith>
struct Kim20Row {
  Kim20Kind kind = Kim20Kind::radix;
  Kim20Shape shape{};
  TwiddleMemory memory = TwiddleMemory::read_only;
  unsigned threads = 0, shared_bytes = 0;
  void (*on_host)(const Kim20ConstantArgs<Arith>&) = nullptr;  ///< in files that the host's compiler compiles
  /// Enqueues the kernel; the CUDA error code. In files that nvcc compiles.
  int (*on_device)(const Kim20ConstantArgs<Arith>&, void* stream) = nullptr;
  int (*occupancy)(Kim20Occupancy&) = nullptr;
};

template <class Arith, class Kernel>
Kim20Row<Arith> kim20_row(Kim20Kind kind, const Kim20Shape& shape,
                          TwiddleMemory memory = TwiddleMemory::read_only) {
  using Args = Kim20ConstantArgs<Arith>;
  Kim20Row<Arith> row{.kind = kind,
                      .shape = shape,
                      .memory = memory,
                      .threads = Kernel::kThreads,
                      .shared_bytes = Kernel::kSharedWords * unsigned{sizeof(typename Arith::Value)}};
#ifndef __CUDACC__
  row.on_host = [](const Args& args) { run_on_host<Kernel>(args, Kernel::blocks(args)); };
#else
  row.on_device = [](const Args& args, void* stream) {
    return static_cast<int>(
        launch_kernel<Kernel>(args, Kernel::blocks(args), static_cast<cudaStream_t>(stream)));
  };
  row.occupancy = [](Kim20Occupancy& found) {
    cudaFuncAttributes attributes{};
    cudaError_t error = prepare_kernel<Kernel>();
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, run_kernel<Kernel>);
    if (error == cudaSuccess) {
      error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &found.blocks, run_kernel<Kernel>, Kernel::kThreads,
          Kernel::kSharedWords * sizeof(typename Kernel::Value));
    }
    found.registers = attributes.numRegs;
    found.local_bytes = static_cast<int>(attributes.localSizeBytes);
    return static_cast<int>(error);
  };
#endif
  return row;
}

/// Radix 2 ... 2^kMost in registers.
template <class Arith, unsigned kMost, TwiddleMemory kMemory = TwiddleMemory::read_only>
std::vector<Kim20Row<Arith>> kim20_radix_rows() {
  std::vector<Kim20Row<Arith>> rows;
  const auto add = [&]<unsigned kLogRadix>() {
    rows.push_back(kim20_row<Arith, Kim20Radix<Arith, kLogRadix, kMemory>>(
        Kim20Kind::radix, {.log_radix = kLogRadix}, kMemory));
  };
  [&]<unsigned... kAt>(std::integer_sequence<unsigned, kAt...>) {
    (add.template operator()<kAt + 1>(), ...);
  }(std::make_integer_sequence<unsigned, kMost>{});
  return rows;
}

template <class Arith, unsigned kMost>
std::vector<Kim20Row<Arith>> kim20_stockham_rows() {
  std::vector<Kim20Row<Arith>> rows;
  const auto add = [&]<unsigned kLogRadix>() {
    rows.push_back(
        kim20_row<Arith, Kim20Stockham<Arith, kLogRadix>>(Kim20Kind::stockham, {.log_radix = kLogRadix}));
  };
  [&]<unsigned... kAt>(std::integer_sequence<unsigned, kAt...>) {
    (add.template operator()<kAt + 1>(), ...);
  }(std::make_integer_sequence<unsigned, kMost>{});
  return rows;
}

template <class Arith, Kim20Shape kShape>
Kim20Row<Arith> kim20_shared_row() {
  const Kim20Kind kind = kShape.kernel == Kim20Kernel::first ? Kim20Kind::first : Kim20Kind::last;
  return kim20_row<Arith, Kim20Shared<Arith, kShape>>(kind, kShape);
}

/// The shape with as many transforms in a block as make 2^8 threads: at least one (first kernel: four), and
/// no more than 2^10 threads.
constexpr Kim20Shape kim20_merged(Kim20Shape shape) {
  const unsigned units = shape.log_radix - shape.log_points,
                 least = shape.kernel == Kim20Kernel::first ? 2 : 0;
  const unsigned wanted = units + least < 8 ? 8 - units : least;
  shape.log_merged = units + wanted > 10 ? 10 - units : wanted;
  return shape;
}

/// The shape for another radix; without points, with as many as need one synchronisation.
constexpr Kim20Shape kim20_of_radix(Kim20Shape shape, unsigned log_radix) {
  shape.log_radix = log_radix;
  if (shape.log_points == 0) shape.log_points = (log_radix + 1) / 2;
  return kim20_merged(shape);
}

/// Radices 2^kFrom ... 2^kTo of a shape.
template <class Arith, Kim20Shape kShape, unsigned kFrom, unsigned kTo>
void kim20_add_rows(std::vector<Kim20Row<Arith>>& rows) {
  const auto add = [&]<unsigned kRadix>() {
    rows.push_back(kim20_shared_row<Arith, kim20_of_radix(kShape, kRadix)>());
  };
  [&]<unsigned... kAt>(std::integer_sequence<unsigned, kAt...>) {
    (add.template operator()<kFrom + kAt>(), ...);
  }(std::make_integer_sequence<unsigned, kTo - kFrom + 1>{});
}

/// Fig. 11: preloading first kernels of every size of per-thread transforms ...
template <class Arith, unsigned kMostPoints, bool kPreload>
std::vector<Kim20Row<Arith>> kim20_first_rows() {
  std::vector<Kim20Row<Arith>> rows;
  [&]<unsigned... kAt>(std::integer_sequence<unsigned, kAt...>) {
    (kim20_add_rows<Arith, Kim20Shape{.log_points = kAt + 1, .preload = kPreload}, 6, 11>(rows), ...);
  }(std::make_integer_sequence<unsigned, kMostPoints>{});
  return rows;
}
/// ... and last kernels.
template <class Arith, unsigned kMostPoints>
std::vector<Kim20Row<Arith>> kim20_last_rows() {
  std::vector<Kim20Row<Arith>> rows;
  [&]<unsigned... kAt>(std::integer_sequence<unsigned, kAt...>) {
    (kim20_add_rows<Arith, Kim20Shape{.kernel = Kim20Kernel::last, .log_points = kAt + 1}, 6, 11>(rows), ...);
  }(std::make_integer_sequence<unsigned, kMostPoints>{});
  return rows;
}
/// Figs. 11 c, 12: last kernels of eight points with twiddles on the fly in the last one or two stages.
template <class Arith>
std::vector<Kim20Row<Arith>> kim20_on_the_fly_rows() {
  std::vector<Kim20Row<Arith>> rows;
  constexpr Kim20Shape kOne{.kernel = Kim20Kernel::last, .log_points = 3, .on_the_fly = 1};
  constexpr Kim20Shape kTwo{.kernel = Kim20Kernel::last, .log_points = 3, .on_the_fly = 2};
  kim20_add_rows<Arith, kOne, 6, 11>(rows);
  kim20_add_rows<Arith, kTwo, 6, 11>(rows);
  return rows;
}
/// Figs. 7, 9: first kernels with one synchronisation: not coalesced, coalesced, with preloaded twiddles.
template <class Arith>
std::vector<Kim20Row<Arith>> kim20_one_sync_rows() {
  std::vector<Kim20Row<Arith>> rows;
  kim20_add_rows<Arith, Kim20Shape{.coalesced = false}, 6, 11>(rows);
  kim20_add_rows<Arith, Kim20Shape{}, 6, 11>(rows);
  kim20_add_rows<Arith, Kim20Shape{.preload = true}, 6, 11>(rows);
  return rows;
}
/// Fig. 1: a two-kernel transform of 2^8 x 2^9 for each multiplication.
template <class Arith>
std::vector<Kim20Row<Arith>> kim20_multiplication_rows() {
  std::vector<Kim20Row<Arith>> rows;
  kim20_add_rows<Arith, Kim20Shape{.log_points = 3, .preload = true}, 8, 8>(rows);
  kim20_add_rows<Arith, Kim20Shape{.kernel = Kim20Kernel::last, .log_points = 3}, 9, 9>(rows);
  return rows;
}

}  // namespace nttforge::cuda
