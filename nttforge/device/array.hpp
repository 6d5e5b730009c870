// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace nttforge {

/// Where words are in a device's memory. What a scheme does with it is to add a number of words and to pass
/// it on: on a GPU it is not for the host to follow.
using WordPtr = std::uint64_t*;
using ConstWordPtr = const std::uint64_t*;

/// Words in a device's memory, shared ownership.
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(std::shared_ptr<std::uint64_t> words, std::size_t size)
      : words_(std::move(words)), size_(size) {}
  WordPtr data() { return words_.get(); }
  ConstWordPtr data() const { return words_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::shared_ptr<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace nttforge
