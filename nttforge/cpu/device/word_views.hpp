// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>

#include "nttforge/cpu/device/cpu_queue.hpp"

namespace nttforge::cpu {

/// body(Word{}) with the word that stands at `place`.
template <class Body>
void with_word(ConstWordPtr place, const Body& body) {
  if (place.word_bits() == 32)
    body(std::uint32_t{});
  else
    body(std::uint64_t{});
}

class CpuQueue::Input {
 public:
  /// secret: what is widened may depend on a secret, and is wiped.
  Input(const CpuQueue& queue, ConstWordPtr place, std::size_t words, bool secret = true)
      : Input(queue, BatchRows{place, 0}, words, 1, secret) {}
  /// `batch` arrays of `words` words, rows.stride apart.
  Input(const CpuQueue& queue, BatchRows rows, std::size_t words, std::size_t batch, bool secret = true) {
    if (rows.words.word_bits() == 64 || rows.words == nullptr) {
      rows_ = {rows.words.as<std::uint64_t>(), rows.stride};
      return;
    }
    copy_ = queue.memory_.allocate(batch * words, secret);
    for (std::size_t b = 0; b < batch; ++b)
      std::copy_n(rows.words.as<std::uint32_t>() + b * rows.stride, words, copy_.get() + b * words);
    rows_ = {copy_.get(), words};
  }
  const std::uint64_t* words() const { return rows_.words; }
  const std::uint64_t* of(std::size_t b) const { return rows_.words + b * rows_.stride; }
  bool empty() const { return rows_.words == nullptr; }

 private:
  struct Rows {
    const std::uint64_t* words = nullptr;
    std::size_t stride = 0;
  };
  Rows rows_;
  std::shared_ptr<std::uint64_t> copy_;
};

class CpuQueue::Output {
 public:
  /// kept: the operation reads what stands at the place. secret: as Input has it.
  Output(const CpuQueue& queue, WordPtr place, std::size_t words, bool kept = false, bool secret = true)
      : place_(place), words_(words) {
    if (place.word_bits() == 64) return;
    copy_ = queue.memory_.allocate(words, secret);
    if (kept) std::copy_n(place.as<std::uint32_t>(), words, copy_.get());
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    if (copy_ == nullptr) return;
    for (std::size_t i = 0; i < words_; ++i)
      place_.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(copy_.get()[i]);
  }
  std::uint64_t* words() const { return copy_ == nullptr ? place_.as<std::uint64_t>() : copy_.get(); }

 private:
  WordPtr place_;
  std::size_t words_;
  std::shared_ptr<std::uint64_t> copy_;
};

/// Rows of n words, `count` of them `step` words apart: where they are, or widened and one behind the other.
struct CpuQueue::InputRows {
  InputRows(const CpuQueue& queue, ConstWordPtr first, std::size_t count, std::size_t stride, std::size_t n,
            bool secret = false)
      : words(first.word_bits() == 64 ? first.as<std::uint64_t>() : nullptr), step(stride) {
    if (words != nullptr) return;
    copy = queue.memory_.allocate(count * n, secret);
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(first.as<std::uint32_t>() + i * stride, n, copy.get() + i * n);
    words = copy.get();
    step = n;
  }
  const std::uint64_t* words;
  std::size_t step;
  std::shared_ptr<std::uint64_t> copy;
};

}  // namespace nttforge::cpu
