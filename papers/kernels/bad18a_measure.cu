// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/plan.hpp"
#include "papers/kernels/bad18a.hpp"

namespace nttforge::bench {
namespace {

namespace gold = cuda::bad18a;
using Word = std::uint64_t;

constexpr std::uint32_t kPrime = 4294967291u;
constexpr unsigned kOrder[2][3] = {{0, 2, 3}, {1, 2, 4}};  ///< of rows_of(): forward and inverse
constexpr const char* kNames[] = {"first, extended", "first, backwards", "second", "third", "third, reduced"};

/// Some polynomials of one size, with the values that must come out.
class Case {
 public:
  Case(unsigned log_n, unsigned polynomials)
      : n_(std::size_t{1} << log_n),
        words_(n_ * polynomials),
        roots_(gold::powers_of(gold::root_of(log_n), n_)),
        words32_(words_),
        a_(words_ * kRotatedBuffers),
        b_(words_) {
    const NttPlan plan(NttSpec{.n = n_,
                               .moduli = {gold::kP},
                               .ring = Ring::cyclic,
                               .output_order = Order::natural,
                               .roots = {gold::root_of(log_n)}});
    input_.resize(words_ / 2);
    expected_.resize(words_);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < input_.size(); ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      input_[i] = static_cast<std::uint32_t>(state >> 32) % kPrime;
      expected_[i / (n_ / 2) * n_ + i % (n_ / 2)] = input_[i];
    }
    coefficients_ = expected_;
    for (std::size_t i = 0; i < polynomials; ++i) {
      const std::span<Word> row(expected_.data() + i * n_, n_);
      plan.forward(std::span<const Word>(row), row);
    }
    args_.roots = roots_.data();
    args_.polynomials = polynomials;
    args_.prime = kPrime;
    for (unsigned i = log_n; i < 192; ++i) args_.scale = gold::add(args_.scale, args_.scale);
    const auto eighths = gold::powers_of(8, 64);
    std::copy(eighths.begin(), eighths.end(), args_.powers);
  }
  std::size_t n() const { return n_; }
  unsigned polynomials() const { return args_.polynomials; }

  /// One kernel of a transform: 32-bit words -> a -> b -> a, and, of an inverse, a -> b -> a -> 32-bit words.
  void step(const std::vector<gold::Row>& rows, bool inverse, unsigned step, unsigned buffer,
            cudaStream_t stream) {
    Word* a = a_.data() + buffer * words_;
    const bool even = step % 2 == 0;
    args_.in = inverse     ? (even ? a : b_.data())
               : step == 0 ? static_cast<void*>(words32_.data())
               : even      ? b_.data()
                           : a;
    args_.out = inverse ? (step == 2 ? static_cast<void*>(words32_.data())
                           : even    ? b_.data()
                                     : a)
                : even  ? a
                        : b_.data();
    require(static_cast<cudaError_t>(rows[kOrder[inverse][step]].on_device(args_, stream)), "launch");
  }
  void transform(const std::vector<gold::Row>& rows, bool inverse, unsigned buffer, cudaStream_t stream) {
    for (unsigned i = 0; i < 3; ++i) step(rows, inverse, i, buffer, stream);
  }
  void verify(const std::vector<gold::Row>& rows, cudaStream_t stream) {
    words32_.set(input_.data(), input_.size());
    transform(rows, false, 0, stream);
    require(cudaStreamSynchronize(stream), "a transform");
    const bool forward = a_.get(words_) == expected_;
    transform(rows, true, 0, stream);
    require(cudaStreamSynchronize(stream), "a transform");
    const auto back = words32_.get(words_);
    bool right = forward;
    for (std::size_t i = 0; i < words_; ++i) right = right && back[i] == coefficients_[i];
    if (!right) throw Error("[Bad18a] kernels: wrong result, not timed");
  }

 private:
  std::size_t n_, words_;
  OnDevice<Word> roots_;
  OnDevice<std::uint32_t> words32_;
  OnDevice<Word> a_, b_;
  std::vector<std::uint32_t> input_;
  std::vector<Word> expected_, coefficients_;
  gold::Args args_;
};

Json describe(const Case& data, const gold::Shape& shape, bool inverse, const char* kernel) {
  Json row = Json::object();
  row.set("kind", "bad18a");
  row.set("n", data.n());
  row.set("polynomials", data.polynomials());
  row.set("direction", inverse ? "inverse" : "forward");
  row.set("shared_memory", shape.halves ? "split and padded" : "packed");
  row.set("powers_of_8", shape.constant_roots ? "constant memory" : "switch");
  row.set("kernel", kernel);
  return row;
}

void measure(Report& report, GpuClock& clock, Case& data, const std::vector<gold::Row>& rows,
             Bad18aMode mode) {
  const gold::Shape& shape = rows[0].shape;
  const bool profile = mode == Bad18aMode::profile;
  if (!profile) data.verify(rows, clock.stream());
  if (mode == Bad18aMode::check) return;
  for (const bool inverse : {false, true}) {
    for (unsigned step = 0; step <= 3; ++step) {  // 3: all
      const Json row = describe(data, shape, inverse, step == 3 ? "all" : kNames[kOrder[inverse][step]]);
      if (profile) {
        if (step == 3) continue;
        Json line = row;
        line.set("launches", 1);
        std::printf("%s\n", line.dump().c_str());
        data.step(rows, inverse, step, 0, clock.stream());
        require(cudaStreamSynchronize(clock.stream()), "a kernel");
        continue;
      }
      Timing warm, cold;
      const auto body = [&](unsigned buffer) {
        step == 3 ? data.transform(rows, inverse, buffer, clock.stream())
                  : data.step(rows, inverse, step, buffer, clock.stream());
      };
      clock.time_both(body, warm, cold);
      add_gpu_row(report, row, warm, cold);
      std::printf("%8.2f us, cold %8.2f  %s\n", warm.median_ns / 1e3, cold.median_ns / 1e3,
                  row.dump().c_str());
    }
  }
  std::fflush(stdout);
}

}  // namespace

void measure_bad18a(Report& report, GpuClock& clock, Bad18aMode mode) {
  for (const unsigned log_n : {14u, 15u, 16u}) {
    const Bad18aRows rows = bad18a_switches(log_n);
    for (const unsigned polynomials : {1u, 16u}) {
      if (mode != Bad18aMode::time && polynomials != 1) continue;
      Case data(log_n, polynomials);
      for (const auto& kernels : rows) measure(report, clock, data, kernels, mode);
    }
  }
}

}  // namespace nttforge::bench
