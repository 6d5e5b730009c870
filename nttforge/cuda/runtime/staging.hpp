// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <span>

#include "nttforge/cuda/runtime/runtime.hpp"

namespace nttforge::cuda {

/// Page-locked memory of the host between a device and memory of any kind, in pieces that are used again and
/// again. Copies to and from it run at the full speed of the bus while the host prepares or takes the next
/// piece, and an upload does not wait for the device. Safe to use from several threads.
class Staging {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  /// A device's own; lives as long as the process.
  static Staging& of(int device);

  /// write(piece, first, bytes) puts `bytes` bytes of what is copied, from byte `first` on, into a piece;
  /// both are multiples of 64 KiB but for the end. Returns when all has been written there. What `write`
  /// throws is passed on, and `to` is written in part.
  using Write = std::function<void(void* piece, std::size_t first, std::size_t bytes)>;
  void upload(void* to, std::size_t bytes, CudaStream stream, const Write& write);
  /// read(piece, first, bytes) takes what was copied. Waits. Pieces are wiped.
  using Read = std::function<void(const void* piece, std::size_t first, std::size_t bytes)>;
  void download(const void* from, std::size_t bytes, CudaStream stream, const Read& read);

  /// Words that kernels write into the host's memory, as if it was the device's: zero at first. Has their
  /// values when what `enqueue` put into the stream has run.
  void answer(CudaStream stream, std::span<std::uint64_t> words,
              const std::function<void(std::uint64_t* words)>& enqueue);
  std::uint64_t answer(CudaStream stream, const std::function<void(std::uint64_t* word)>& enqueue) {
    std::uint64_t word = 0;
    answer(stream, {&word, 1}, enqueue);
    return word;
  }

 private:
  struct Piece {
    void* memory = nullptr;
    CudaMark mark = nullptr;
    std::uint64_t context = 0;
    std::size_t dirty = 0;  ///< bytes of an upload
  };
  class Lease;
  explicit Staging(int device) : runtime_(runtime_of(device)), device_(device) {}
  Piece take();
  void give_back(const Piece& piece);
  void wipe_passed(std::uint64_t context);

  CudaRuntime& runtime_;
  const int device_;
  std::mutex mutex_;
  std::deque<Piece> pieces_;  ///< the one that was used first in front
};

}  // namespace nttforge::cuda
