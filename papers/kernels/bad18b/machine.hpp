// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/cuda/runtime/runtime.hpp"
#include "nttforge/ntt/plan.hpp"
#include "papers/kernels/bad18b/kernels.hpp"

namespace nttforge::cuda::bad18b {

/// Words in the memory of a machine.
using Array = std::shared_ptr<Word>;

/// Where [Bad18b]'s kernels run: this CPU, one thread after the other with the library's vectors for the
/// transforms; a card; or the host's run of what a card does (cuda:host). Kernels and transforms enqueue in
/// one stream.
class Machine {
 public:
  static Machine cpu() { return Machine(std::nullopt); }
  static Machine cuda(int device) { return Machine(device); }

  bool is_cpu() const { return !device_.has_value(); }
  bool is_card() const { return device_.has_value() && *device_ >= 0; }
  int device() const { return device_.value_or(0); }
  CudaStream stream() const { return stream_; }
  void set_stream(CudaStream stream) { stream_ = stream; }

  Array allocate(std::size_t words) const {
    if (is_cpu()) {
      auto memory = std::make_shared<std::vector<Word>>(words);
      return {memory, memory->data()};
    }
    const auto buffer = std::make_shared<CudaBuffer>(*device_, words * sizeof(Word));
    return {buffer, static_cast<Word*>(buffer->data())};
  }
  /// Waits for what the stream has, before and after.
  void copy(Word* to, const Word* from, std::size_t words) const {
    copy_bytes(to, from, words * sizeof(Word));
  }
  Array uploaded(std::span<const Word> words) const {
    Array array = allocate(words.size());
    copy(array.get(), words.data(), words.size());
    return array;
  }
  std::vector<Word> downloaded(const Word* from, std::size_t words) const {
    std::vector<Word> host(words);
    copy(host.data(), from, words);
    return host;
  }
  void wait() const {
    if (!is_cpu()) runtime_of(*device_).synchronize(*device_, stream_);
  }

  template <class Operation>
  void run(const Operation& operation) const {
    if (operation.shape.rows == 0) return;
    if (!is_card()) {
      each_on_host(operation);
      return;
    }
    runtime_of(*device_).launch(*device_, "a kernel of [Bad18b]",
                                [&] { return enqueue(operation, stream_); });
  }

 private:
  explicit Machine(std::optional<int> device) : device_(device) {}
  void copy_bytes(void* to, const void* from, std::size_t bytes) const;

  std::optional<int> device_;
  CudaStream stream_ = nullptr;
};

/// Transforms [batch][primes][n] of 32-bit words on a machine.
class Transforms {
 public:
  Transforms(std::size_t n, std::span<const std::uint64_t> primes, Transform transform,
             const Machine& machine);

  std::size_t words() const { return words_; }  ///< of one polynomial
  bool is_complex() const { return complex_; }
  const PrimeList& primes() const { return primes_; }
  void forward(const Machine& machine, const Word* in, Word* out, std::size_t batch) const;
  void inverse(const Machine& machine, Word* x, std::size_t batch) const;

 private:
  std::size_t words_;
  bool complex_;
  PrimeList primes_;
  std::optional<NttPlan> on_cpu_;
  std::optional<CudaNttPlan> on_card_;
};

}  // namespace nttforge::cuda::bad18b
