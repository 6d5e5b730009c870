// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a thread's operations on a card go: its default stream; a caller's stream, or one apart from all
// others (stream_scope.hpp); a graph.

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "nttforge/cuda/memory.hpp"

namespace nttforge::cuda {

/// A stretch of a thread's operations that do not go to the default stream, and the memory that they use.
/// Memory that comes back is used again in the stream's order; the rest of the library sees it again when the
/// scope has ended or, for what is recorded, when the graph is gone. A stream apart is not in order with the
/// default one: its memory is the stream's own until end().
class GpuScope : public std::enable_shared_from_this<GpuScope> {
 public:
  enum class Kind { stream, apart, recording };
  GpuScope(int device, CudaStream stream, Kind kind)
      : runtime_(runtime_of(device)), device_(device), stream_(stream), kind_(kind) {}

  int device() const { return device_; }
  CudaStream stream() const { return stream_; }
  bool is_recording() const { return kind_ == Kind::recording; }
  GpuScope* outer() const { return outer_.get(); }  ///< the thread's scope before this one

  /// The scope becomes the thread's current one; the stream waits for the default one, unless it is apart.
  void begin();
  /// The one before is the thread's current one again; the default stream waits for this one, unless it is
  /// apart: then all in it has run.
  void end() noexcept;

  std::shared_ptr<void> take(std::size_t bytes);
  /// Keeps memory that was made outside and is released inside.
  void keep(const CudaBuffer& buffer);
  /// Keeps what another device's part of a recording needs, as long as the graph.
  void keep(std::shared_ptr<void> part);

 private:
  void take_back(const CudaBuffer& buffer, std::size_t size);

  CudaRuntime& runtime_;
  const int device_;
  const CudaStream stream_;
  const Kind kind_;
  std::mutex mutex_;
  bool active_ = false;
  std::map<std::size_t, std::vector<CudaBuffer>> free_;
  std::vector<CudaBuffer> kept_, made_;
  std::vector<std::shared_ptr<void>> parts_;
  std::shared_ptr<GpuScope> outer_;
};

/// The thread's scope on a card; null: the default stream.
GpuScope* current_scope(int device);

/// Memory of a card for the thread's stream, released in its order.
std::shared_ptr<void> take_memory(int device, std::size_t bytes);

}  // namespace nttforge::cuda
