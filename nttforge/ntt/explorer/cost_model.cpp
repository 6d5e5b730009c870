// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/explorer/cost_model.hpp"

#include <algorithm>

#include "nttforge/ntt/plan/row_threads.hpp"

namespace nttforge {
namespace {

constexpr double kCallNs = 60;
constexpr double kHandOverNs = 1500;  ///< one loop over threads whose workers are awake
constexpr double kPhaseLoss = 1.1;    ///< a row cut over threads: its phases wait for the slowest

/// Bytes that fit, and what a byte from the level behind costs beyond what the butterflies hide. A row
/// touches its data (read and written) and a table of twice its size.
struct Level {
  double bytes, ns_per_byte;
};
constexpr Level kLevels[] = {{1.0 * (1u << 20), 0.0}, {32.0 * (1u << 20), 0.012}, {1e30, 0.045}};

/// A bit reversal jumps by n/8 words, which costs more where that leaves the caches and the address cache.
constexpr Level kPermutationLevels[] = {{256.0 * 1024, 0.07}, {8.0 * (1u << 20), 0.12}, {1e30, 0.5}};

double rate(std::span<const Level> levels, double bytes) {
  return std::find_if(levels.begin(), levels.end(), [&](const Level& l) { return bytes <= l.bytes; })
      ->ns_per_byte;
}

}  // namespace

double row_ns(const RowCost& row) {
  const double bytes = static_cast<double>(row.n * row.word_bytes), touched = 3 * bytes;
  return kCallNs + row.butterflies * row.butterfly_ns + touched * rate(kLevels, touched) +
         row.permutations * bytes * rate(kPermutationLevels, bytes);
}

double batch_ns(std::span<const RowCost> rows, std::size_t batch, unsigned threads) {
  double all = 0;
  bool cuttable = true;
  for (const RowCost& row : rows) {
    all += row_ns(row);
    cuttable &= row.cuttable;
  }
  const std::size_t count = batch * rows.size();
  if (threads <= 1 || count == 0) return all * static_cast<double>(batch);
  const double mean = all / static_cast<double>(rows.size());
  const RowShares shares = share_rows(count, rows.front().n, threads, cuttable);
  double ns = 0;
  if (shares.chunks > 1) {
    const std::size_t turns = (shares.chunks + threads - 1) / threads;
    // The last turn's chunk may be short.
    const double share = std::max(static_cast<double>(shares.whole) / threads,
                                  static_cast<double>(std::min(turns * shares.chunk, shares.whole)) -
                                      static_cast<double>(shares.chunk) + 1);
    ns += share * mean + kHandOverNs;
  } else {
    ns += static_cast<double>(shares.whole) * mean;
  }
  const double phases = 2 + rows.front().permutations;
  ns += static_cast<double>(count - shares.whole) * (mean / threads * kPhaseLoss + phases * kHandOverNs);
  return ns;
}

}  // namespace nttforge
