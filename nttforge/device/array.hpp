// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace nttforge {

/// Where words of 32 or 64 bits are in a device's memory: an address and the size of a word. A scheme adds a
/// number of words to it and passes it on; on a GPU it is not for the host to follow. Places are equal if
/// their addresses are.
class WordPtr {
 public:
  WordPtr() = default;
  WordPtr(std::nullptr_t) {}                                         // NOLINT: implicit on purpose
  WordPtr(std::uint64_t* words) : address_(words) {}                 // NOLINT: as above
  WordPtr(std::uint32_t* words) : address_(words), log_bytes_(2) {}  // NOLINT: as above
  static WordPtr at(void* address, unsigned word_bits) {
    return word_bits == 32 ? WordPtr(static_cast<std::uint32_t*>(address))
                           : WordPtr(static_cast<std::uint64_t*>(address));
  }

  unsigned word_bits() const { return 8u << log_bytes_; }
  void* address() const { return address_; }
  /// For devices, which know that this is the word.
  template <class Word>
  Word* as() const {
    return static_cast<Word*>(address_);
  }

  WordPtr& operator+=(std::size_t words) {
    address_ = static_cast<std::byte*>(address_) + (words << log_bytes_);
    return *this;
  }
  friend WordPtr operator+(WordPtr place, std::size_t words) { return place += words; }
  friend bool operator==(WordPtr a, WordPtr b) { return a.address_ == b.address_; }

 private:
  void* address_ = nullptr;
  unsigned log_bytes_ = 3;
};

/// The same for words that are only read.
class ConstWordPtr {
 public:
  ConstWordPtr() = default;
  ConstWordPtr(std::nullptr_t) {}                                               // NOLINT: implicit on purpose
  ConstWordPtr(const std::uint64_t* words) : address_(words) {}                 // NOLINT: as above
  ConstWordPtr(const std::uint32_t* words) : address_(words), log_bytes_(2) {}  // NOLINT: as above
  ConstWordPtr(WordPtr place)                                                   // NOLINT: as above
      : address_(place.address()), log_bytes_(place.word_bits() == 32 ? 2 : 3) {}

  unsigned word_bits() const { return 8u << log_bytes_; }
  const void* address() const { return address_; }
  template <class Word>
  const Word* as() const {
    return static_cast<const Word*>(address_);
  }

  ConstWordPtr& operator+=(std::size_t words) {
    address_ = static_cast<const std::byte*>(address_) + (words << log_bytes_);
    return *this;
  }
  friend ConstWordPtr operator+(ConstWordPtr place, std::size_t words) { return place += words; }
  friend bool operator==(ConstWordPtr a, ConstWordPtr b) { return a.address_ == b.address_; }

 private:
  const void* address_ = nullptr;
  unsigned log_bytes_ = 3;
};

/// Words in a device's memory, shared ownership. The memory lives until the last operation that uses it has
/// run, also where the array goes before that and in queues other than the one that allocated it.
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(std::shared_ptr<void> words, std::size_t size, unsigned word_bits, std::string memory_space)
      : words_(std::move(words)),
        size_(size),
        word_bits_(word_bits),
        memory_space_(std::move(memory_space)) {}

  WordPtr data() { return WordPtr::at(words_.get(), word_bits_); }
  ConstWordPtr data() const { return WordPtr::at(words_.get(), word_bits_); }
  std::size_t size() const { return size_; }  ///< in words
  unsigned word_bits() const { return word_bits_; }
  const std::string& memory_space() const { return memory_space_; }  ///< as Device::memory_space()
  /// Words first ... first + count - 1, the same memory. They must be there.
  DeviceArray part(std::size_t first, std::size_t count) const {
    void* const at = (WordPtr::at(words_.get(), word_bits_) + first).address();
    return {std::shared_ptr<void>(words_, at), count, word_bits_, memory_space_};
  }

 private:
  std::shared_ptr<void> words_;
  std::size_t size_ = 0;
  unsigned word_bits_ = 64;
  std::string memory_space_;
};

}  // namespace nttforge
