// SPDX-License-Identifier: Apache-2.0
// Transforms on the current GPU: every kernel of the launch table that fits a cell of the grid, checked
// against the CPU's words and then timed, forward and inverse, beside the floors of the same cell.

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "bench/gpu_calls.cuh"
#include "bench/gpu_floors.cuh"
#include "bench/gpu_measure.hpp"
#include "bench/gpu_steps.cuh"
#include "nttforge/arith/primes.hpp"
#include "nttforge/cuda/candidates.hpp"
#include "nttforge/cuda/plan/tables.hpp"
#include "nttforge/cuda/table/rows_shoup32.hpp"
#include "nttforge/cuda/table/rows_shoup64.hpp"
#include "nttforge/ntt/plan.hpp"

using namespace nttforge;

namespace {

struct Options : bench::GpuOptions {
  std::string commit, flags, kind = "all", grid = "cells";

  void parse(int count, char** arguments) {
    std::vector<bench::Option> own = {
        bench::text_option("--commit", "commit, kept with the results", commit),
        bench::text_option("--flags", "compiler flags, kept with the results", flags),
        bench::choice_option("--kind", "what to measure; check: each kernel once, for profilers", kind,
                             {"all", "transform", "floor", "step", "call", "check"}),
        bench::choice_option("--grid", "figures: the cost model's, --kind transform", grid,
                             {"cells", "figures"})};
    bench::parse_options(count, arguments, own + options());
  }
  /// The grid; or of each class of primes (64: Goldilocks) what the cost model is to know.
  std::vector<bench::GpuCell> wanted() const {
    if (grid == "cells") return cells();
    std::vector<bench::GpuCell> kept;
    for (const unsigned of_class : {30u, 32u, 50u, 60u, 62u, 64u}) {
      for (unsigned log_n = min_log_n; log_n <= max_log_n; ++log_n) {
        for (const unsigned count : {1u, 8u, 21u, 45u}) {
          if (const bench::GpuCell cell{log_n, count, of_class}; keeps(cell)) kept.push_back(cell);
        }
      }
    }
    return kept;
  }
};

/// Input and right output of a cell, and the buffers it is measured in.
template <class Word>
struct Data {
  NttSpec spec;
  std::vector<Word> input, output;
  bench::OnDevice<Word> device;

  explicit Data(const bench::GpuCell& cell) : device(words(cell) * bench::kRotatedBuffers) {
    const std::size_t n = std::size_t{1} << cell.log_n;
    spec = {.n = n, .moduli = bench::moduli_of(cell), .word_bits = 8 * sizeof(Word)};
    spec = validated(spec);
    input.resize(words(cell));
    output.resize(words(cell));
    bench::parallel_for(cell.limbs, [&](std::size_t limb) {
      std::uint64_t state = limb + 1;
      for (std::size_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        input[limb * n + i] = static_cast<Word>((state >> 1) % spec.moduli[limb]);
      }
    });
    const NttPlan plan(spec);
    plan.forward(std::span<const Word>(input), std::span<Word>(output));
    for (unsigned i = 0; i < bench::kRotatedBuffers; ++i)
      device.set(input.data(), input.size(), i * input.size());
  }
  Word* buffer(unsigned i) const { return device.data() + i * input.size(); }
  static std::size_t words(const bench::GpuCell& cell) { return std::size_t{cell.limbs} << cell.log_n; }
};

/// A row's tables on the device.
template <class Word>
class Tables {
 public:
  Tables(const NttSpec& spec, const cuda::CudaKernelRow<Word>& row, unsigned log_n)
      : words_(cuda::table_words(row, log_n)),
        device_(2 * words_ * spec.moduli.size()),
        limbs_(spec.moduli.size()) {
    std::vector<cuda::CudaLimb<Word>> limbs(spec.moduli.size());
    bench::parallel_for(limbs.size(), [&](std::size_t i) {
      const auto tables = cuda::build_tables(cuda::TableSource{spec, i}, row);
      limbs[i] = tables.limb;
      device_.set(tables.forward.data(), words_, 2 * i * words_);
      device_.set(tables.inverse.data(), words_, (2 * i + 1) * words_);
      limbs[i].forward = device_.data() + 2 * i * words_;
      limbs[i].inverse = device_.data() + (2 * i + 1) * words_;
    });
    limbs_.set(limbs);
  }
  const cuda::CudaLimb<Word>* limbs() const { return limbs_.data(); }

 private:
  std::size_t words_;
  bench::OnDevice<Word> device_;
  bench::OnDevice<cuda::CudaLimb<Word>> limbs_;
};

class Runner {
 public:
  Runner(const Options& options, bench::Report& report)
      : options_(options), report_(report), clock_(options.runs) {}

  template <class Word>
  void cell(const bench::GpuCell& cell) {
    if (options_.kind == "step") return bench::measure_steps<Word>(cell, clock_, report_);
    if (options_.kind != "floor") {
      const Data<Word> data(cell);
      const auto chosen = cuda::candidate_recipes(data.spec, device_).front();
      const std::uint64_t largest = *std::max_element(data.spec.moduli.begin(), data.spec.moduli.end());
      for (const auto& row : cuda::cuda_rows<Word>(cuda::CudaRowKind::ntt)) {
        const bool goldilocks = row.recipe.arithmetic == Arithmetic::goldilocks;
        if (cell.log_n < row.min_log_n || cell.log_n > row.max_log_n) continue;
        if (goldilocks != (cell.bits == 64) || (!goldilocks && largest >= row.q_limit)) continue;
        this->row(cell, data, row, row.recipe == chosen.of_transform());
      }
    }
    if (options_.kind == "all" || options_.kind == "floor") floors<Word>(cell);
  }

 private:
  template <class Word>
  void row(const bench::GpuCell& cell, const Data<Word>& data, const cuda::CudaKernelRow<Word>& row,
           bool chosen) {
    const Tables<Word> tables(data.spec, row, cell.log_n);
    const auto launch = [&](unsigned buffer) {
      return cuda::CudaLaunch<Word>{data.buffer(buffer), data.buffer(buffer), tables.limbs(), cell.limbs, 1,
                                    cell.log_n};
    };
    const auto enqueue = [&](int (*function)(const cuda::CudaLaunch<Word>&, void*), unsigned buffer) {
      bench::require(static_cast<cudaError_t>(function(launch(buffer), clock_.stream())), "launch");
    };
    const auto words = [&] {
      bench::require(cudaStreamSynchronize(clock_.stream()), "a transform");
      return data.device.get(data.input.size());
    };
    data.device.set(data.input);
    enqueue(row.forward, 0);
    const bool forward = words() == data.output;
    enqueue(row.inverse, 0);
    if (!forward || words() != data.input) throw Error("wrong result, not timed: " + row.recipe.to_json());
    if (options_.kind == "check") {
      std::printf("%u launches %s\n", 2 * row.launches, row.recipe.to_json().c_str());
      return;
    }
    for (const bool inverse : {false, true}) {
      bench::Timing warm, cold;
      clock_.time_both([&](unsigned buffer) { enqueue(inverse ? row.inverse : row.forward, buffer); }, warm,
                       cold);
      Json json = bench::gpu_row("gpu_transform", cell, inverse ? "inverse" : "forward");
      json.set("word_bits", 8 * sizeof(Word));
      json.set("recipe", Json::parse(row.recipe.to_json()));
      json.set("launches", row.launches);
      json.set("chosen", chosen);
      bench::add_gpu_row(report_, json, warm, cold);
      std::printf("2^%u x %-2u %u-bit %s %8.2f us, cold %8.2f  %s\n", cell.log_n, cell.limbs, cell.bits,
                  inverse ? "inverse" : "forward", warm.median_ns / 1e3, cold.median_ns / 1e3,
                  row.recipe.to_json().c_str());
    }
    std::fflush(stdout);
  }

  template <class Word>
  void floors(const bench::GpuCell& cell) {
    const std::size_t bytes = Data<Word>::words(cell) * sizeof(Word);
    bench::OnDevice<unsigned char> memory(bytes * bench::kRotatedBuffers);
    bench::require(cudaMemset(memory.data(), 7, memory.size()), "cudaMemset");
    bench::Timing warm, cold;
    for (const unsigned threads : {128u, 256u, 512u}) {  // the best of some shapes
      for (const auto enqueue : {&bench::enqueue_pass<1>, &bench::enqueue_pass<2>, &bench::enqueue_pass<4>}) {
        bench::Timing w, c;
        clock_.time_both(
            [&](unsigned i) { enqueue(memory.data() + i * bytes, bytes, threads, clock_.stream()); }, w, c);
        if (warm.calls == 0 || w.median_ns < warm.median_ns) warm = w;
        if (cold.calls == 0 || c.median_ns < cold.median_ns) cold = c;
      }
    }
    floor("pass", cell, warm, cold);
    if constexpr (sizeof(Word) == 8) {
      butterflies<cuda::Shoup60>(cell);
    } else {
      butterflies<cuda::Shoup32>(cell);
    }
  }
  template <class Arith>
  void butterflies(const bench::GpuCell& cell) {
    using Word = typename Arith::Word;
    const std::uint64_t q = ntt_primes(std::size_t{1} << cell.log_n, cell.bits, 1)[0];
    cuda::CudaLimb<Word> limb;
    limb.q = static_cast<Word>(q);
    limb.negated = static_cast<Word>(0 - limb.q);
    Arith::fill_constants(limb);
    alignas(16) Word entry[Arith::kEntryWords];
    Arith::entry(q / 3, q, entry);
    const auto w = Arith::load(entry, 0);
    bench::OnDevice<Word> out(1024);
    bench::Timing best;
    for (const unsigned threads : {64u, 256u}) {  // few points a thread where there are few of them
      for (const bool few : {false, true}) {
        const auto body = [&](unsigned) { butterflies_of<Arith>(cell, out.data(), limb, w, few, threads); };
        const bench::Timing timing = clock_.time(bench::GpuClock::kCalls, body);
        if (best.calls == 0 || timing.median_ns < best.median_ns) best = timing;
      }
    }
    floor("butterflies", cell, best, best);
  }
  template <class Arith, unsigned kLogN = 12>
  void butterflies_of(const bench::GpuCell& cell, typename Arith::Word* out,
                      const cuda::CudaLimb<typename Arith::Word>& limb, typename Arith::Twiddle w, bool few,
                      unsigned threads) {
    if (cell.log_n == kLogN) {
      if (few)
        return bench::enqueue_butterflies<Arith, kLogN, 2>(out, limb, w, cell.limbs, threads,
                                                           clock_.stream());
      return bench::enqueue_butterflies<Arith, kLogN, 8>(out, limb, w, cell.limbs, threads, clock_.stream());
    }
    if constexpr (kLogN < 17) return butterflies_of<Arith, kLogN + 1>(cell, out, limb, w, few, threads);
    throw ParameterError("floors are measured for n = 2^12 ... 2^17");
  }
  void floor(const char* name, const bench::GpuCell& cell, const bench::Timing& warm,
             const bench::Timing& cold) {
    Json row = bench::gpu_row("gpu_floor", cell, name);
    bench::add_gpu_row(report_, row, warm, cold);
    std::printf("2^%u x %-2u %u-bit floor %s %8.2f us, cold %8.2f\n", cell.log_n, cell.limbs, cell.bits, name,
                warm.median_ns / 1e3, cold.median_ns / 1e3);
    std::fflush(stdout);
  }

  const Options& options_;
  bench::Report& report_;
  bench::GpuClock clock_;
  const cuda::CudaDevice device_ = cuda::describe_device(0);
};

void run(const Options& options) {
  bench::Report report("nttforge", options.commit, options.flags);
  bench::describe_gpu(report);
  if (options.kind == "call") {
    bench::measure_calls(options.runs, report);
    return report.write(options.json);
  }
  Runner runner(options, report);
  for (const bench::GpuCell& cell : options.wanted()) {
    if (cell.bits <= 32) {
      runner.cell<std::uint32_t>(cell);
    } else {
      runner.cell<std::uint64_t>(cell);
    }
  }
  report.write(options.json);
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("gpu_bench", [&] {
    Options options;
    options.parse(count, arguments);
    run(options);
  });
}
