// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "nttforge/ntt/twiddles/twiddles.hpp"
#include "papers/kernels/kim20_arith.hpp"

namespace nttforge::cuda {

constexpr std::uint32_t kim20_bitrev(std::uint32_t x, unsigned bits) {
  std::uint32_t reversed = 0;
  for (unsigned i = 0; i < bits; ++i) reversed |= (x >> i & 1) << (bits - 1 - i);
  return reversed;
}

/// Entries 0 ... n - 1 of the table of one limb for the kernels of [Kim20], negacyclic: psi^bitrev(i) at
/// place i (the product tree's), or, natural (Stockham's), at place m + r what is at m + bitrev_m(r) there;
/// then the 2^log_base high factors of twiddles on the fly.
/// log_base = 0: 2^0 high factors.
template <class Arith>
std::vector<typename Arith::Word> kim20_table(unsigned log_n, std::uint64_t q, std::uint64_t psi,
                                              unsigned log_base, bool natural = false) {
  const std::uint32_t n = 1u << log_n;
  const auto w = tree_twiddles(Ring::negacyclic, log_n, q, psi);
  std::vector<typename Arith::Word> table((std::size_t{n} + (1u << log_base)) * Arith::kEntryWords);
  const auto set = [&](std::uint32_t place, std::uint64_t value) {
    Arith::entry(value, q, table.data() + std::size_t{place} * Arith::kEntryWords);
  };
  set(0, 1);
  for (unsigned stage = 0; stage < log_n; ++stage) {
    for (std::uint32_t m = 1u << stage, r = 0; r < m; ++r) {
      set(m + r, w.data()[m + (natural ? kim20_bitrev(r, stage) : r)]);
    }
  }
  for (std::uint32_t high = 0; high < 1u << log_base; ++high) {
    set(n + high, high == 0 ? 1 : w.data()[high << (log_n - log_base)]);
  }
  return table;
}

/// The same for complex numbers, cyclic: exp(-2 pi i bitrev_{log n - 1}(j) / n) at every place m + j.
inline std::vector<Kim20Complex> kim20_dft_table(unsigned log_n) {
  std::vector<Kim20Complex> table(std::size_t{1} << log_n);
  for (unsigned stage = 0; stage < log_n; ++stage) {
    for (std::uint32_t m = 1u << stage, j = 0; j < m; ++j) {
      const double angle =
          -2 * std::numbers::pi * kim20_bitrev(j, log_n - 1) / static_cast<double>(std::size_t{1} << log_n);
      table[m + j] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
    }
  }
  return table;
}

}  // namespace nttforge::cuda
