// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parameter sets of the BFV comparison and the rows it writes: one list, so that every library is asked
// for the same thing and each says which log2 Q it really has. The 128-bit sets are the presets, by the 2024
// security guidelines (Bossuat et al., table 5.2); results that say 72, 174, 389 and 833 bits were measured
// with the presets of before, by the 2018 standard.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "bench/measure.hpp"

namespace nttforge::bench {

struct BfvSet {
  const char* name;
  std::size_t n;
  unsigned log2_q;  ///< asked for, special primes apart
  std::uint64_t t;
  unsigned log2_qp = 0;  ///< with the special prime: the limit of the security table; 0: none asked for
};

inline const std::vector<BfvSet>& bfv_sets() {
  static const std::vector<BfvSet> sets = {
      {"128-bit 2^12", 4096, 70, 786433, 106},
      {"128-bit 2^13", 8192, 171, 786433, 214},
      {"128-bit 2^14", 16384, 382, 786433, 430},
      {"128-bit 2^15", 32768, 819, 786433, 868},
      {"[Bad18b] 2^11", 2048, 62, 2},
      {"[Bad18b] 2^12", 4096, 186, 2},
      {"[Bad18b] 2^13", 8192, 372, 2},
      {"[Bad18b] 2^14", 16384, 744, 2},
  };
  return sets;
}

/// Prints and keeps one operation. variant: what of the library was used, if there is a choice.
inline void add_bfv(Report& report, const char* program, const BfvSet& set, unsigned log2_q,
                    const std::string& variant, const char* operation, const Timing& timing) {
  std::printf("%-10s %-14s %-22s %-26s %12.4f ms min %12.4f median\n", program, set.name, variant.c_str(),
              operation, timing.min_ns * 1e-6, timing.median_ns * 1e-6);
  std::fflush(stdout);
  Json row = Json::object();
  row.set("kind", "bfv");
  row.set("set", set.name);
  row.set("n", set.n);
  row.set("log2_q", log2_q);
  row.set("t", set.t);
  row.set("variant", variant);
  row.set("operation", operation);
  report.add(std::move(row), timing);
}

}  // namespace nttforge::bench
