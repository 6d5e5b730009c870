// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cells of the comparison of BFV on one GPU and the rows that every program of it writes, ours and those
// of other libraries: n with the largest modulus that the standard of 2018 allows at 128 bits, special primes
// included, and a prime t of 20 bits with n slots.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/measure.hpp"

namespace nttforge::bench {

struct GpuBfvCell {
  unsigned log_n;
  unsigned log2_qp;  ///< special primes included
  std::size_t n() const { return std::size_t{1} << log_n; }
};

inline constexpr GpuBfvCell kGpuBfvCells[] = {{12, 109}, {13, 218}, {14, 438}, {15, 881}};
/// 1 modulo 2^18, so that every n of the cells has n slots.
inline constexpr std::uint64_t kGpuBfvPlainModulus = 786433;

/// How calls were made: back to back on a stream, one call and a wait, a graph of calls, a batch of
/// ciphertexts on a stream or in a graph (each ciphertext's share).
inline constexpr const char* kStream = "stream";
inline constexpr const char* kOneCall = "one call";
inline constexpr const char* kGraph = "graph";
inline constexpr const char* kBatch = "batch of 8";
inline constexpr const char* kBatchGraph = "batch of 8, graph";

/// What a row's figures belong to.
struct GpuBfvSet {
  std::size_t n = 0;
  unsigned log2_q = 0, log2_qp = 0;  ///< of the primes really used
  std::size_t limbs = 0;             ///< primes of the ciphertext modulus
  std::size_t special = 0;           ///< special primes
  unsigned word_bits = 64;
  std::uint64_t t = kGpuBfvPlainModulus;
  std::string variant;  ///< what of the library was used, if there is a choice
};

/// [batch][n] values in [0, t).
inline std::vector<std::uint64_t> slot_values(std::size_t count, std::uint64_t t, std::uint64_t state) {
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = (state >> 20) % t;
  }
  return values;
}

/// Prints and keeps one operation; bytes: what it reads or writes, where the figure wanted is a rate.
inline void add_gpu_bfv(Report& report, const char* program, const GpuBfvSet& set, const char* operation,
                        const char* mode, const Timing& timing, std::size_t bytes = 0) {
  std::printf("%-10s 2^%-2d log QP %-3u %-30s %-26s %-18s %10.2f us", program, __builtin_ctzll(set.n),
              set.log2_qp, set.variant.c_str(), operation, mode, timing.median_ns * 1e-3);
  if (bytes != 0) std::printf(" %8.2f GB/s", static_cast<double>(bytes) / timing.median_ns);
  std::printf("\n");
  std::fflush(stdout);
  Json row = Json::object();
  row.set("kind", "gpu_bfv");
  row.set("n", set.n);
  row.set("log2_q", set.log2_q);
  row.set("log2_qp", set.log2_qp);
  row.set("limbs", set.limbs);
  row.set("special_primes", set.special);
  row.set("word_bits", set.word_bits);
  row.set("t", set.t);
  row.set("variant", set.variant);
  row.set("operation", operation);
  row.set("mode", mode);
  if (bytes != 0) row.set("bytes", bytes);
  report.add(std::move(row), timing);
}

}  // namespace nttforge::bench
