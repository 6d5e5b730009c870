// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hands the rows of a call to the threads of a plan.

#include <algorithm>
#include <cstddef>

#include "nttforge/base/threads/cpu_count.hpp"
#include "nttforge/base/threads/thread_pool.hpp"

namespace nttforge {

/// How threads share a call's rows: chunks of `chunk` of the first `whole` rows go to threads as they are,
/// each row after them is cut up.
struct RowShares {
  std::size_t whole, chunk, chunks;

  /// Whether all of `rows` rows stay with the caller.
  bool alone(std::size_t rows) const { return chunks <= 1 && whole == rows; }
};

/// Whole rows where they keep every thread busy; the rows left over (all, if they are fewer than the threads)
/// are cut up if n is large enough for that to pay.
inline RowShares share_rows(std::size_t rows, std::size_t n, unsigned threads, bool can_cut) {
  // A chunk has some microseconds of work, so that short rows do not pay for the hand-over.
  constexpr std::size_t kLeastChunkWords = 4096, kChunksPerThread = 4;
  constexpr std::size_t kLeastCutWords = std::size_t{1} << 14;  // docs/decisions/explorer.md
  const std::size_t whole = can_cut && threads > 1 && n >= kLeastCutWords ? rows - rows % threads : rows;
  const std::size_t least = std::max<std::size_t>(1, kLeastChunkWords / n);
  const std::size_t chunk = std::max(least, whole / (kChunksPerThread * threads));
  return {whole, chunk, (whole + chunk - 1) / chunk};
}

/// Runs rows of n words on at most `threads` threads, and never more than CPUs. Allocates nothing after the
/// first call; results do not depend on the shares.
class RowThreads {
 public:
  RowThreads(unsigned threads, std::size_t n)
      : pool_(threads == 1 ? 1 : std::min(threads, usable_cpus())), n_(n) {}

  unsigned threads() const { return pool_.threads(); }

  /// whole(row) for some rows, cut(row) for the others, one after the other: they call each_part().
  template <class Whole, class Cut>
  void each_row(std::size_t rows, bool can_cut, const Whole& whole, const Cut& cut) const {
    const RowShares shares = share_rows(rows, n_, threads(), can_cut);
    // Copies, so that a worker finds all it needs in a line or two of the caller's stack.
    run(shares.chunks, shares.whole * n_, [shares, whole](std::size_t c) {
      const std::size_t end = std::min(shares.whole, (c + 1) * shares.chunk);
      for (std::size_t row = c * shares.chunk; row < end; ++row) whole(row);
    });
    for (std::size_t row = shares.whole; row < rows; ++row) cut(row);
  }

  /// body(part, parts) for each part of one row: `finer` parts a thread.
  template <class Body>
  void each_part(std::size_t finer, const Body& body) const {
    const std::size_t parts = finer * threads();
    run(parts, n_, [&](std::size_t part) { body(part, parts); });
  }

 private:
  template <class Body>
  void run(std::size_t count, std::size_t words, const Body& body) const {
    if (count <= 1 || threads() == 1) {
      for (std::size_t i = 0; i < count; ++i) body(i);
    } else {
      pool_.parallel_for(count, body, words);
    }
  }

  ThreadPool pool_;
  std::size_t n_;
};

}  // namespace nttforge
