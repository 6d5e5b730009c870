// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "nttforge/hexl/macros.hpp"

namespace intel {
namespace hexl {

/// Where an NTT takes the memory of its tables from.
struct AllocatorBase {
  virtual ~AllocatorBase() noexcept = default;
  /// At least `bytes_count` bytes, aligned as malloc's, or null.
  virtual void* allocate(std::size_t bytes_count) = 0;
  /// Memory of allocate(n).
  virtual void deallocate(void* p, std::size_t n) = 0;
};

/// An AllocatorBase by allocate_impl and deallocate_impl of AllocatorImpl, which derives from this.
template <class AllocatorImpl>
struct AllocatorInterface : public AllocatorBase {
  void* allocate(std::size_t bytes_count) override {
    return static_cast<AllocatorImpl*>(this)->allocate_impl(bytes_count);
  }
  void deallocate(void* p, std::size_t n) override {
    static_cast<AllocatorImpl*>(this)->deallocate_impl(p, n);
  }

 private:
  // What serves an AllocatorImpl that overrides allocate and deallocate itself.
  void* allocate_impl(std::size_t) { return nullptr; }
  void deallocate_impl(void*, std::size_t) {}
};

/// Memory of malloc.
struct MallocStrategy : AllocatorBase {
  void* allocate(std::size_t bytes_count) final { return std::malloc(bytes_count); }
  void deallocate(void* p, std::size_t) final { std::free(p); }
};

using AllocatorStrategyPtr = std::shared_ptr<AllocatorBase>;  ///< how objects share an allocator
/// What AlignedAllocator uses unless told otherwise.
extern AllocatorStrategyPtr mallocStrategy;
/// The same, also while objects of other files are constructed before main.
AllocatorStrategyPtr DefaultStrategy();

/// An allocator for containers: memory of a strategy, at multiples of Alignment bytes, a power of two.
/// throws std::bad_alloc if the strategy has none.
template <typename T, std::uint64_t Alignment>
class AlignedAllocator {
  static_assert(Alignment != 0 && (Alignment & (Alignment - 1)) == 0, "Alignment must be a power of two");
  template <typename, std::uint64_t>
  friend class AlignedAllocator;

 public:
  using value_type = T;
  template <typename U>
  struct rebind {
    using other = AlignedAllocator<U, Alignment>;
  };

  explicit AlignedAllocator(AllocatorStrategyPtr strategy = nullptr) noexcept
      : strategy_(strategy != nullptr ? std::move(strategy) : DefaultStrategy()) {}
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U, Alignment>& other) noexcept : strategy_(other.strategy_) {}

  T* allocate(std::size_t n) {
    if (n > (std::numeric_limits<std::size_t>::max() - kExtra) / sizeof(T)) throw std::bad_alloc();
    void* const whole = strategy_->allocate(n * sizeof(T) + kExtra);
    if (whole == nullptr) throw std::bad_alloc();
    // The address of the whole stands right before the aligned part.
    const auto from = reinterpret_cast<std::uintptr_t>(whole) + sizeof(void*);
    const auto at = (from + Alignment - 1) & ~static_cast<std::uintptr_t>(Alignment - 1);
    reinterpret_cast<void**>(at)[-1] = whole;
    return reinterpret_cast<T*>(at);
  }
  void deallocate(T* p, std::size_t n) {
    if (p != nullptr) strategy_->deallocate(reinterpret_cast<void**>(p)[-1], n * sizeof(T) + kExtra);
  }

  friend bool operator==(const AlignedAllocator& a, const AlignedAllocator& b) {
    return a.strategy_ == b.strategy_;
  }
  friend bool operator!=(const AlignedAllocator& a, const AlignedAllocator& b) { return !(a == b); }

 private:
  static constexpr std::size_t kExtra = Alignment + sizeof(void*);
  AllocatorStrategyPtr strategy_;
};

/// A vector that begins on a cache line.
template <typename T>
using AlignedVector64 = std::vector<T, AlignedAllocator<T, 64>>;

}  // namespace hexl
}  // namespace intel
