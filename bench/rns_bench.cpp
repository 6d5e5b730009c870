// SPDX-License-Identifier: Apache-2.0
// Every operation of the CPU device at the sizes the BFV presets use. Each one is compared word for word
// with the scalar target on one thread, then timed. rns_bench --help lists the
// options; --clock thread counts the calling thread's CPU time, call by call: for one thread on a busy
// machine.

#include <time.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/target.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/device/queue.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/mod_down.hpp"
#include "nttforge/rns/scale.hpp"

namespace {

using namespace nttforge;
using Words = std::vector<std::uint64_t>;

struct Options : bench::Output {
  std::string target{target_name(active_target())};
  unsigned threads = 1;
  std::size_t n = 0;
  std::string only, clock = "wall";

  void parse(int count, char** arguments) {
    const std::vector<bench::Option> own = {
        bench::text_option("--target", "target to measure", target),
        bench::number_option("--threads", "threads of the device", threads, 1u, 1024u),
        bench::number_option("--n", "this n only (0: all)", n, std::size_t{0}, std::size_t{1} << 17),
        bench::text_option("--only", "operations whose name contains this", only),
        bench::choice_option("--clock", "what time is counted", clock, {"wall", "thread"})};
    bench::parse_options(count, arguments, own + bench::Output::options());
  }
};

struct Size {
  std::size_t n, k;
  unsigned bits;
};
constexpr Size kSizes[] = {{4096, 2, 36}, {8192, 4, 43}, {16384, 8, 49}, {16384, 7, 60}, {32768, 16, 50}};
constexpr std::uint64_t kT = 786433;

// Residues of [batch] polynomials; a multiplicative congruential sequence is random enough to time with.
Words polynomials(std::span<const std::uint64_t> moduli, std::size_t n, std::size_t batch) {
  Words x;
  std::uint64_t state = 88172645463325252u;
  for (std::size_t b = 0; b < batch; ++b)
    for (const std::uint64_t q : moduli)
      for (std::size_t i = 0; i < n; ++i)
        x.push_back((state = state * 6364136223846793005u + 1442695040888963407u) % q);
  return x;
}

/// Everything one device needs for one size; inputs in its memory.
class Bed {
 public:
  Bed(std::shared_ptr<const Device> device, const Size& size)
      : device_(std::move(device)), queue_(device_->make_queue()), n_(size.n), k_(size.k) {
    const std::vector<std::uint64_t> key_moduli = ntt_primes(n_, size.bits, k_ + 1);
    const std::vector<std::uint64_t> q(key_moduli.begin() + 1, key_moduli.end());
    std::vector<std::uint64_t> with_p = q;
    with_p.push_back(key_moduli.front());
    const Behz behz(RnsBase(q), kT, n_, with_p);
    const std::vector<std::uint64_t> bsk(behz.bsk().values().begin(), behz.bsk().values().end());
    l_ = bsk.size();
    ring_q_ = ring(q);
    ring_key_ = ring(with_p);
    ring_bsk_ = ring(bsk);
    extend_ = device_->make_step(behz.extend(), n_);
    const RnsStep floor[] = {behz.floor(), behz.to_q()};
    floor_ = device_->make_step(floor, n_);
    const RnsStep down = mod_down(RnsBase(with_p));
    down_ = device_->make_step(down, n_);
    switch_ = device_->make_switch(ring_q_, ring_key_, 1, &down);
    const DecryptScale scale(RnsBase(q), kT);
    decrypt_ = device_->make_step(scale.decrypt(), n_);
    encrypt_ = device_->make_step(scale.encrypt(), n_);
    x_q_ = on_device(polynomials(q, n_, 4));
    x_bsk_ = on_device(polynomials(bsk, n_, 4));
    x_key_ = on_device(polynomials(with_p, n_, 2));
    key_ = on_device(polynomials(with_p, n_, 2 * k_));
    const std::uint64_t t[] = {kT};
    plain_ = on_device(polynomials(t, n_, 1));
    out_ = queue_->allocate(4 * n_ * (bsk.size() + k_ + 1));
  }

  std::size_t l() const { return l_; }

  struct Operation {
    std::string name;
    std::size_t words;  ///< of output
    std::function<void()> run;
  };
  /// Outputs go to out(); inputs stay.
  std::vector<Operation> operations() {
    const Queue& b = *queue_;
    const std::size_t words = n_ * k_;
    const WordPtr out = out_.data();
    const ConstWordPtr x = x_q_.data();
    return {
        {"forward + inverse NTT, 1 polynomial", words,
         [=, this, &b] {
           b.forward(*ring_q_, x_q_.data(), 1);
           b.inverse(*ring_q_, x_q_.data(), 1);
           b.copy(x, out, words);
         }},
        {"add, 2 polynomials", 2 * words, [=, this, &b] { b.add(*ring_q_, x, x + 2 * words, out, 2); }},
        {"multiply, 2 polynomials", 2 * words,
         [=, this, &b] { b.multiply(*ring_q_, x, x + 2 * words, out, 2); }},
        {"tensor over Q", 3 * words, [=, this, &b] { b.tensor(*ring_q_, x, x + 2 * words, out, false, 1); }},
        {"behz_extend, 4 polynomials", 4 * n_ * l(),
         [=, this, &b] { b.apply(*extend_, x, nullptr, out, 4); }},
        {"behz_floor, 3 polynomials", 3 * words,
         [=, this, &b] { b.apply(*floor_, x, x_bsk_.data(), out, 3); }},
        {"key_switch", 2 * n_ * (k_ + 1),
         [=, this, &b] { b.key_switch(switch_, {x}, Form::coefficients, {key_.data(), k_ + 1, 1}, out, 1); }},
        {"mod_down, 2 polynomials", 2 * words,
         [=, this, &b] { b.apply_joined(*down_, x_key_.data(), out, 2); }},
        {"automorphism, 2 polynomials", 2 * words, [=, this, &b] { b.automorphism(*ring_q_, x, 3, out, 2); }},
        {"decrypt_scale", n_, [=, this, &b] { b.apply(*decrypt_, x, nullptr, out, 1); }},
        {"scale_plain", words, [=, this, &b] { b.apply(*encrypt_, plain_.data(), nullptr, out, 1); }},
        {"lift_plain", words, [=, this, &b] { b.lift_plain(*ring_q_, kT, plain_.data(), out, 1); }},
        {"sample_uniform", words, [=, this, &b] { b.sample_uniform(*ring_q_, StreamName{}, out); }},
        {"sample_ternary", words, [=, this, &b] { b.sample_ternary(*ring_q_, StreamName{}, out); }},
        {"sample_error", words,
         [=, this, &b] { b.sample_error(*ring_q_, StreamName{}, ErrorDistribution::sigma_3_2, out); }},
    };
  }

  Words output(std::size_t words) const {
    Words result(words);
    queue_->download(out_.data(), result);
    return result;
  }

 private:
  std::shared_ptr<const RingTables> ring(const std::vector<std::uint64_t>& moduli) const {
    NttSpec spec;
    spec.n = n_;
    spec.moduli = moduli;
    return device_->make_ring(spec);
  }
  DeviceArray on_device(const Words& words) const {
    DeviceArray array = queue_->allocate(words.size());
    queue_->upload(words, array.data());
    return array;
  }

  std::shared_ptr<const Device> device_;
  std::shared_ptr<const Queue> queue_;
  std::size_t n_, k_, l_ = 0;
  std::shared_ptr<const RingTables> ring_q_, ring_key_, ring_bsk_;
  std::shared_ptr<const StepTables> extend_, floor_, down_, decrypt_, encrypt_;
  SwitchTables switch_;
  DeviceArray x_q_, x_bsk_, x_key_, key_, plain_, out_;
};

double thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

bench::Timing measure(const Options& options, const std::function<void()>& body) {
  if (options.clock == "wall") return bench::measure(body, 30);
  std::vector<double> samples;
  double total = 0;
  while (samples.size() < 10 || (samples.size() < 200 && total < 2e8)) {
    const double begin = thread_ns();
    body();
    samples.push_back(thread_ns() - begin);
    total += samples.back();
  }
  return bench::timing_of(std::move(samples), 1);
}

void run(const Options& options, const Size& size, bench::Report& report) {
  Bed reference(make_cpu_device(1, Target::scalar), size);
  const auto device = make_cpu_device(options.threads, parse_target(options.target));
  Bed bed(device, size);
  std::vector<Bed::Operation> expected = reference.operations(), operations = bed.operations();
  std::printf("\nn = %zu, k = %zu primes of %u bits, %zu in B_sk; %s\n", size.n, size.k, size.bits, bed.l(),
              device->description().c_str());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].name.find(options.only) == std::string::npos) continue;
    expected[i].run();
    operations[i].run();
    if (bed.output(operations[i].words) != reference.output(operations[i].words)) {
      throw Error(operations[i].name + " differs from the scalar target, not timed");
    }
    const bench::Timing timing = measure(options, operations[i].run);
    Json row = Json::object();
    row.set("kind", "rns");
    row.set("operation", operations[i].name);
    row.set("n", size.n);
    row.set("k", size.k);
    row.set("bits", size.bits);
    row.set("threads", options.threads);
    row.set("target", options.target);
    report.add(std::move(row), timing);
    std::printf("  %-38s %10.1f us  (median %10.1f)\n", operations[i].name.c_str(), timing.min_ns / 1e3,
                timing.median_ns / 1e3);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("rns_bench", [&] {
    Options options;
    options.parse(count, arguments);
    bench::Report report = options.report();
    report.note("clock", options.clock);
    for (const Size& size : kSizes) {
      if (options.n == 0 || options.n == size.n) run(options, size, report);
    }
    report.write(options.json);
  });
}
