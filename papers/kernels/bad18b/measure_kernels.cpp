// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "papers/kernels/bad18b/constants.hpp"
#include "papers/kernels/bad18b/measure.hpp"

namespace nttforge::bench {
namespace {

namespace paper = cuda::bad18b;
using paper::Array;
using paper::Machine;
using paper::Word;
using Words = std::vector<Word>;

/// Residues [rows][n], random enough to compute with: row i below moduli[i].
Words residues(std::span<const std::uint64_t> moduli, std::size_t n) {
  Words x;
  std::uint64_t state = 88172645463325252u;
  for (const std::uint64_t q : moduli)
    for (std::size_t i = 0; i < n; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      x.push_back(static_cast<Word>((state >> 20) % q));
    }
  return x;
}

void require_equal(const Words& found, const Words& expected, const std::string& what) {
  if (found != expected) throw Error("[Bad18b] " + what + ": wrong result, nothing is timed");
}

/// A kernel with its arrays on a machine, checked before it is timed.
template <class Kernel>
void time_kernel(Bad18bClock& clock, Machine& machine, const Bad18bCell& cell, Kernel kernel, const Array& in,
                 const Array& out, const Words& expected) {
  kernel.in = in.get();
  kernel.out = out.get();
  machine.run(kernel);
  require_equal(machine.downloaded(out.get(), expected.size()), expected,
                cell.variant + ", " + cell.operation);
  clock.time(cell, machine, [&] { machine.run(kernel); });
}

template <class Kernel>
Kernel shaped(Kernel kernel, std::size_t rows, std::size_t n) {
  kernel.shape = {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(std::countr_zero(n))};
  return kernel;
}

/// Integers of 0 ... M - 1, their residues, both on the machine.
struct Crt {
  RnsBase base;
  std::size_t n, words;
  Words integers, residues_;
  Array on_machine_integers, on_machine_residues, out;

  Crt(const RnsBase& base_, std::size_t n_, const Machine& machine)
      : base(base_), n(n_), words(paper::word_count(base_.product())), residues_(residues(base.values(), n)) {
    integers.resize(words * n);
    std::vector<std::uint64_t> one(base.size());
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t i = 0; i < base.size(); ++i) one[i] = residues_[i * n + c];
      const Words x = paper::words_of(base.compose(one), words);
      for (std::size_t i = 0; i < words; ++i) integers[i * n + c] = x[i];
    }
    on_machine_integers = machine.uploaded(integers);
    on_machine_residues = machine.uploaded(residues_);
    out = machine.allocate(std::max(words, base.size()) * n);
  }
  unsigned bits() const { return base.product().bits(); }
};

template <unsigned kCount>
void time_mixed_radix(Bad18bClock& clock, Machine& machine, const Crt& crt, const Bad18bCell& cell) {
  if (crt.base.size() == kCount)
    time_kernel(clock, machine, cell, shaped(paper::make_mixed_radix<kCount>(crt.base), 1, crt.n),
                crt.on_machine_residues, crt.out, crt.integers);
}

void time_reconstructions(Bad18bClock& clock, Machine& machine, const Crt& crt, const char* part,
                          bool classic_too) {
  constexpr unsigned kMost = paper::kPrimes;
  const auto cell = [&](const char* variant) {
    return Bad18bCell{part, crt.n, crt.bits(), variant, "CRT reconstruct"};
  };
  const auto time = [&](const char* variant, const auto& kernel) {
    time_kernel(clock, machine, cell(variant), shaped(kernel, 1, crt.n), crt.on_machine_residues, crt.out,
                crt.integers);
  };
  const auto constants = paper::classic_constants<kMost>(crt.base);
  if (classic_too) {
    time("classic, division", paper::Classic<kMost, paper::Reducing::division>{.constants = constants});
    time("classic, subtractions",
         paper::Classic<kMost, paper::Reducing::subtractions>{.constants = constants});
  }
  time("paper", paper::Garner<kMost>{.constants = paper::garner_constants<kMost>(crt.base)});
  time_mixed_radix<2>(clock, machine, crt, cell("ours"));
  time_mixed_radix<6>(clock, machine, crt, cell("ours"));
  time_mixed_radix<12>(clock, machine, crt, cell("ours"));
  time_mixed_radix<24>(clock, machine, crt, cell("ours"));
}

Words words_of(const Queue& queue, const DeviceArray& array) {
  std::vector<std::uint64_t> wide(array.size());
  queue.download(array.data(), wide);
  return {wide.begin(), wide.end()};
}
DeviceArray on_queue(const Queue& queue, const Words& words) {
  DeviceArray array = queue.allocate(words.size(), 32);
  queue.upload(std::vector<std::uint64_t>(words.begin(), words.end()), array.data());
  return array;
}

/// One step: the paper's kernel and the library's, with the same words.
void time_step(Bad18bClock& clock, Bad18bPlace& place, const paper::FvBase& base, const RnsStep& step,
               const char* operation) {
  Machine& machine = place.machine;
  const Bad18bCell cell{"table 6", base.n, base.q.product().bits(), "paper", operation};
  const Words sources = residues(step.sources, base.n), own = residues(step.targets, base.n);
  const auto queue = place.device->make_queue();
  const auto tables = place.device->make_step(step, base.n);
  const DeviceArray x = on_queue(*queue, sources), y = on_queue(*queue, own);
  DeviceArray z = queue->allocate(own.size(), 32);
  const auto apply = [&] {
    queue->apply(*tables, x.data(), step.own.empty() ? ConstWordPtr() : y.data(), z.data(), 1);
  };
  apply();
  const Array in = machine.uploaded(sources), own_words = machine.uploaded(own),
              out = machine.allocate(own.size());
  paper::ApplyStep kernel = shaped(paper::ApplyStep{}, 1, base.n);
  kernel.k = paper::step_constants(step);
  kernel.own = own_words.get();
  time_kernel(clock, machine, cell, kernel, in, out, words_of(*queue, z));
  clock.time({cell.part, cell.n, cell.log2_q, "ours", operation}, *queue, apply);
}

void time_transforms(Bad18bClock& clock, Bad18bPlace& place, const paper::FvBase& base) {
  Machine& machine = place.machine;
  const Words values = residues(base.q.values(), base.n);
  const Array x = machine.uploaded(values), y = machine.allocate(values.size());
  for (const Transform transform : {Transform::dgt, Transform::ntt}) {
    const paper::Transforms ring(base.n, base.q.values(), transform, machine);
    const std::string name = transform == Transform::dgt ? "paper" : "ours";
    ring.forward(machine, x.get(), y.get(), 1);
    ring.inverse(machine, y.get(), 1);
    require_equal(machine.downloaded(y.get(), values.size()), values, name + ", transform and back");
    const auto cell = [&](const char* operation) {
      return Bad18bCell{"table 6", base.n, base.q.product().bits(), name, operation};
    };
    clock.time(cell("DGT"), machine, [&] { ring.forward(machine, x.get(), y.get(), 1); });
    clock.time(cell("DGT inverse"), machine, [&] { ring.inverse(machine, y.get(), 1); });
  }
}

void time_samplers(Bad18bClock& clock, Bad18bPlace& place, const paper::FvBase& base) {
  Machine& machine = place.machine;
  const auto log_n = static_cast<std::uint32_t>(std::countr_zero(base.n));
  const Array out = machine.allocate(base.n * base.q.size());
  const paper::PrimeList primes = paper::prime_list(base.q.values());
  const auto cell = [&](const char* variant, const char* operation) {
    return Bad18bCell{"table 6", base.n, base.q.product().bits(), variant, operation};
  };
  const auto time = [&](const char* operation, const auto& kernel) {
    clock.time(cell("paper", operation), machine, [&] { machine.run(kernel); });
  };
  const paper::RandomName name{{1, 2}, 3};
  time("sample uniform", paper::SampleUniform{{1, log_n}, out.get(), primes, name});
  time("sample binary", paper::SampleBinary{{1, log_n}, out.get(), primes, name});
  time("sample error", paper::SampleError{{1, log_n - 1}, out.get(), primes, name});

  const auto queue = place.device->make_queue();
  NttSpec spec{.n = base.n, .moduli = {base.q.values().begin(), base.q.values().end()}};
  spec.word_bits = 32;
  const auto ring = place.device->make_ring(spec);
  DeviceArray sample = queue->allocate(*ring, 1);
  clock.time(cell("ours", "sample uniform"), *queue,
             [&] { queue->sample_uniform(*ring, {}, sample.data()); });
  clock.time(cell("ours", "sample binary"), *queue, [&] { queue->sample_binary(*ring, {}, sample.data()); });
  clock.time(cell("ours", "sample error"), *queue,
             [&] { queue->sample_error(*ring, {}, ErrorDistribution::sigma_8_bound_48, sample.data()); });
}

}  // namespace

void measure_bad18b_reductions(Bad18bClock& clock, Bad18bPlace& place, unsigned log_n) {
  Machine& machine = place.machine;
  const std::size_t n = std::size_t{1} << log_n;
  Words halves, expected;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t x = state % paper::kNflLimit;
    halves.push_back(static_cast<Word>(x));
    halves.push_back(static_cast<Word>(x >> 32));
    expected.push_back(static_cast<Word>(x % paper::kNflPrime));
  }
  const Array in = machine.uploaded(halves), out = machine.allocate(n);
  const auto time = [&](const char* variant, auto kernel) {
    kernel.shape = {1, log_n};
    kernel.in = reinterpret_cast<const paper::Wide*>(in.get());  // allocations are aligned for any word
    kernel.out = out.get();
    machine.run(kernel);
    require_equal(machine.downloaded(out.get(), n), expected, std::string("Table 1, ") + variant);
    clock.time({"table 1", n, 62, variant, "reduce"}, machine, [&] { machine.run(kernel); });
  };
  time("native", paper::Reduce<paper::Reduction::native>{});
  time("nfllib", paper::Reduce<paper::Reduction::nfllib>{});
  time("ours", paper::Reduce<paper::Reduction::barrett>{});
}

void measure_bad18b_reconstructions(Bad18bClock& clock, Bad18bPlace& place, std::size_t n, unsigned primes) {
  const Crt crt(RnsBase(ntt_primes(n, 31, primes)), n, place.machine);
  time_reconstructions(clock, place.machine, crt, "table 2", true);
}

void measure_bad18b_kernels(Bad18bClock& clock, Bad18bPlace& place, const paper::FvBase& base) {
  const Crt crt(base.q, base.n, place.machine);
  const auto cell = [&](const char* variant) {
    return Bad18bCell{"table 6", base.n, crt.bits(), variant, "CRT"};
  };
  const std::size_t rows = base.q.size();
  time_kernel(clock, place.machine, cell("paper"),
              shaped(paper::make_crt<paper::kPrimes>(base.q), rows, base.n), crt.on_machine_integers, crt.out,
              crt.residues_);
  time_kernel(clock, place.machine, cell("ours"),
              shaped(paper::make_crt_lazy<paper::kPrimes>(base.q), rows, base.n), crt.on_machine_integers,
              crt.out, crt.residues_);
  time_reconstructions(clock, place.machine, crt, "table 6", false);
  time_transforms(clock, place, base);
  time_step(clock, place, base, base.extend(), "fast base conversion");
  time_step(clock, place, base, base.floor(), "fast RNS floor");
  time_samplers(clock, place, base);
}

}  // namespace nttforge::bench
