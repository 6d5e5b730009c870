// SPDX-License-Identifier: Apache-2.0
#pragma once

// The clock of the core as it is now: under heavy vector instructions it may be lower than at rest.

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace nttforge::bench {

/// GHz, from a chain of dependent additions of a cycle each: 32 a round, about 11 ns. 0 where there is no
/// such chain for the CPU.
inline double chain_ghz([[maybe_unused]] std::size_t rounds) {
#if defined(__x86_64__)
  constexpr double kChain = 32;
  std::size_t count = rounds;
  std::uint64_t x = 1;
  const auto begin = std::chrono::steady_clock::now();
  asm volatile("1:\n\t.rept 32\n\tadd %2, %1\n\t.endr\n\tdec %0\n\tjnz 1b"
               : "+r"(count), "+r"(x)
               : "r"(std::uint64_t{3})
               : "cc");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return kChain * static_cast<double>(rounds) / elapsed.count() * 1e-9;
#else
  return 0;
#endif
}

}  // namespace nttforge::bench
