// SPDX-License-Identifier: Apache-2.0
// What this core can do at most: clock, instructions per cycle, bandwidth of its caches, and the time that an
// addition of ciphertexts needs for its memory alone. ceilings_bench --help lists the options.

#include <cstdio>

#include "bench/bfv_sets.hpp"
#include "bench/ceilings.hpp"
#include "bench/measure.hpp"
#include "nttforge/bfv/parameters.hpp"

using namespace nttforge;

namespace {

struct Options : bench::Output {
  unsigned runs = 30;

  void parse(int count, char** arguments) {
    bench::parse_options(
        count, arguments,
        std::vector<bench::Option>{bench::number_option("--runs", "runs of each loop", runs, 3u, 100000u)} +
            bench::Output::options());
  }
};

void instructions(unsigned vector_bits, unsigned runs, bench::Report& report) {
  for (const bench::InstructionRate& rate : bench::instruction_rates(vector_bits, runs)) {
    std::printf("%-14s %3u bits %6.2f per cycle at %.2f GHz\n", rate.name.c_str(), rate.vector_bits,
                rate.per_cycle, rate.ghz);
    Json row = Json::object();
    row.set("kind", "instruction");
    row.set("name", rate.name);
    row.set("vector_bits", rate.vector_bits);
    row.set("per_cycle", rate.per_cycle);
    row.set("ghz", rate.ghz);
    report.add(std::move(row));
  }
}

void memory(const char* where, const std::string& access, unsigned vector_bits, std::size_t bytes,
            unsigned runs, bench::Report& report) {
  const bench::Bandwidth b = bench::bandwidth(access, vector_bits, bytes, runs);
  std::printf("%-14s %-14s %3u bits %9zu bytes %8.1f GB/s %6.1f bytes per cycle\n", where, access.c_str(),
              vector_bits, b.bytes, b.bytes_per_second * 1e-9, b.bytes_per_cycle);
  Json row = Json::object();
  row.set("kind", "bandwidth");
  row.set("where", where);
  row.set("access", access);
  row.set("vector_bits", vector_bits);
  row.set("bytes", b.bytes);
  row.set("bytes_per_second", b.bytes_per_second);
  row.set("bytes_per_cycle", b.bytes_per_cycle);
  row.set("min_ns", b.min_ns);
  report.add(std::move(row));
}

void run(const Options& options) {
  bench::Report report = options.report();
  std::vector<unsigned> widths;
  for (const Target target : available_targets()) {
    if (target == Target::avx2) widths.push_back(256);
    if (target == Target::avx512_ifma) widths.push_back(512);
  }
  const double clock = bench::clock_ghz(), tsc = bench::tsc_ghz();
  std::printf("clock %.3f GHz, time stamps %.3f GHz\n", clock, tsc);
  report.note("clock_ghz", clock);
  report.note("tsc_ghz", tsc);
  instructions(64, options.runs, report);
  for (const unsigned bits : widths) instructions(bits, options.runs, report);
  for (const unsigned bits : widths) {
    for (const char* access : {"read", "write", "in place"}) {
      memory("L1", access, bits, 24 << 10, options.runs, report);
      memory("L2", access, bits, 320 << 10, options.runs, report);
      memory("beyond L2", access, bits, 8 << 20, options.runs, report);
    }
  }
  if (!widths.empty()) {
    for (const bench::BfvSet& set : bench::bfv_sets()) {
      const auto parameters =
          set.t == 2 ? bfv::Parameters::badawi2018(set.n) : bfv::Parameters::preset(set.n, set.t);
      const std::size_t bytes = 2 * parameters.limbs() * set.n * sizeof(std::uint64_t);
      memory(set.name, "add", widths.back(), 3 * bytes, options.runs, report);
      memory(set.name, "add in place", widths.back(), 2 * bytes, options.runs, report);
    }
  }
  report.write(options.json);
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("ceilings_bench", [&] {
    Options options;
    options.parse(count, arguments);
    run(options);
  });
}
