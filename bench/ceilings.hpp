// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the core itself can do: vector instructions per cycle and bytes per cycle, measured by loops written
// in assembly, so that no compiler and no instruction-set flag stands between. Only what the CPU has may be
// called.

#include <cstddef>
#include <string>
#include <vector>

namespace nttforge::bench {

/// Clock of the core now, in GHz: a chain of dependent one-cycle additions.
double clock_ghz();
/// Time stamp counter, in GHz (constant, whatever the clock).
double tsc_ghz();

struct InstructionRate {
  std::string name;          ///< "vpmadd52luq"
  unsigned vector_bits = 0;  /// < 512, 256; 64: scalar
  double per_cycle = 0;
  double ghz = 0;  ///< clock right after the loop: heavy instructions may lower it
};
/// Twelve independent instructions over and over; best of `runs`.
std::vector<InstructionRate> instruction_rates(unsigned vector_bits, unsigned runs);

struct Bandwidth {
  std::string access;  ///< "read", "write", "in place", "add": c = a + b, "add in place": a += b
  unsigned vector_bits = 0;
  std::size_t bytes = 0;        ///< of all arrays touched
  double bytes_per_second = 0;  ///< loads plus stores
  double bytes_per_cycle = 0;
  double min_ns = 0;  ///< of one pass
};
/// Over one array of `bytes` ("add": three arrays of a third, "add in place": two of a half).
Bandwidth bandwidth(const std::string& access, unsigned vector_bits, std::size_t bytes, unsigned runs);

}  // namespace nttforge::bench
