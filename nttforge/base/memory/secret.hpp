// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace nttforge {

/// Overwrites memory with zeros in a way the compiler may not remove.
void secure_zero(void* data, std::size_t bytes);

/// Overwrites its array when it goes out of scope, also where an error is thrown.
template <class T, std::size_t kSize>
struct SecretArray {
  T data[kSize] = {};
  SecretArray() = default;
  SecretArray(const SecretArray&) = delete;
  SecretArray& operator=(const SecretArray&) = delete;
  ~SecretArray() { secure_zero(data, sizeof data); }
};

/// Overwrites a container's elements when it goes out of scope: for plain vectors on their way to a caller.
template <class Container>
class WipeAtExit {
 public:
  explicit WipeAtExit(Container& container) : container_(container) {}
  WipeAtExit(const WipeAtExit&) = delete;
  WipeAtExit& operator=(const WipeAtExit&) = delete;
  ~WipeAtExit() { secure_zero(container_.data(), container_.size() * sizeof(*container_.data())); }

 private:
  Container& container_;
};

/// Overwrites what it releases.
template <class T>
struct WipingAllocator {
  using value_type = T;
  WipingAllocator() = default;
  template <class U>
  WipingAllocator(const WipingAllocator<U>&) {}
  T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* data, std::size_t count) {
    secure_zero(data, count * sizeof(T));
    std::allocator<T>().deallocate(data, count);
  }
  friend bool operator==(const WipingAllocator&, const WipingAllocator&) { return true; }
};

/// A vector for messages and keys on the host: leaves nothing behind, also where it grows.
template <class T>
using SecretVector = std::vector<T, WipingAllocator<T>>;

/// Fills from the operating system's generator (getentropy). throws UnsupportedError if there is none.
void os_random(std::span<std::uint8_t> out);

}  // namespace nttforge
