// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the files of GpuQueue share.

#include <bit>
#include <cstdint>

#include "nttforge/cuda/device/gpu_queue.hpp"

namespace nttforge::cuda {

inline Grid grid_of(std::size_t rows, std::size_t n) {
  return {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(std::countr_zero(n))};
}

inline ReadWords read(ConstWordPtr place) { return {place.address(), place.word_bits() == 32}; }
inline WriteWords write(WordPtr place) { return {place.address(), place.word_bits() == 32}; }

template <class Operation>
void launch(CudaRuntime& runtime, int device, CudaStream stream, const char* what,
            const Operation& operation) {
  runtime.launch(device, what,
                 [&] { return device < 0 ? each_on_host(operation) : enqueue(operation, stream); });
}

template <class Operation>
void GpuQueue::run(const char* what, const Operation& operation) const {
  launch(runtime_, ordinal_, stream(), what, operation);
}

}  // namespace nttforge::cuda
