// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace nttforge {

/// Words in the memory of one backend, shared ownership. On a GPU the pointer is not for the host to follow.
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(std::shared_ptr<std::uint64_t> words, std::size_t size)
      : words_(std::move(words)), size_(size) {}
  std::uint64_t* data() { return words_.get(); }
  const std::uint64_t* data() const { return words_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::shared_ptr<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace nttforge
