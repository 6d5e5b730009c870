// SPDX-License-Identifier: Apache-2.0
// The kernels of [Kim20] and [Bad18a] on the current GPU: every figure's configurations, checked and timed;
// with --check only checked (2, for sanitizers: only what has a kernel that was not checked before); with
// --profile each enqueued once for a profiler, after a line on standard output that names them.

#include <set>

#include "papers/kernels/bad18a.hpp"
#include "papers/kernels/kim20_case.hpp"

using namespace nttforge;
using cuda::Kim20Dft;
using cuda::Kim20Kind;
using cuda::Kim20Shoup32;
using cuda::Kim20Shoup64;
using cuda::TwiddleMemory;

namespace {

struct Options : bench::GpuOptions {
  std::string commit, flags, paper = "all";
  unsigned profile = 0, check = 0;

  void parse(int count, char** arguments) {
    std::vector<bench::Option> own = {
        bench::text_option("--commit", "commit, kept with the results", commit),
        bench::text_option("--flags", "compiler flags, kept with the results", flags),
        bench::choice_option("--paper", "whose kernels", paper, {"all", "kim20", "bad18a"}),
        bench::number_option("--check", "1: check everything, time nothing; 2: each kernel once", check, 0u,
                             2u),
        bench::number_option("--profile", "1: enqueue once what a profiler is to see, time nothing", profile,
                             0u, 1u)};
    bench::parse_options(count, arguments, own + options());
  }
};

constexpr unsigned kLimbs = 21;

class Runner {
 public:
  Runner(const Options& options, bench::Report& report)
      : options_(options), report_(report), clock_(options.runs) {}

  void run() {
    if (options_.paper != "kim20") {
      using Mode = bench::Bad18aMode;
      const Mode mode = options_.profile != 0 ? Mode::profile
                        : options_.check != 0 ? Mode::check
                                              : Mode::time;
      bench::measure_bad18a(report_, clock_, mode);
    }
    if (options_.paper != "bad18a") kim20();
  }

 private:
  void kim20() {
    radices_of_residues();
    radices_of_complex();
    pairs_of_residues();
    pairs_of_complex();
    if (options_.profile != 0) return;
    one_synchronisation();
    multiplications();
    batches();
  }
  template <class Arith>
  using Chain = std::vector<const cuda::Kim20Row<Arith>*>;

  unsigned limbs() const { return options_.limbs == 0 ? kLimbs : options_.limbs; }
  /// The numbers of limbs of a figure, or the one number that was asked for.
  std::vector<unsigned> limbs(std::vector<unsigned> of_figure) const {
    return options_.limbs == 0 ? of_figure : std::vector{options_.limbs};
  }

  /// Fig. 4 (and 3 a, Table II): radix 2^k, Stockham's and other twiddle memories at 2^17.
  void radices_of_residues() {
    const auto rows = bench::kim20_radices();
    for (unsigned log_n = 14; log_n <= 17; ++log_n) {
      bench::Kim20Case<Kim20Shoup64> data(log_n, 60, limbs()), natural(log_n, 60, limbs(), 10, true);
      for (const auto& row : rows) {
        const bool plain = row.kind == Kim20Kind::radix && row.memory == TwiddleMemory::read_only;
        if (log_n < 16 && (!plain || row.shape.log_radix != 1)) continue;
        if (log_n == 16 && !plain) continue;
        if (!plain && options_.profile != 0) continue;
        data.constants(row.memory == TwiddleMemory::constant ? 64 : 0);
        measure(row.kind == Kim20Kind::stockham ? natural : data, chain(rows, row, log_n), 60,
                profiled(log_n));
      }
    }
    for (const unsigned count : limbs({1, 2, 3, 5, 7, 10, 14})) {  // Fig. 3 a
      bench::Kim20Case<Kim20Shoup64> data(17, 60, count);
      measure(data, chain(rows, rows[0], 17), 60, count == 1);
    }
  }
  /// Figs. 5 and 3 b: the same of complex numbers.
  void radices_of_complex() {
    const auto rows = radix_rows(bench::kim20_dfts());
    for (const unsigned log_n : {16u, 17u}) {
      bench::Kim20Case<Kim20Dft> data(log_n, 0, limbs());
      for (const auto& row : rows) measure(data, chain(rows, row, log_n), 0, true);
    }
    for (const unsigned batch : limbs({1, 2, 3, 5, 7, 10, 14})) {
      bench::Kim20Case<Kim20Dft> data(17, 0, batch);
      measure(data, chain(rows, rows[0], 17), 0, false);
    }
  }
  /// Figs. 11 a, c and 12, Table II: two kernels, points per thread, twiddles on the fly.
  void pairs_of_residues() {
    const auto firsts = bench::kim20_firsts(), lasts = bench::kim20_lasts(),
               flying = bench::kim20_on_the_flys();
    for (unsigned log_n = 14; log_n <= 17; ++log_n) {
      bench::Kim20Case<Kim20Shoup64> data(log_n, 60, limbs());
      for (const auto& first : firsts) {
        if (log_n != 17 && first.shape.log_points != 3) continue;
        for (const auto* all : {&lasts, &flying}) {
          for (const auto& last : *all) {
            if (!fits(first, last, log_n)) continue;
            measure(data, {&first, &last}, 60, first.shape.log_points == 3 && last.shape.on_the_fly < 2);
          }
        }
      }
    }
    if (options_.profile != 0) return;
    for (const unsigned log_base : {4u, 6u, 8u, 12u, 14u}) {  // other bases of twiddles on the fly
      bench::Kim20Case<Kim20Shoup64> data(17, 60, limbs(), log_base);
      for (const auto& first : firsts) {
        for (const auto& last : flying) {
          if (first.shape.log_radix == 8 && fits(first, last, 17))
            measure(data, {&first, &last}, 60, false, log_base);
        }
      }
    }
  }
  /// Fig. 11 b.
  void pairs_of_complex() {
    if (options_.profile != 0) return;
    const auto rows = bench::kim20_dfts();
    bench::Kim20Case<Kim20Dft> data(17, 0, limbs());
    for (const auto& first : rows) {
      for (const auto& last : rows) {
        if (fits(first, last, 17)) measure(data, {&first, &last}, 0, false);
      }
    }
  }
  /// Figs. 7, 9: the first kernel alone, with one synchronisation.
  void one_synchronisation() {
    const auto rows = bench::kim20_one_syncs();
    const auto lasts = bench::kim20_lasts();
    bench::Kim20Case<Kim20Shoup64> data(17, 60, limbs());
    for (const auto& row : rows) {
      for (const auto& last : lasts) {
        if (last.shape.log_points != 3 || last.shape.log_radix + row.shape.log_radix != 17) continue;
        data.verify({&row, &last}, clock_.stream(), "first kernel with one synchronisation");
        keep(data, {&row}, 60, 10);
      }
    }
  }
  /// Fig. 1, and 32 against 64 bits at log2 Q = 1200.
  void multiplications() {
    multiplication<Kim20Shoup64>(60, {20, 21, 45});
    multiplication<bench::Kim20Native64>(60, {21, 45});
    multiplication<bench::Kim20Barrett64>(60, {21, 45});
    multiplication<bench::Kim20Montgomery64>(60, {21, 45});
    multiplication<Kim20Shoup32>(30, {40, 45});
    multiplication<bench::Kim20Native32>(30, {45});
    multiplication<bench::Kim20Barrett32>(30, {45});
    multiplication<bench::Kim20Montgomery32>(30, {45});
  }
  template <class Arith>
  void multiplication(unsigned bits, const std::vector<unsigned>& of_figure) {
    const auto rows = bench::kim20_multiplications<Arith>();
    for (const unsigned count : limbs(of_figure)) {
      bench::Kim20Case<Arith> data(17, bits, count);
      measure(data, {&rows[0], &rows[1]}, bits, false);
    }
  }
  /// Fig. 13: moduli at a time, 2^8 x 2^9 points, eight a thread, without and with twiddles on the fly.
  void batches() {
    const auto firsts = bench::kim20_firsts(), lasts = bench::kim20_lasts(),
               flying = bench::kim20_on_the_flys();
    for (const unsigned count : limbs({1, 3, 6, 9, 12, 15, 18, 24, 30, 36, 42, 45})) {
      bench::Kim20Case<Kim20Shoup64> data(17, 60, count);
      for (const auto& first : firsts) {
        if (first.shape.log_points != 3 || first.shape.log_radix != 8) continue;
        for (const auto* all : {&lasts, &flying}) {
          for (const auto& last : *all) {
            if (fits(first, last, 17)) measure(data, {&first, &last}, 60, false);
          }
        }
      }
    }
  }

  template <class Arith>
  static bool fits(const cuda::Kim20Row<Arith>& first, const cuda::Kim20Row<Arith>& last, unsigned log_n) {
    return first.kind == Kim20Kind::first && last.kind == Kim20Kind::last &&
           first.shape.log_points == last.shape.log_points &&
           first.shape.log_radix + last.shape.log_radix == log_n;
  }
  static bool profiled(unsigned log_n) { return log_n >= 16; }
  template <class Arith>
  static bench::Kim20Rows<Arith> radix_rows(bench::Kim20Rows<Arith> rows) {
    std::erase_if(rows, [](const auto& row) { return row.kind != Kim20Kind::radix; });
    return rows;
  }
  /// A kernel as often as it goes, then one of the same kind that does the stages left over.
  template <class Arith>
  static Chain<Arith> chain(const bench::Kim20Rows<Arith>& rows, const cuda::Kim20Row<Arith>& row,
                            unsigned log_n) {
    Chain<Arith> kernels(log_n / row.shape.log_radix, &row);
    for (const auto& rest : rows) {
      if (rest.kind == row.kind && rest.memory == row.memory &&
          rest.shape.log_radix == log_n % row.shape.log_radix) {
        kernels.push_back(&rest);
      }
    }
    return kernels;
  }

  template <class Arith>
  void measure(bench::Kim20Case<Arith>& data, const Chain<Arith>& kernels, unsigned bits, bool profile,
               unsigned log_base = 10) {
    if (options_.profile != 0) {
      if (!profile) return;
      Json line = describe(data, kernels, bits, log_base);
      line.set("launches", kernels.size());
      std::printf("%s\n", line.dump().c_str());
      data.enqueue(kernels, 0, clock_.stream());
      bench::require(cudaStreamSynchronize(clock_.stream()), "a transform");
      return;
    }
    if (options_.check == 2 && !has_new_kernel<Arith>(kernels)) return;
    data.verify(kernels, clock_.stream(), describe(data, kernels, bits, log_base).dump());
    keep(data, kernels, bits, log_base);
  }
  template <class Arith>
  bool has_new_kernel(const Chain<Arith>& kernels) {
    bool found = false;
    for (const auto* kernel : kernels)
      found = seen_.insert(reinterpret_cast<void (*)()>(kernel->on_device)).second || found;
    return found;
  }
  template <class Arith>
  void keep(bench::Kim20Case<Arith>& data, const Chain<Arith>& kernels, unsigned bits, unsigned log_base) {
    if (options_.check != 0) return;
    bench::Timing warm, cold;
    clock_.time_both([&](unsigned buffer) { data.enqueue(kernels, buffer, clock_.stream()); }, warm, cold);
    const Json row = describe(data, kernels, bits, log_base);
    bench::add_gpu_row(report_, row, warm, cold);
    std::printf("%8.2f us, cold %8.2f  %s\n", warm.median_ns / 1e3, cold.median_ns / 1e3, row.dump().c_str());
    std::fflush(stdout);
  }
  template <class Arith>
  static Json describe(const bench::Kim20Case<Arith>& data, const Chain<Arith>& kernels, unsigned bits,
                       unsigned log_base) {
    Json row = Json::object();
    row.set("kind", "kim20");
    row.set("multiplication", Arith::kName);
    row.set("bits", bits);
    row.set("log_n", data.log_n());
    row.set("limbs", data.polynomials());
    row.set("log_base", log_base);
    Json list = Json::array();
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (i == 0 || kernels[i] != kernels[i - 1]) list.push_back(describe(*kernels[i]));
    }
    row.set("kernels", list);
    return row;
  }
  template <class Arith>
  static Json describe(const cuda::Kim20Row<Arith>& kernel) {
    constexpr const char* kKinds[] = {"radix", "stockham", "first", "last"};
    cuda::Kim20Occupancy found;
    bench::require(static_cast<cudaError_t>(kernel.occupancy(found)), "occupancy");
    Json row = Json::object();
    row.set("kernel", kKinds[static_cast<unsigned>(kernel.kind)]);
    row.set("log_radix", kernel.shape.log_radix);
    row.set("log_points", kernel.kind == Kim20Kind::first || kernel.kind == Kim20Kind::last
                              ? kernel.shape.log_points
                              : kernel.shape.log_radix);
    row.set("coalesced", kernel.shape.coalesced);
    row.set("preload", kernel.shape.preload);
    row.set("on_the_fly", kernel.shape.on_the_fly);
    row.set("twiddle_memory", std::string(cuda::twiddle_memory_name(kernel.memory)));
    row.set("threads", kernel.threads);
    row.set("shared_bytes", kernel.shared_bytes);
    row.set("registers", static_cast<std::int64_t>(found.registers));
    row.set("local_bytes", static_cast<std::int64_t>(found.local_bytes));
    row.set("occupancy", found.blocks * static_cast<int>(kernel.threads) / 2048.0);
    return row;
  }

  const Options& options_;
  bench::Report& report_;
  bench::GpuClock clock_;
  std::set<void (*)()> seen_;  ///< kernels, by what enqueues them
};

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("gpu_papers_bench", [&] {
    Options options;
    options.parse(count, arguments);
    bench::Report report("nttforge", options.commit, options.flags);
    bench::describe_gpu(report);
    Runner(options, report).run();
    if (options.check != 0) std::printf("every kernel gives the CPU's words\n");
    report.write(options.json);
  });
}
