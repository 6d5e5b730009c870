// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the programs that measure BFV of other GPU libraries share: the cells, sizes of primes, slots to
// compute with, the clocks and the rows. Each program calls one library's public API, as its own examples do,
// and checks a product and a rotation slot by slot before anything is timed. Only for files that nvcc
// compiles.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>
#include <string>
#include <vector>

#include "bench/gpu_bfv_sets.hpp"
#include "bench/gpu_measure.hpp"
#include "bench/peers/gpu_peer_clock.hpp"

namespace nttforge::bench {

/// Sizes of the primes that a library takes for a cell.
struct GpuBfvPrimes {
  std::vector<int> q, special;  ///< bits
  int log2_q() const { return std::accumulate(q.begin(), q.end(), 0); }
  int log2_qp() const { return std::accumulate(special.begin(), special.end(), log2_q()); }
  /// All of them, special ones last.
  template <class Integer>
  std::vector<Integer> all() const {
    std::vector<Integer> bits(q.begin(), q.end());
    bits.insert(bits.end(), special.begin(), special.end());
    return bits;
  }
};

/// Fewest primes of at most 60 bits and of nearly one size, the special ones the largest; where digits must
/// be full, `special` divides the number of the others. One prime leaves no room for a product.
inline GpuBfvPrimes gpu_bfv_primes(const GpuBfvCell& cell, unsigned special, bool full_digits) {
  unsigned count = std::max((cell.log2_qp + 59) / 60, special + 2);
  while (full_digits && (count - special) % special != 0) ++count;
  GpuBfvPrimes primes;
  for (unsigned i = 0; i < count; ++i) {
    const int bits = static_cast<int>(cell.log2_qp / count + (i >= count - cell.log2_qp % count ? 1 : 0));
    (i < count - special ? primes.q : primes.special).push_back(bits);
  }
  return primes;
}

/// Every choice of a cell that leaves at least two thirds of the modulus to ciphertexts.
inline std::vector<GpuBfvPrimes> gpu_bfv_choices(const GpuBfvCell& cell, bool full_digits) {
  std::vector<GpuBfvPrimes> choices;
  for (const unsigned special : {1u, 2u, 3u, 4u}) {
    GpuBfvPrimes primes = gpu_bfv_primes(cell, special, full_digits);
    if (special == 1 || 3 * primes.log2_q() >= 2 * primes.log2_qp()) choices.push_back(std::move(primes));
  }
  return choices;
}

/// Slots of two operands and of their product rotated by one to the left, row by row.
struct GpuBfvSlots {
  std::vector<std::uint64_t> a, b, rotated_product;

  explicit GpuBfvSlots(std::size_t n) : a(n), b(n), rotated_product(n) {
    std::uint64_t state = n;
    for (std::vector<std::uint64_t>* values : {&a, &b}) {
      for (std::uint64_t& value : *values) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value = (state >> 20) % kGpuBfvPlainModulus;
      }
    }
    const std::size_t row = n / 2;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t from = i / row * row + (i % row + 1) % row;
      rotated_product[i] = a[from] * b[from] % kGpuBfvPlainModulus;
    }
  }
};

struct GpuBfvOptions {
  unsigned runs = 25, calls = 20;
  std::size_t only = 0;
  std::string json, graph = "no";

  std::vector<Option> options() {
    return {
        number_option("--runs", "timed runs of each operation", runs, 3u, 10000u),
        number_option("--calls", "calls of a run", calls, 1u, 10000u),
        number_option("--only", "sets of this n only (0: all)", only, std::size_t{0}, std::size_t{1} << 17),
        choice_option("--graph", "also try to record each operation in a CUDA graph", graph, {"no", "yes"}),
        text_option("--json", "file for the results", json)};
  }
};

/// One library at one choice of primes: checks, then times.
class GpuBfvMeasurement {
 public:
  GpuBfvMeasurement(const char* library, const GpuBfvOptions& options, Report& report, cudaStream_t stream,
                    const GpuBfvCell& cell, const GpuBfvPrimes& primes, const std::string& multiplication)
      : library_(library), options_(options), report_(report), clock_(options.runs, options.calls, stream) {
    set_.n = cell.n();
    set_.log2_q = static_cast<unsigned>(primes.log2_q());
    set_.log2_qp = static_cast<unsigned>(primes.log2_qp());
    set_.limbs = primes.q.size();
    set_.special = primes.special.size();
    set_.variant = std::to_string(primes.q.size()) + " + " + std::to_string(primes.special.size()) +
                   " primes" + (multiplication.empty() ? "" : ", " + multiplication);
  }

  /// throws Error unless both are equal: nothing is timed then.
  void check(const std::vector<std::uint64_t>& made, const std::vector<std::uint64_t>& wanted,
             const char* what) const {
    if (made.size() >= wanted.size() && std::equal(wanted.begin(), wanted.end(), made.begin())) return;
    std::size_t i = 0;
    while (i < std::min(made.size(), wanted.size()) && made[i] == wanted[i]) ++i;
    throw Error(std::string(library_) + ", n = " + std::to_string(set_.n) + ", " + set_.variant + ": slot " +
                std::to_string(i) + " of " + what + " is wrong: not timed");
  }
  template <class Body>
  void time(const char* operation, const Body& body) {
    add_gpu_bfv(report_, library_, set_, operation, kStream, clock_.back_to_back(body));
    add_gpu_bfv(report_, library_, set_, operation, kOneCall, clock_.one_call(body));
    if (options_.graph != "yes") return;
    const Timing graph = clock_.in_a_graph(body);
    if (graph.runs != 0)
      add_gpu_bfv(report_, library_, set_, operation, kGraph, graph);
    else
      std::printf("%s: %s cannot be recorded in a graph\n", library_, operation);
  }
  /// What takes long: a call and a wait, few times; bytes: what it makes.
  template <class Body>
  void time_slow(const char* operation, const Body& body, std::size_t bytes) {
    add_gpu_bfv(report_, library_, set_, operation, kOneCall, clock_.one_call(body, kSlowRuns), bytes);
  }
  /// Bytes of a key for one switch, with 64-bit words.
  std::size_t key_bytes(std::size_t digits) const {
    return 2 * digits * (set_.limbs + set_.special) * set_.n * sizeof(std::uint64_t);
  }
  std::size_t full_digits() const { return (set_.limbs + set_.special - 1) / set_.special; }

 private:
  static constexpr unsigned kSlowRuns = 5;

  const char* library_;
  const GpuBfvOptions& options_;
  Report& report_;
  GpuBfvSet set_;
  GpuPeerClock clock_;
};

/// main() of a program: run(options, report, cell) measures a cell. An error that breaks the device ends the
/// program, with the figures of before.
template <class Run>
int gpu_bfv_peer_main(const char* program, const char* library, const char* version, int count,
                      char** arguments, const Run& run) {
  return guarded_main(program, [&] {
    GpuBfvOptions options;
    parse_options(count, arguments, options.options());
    Report report(library, version, NTTF_PEER_BUILD);
    report.keep_in(options.json);
    describe_gpu(report);
    try {
      for (const GpuBfvCell& cell : kGpuBfvCells) {
        if (options.only == 0 || options.only == cell.n()) run(options, report, cell);
      }
    } catch (const std::exception& error) {
      std::printf("%s stops here, what was measured counts: %s\n", library, error.what());
    }
    report.write(options.json);
  });
}

/// Runs one choice of a cell; what is wrong with it is printed, and it is left out. throws Error if the
/// device is broken.
template <class Body>
void attempt(const Body& body) {
  try {
    body();
  } catch (const std::exception& error) {
    std::printf("left out: %s\n", error.what());
    std::fflush(stdout);
    (void)cudaGetLastError();
    require(cudaDeviceSynchronize(), "the device after an error");
  }
}

}  // namespace nttforge::bench
