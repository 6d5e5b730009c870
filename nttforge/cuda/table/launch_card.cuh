// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>

namespace nttforge::cuda {

/// What launches depend on, of one context of a device: asked for once.
struct LaunchCard {
  std::uint64_t context = 0;
  int device = 0, major = 0, multiprocessors = 0;
};
/// The card of the thread's current device; null, with the error, if it cannot be asked.
const LaunchCard* card_of_launch(cudaError_t& error);

/// For each device, the latest context in which a kernel was made ready for its launches.
class ReadyIn {
 public:
  bool contains(const LaunchCard& card) const {
    return card.device < kDevices && contexts_[card.device].load(std::memory_order_acquire) == card.context;
  }
  void add(const LaunchCard& card) {
    if (card.device < kDevices) contexts_[card.device].store(card.context, std::memory_order_release);
  }

 private:
  static constexpr int kDevices = 16;  ///< on others a kernel is made ready at each launch
  std::atomic<std::uint64_t> contexts_[kDevices] = {};
};

}  // namespace nttforge::cuda
