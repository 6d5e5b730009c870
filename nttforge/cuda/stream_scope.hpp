// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "nttforge/cuda/device.hpp"

namespace nttforge::cuda {

class GpuScope;

/// While it lives, what this thread gives to the queues of a card is enqueued in the caller's stream instead
/// of the default one. It begins after what is in the default stream at that time, and the default stream
/// goes on after what is in the caller's when the scope ends. Arrays that are made inside are used in the
/// scope only until it has ended. Scopes of a thread end in the opposite order of their beginning.
class StreamScope {
 public:
  /// The stream outlives the scope. throws ParameterError for a stream of another device or one that is being
  /// captured; as describe_device().
  StreamScope(int device, CudaStream stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  std::shared_ptr<GpuScope> scope_;
};

}  // namespace nttforge::cuda
