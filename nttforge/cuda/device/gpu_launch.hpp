// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the files of GpuQueue share.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>

#include "nttforge/cuda/device/decryption.hpp"
#include "nttforge/cuda/device/gpu_queue.hpp"

namespace nttforge::cuda {

inline std::uint32_t log2_of(std::size_t power) {
  return static_cast<std::uint32_t>(std::countr_zero(power));
}
inline Grid grid_of(std::size_t rows, std::size_t n) {
  return {static_cast<std::uint32_t>(rows), log2_of(n)};
}

inline ReadWords read(ConstWordPtr place) { return {place.address(), place.word_bits() == 32}; }
inline WriteWords write(WordPtr place) { return {place.address(), place.word_bits() == 32}; }

/// Calls `use` with a word of this size.
template <class Use>
auto with_word(unsigned word_bits, const Use& use) {
  return word_bits == 32 ? use(std::uint32_t{}) : use(std::uint64_t{});
}

/// Whether rows of n words, at these places, can be read and written in groups of the size of `Group`.
template <class Group>
bool are_packed(std::size_t n, std::initializer_list<const void*> places) {
  constexpr std::size_t kWords = sizeof(Group) / sizeof(Group::words[0]);
  return n >= kWords && std::all_of(places.begin(), places.end(), [](const void* place) {
           return reinterpret_cast<std::uintptr_t>(place) % sizeof(Group) == 0;
         });
}

/// The grid of an operation whose threads have `step` words of a row each: those of a group, or one.
template <class Word, class Group = Pack<Word>>
struct RowGrid {
  RowGrid(std::size_t rows, std::size_t n, std::initializer_list<const void*> places)
      : step(are_packed<Group>(n, places) ? sizeof(Group) / sizeof(Word) : 1),
        log_n(log2_of(n)),
        shape(grid_of(rows, n / step)) {}
  std::uint32_t step, log_n;
  Grid shape;
};

/// The memory of an operation's secrets, in one piece. Who reads them last leaves zeros; they are wiped here
/// unless that was said.
class Scratch {
 public:
  Scratch(const GpuQueue& queue, std::size_t words, unsigned word_bits)
      : queue_(queue), words_(queue.allocate(words, word_bits)) {}
  ~Scratch() {
    if (clean_) return;
    try {
      queue_.fill_zero(words_.data(), words_.size());
    } catch (...) {  // the device is broken or was reset, and with it its memory is gone
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  WordPtr data() { return words_.data(); }
  void is_clean() { clean_ = true; }

 private:
  const GpuQueue& queue_;
  DeviceArray words_;
  bool clean_ = false;
};

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
