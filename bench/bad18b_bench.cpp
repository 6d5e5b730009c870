// SPDX-License-Identifier: Apache-2.0
// [Bad18b] on this machine's CPU, or on a card: its kernels and its scheme as the paper has them, and the
// library's, each checked before it is timed. --check 1 checks everything and times nothing of note; --small
// 1 takes two small sets in place of the paper's four, for tests.

#include "bench/papers/bad18b/measure.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/cuda/device.hpp"
#include "nttforge/device/make_device.hpp"

using namespace nttforge;
namespace paper = cuda::bad18b;

namespace {

struct Options : bench::Output {
  std::string device = "cpu";
  double seconds = 0.2, load_seconds = 1.5;
  std::size_t only = 0;
  unsigned small = 0, check = 0;

  void parse(int count, char** arguments) {
    const std::vector<bench::Option> own = {
        bench::choice_option("--device", "what computes", device, {"cpu", "cuda", "cuda:host"}),
        bench::number_option("--seconds", "time for each figure", seconds, 1e-6, 60.0),
        bench::number_option("--load-seconds", "time for each set while the driver is asked for power",
                             load_seconds, 0.0, 60.0),
        bench::number_option("--only", "the set of this n only (0: all)", only, std::size_t{0},
                             std::size_t{16384}),
        bench::number_option("--small", "1: two small sets, for tests", small, 0u, 1u),
        bench::number_option("--check", "1: check everything, time as little as can be", check, 0u, 1u)};
    bench::parse_options(count, arguments, own + bench::Output::options());
    if (check != 0) seconds = 1e-6;
    if (check != 0 || small != 0) load_seconds = 0;
  }
};

bench::Bad18bPlace place_of(const std::string& device) {
  if (device == "cpu") return {paper::Machine::cpu(), make_cpu_device(1)};
  const int ordinal = device == "cuda" ? 0 : cuda::kHost;
  return {paper::Machine::cuda(ordinal), make_cuda_device(ordinal)};
}

std::vector<paper::FvBase> sets_of(const Options& options) {
  if (options.small != 0) return {paper::FvBase(64, 2, 7, 1), paper::FvBase(128, 6, 37, 65536)};
  std::vector<paper::FvBase> sets;
  for (const std::size_t n : {2048u, 4096u, 8192u, 16384u})
    if (options.only == 0 || options.only == n) sets.push_back(paper::FvBase::of_paper(n));
  return sets;
}

Json describe(const cuda::CudaDevice& card) {
  Json gpu = Json::object();
  gpu.set("name", card.name);
  gpu.set("multiprocessors", card.multiprocessors);
  gpu.set("clock_mhz", card.clock_khz / 1000.0);
  gpu.set("memory_bytes", card.total_bytes);
  gpu.set("compute_capability", card.compute_capability);
  gpu.set("driver", card.driver);
  return gpu;
}

void run(const Options& options, bench::Report& report) {
  bench::Bad18bPlace place = place_of(options.device);
  report.note("device", place.device->description());
  if (place.machine.is_card()) report.note("gpu", describe(cuda::describe_device(place.machine.device())));
  bench::Bad18bClock clock(report, options.device, options.seconds);
  const std::vector<paper::FvBase> sets = sets_of(options);
  for (const paper::FvBase& base : sets) {
    bench::measure_bad18b_reductions(clock, place, static_cast<unsigned>(std::countr_zero(base.n)));
    bench::measure_bad18b_reconstructions(clock, place, options.small != 0 ? 64 : 8192,
                                          static_cast<unsigned>(base.q.size()));
    bench::measure_bad18b_kernels(clock, place, base);
    bench::measure_bad18b_scheme(clock, place, base);
    bench::measure_bad18b_ours(clock, place.device, base, "ours");
    if (place.machine.is_cpu())
      bench::measure_bad18b_ours(clock, make_cpu_device(0), base, "ours, all cores");
  }
  if (options.load_seconds > 0)
    report.note("load", bench::measure_bad18b_load(place, sets, options.load_seconds));
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("bad18b_bench", [&] {
    Options options;
    options.parse(count, arguments);
    bench::Report report = options.report();
    run(options, report);
    if (options.check != 0) std::printf("every kernel of [Bad18b] is right\n");
    report.write(options.json);
  });
}
