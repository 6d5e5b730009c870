// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the programs that bootstrap CKKS by other GPU libraries share: the numbers, which are those of
// `ckks_bench --bootstrap`, the check, the clocks and the row. Only for files that nvcc compiles.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/ckks_message.hpp"
#include "bench/gpu_measure.hpp"
#include "bench/peers/gpu_peer_clock.hpp"

namespace nttforge::bench {

inline constexpr std::size_t kBootstrapN = std::size_t{1} << 16;

struct GpuBootstrapOptions {
  unsigned runs = 25, calls = 5;
  std::string json, graph = "no";

  std::vector<Option> options() {
    return {number_option("--runs", "timed runs", runs, 3u, 10000u),
            number_option("--calls", "bootstraps of a run in a row", calls, 1u, 1000u),
            choice_option("--graph", "also try to record a bootstrap in a CUDA graph", graph, {"no", "yes"}),
            text_option("--json", "file for the results", json)};
  }
};

/// What a row says of a set beside its time.
struct GpuBootstrapSet {
  std::string name, security;
  double log2_qp = 0;
  std::size_t secret_weight = 0, ephemeral_weight = 0;
  std::size_t levels_between = 0;   ///< products between a result and the next argument
  double modulus_bits_between = 0;  ///< of the primes that these levels have
  std::size_t rotation_keys = 0;
  std::uint64_t key_bytes = 0;  ///< of every key that a bootstrap reads
};

/// log2 of a product.
template <class Words>
double log2_of_product(const Words& primes) {
  double bits = 0;
  for (const auto prime : primes) bits += std::log2(static_cast<double>(prime));
  return bits;
}

/// Checks one bootstrap and times it. body() enqueues a bootstrap on `stream`; numbers() waits for the last
/// one and gives what it means.
inline void measure_gpu_bootstrap(const GpuBootstrapOptions& options, Report& report, const char* library,
                                  const GpuBootstrapSet& set, const Numbers& wanted, cudaStream_t stream,
                                  const std::function<void()>& body,
                                  const std::function<Numbers()>& numbers) {
  const auto checked = [&](const char* what) {
    const Bits bits = bits_of(numbers(), wanted, false);
    if (!(bits.worst > 7)) {
      throw Error(std::string(library) + ", " + set.name + ": " + what + " has " +
                  std::to_string(bits.worst) + " bits at its worst number: not timed");
    }
    return bits;
  };
  body();
  const Bits bits = checked("a bootstrap");
  const GpuPeerClock clock(options.runs, options.calls, stream);
  const auto add = [&](const char* operation, const Timing& timing) {
    Json row = Json::object();
    row.set("scheme", "CKKS");
    row.set("library", library);
    row.set("operation", operation);
    row.set("set", set.name);
    row.set("n", kBootstrapN);
    row.set("numbers", kBootstrapN / 2);
    row.set("security", set.security);
    row.set("log2_qp", set.log2_qp);
    row.set("secret_weight", set.secret_weight);
    row.set("ephemeral_weight", set.ephemeral_weight);
    row.set("mean_bits", bits.mean);
    row.set("median_bits", bits.median);
    row.set("worst_bits", bits.worst);
    row.set("levels_between", set.levels_between);
    row.set("modulus_bits_between", set.modulus_bits_between);
    row.set("rotation_keys", set.rotation_keys);
    row.set("key_gigabytes", static_cast<double>(set.key_bytes) / 1e9);
    report.add(std::move(row), timing);
    std::printf("%s, %s: %s %.3f ms (least %.3f), bits %.1f, worst %.1f, %zu levels, keys %.2f GB\n", library,
                set.name.c_str(), operation, timing.median_ns / 1e6, timing.min_ns / 1e6, bits.mean,
                bits.worst, set.levels_between, static_cast<double>(set.key_bytes) / 1e9);
    std::fflush(stdout);
  };
  add("bootstrap", clock.back_to_back(body));
  add("bootstrap, a call and a wait", clock.one_call(body));
  checked("the last of many bootstraps");
  if (options.graph != "yes") return;
  const Timing graph = clock.in_a_graph(body);
  if (graph.runs == 0) {
    std::printf("%s: a bootstrap cannot be recorded in a graph\n", library);
    return;
  }
  checked("a recorded bootstrap");
  add("bootstrap, as a graph", graph);
}

}  // namespace nttforge::bench
