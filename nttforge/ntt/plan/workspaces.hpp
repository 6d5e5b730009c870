// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory that a plan's calls borrow, so that they allocate nothing.

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "nttforge/base/memory/aligned_buffer.hpp"

namespace nttforge {

/// Workspaces of `words` words for `calls` calls at once; further calls at the same time allocate their own.
template <class Word>
class Workspaces {
 public:
  Workspaces() = default;  ///< of no words: leases have a null pointer
  Workspaces(std::size_t calls, std::size_t words)
      : words_(words), taken_(std::make_unique<std::atomic<bool>[]>(calls)) {
    for (std::size_t i = 0; i < calls; ++i) all_.emplace_back(words);
  }

  /// A workspace that no other call uses, as long as it lives. The Workspaces outlive it.
  class Lease {
   public:
    explicit Lease(const Workspaces& from) {
      if (from.words_ == 0) return;
      for (std::size_t slot = 0; slot < from.all_.size(); ++slot) {
        if (from.taken_[slot].exchange(true, std::memory_order_acquire)) continue;
        taken_ = &from.taken_[slot];
        data_ = from.all_[slot].data();
        return;
      }
      own_ = AlignedBuffer<Word>(from.words_);
      data_ = own_.data();
    }
    ~Lease() {
      if (taken_ != nullptr) taken_->store(false, std::memory_order_release);
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Word* data() const { return data_; }

   private:
    std::atomic<bool>* taken_ = nullptr;
    Word* data_ = nullptr;
    AlignedBuffer<Word> own_;
  };

 private:
  std::size_t words_ = 0;
  mutable std::vector<AlignedBuffer<Word>> all_;
  std::unique_ptr<std::atomic<bool>[]> taken_;
};

}  // namespace nttforge
