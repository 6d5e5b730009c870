// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the programs that measure other libraries share: options, the rows they write, checks of a transform
// by its definition. Each program calls one library's public API and nothing else of it.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/aligned.hpp"
#include "bench/measure.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/wide_mod.hpp"

namespace nttforge::bench {

struct PeerOptions {
  unsigned min_log_n = 10, max_log_n = 17;
  Repetition repetition;
  double seconds = 0.5;
  std::size_t only = 0;
  std::string kind = "all", json;

  void parse(int count, char** arguments) {
    const std::vector<Option> own = {
        number_option("--min-log-n", "smallest transform", min_log_n, 5u, 24u),
        number_option("--max-log-n", "largest transform", max_log_n, 5u, 24u),
        number_option("--seconds", "time for each BFV operation", seconds, 0.001, 60.0),
        number_option("--only", "BFV sets of this n only (0: all)", only, std::size_t{0}, std::size_t{65536}),
        choice_option("--kind", "what to measure", kind, {"transform", "bfv", "all"}),
        text_option("--json", "file for the results", json)};
    parse_options(count, arguments, own + repetition.options());
  }
};

/// Prints and keeps the figures of one library.
class PeerReport : public Report {
 public:
  PeerReport(const std::string& name, const std::string& version)
      : Report(name, version, NTTF_PEER_BUILD), name_(name) {}

  void transform(unsigned bits, std::uint64_t q, std::size_t n, const char* ring, const std::string& target,
                 const char* direction, const Timing& timing) {
    std::printf("%-10s %2u-bit %-12s n = %-7zu %-18s %12.1f ns min %12.1f median\n", name_.c_str(), bits,
                target.c_str(), n, direction, timing.min_ns, timing.median_ns);
    std::fflush(stdout);
    Json row = Json::object();
    row.set("kind", "transform");
    row.set("bits", bits);
    row.set("word_bits", 64);
    row.set("q", q);
    row.set("n", n);
    row.set("ring", ring);
    row.set("target", target);
    row.set("direction", direction);
    add(std::move(row), timing);
  }

 private:
  std::string name_;
};

inline AlignedVector<std::uint64_t> random_residues(std::size_t n, std::uint64_t q, std::uint64_t state) {
  AlignedVector<std::uint64_t> x(n);
  for (std::uint64_t& v : x) v = ((state = state * 6364136223846793005u + 1442695040888963407u) >> 1) % q;
  return x;
}

/// sum a[j] point^j mod q.
inline std::uint64_t evaluate(const AlignedVector<std::uint64_t>& a, std::uint64_t point, std::uint64_t q) {
  std::uint64_t value = 0;
  for (std::size_t j = a.size(); j-- > 0;) {  // Horner
    value = static_cast<std::uint64_t>((static_cast<u128>(value) * point + a[j]) % q);
  }
  return value;
}

/// Coefficient k of a * b mod X^n + 1 (negacyclic) or X^n - 1.
inline std::uint64_t product_coefficient(const AlignedVector<std::uint64_t>& a,
                                         const AlignedVector<std::uint64_t>& b, std::size_t k,
                                         std::uint64_t q, bool negacyclic) {
  const std::size_t n = a.size();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t term = static_cast<std::uint64_t>(static_cast<u128>(a[i]) * b[(n + k - i) % n] % q);
    if (negacyclic && i > k && term != 0) term = q - term;
    sum = static_cast<std::uint64_t>((static_cast<u128>(sum) + term) % q);
  }
  return sum;
}

}  // namespace nttforge::bench
