// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "nttforge/arith/roots.hpp"
#include "nttforge/cuda/block/host.hpp"
#include "papers/kernels/bad18a_kernels.hpp"
#ifdef __CUDACC__
#include "nttforge/cuda/block/device.cuh"
#endif

// Every kernel of [Bad18a] that is measured and tested.

namespace nttforge::cuda::bad18a {

struct Row {
  Shape shape;
  unsigned shared_bytes = 0;
  void (*on_host)(const Args&) = nullptr;  ///< in files that the host's compiler compiles
  /// Enqueues the kernel; the CUDA error code. In files that nvcc compiles.
  int (*on_device)(const Args&, void* stream) = nullptr;
};

template <Shape kShape>
using KernelOf = std::conditional_t<kShape.step >= Step::third, Rows<kShape>, Columns<kShape>>;

template <Shape kShape>
Row make_row() {
  using Kernel = KernelOf<kShape>;
  Row row{.shape = kShape, .shared_bytes = Kernel::kSharedWords * unsigned{sizeof(typename Kernel::Value)}};
#ifndef __CUDACC__
  row.on_host = [](const Args& args) { run_on_host<Kernel>(args, Kernel::blocks(args)); };
#else
  row.on_device = [](const Args& args, void* stream) {
    return static_cast<int>(
        launch_kernel<Kernel>(args, Kernel::blocks(args), static_cast<cudaStream_t>(stream)));
  };
#endif
  return row;
}

/// The five kernels of N = 2^(12 + log_r): first extended and backwards, second, third and reduced.
template <Shape kShape>
std::vector<Row> rows_of() {
  return {make_row<of_step(kShape, Step::first_extended)>(),
          make_row<of_step(kShape, Step::first_backwards)>(), make_row<of_step(kShape, Step::second)>(),
          make_row<of_step(kShape, Step::third)>(), make_row<of_step(kShape, Step::third_reduced)>()};
}
/// For one log_r: base (packed, a case for each shift), optimised (two halves, constant memory), and each
/// switch alone.
template <unsigned kLogR>
std::vector<std::vector<Row>> rows_of_switches() {
  return {rows_of<Shape{.log_r = kLogR}>(),
          rows_of<Shape{.log_r = kLogR, .halves = true, .constant_roots = true}>(),
          rows_of<Shape{.log_r = kLogR, .halves = true}>(),
          rows_of<Shape{.log_r = kLogR, .constant_roots = true}>()};
}

/// The primitive 2^log_n-th root w with w^(2^log_n / 64) = 8.
inline std::uint64_t root_of(unsigned log_n) {
  std::uint64_t w = smallest_root_of_unity(std::uint64_t{1} << log_n, kP);
  std::uint64_t eighth = w;
  for (unsigned i = 6; i < log_n; ++i) eighth = mul(eighth, eighth);
  std::uint64_t exponent = 1, power = eighth;  // odd powers of a 64th root are the 64th roots
  while (power != 8) {
    power = mul(power, mul(eighth, eighth));
    exponent += 2;
  }
  std::uint64_t result = 1;
  for (std::uint64_t i = 0; i < exponent; ++i) result = mul(result, w);
  return result;
}

/// w^i, i < n.
inline std::vector<std::uint64_t> powers_of(std::uint64_t w, std::size_t n) {
  std::vector<std::uint64_t> powers(n, 1);
  for (std::size_t i = 1; i < n; ++i) powers[i] = mul(powers[i - 1], w);
  return powers;
}

}  // namespace nttforge::cuda::bad18a
