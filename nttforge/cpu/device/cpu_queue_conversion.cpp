// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <utility>

#include "nttforge/cpu/conversion/cpu_step.hpp"
#include "nttforge/cpu/device/word_views.hpp"

namespace nttforge::cpu {

void CpuQueue::apply(const StepTables& step, BatchRows sources, BatchRows own_words, WordPtr out,
                     std::size_t batch, WordPtr exceeded) const {
  const CpuStep& own_step = own<CpuStep>(step);
  const std::size_t n = step.n(), targets = step.targets();
  // Blocks of 32-bit words are widened on their way in and back.
  const auto is_short = [](ConstWordPtr words) { return words != nullptr && words.word_bits() == 32; };
  const std::size_t widened = (is_short(sources.words) ? step.sources() : 0) +
                              (is_short(own_words.words) ? step.own_words() : 0) +
                              (is_short(out) ? targets : 0);
  std::atomic<std::uint64_t> outside{0};
  const auto run_block = [&](std::size_t polynomial, std::size_t c, std::size_t count,
                             std::uint64_t* scratch) {
    const auto take = [&](std::size_t rows) { return std::exchange(scratch, scratch + rows * kBlock); };
    const auto block_of = [&](BatchRows all, std::size_t rows) {
      if (all.words == nullptr) return WordRows{};
      const std::size_t at = polynomial * all.stride + c;
      if (!is_short(all.words)) return WordRows{all.words.as<std::uint64_t>() + at, n};
      std::uint64_t* const wide = take(rows);
      for (std::size_t row = 0; row < rows; ++row)
        std::copy_n(all.words.as<std::uint32_t>() + at + row * n, count, wide + row * kBlock);
      return WordRows{wide, kBlock};
    };
    const WordRows x = block_of(sources, step.sources()), y = block_of(own_words, step.own_words());
    const std::size_t at = polynomial * targets * n + c;
    std::uint64_t* const results = is_short(out) ? take(targets) : out.as<std::uint64_t>() + at;
    const std::uint64_t any =
        own_step.run(x, y, results, is_short(out) ? kBlock : n, scratch, kBlock, count, exceeded != nullptr);
    if (exceeded != nullptr) outside.fetch_or(any, std::memory_order_relaxed);
    if (!is_short(out)) return;
    for (std::size_t row = 0; row < targets; ++row)
      for (std::size_t i = 0; i < count; ++i)
        out.as<std::uint32_t>()[at + row * n + i] = static_cast<std::uint32_t>(results[row * kBlock + i]);
  };
  for_blocks(batch, n, std::max(step.sources(), targets), widened + own_step.scratch_rows(), run_block);
  const std::uint64_t word = outside.load() >> 63;
  if (exceeded != nullptr) copy(&word, exceeded, 1);
}

}  // namespace nttforge::cpu
