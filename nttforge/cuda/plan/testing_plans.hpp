// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of GPU plans share: places to run, residues, arrays, and a comparison of everything that a
// plan does with the CPU engine.

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/device.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/ntt/plan.hpp"

namespace nttforge::cuda::testing_plans {

/// The host's run of the kernels, and the first GPU if there is one; NTTFORGE_TEST_GPU_ONLY=1 leaves the host
/// out (for compute-sanitizer, which slows it and sees nothing of it). With NTTFORGE_REQUIRE_GPU there must
/// be one.
inline std::vector<int> places() {
  if (device_count() == 0) {
    if (std::getenv("NTTFORGE_REQUIRE_GPU") != nullptr) testing::fail(__FILE__, __LINE__, why_unavailable());
    return {kHost};
  }
  return std::getenv("NTTFORGE_TEST_GPU_ONLY") != nullptr ? std::vector{0} : std::vector{kHost, 0};
}

/// Random, with many 0 and q - 1.
template <class Word>
std::vector<Word> residues(const NttSpec& spec, std::size_t batch, testing::Rng& rng) {
  std::vector<Word> x(batch * spec.moduli.size() * spec.n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t q = spec.moduli[i / spec.n % spec.moduli.size()];
    const std::uint64_t pick = rng.below(16);
    x[i] = static_cast<Word>(pick == 0 ? q - 1 : pick == 1 ? 0 : rng.below(q));
  }
  return x;
}

/// An array on a device, with its words.
template <class Word>
struct OnDevice {
  CudaBuffer buffer;
  std::span<Word> words;

  OnDevice(int device, std::size_t count)
      : buffer(device, count * sizeof(Word)), words(static_cast<Word*>(buffer.data()), count) {}
  OnDevice(int device, const std::vector<Word>& host) : OnDevice(device, host.size()) {
    buffer.from_host(host.data());
  }
  std::span<const Word> in() const { return words; }
  std::vector<Word> back() const {
    std::vector<Word> host(words.size());
    buffer.to_host(host.data());
    return host;
  }
};

inline std::string label(const CudaNttPlan& plan) {
  const NttSpec& s = plan.spec();
  return device_name(plan.device()) + " n = " + std::to_string(s.n) +
         " limbs = " + std::to_string(s.moduli.size()) + " q = " + std::to_string(s.moduli.front()) + " " +
         std::string(ring_name(s.ring)) + " " + std::string(order_name(s.input_order)) + " -> " +
         std::string(order_name(s.output_order)) + " " + plan.recipe().to_json();
}

inline void expect(bool right, const CudaNttPlan& plan, const char* what) {
  if (!right)
    testing::fail(__FILE__, __LINE__, std::string(what) + " differs from the CPU engine: " + label(plan));
}

/// Both transforms, out of place and in place.
template <class Word>
void compare_transforms(const CudaNttPlan& plan, std::size_t batch, testing::Rng& rng) {
  const auto a = residues<Word>(plan.spec(), batch, rng);
  std::vector<Word> want(a.size());
  NttPlan(plan.spec()).forward(std::span<const Word>(a), std::span<Word>(want));
  const OnDevice<Word> x(plan.device(), a), y(plan.device(), a.size());
  plan.forward(x.in(), y.words);
  expect(y.back() == want, plan, "forward");
  plan.inverse(y.in(), y.words);
  expect(y.back() == a, plan, "inverse in place");
  plan.forward(x.in(), x.words);
  expect(x.back() == want, plan, "forward in place");
  plan.inverse(x.in(), y.words);
  expect(y.back() == a, plan, "inverse");
}

/// Everything a plan does.
template <class Word>
void compare(const CudaNttPlan& plan, std::size_t batch, testing::Rng& rng) {
  compare_transforms<Word>(plan, batch, rng);
  const NttPlan cpu(plan.spec());
  const int device = plan.device();
  const auto a = residues<Word>(plan.spec(), batch, rng), b = residues<Word>(plan.spec(), batch, rng);
  std::vector<Word> want(a.size()), work(a.size());
  const OnDevice<Word> x(device, a), y(device, b), out(device, a.size()), workspace(device, a.size());

  cpu.inverse(std::span<const Word>(b), std::span<Word>(want));
  plan.inverse(y.in(), out.words);
  expect(out.back() == want, plan, "inverse of any values");

  cpu.multiply(std::span<const Word>(a), std::span<const Word>(b), std::span<Word>(want));
  plan.multiply(x.in(), y.in(), out.words);
  expect(out.back() == want, plan, "multiply");
  cpu.multiply_accumulate(std::span<const Word>(b), std::span<const Word>(b), std::span<Word>(want));
  plan.multiply_accumulate(y.in(), y.in(), out.words);
  expect(out.back() == want, plan, "multiply_accumulate");

  cpu.polynomial_product(std::span<const Word>(a), std::span<const Word>(b), std::span<Word>(want),
                         std::span<Word>(work));
  plan.polynomial_product(x.in(), y.in(), out.words, workspace.words);
  expect(out.back() == want, plan, "polynomial_product");
  cpu.polynomial_product(std::span<const Word>(a), std::span<const Word>(a), std::span<Word>(want),
                         std::span<Word>(work));
  plan.polynomial_product(x.in(), x.in(), x.words, workspace.words);
  expect(x.back() == want, plan, "square in place");
  plan.require_reduced(out.in());
}

/// check.operator()<Word>() with the plan's word.
template <class Check>
void with_word(const CudaNttPlan& plan, const Check& check) {
  if (plan.spec().word_bits == 64) {
    check.template operator()<std::uint64_t>();
  } else {
    check.template operator()<std::uint32_t>();
  }
}

inline void compare(const CudaNttPlan& plan, std::size_t batch, testing::Rng& rng) {
  with_word(plan, [&]<class Word>() { compare<Word>(plan, batch, rng); });
}

/// A spec with primes of `bits` bits, in the word size of their class.
inline NttSpec spec_of(std::size_t n, unsigned bits, std::size_t limbs) {
  NttSpec spec;
  spec.n = n;
  spec.moduli = ntt_primes(n, bits, limbs);
  spec.word_bits = bits <= 32 ? 32 : 64;
  return spec;
}

/// What was made before a reset is refused, and the device is used again.
template <class Reset>
void check_reset(int device, const Reset& reset) {
  const NttSpec spec = spec_of(1024, 60, 1);
  testing::Rng rng;
  const auto a = residues<std::uint64_t>(spec, 1, rng);
  std::vector<std::uint64_t> got(a.size());
  {
    const CudaNttPlan plan(spec, device);
    const OnDevice<std::uint64_t> x(device, a);
    reset();
    NTTF_CHECK_THROWS(plan.forward(x.in(), x.words), ContextError,
                      device_name(device) + " was reset since this array or plan was made");
    NTTF_CHECK_THROWS(plan.multiply(x.in(), x.in(), x.words), ContextError, "was reset");
    NTTF_CHECK_THROWS(plan.polynomial_product(x.in(), x.in(), x.words, x.words), ContextError, "was reset");
    NTTF_CHECK_THROWS(plan.require_reduced(x.in()), ContextError, "make it anew");
    NTTF_CHECK_THROWS(x.buffer.from_host(a.data()), ContextError, "was reset");
    NTTF_CHECK_THROWS(x.buffer.to_host(got.data()), ContextError, "was reset");
  }
  NTTF_CHECK_EQ(pool_info(device).used_bytes, std::size_t{0});
  compare<std::uint64_t>(CudaNttPlan(spec, device), 2, rng);
}

}  // namespace nttforge::cuda::testing_plans
