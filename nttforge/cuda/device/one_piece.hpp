// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "nttforge/cuda/memory.hpp"

namespace nttforge::cuda {

/// A stretch of a thread's operations on a card whose launches are started in one go, at its end: the host
/// gives the card one piece instead of many. Does nothing within another one and while operations are
/// recorded. Memory that is released inside is free for others once the launches that use it have been given
/// to the stream.
class OnePiece {
 public:
  explicit OnePiece(int device);
  /// Without start() nothing runs of what was not started before.
  ~OnePiece();
  OnePiece(const OnePiece&) = delete;
  OnePiece& operator=(const OnePiece&) = delete;
  void start();

  /// The thread's, where launches are collected; null elsewhere.
  static OnePiece* current();
  void keep(const CudaBuffer& buffer) { kept_.push_back(buffer); }

 private:
  CudaRuntime& runtime_;
  const int device_;
  bool collects_;
  std::vector<CudaBuffer> kept_;
};

}  // namespace nttforge::cuda
