// SPDX-License-Identifier: Apache-2.0
// Integers that others wrote, modulo t, and back.
#include <algorithm>
#include <bit>

#include "nttforge/cuda/device/gpu_launch.hpp"

namespace nttforge::cuda {

void GpuQueue::reduce_integers(std::uint64_t t, const IntegerRows& in, std::int64_t low, WordPtr out,
                               std::size_t n, std::size_t rows, WordPtr outside) const {
  if (outside != nullptr) fill_zero(outside, 1);
  run("integers modulo t",
      ReduceIntegers{grid_of(rows, n), IntegerRange(t, in.is_signed, low), read(in.words), in.is_signed,
                     static_cast<std::uint32_t>(in.width), write(out), write(outside)});
}

void GpuQueue::centre(std::uint64_t t, ConstWordPtr in, WordPtr out, std::size_t words) const {
  if (words == 0) return;
  const std::size_t n = std::min<std::size_t>(std::bit_ceil(words), std::size_t{1} << 12);
  run("centred integers", CentreWords{grid_of((words + n - 1) / n, n), t, read(in), write(out), words});
}

}  // namespace nttforge::cuda
