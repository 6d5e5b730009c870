// SPDX-License-Identifier: Apache-2.0
// Steps between RNS bases on one GPU: the conversions of a BFV product and of a key switch at the sizes of
// the comparison table, in 30-bit primes (32-bit words) and 49-bit ones. Each is first compared with the
// value of the step at sampled coefficients, then timed in a graph of 20 calls.
//
//   build/dev/gpu_convert_bench                       every operation with the shape that the library chooses
//   build/dev/gpu_convert_bench --shapes all          and every other tile shape beside it
//   build/dev/gpu_convert_bench --device cuda:host --only 8 --runs 3    on the host, slowly, without graphs
//
// A line has us, 10^12 products a second, and bytes moved at least once in 10^12 a second.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/queue_clock.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/cuda/device/gpu_queue.hpp"
#include "nttforge/cuda/tile/call.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/digits.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace {

using namespace nttforge;
using namespace nttforge::cuda;
using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t kPlainModulus = 1032193;

struct Options {
  unsigned runs = 20, calls = 20, only = 0, bits = 0;
  std::string device = "cuda", shapes = "chosen";

  void parse(int count, char** arguments) {
    bench::parse_options(
        count, arguments,
        {bench::choice_option("--device", "where", device, {"cuda", "cuda:host"}),
         bench::choice_option("--shapes", "all: every tile shape, beside the one that is chosen", shapes,
                              {"chosen", "all"}),
         bench::number_option("--only", "log2 of the one n (0: 12 ... 15)", only, 0u, 16u),
         bench::number_option("--bits", "30 or 49, of the primes (0: both)", bits, 0u, 62u),
         bench::number_option("--runs", "timed runs of each operation", runs, 3u, 10000u),
         bench::number_option("--calls", "calls of a run", calls, 1u, 1000u)});
  }
};

/// The moduli of a row of the comparison table: k primes of Q and `special` special ones.
struct Size {
  unsigned log_n;
  std::size_t k, special;
};
std::vector<Size> sizes(const Options& options, unsigned bits) {
  std::vector<Size> all = bits <= 30 ? std::vector<Size>{{12, 3, 1}, {13, 5, 2}, {14, 11, 4}, {15, 22, 8}}
                                     : std::vector<Size>{{12, 2, 1}, {13, 3, 1}, {14, 7, 2}, {15, 14, 4}};
  if (options.only == 0) return all;
  std::erase_if(all, [&](const Size& size) { return size.log_n != options.only; });
  if (all.empty()) return {{options.only, 5, 2}};
  return all;
}

class Bench {
 public:
  Bench(const Options& options, std::shared_ptr<const Queue> queue, unsigned bits)
      : options_(options),
        bits_(bits),
        word_bits_(bits <= 31 ? 32 : 64),
        queue_(std::move(queue)),
        gpu_(dynamic_cast<const GpuQueue&>(*queue_)) {}

  void run() {
    for (const Size& size : sizes(options_, bits_)) measure(size);
  }

 private:
  DeviceArray random_rows(std::size_t batch, const Words& moduli, std::size_t n) {
    Words words;
    words.reserve(batch * moduli.size() * n);
    for (std::size_t b = 0; b < batch; ++b)
      for (const std::uint64_t q : moduli)
        for (std::size_t i = 0; i < n; ++i) {
          state_ = state_ * 6364136223846793005u + 1442695040888963407u;
          words.push_back((state_ >> 2) % q);
        }
    DeviceArray array = queue_->allocate(words.size(), word_bits_);
    queue_->upload(words, array.data());
    return array;
  }
  Words host(const DeviceArray& array) const {
    Words words(array.size());
    queue_->download(array.data(), words);
    return words;
  }

  void measure(const Size& size) {
    const std::size_t n = std::size_t{1} << size.log_n;
    const Words all = ntt_primes(n, bits_, size.k + size.special);
    const Words q(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size.k)),
        p(all.begin() + static_cast<std::ptrdiff_t>(size.k), all.end());
    const Behz behz(RnsBase(q), kPlainModulus, n, p, 16, bits_);
    step("extend", n, 4, behz.extend());
    step("extend one", n, 1, behz.extend());
    step("floor", n, 3, behz.floor());
    step("to_q", n, 3, behz.to_q());
    const RnsStep chain[] = {behz.floor(), behz.to_q()};
    steps("floor, to_q", n, 3, chain);
    const RnsStep down = p.size() == 1 ? mod_down(RnsBase(all)) : mod_down_fast(RnsBase(q), RnsBase(p));
    step("mod down + add", n, 2, down, true);
    key_switch(n, q, all, size.special, down);
  }

  void step(const char* what, std::size_t n, std::size_t batch, const RnsStep& one, bool addend = false) {
    steps(what, n, batch, std::span(&one, 1), addend);
  }
  void steps(const char* what, std::size_t n, std::size_t batch, std::span<const RnsStep> chain,
             bool addend = false) {
    const RnsStep &first = chain.front(), &last = chain.back();
    const std::size_t targets = last.targets.size();
    const auto tables = queue_->device().make_step(chain, n);
    const DeviceArray x = random_rows(batch, first.sources, n);
    const DeviceArray own = first.own.empty() ? DeviceArray{} : random_rows(batch, first.targets, n);
    const DeviceArray more = addend ? random_rows(batch, last.targets, n) : DeviceArray{};
    DeviceArray out = queue_->allocate(batch * targets * n, word_bits_);
    Conversion rows{.sources = {x.data(), first.sources.size() * n},
                    .own = {own.data(), first.own.size() * n},
                    .out = {out.data(), targets * n},
                    .addend = {more.data(), batch * targets * n},
                    .addend_parts = addend ? batch : 0,
                    .parts = addend ? batch : 1};
    const auto call = [&] { gpu_.convert(*tables, rows, batch); };
    call();
    check(what, n, chain, host(x), host(own), host(more), host(out));
    double products = 0, words = 0;
    for (const RnsStep& one : chain) {
      products += static_cast<double>(one.sources.size() * one.targets.size());
      words += static_cast<double>(one.sources.size() + one.own.size() + one.targets.size());
    }
    words += addend ? static_cast<double>(targets) : 0;
    const std::string name = std::string(what) + " " + std::to_string(first.sources.size()) + " -> " +
                             std::to_string(last.targets.size());
    line(name, "chosen", n, batch, products, words, call);
    if (options_.shapes != "all" || chain.size() != 1) return;
    const GpuStepTables& constants = dynamic_cast<const GpuStep&>(*tables).steps()[0];
    by_shape(name, constants.narrow, constants, rows, n, batch, products, words);
    by_shape(name, constants.split, constants, rows, n, batch, products, words);
    by_shape(name, constants.whole, constants, rows, n, batch, products, words);
  }

  template <class Arith>
  void by_shape(const std::string& name, const std::optional<TileStep<Arith>>& step,
                const GpuStepTables& constants, const Conversion& rows, std::size_t n, std::size_t batch,
                double products, double words) {
    const auto call = tile_call(step, rows, n, batch);
    if (!call) return;
    for (const TileShape shape : TileShapes<Arith>::kAll)
      line(name, std::to_string(shape.coefficients) + " x " + std::to_string(shape.targets), n, batch,
           products, words, [&] { gpu_.run_tiles(*call, shape, constants.correction); });
  }

  void key_switch(std::size_t n, const Words& q, const Words& all, std::size_t primes, const RnsStep& down) {
    const auto ring = [&](const Words& moduli) {
      NttSpec spec;
      spec.n = n;
      spec.moduli = moduli;
      spec.word_bits = word_bits_;
      return queue_->device().make_ring(spec);
    };
    const SwitchTables level = queue_->device().make_switch(ring(q), ring(all), primes, &down);
    const std::size_t digits = level.digits.size(), words = all.size() * n;
    const DeviceArray c = random_rows(1, q, n);
    DeviceArray lifted = queue_->allocate(digits * words, word_bits_);
    const auto lift = [&] { gpu_.convert_digits(level, {c.data(), q.size() * n}, lifted.data(), 1); };
    lift();
    const Words got = host(lifted), source = host(c);
    const std::vector<RnsStep> steps = digit_steps(q, all, equal_digits(q.size(), primes));
    std::size_t first = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const auto part = [&](const Words& from, std::size_t at, std::size_t count) {
        return Words(from.begin() + static_cast<std::ptrdiff_t>(at),
                     from.begin() + static_cast<std::ptrdiff_t>(at + count));
      };
      check("digits", n, std::span(&steps[i], 1), part(source, first * n, steps[i].sources.size() * n), {},
            {}, part(got, i * words, words));
      first += steps[i].sources.size();
    }
    double products = 0;
    for (const RnsStep& step : steps)
      products += static_cast<double>(step.sources.size() * (all.size() - step.sources.size()));
    line(std::to_string(digits) + " digits " + std::to_string(primes) + " -> " + std::to_string(all.size()),
         "chosen", n, 1, products, static_cast<double>(q.size() + digits * all.size()), lift);

    Words key_moduli;
    for (std::size_t i = 0; i < 2 * digits; ++i) key_moduli.insert(key_moduli.end(), all.begin(), all.end());
    const DeviceArray key = random_rows(1, key_moduli, n);
    DeviceArray out = queue_->allocate(2 * words, word_bits_);
    const KeyRows rows{key.data(), all.size(), primes};
    line("inner product, " + std::to_string(digits) + " x " + std::to_string(all.size()), "chosen", n, 1,
         static_cast<double>(2 * digits * all.size()), static_cast<double>((3 * digits + 2) * all.size()),
         [&] { gpu_.inner_product(level, lifted.data(), rows, out.data(), 1, false); });
  }

  /// Some coefficients of every polynomial against the value of the chain.
  void check(const char* what, std::size_t n, std::span<const RnsStep> chain, const Words& x,
             const Words& own, const Words& more, const Words& out) {
    const std::vector<StepValue> values(chain.begin(), chain.end());
    const std::size_t sources = chain.front().sources.size(), taken = chain.front().own.size(),
                      targets = chain.back().targets.size();
    for (std::size_t b = 0; b < out.size() / (targets * n); ++b)
      for (std::size_t k = b; k < n; k += n / 64 + 1) {
        Words in(sources), words(taken);
        for (std::size_t i = 0; i < sources; ++i) in[i] = x[(b * sources + i) * n + k];
        for (std::size_t j = 0; j < taken; ++j) words[j] = own[(b * taken + j) * n + k];
        for (const StepValue& value : values) {
          Words result(value.step().targets.size());
          value.apply(in, words, result);
          in = result;
          words.clear();
        }
        for (std::size_t j = 0; j < targets; ++j) {
          const std::size_t at = (b * targets + j) * n + k;
          const std::uint64_t want = more.empty() ? in[j] : (in[j] + more[at]) % chain.back().targets[j];
          if (out[at] != want) throw Error(std::string(what) + ": a word is not the step's value");
        }
      }
  }

  void line(const std::string& what, const std::string& shape, std::size_t n, std::size_t batch,
            double products, double words, const std::function<void()>& call) {
    const bench::QueueClock clock(*queue_, gpu_.ordinal(), options_.runs, options_.calls);
    const double us =
        (gpu_.ordinal() < 0 ? clock.back_to_back(call) : clock.in_a_graph(call)).median_ns / 1000;
    const double rows = static_cast<double>(batch * n);
    std::printf("%2u bits  n = %6zu  %-28s x %zu  %-7s %8.2f us  %5.2f T products/s  %5.2f TB/s\n", bits_, n,
                what.c_str(), batch, shape.c_str(), us, rows * products / us * 1e-6,
                rows * words * (word_bits_ / 8) / us * 1e-6);
    std::fflush(stdout);
  }

  const Options& options_;
  unsigned bits_, word_bits_;
  std::shared_ptr<const Queue> queue_;
  const GpuQueue& gpu_;
  std::uint64_t state_ = 1;
};

}  // namespace

int main(int count, char** arguments) {
  return nttforge::bench::guarded_main("gpu_convert_bench", [&] {
    Options options;
    options.parse(count, arguments);
    for (const unsigned bits : {30u, 49u}) {
      if (options.bits != 0 && options.bits != bits) continue;
      Bench(options, make_cuda_device(options.device == "cuda" ? 0 : -1)->make_queue(), bits).run();
    }
  });
}
