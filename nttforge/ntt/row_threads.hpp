#pragma once

// How the rows of a call go to the threads of a plan.

#include <algorithm>
#include <cstddef>
#include <functional>

#include "nttforge/base/cpu_count.hpp"
#include "nttforge/base/thread_pool.hpp"

namespace nttforge {

/// Rows of n words over at most `threads` threads, and never more than CPUs. Whole rows where they keep every
/// thread busy; the rows left over (all, if they are fewer than the threads) are cut up if n is large enough
/// for that to pay. Allocates nothing after the first call; results do not depend on the cut.
class RowThreads {
 public:
  RowThreads(unsigned threads, std::size_t n)
      : pool_(threads == 1 ? 1 : std::min(threads, usable_cpus())), n_(n) {}

  unsigned threads() const { return pool_.threads(); }

  /// How many of `rows` rows to do whole; they come first.
  std::size_t whole_rows(std::size_t rows) const {
    return threads() > 1 && n_ >= kLeastCutWords ? rows - rows % threads() : rows;
  }

  /// body(row) for each row in [0, rows).
  template <class Body>
  void each_row(std::size_t rows, const Body& body) const {
    const std::size_t least = std::max<std::size_t>(1, kLeastChunkWords / n_);
    const std::size_t chunk = std::max(least, rows / (kChunksPerThread * threads()));
    run((rows + chunk - 1) / chunk, [&](std::size_t c) {
      const std::size_t end = std::min(rows, (c + 1) * chunk);
      for (std::size_t row = c * chunk; row < end; ++row) body(row);
    });
  }

  /// body(part, parts) for each part of one row: `finer` parts a thread.
  template <class Body>
  void each_part(std::size_t finer, const Body& body) const {
    const std::size_t parts = finer * threads();
    run(parts, [&](std::size_t part) { body(part, parts); });
  }

 private:
  /// Rows are handed to threads in chunks of at least this many words (some microseconds), so that short rows
  /// do not pay for the hand-over, and in at most kChunksPerThread chunks each.
  static constexpr std::size_t kLeastChunkWords = 4096;
  static constexpr std::size_t kChunksPerThread = 4;
  /// One row is cut up from this size on (docs/decisions/explorer.md).
  static constexpr std::size_t kLeastCutWords = std::size_t{1} << 14;

  template <class Body>
  void run(std::size_t count, const Body& body) const {
    if (count <= 1 || threads() == 1) {
      for (std::size_t i = 0; i < count; ++i) body(i);
    } else {
      pool_.parallel_for(count, std::cref(body));  // cref: the std::function holds a pointer, no copy
    }
  }

  ThreadPool pool_;
  std::size_t n_;
};

}  // namespace nttforge
