// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "nttforge/cuda/runtime/runtime.hpp"

namespace nttforge::cuda {

/// The library's memory on one device. It comes from a stream-ordered pool that grows as needed and never
/// beyond the limit; memory that is given back is kept for the next array, up to an eighth of the card.
struct CudaPoolInfo {
  std::size_t used_bytes = 0;   ///< in arrays and tables of this process's nttforge
  std::size_t held_bytes = 0;   ///< taken from the card: used, or kept for later
  std::size_t limit_bytes = 0;  ///< most that may be used
  std::size_t free_bytes = 0;   ///< of the card, for any process
  std::size_t total_bytes = 0;  ///< of the card
};
/// throw as describe_device().
CudaPoolInfo pool_info(int device);
/// The default is nine tenths of the card. What is in use stays in use. throws also ParameterError if bytes
/// is 0.
void set_pool_limit(int device, std::size_t bytes);
/// Gives back to the card what is kept for later.
void trim_pool(int device);

class CudaPool;

/// Memory of one device, shared like a std::shared_ptr; released in stream order.
class CudaBuffer {
 public:
  CudaBuffer() = default;
  /// Uninitialised; ready for use in `stream`, which must outlive the buffer. The size is checked before
  /// anything is allocated. throws UnsupportedError naming the bytes needed, free and allowed; ParameterError
  /// for a stream of another device or one that is being captured; as describe_device().
  CudaBuffer(int device, std::size_t bytes, CudaStream stream = nullptr);

  void* data() const { return state_ ? state_->data : nullptr; }
  std::size_t bytes() const { return state_ ? state_->bytes : 0; }
  int device() const { return state_ ? state_->device : 0; }
  /// Identity of the context that the memory was allocated in, which is another one after a reset; 0 for no
  /// bytes.
  std::uint64_t context_id() const { return state_ ? state_->context : 0; }
  /// throws ContextError if the device was reset since.
  void require_alive() const;
  /// Others may use it in streams of their own: it is released when everything on the device is done.
  void share() const {
    if (state_) state_->shared = true;
  }

  /// From now on it is released in the order of the default stream, and to the driver, which passes it on to
  /// other streams. All that its own stream had has run.
  void hand_over() const {
    if (!state_) return;
    state_->stream = nullptr;
    state_->to_driver = true;
  }

  /// Copies from and to host memory of bytes() bytes, in the order of `stream`. The source may be reused on
  /// return; what to_host() wrote can be read on return.
  void from_host(const void* host, CudaStream stream = nullptr) const;
  void to_host(void* host, CudaStream stream = nullptr) const;

 private:
  struct State {
    std::shared_ptr<CudaPool> pool;
    std::uint64_t context;
    int device;
    std::size_t bytes;
    CudaStream stream;
    void* data = nullptr;
    bool shared = false;
    bool to_driver = false;
    ~State();
  };
  std::shared_ptr<State> state_;
};

}  // namespace nttforge::cuda
