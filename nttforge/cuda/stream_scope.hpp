// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "nttforge/cuda/runtime/runtime.hpp"

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

/// While it lives, what this thread gives to the queues of a card runs beside what the card computes, in a
/// stream of its own that is in order with no other: copies of what was complete before. The host waits for
/// all of it at the end; from then on every queue may use what was made.
class ApartScope {
 public:
  /// throws as describe_device().
  explicit ApartScope(int device);
  ~ApartScope();
  ApartScope(const ApartScope&) = delete;
  ApartScope& operator=(const ApartScope&) = delete;

 private:
  int device_;
  std::uint64_t context_;
  CudaStream stream_ = nullptr;
  std::shared_ptr<GpuScope> scope_;
};

/// What this thread's stream of a card holds when the mark is made.
class StreamMark {
 public:
  /// throws as describe_device().
  explicit StreamMark(int device);
  ~StreamMark();
  StreamMark(const StreamMark&) = delete;
  StreamMark& operator=(const StreamMark&) = delete;
  void wait() const;  ///< returns when all of it has run

 private:
  int device_;
  CudaMark mark_;
};

}  // namespace nttforge::cuda
