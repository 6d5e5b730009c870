// SPDX-License-Identifier: Apache-2.0
#pragma once

// The launches of an operation, started in one go. A launch takes the host 2.5 us or more, a graph of eight
// 1.3, and 0.35 for each whose arguments are set anew (docs/lab/gpu-one-piece.md): operations whose launches
// are of the same kernels and sizes as some before share a program, a graph made ready to run.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <type_traits>
#include <vector>

namespace nttforge::cuda {

/// Launches with copies of their arguments, in order, for one stream.
class LaunchSet {
 public:
  /// Where this thread's launches go instead of to the card; null: to the card.
  static LaunchSet* current();

  /// What this thread launches from here on is collected; false, with nothing done, if it is already.
  static bool collect();
  /// No longer; what was collected is in the set that is returned until this thread collects again.
  static LaunchSet& collected();
  /// Starts what was collected so far, before the thread does something else with a stream.
  static cudaError_t flush() {
    LaunchSet* const set = current();
    return set == nullptr ? cudaSuccess : set->start_one_by_one();
  }

  template <class... Parameters>
  cudaError_t add(const cudaLaunchConfig_t& config, void (*kernel)(Parameters...),
                  const std::type_identity_t<Parameters>&... arguments) {
    static_assert((std::is_trivially_copyable_v<Parameters> && ...));
    if (const cudaError_t error = begin(config, reinterpret_cast<const void*>(kernel)); error != cudaSuccess)
      return error;
    (add_argument(&arguments, sizeof(Parameters)), ...);
    return cudaSuccess;
  }

  std::size_t size() const { return launches_.size(); }
  void clear();
  /// Clears the set.
  cudaError_t start_one_by_one();

 private:
  friend class LaunchPrograms;
  struct Launch {
    const void* function;
    dim3 grid, block;
    std::size_t shared_bytes;
    unsigned cluster;  ///< blocks of one; 0: not stated
    bool overlaps;     ///< begins before the one before it has ended
    std::size_t first_argument;
  };
  struct Argument {
    std::size_t at, size;  ///< in bytes_
  };

  cudaError_t begin(const cudaLaunchConfig_t& config, const void* function);
  void add_argument(const void* value, std::size_t size);
  std::vector<void*> arguments_of(std::size_t i);
  cudaError_t start(std::size_t i, cudaStream_t stream);
  /// Follows from kernels, sizes and places of arguments, not from what these are.
  std::uint64_t shape_hash() const;
  bool has_shape_of(const LaunchSet& other) const;
  bool has_arguments_of(const LaunchSet& other, std::size_t i) const;

  cudaStream_t stream_ = nullptr;
  std::vector<Launch> launches_;
  std::vector<Argument> arguments_;
  std::vector<std::byte> bytes_;
};

/// As cudaLaunchKernelEx, or into the thread's set.
template <class... Parameters>
cudaError_t launch_or_collect(const cudaLaunchConfig_t& config, void (*kernel)(Parameters...),
                              const std::type_identity_t<Parameters>&... arguments) {
  if (LaunchSet* const set = LaunchSet::current()) return set->add(config, kernel, arguments...);
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/// Programs of a process's cards.
class LaunchPrograms {
 public:
  /// Starts a set in its stream and clears it. Of launches that are seen for the second time a program is
  /// made. The device is current, in the context named.
  cudaError_t start(LaunchSet& set, std::uint64_t context);

 private:
  class Program {
   public:
    explicit Program(const LaunchSet& set) : set_(set) {}
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    bool fits(const LaunchSet& set) const { return set.has_shape_of(set_); }
    /// Starts a set that it fits.
    cudaError_t start(LaunchSet& set);

   private:
    cudaError_t make();
    cudaError_t set_arguments(LaunchSet& set);

    LaunchSet set_;  ///< with the arguments that the program has now
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t program_ = nullptr;
    std::vector<cudaGraphNode_t> nodes_;  ///< of graph_, by which the program knows them
  };
  static constexpr std::size_t kMost = 256;

  std::mutex mutex_;
  std::map<std::uint64_t, Program> programs_;
};

}  // namespace nttforge::cuda
