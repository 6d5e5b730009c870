#include "nttforge/cuda/plan.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/explorer.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/ntt/plan.hpp"

namespace nttforge::cuda {
namespace {

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

std::string label(const CudaNttPlan& plan) {
  const NttSpec& s = plan.spec();
  return device_name(plan.device()) + " n = " + std::to_string(s.n) +
         " limbs = " + std::to_string(s.moduli.size()) + " q = " + std::to_string(s.moduli.front()) + " " +
         std::string(ring_name(s.ring)) + " " + std::string(order_name(s.input_order)) + " -> " +
         std::string(order_name(s.output_order)) + " " + plan.recipe().to_json();
}

void expect(bool right, const CudaNttPlan& plan, const char* what) {
  if (!right)
    testing::fail(__FILE__, __LINE__, std::string(what) + " differs from the CPU engine: " + label(plan));
}

/// Everything a plan does, against the CPU engine.
template <class Word>
void compare(const CudaNttPlan& plan, std::size_t batch, testing::Rng& rng) {
  const NttPlan cpu(plan.spec());
  const int device = plan.device();
  const auto a = residues<Word>(plan.spec(), batch, rng), b = residues<Word>(plan.spec(), batch, rng);
  std::vector<Word> want(a.size()), work(a.size());
  const OnDevice<Word> x(device, a), y(device, b), out(device, a.size()), workspace(device, a.size());

  cpu.forward(std::span<const Word>(a), std::span<Word>(want));
  plan.forward(x.in(), out.words);
  expect(out.back() == want, plan, "forward");
  plan.inverse(out.in(), out.words);
  expect(out.back() == a, plan, "inverse in place");
  cpu.inverse(std::span<const Word>(b), std::span<Word>(want));
  plan.inverse(y.in(), out.words);
  expect(out.back() == want, plan, "inverse");

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

void compare(const CudaNttPlan& plan, std::size_t batch, testing::Rng& rng) {
  if (plan.spec().word_bits == 64) {
    compare<std::uint64_t>(plan, batch, rng);
  } else {
    compare<std::uint32_t>(plan, batch, rng);
  }
}

std::vector<int> places() { return device_count() > 0 ? std::vector{kHost, 0} : std::vector{kHost}; }

/// Bits of the moduli in each arithmetic class, and up to which n there must be a recipe.
struct Class {
  unsigned bits, word_bits, covered_log_n;
};
constexpr Class kClasses[] = {{30, 32, 17}, {50, 64, 17}, {60, 64, 17}, {62, 64, 0}};

/// Empty if there are none and need not be.
std::vector<CudaRecipe> recipes_of(const NttSpec& spec, const Class& c, const CudaDevice& card) {
  try {
    return candidate_recipes(spec, card);
  } catch (const UnsupportedError&) {
    if (spec.n <= std::size_t{1} << c.covered_log_n) throw;
    return {};
  }
}

NttSpec spec_of(std::size_t n, const Class& c, std::size_t limbs) {
  NttSpec spec;
  spec.n = n;
  spec.moduli = ntt_primes(n, c.bits, limbs);
  spec.word_bits = c.word_bits;
  return spec;
}

NTTF_TEST("plans give the words of the CPU engine: orders, rings, words, batches") {
  testing::Rng rng;
  for (const int device : places()) {
    for (const std::size_t n : {1u, 2u, 8u, 64u, 256u, 1024u}) {
      for (const Class& c : kClasses) {
        NttSpec spec = spec_of(n, c, n < 64 ? 1 : 3);
        if (recipes_of(spec, c, describe_device(device)).empty()) continue;
        for (const Ring ring : {Ring::negacyclic, Ring::cyclic}) {
          for (const Order in : {Order::natural, Order::bit_reversed}) {
            for (const Order out : {Order::natural, Order::bit_reversed}) {
              spec.ring = ring, spec.input_order = in, spec.output_order = out;
              compare(CudaNttPlan(spec, device), 1 + rng.below(3), rng);
            }
          }
        }
      }
    }
  }
}

NTTF_TEST("every recipe gives the words of the CPU engine") {
  testing::Rng rng;
  for (const int device : places()) {
    const CudaDevice card = describe_device(device);
    const unsigned most =
        device < 0 ? 12 : 20;  // the host takes milliseconds for what a card does in microseconds
    for (unsigned log_n = 1; log_n <= most; ++log_n) {
      for (const Class& c : kClasses) {
        const std::size_t n = std::size_t{1} << log_n;
        const std::size_t room = device < 0 ? 2 : std::min<std::size_t>(64, (std::size_t{1} << 24) / n);
        NttSpec spec = spec_of(n, c, 1);
        for (const CudaRecipe& recipe : recipes_of(spec, c, card)) {
          // As many primes as there are, then again from the first.
          const std::size_t limbs = 1 + rng.below(room);
          const auto primes = ntt_primes(n, c.bits, std::min<std::size_t>(limbs, 4));
          spec.moduli.resize(limbs);
          for (std::size_t i = 0; i < limbs; ++i) spec.moduli[i] = primes[i % primes.size()];
          spec.ring = rng.below(2) == 0 ? Ring::negacyclic : Ring::cyclic;
          compare(CudaNttPlan(spec, recipe, device), 1 + rng.below(limbs < 8 ? 3 : 1), rng);
        }
      }
    }
  }
}

/// What compute-sanitizer is run over (tools/gpu_test.py): each kernel once, little data.
void each_recipe_with_little_data(unsigned least_log_n, unsigned most_log_n) {
  testing::Rng rng;
  for (const int device : places()) {
    const CudaDevice card = describe_device(device);
    for (unsigned log_n = least_log_n; log_n <= (device < 0 ? std::min(11u, most_log_n) : most_log_n);
         ++log_n) {
      for (const Class& c : kClasses) {
        const NttSpec spec = spec_of(std::size_t{1} << log_n, c, log_n < 13 ? 2 : 1);
        for (const CudaRecipe& recipe : recipes_of(spec, c, card)) {
          const CudaNttPlan plan(spec, recipe, device);
          const auto check = [&]<class Word>(Word) {
            const auto a = residues<Word>(spec, 1, rng);
            const OnDevice<Word> x(device, a);
            std::vector<Word> want(a.size());
            NttPlan(plan.spec()).forward(std::span<const Word>(a), std::span<Word>(want));
            plan.forward(x.in(), x.words);
            expect(x.back() == want, plan, "forward");
            plan.inverse(x.in(), x.words);
            expect(x.back() == a, plan, "inverse");
          };
          spec.word_bits == 64 ? check(std::uint64_t{}) : check(std::uint32_t{});
        }
      }
    }
  }
}
NTTF_TEST("each recipe with little data: n to 2^12") { each_recipe_with_little_data(1, 12); }
NTTF_TEST("each recipe with little data: n to 2^14") { each_recipe_with_little_data(13, 14); }
NTTF_TEST("each recipe with little data: n to 2^16") { each_recipe_with_little_data(15, 16); }
NTTF_TEST("each recipe with little data: n to 2^20") { each_recipe_with_little_data(17, 20); }

NTTF_TEST("calls of a plan can be captured into a graph and replayed") {
  testing::Rng rng;
  for (const int device : places()) {
    const CudaNttPlan plan(spec_of(4096, {60, 64, 17}, 2), device);
    const auto a = residues<std::uint64_t>(plan.spec(), 1, rng);
    const OnDevice<std::uint64_t> x(device, a), work(device, a.size()), y(device, a.size());
    // An even number of runs: forward and inverse undo each other, and squares are checked by hand.
    const double ns = runtime_of(device).time_ns(device, 2, 3, [&](CudaStream stream) {
      plan.forward(x.in(), x.words, stream);
      plan.inverse(x.in(), x.words, stream);
      plan.polynomial_product(x.in(), x.in(), y.words, work.words, stream);
    });
    NTTF_CHECK(ns > 0);
    NTTF_CHECK(x.back() == a);
    std::vector<std::uint64_t> want(a.size()), workspace(a.size());
    NttPlan(plan.spec()).polynomial_product(a, a, want, workspace);
    NTTF_CHECK(y.back() == want);
  }
}

NTTF_TEST("plans are used from streams of their device") {
  testing::Rng rng;
  for (const int device : places()) {
    CudaRuntime& runtime = runtime_of(device);
    const CudaNttPlan plan(spec_of(1024, {60, 64, 17}, 2), device);
    const auto a = residues<std::uint64_t>(plan.spec(), 2, rng);
    std::vector<std::uint64_t> want(a.size());
    NttPlan(plan.spec()).forward(a, want);
    const CudaStream first = runtime.make_stream(device), second = runtime.make_stream(device);
    const CudaBuffer x(device, 8 * a.size(), first);
    x.from_host(a.data(), first);
    const std::span<std::uint64_t> words(static_cast<std::uint64_t*>(x.data()), a.size());
    plan.forward(words, words, first);
    runtime.order(device, first, second);
    std::vector<std::uint64_t> got(a.size());
    x.to_host(got.data(), second);
    NTTF_CHECK(got == want);
    runtime.destroy_stream(device, second);
    runtime.synchronize(device, first);
    x.share();  // its stream goes away before it does
    runtime.destroy_stream(device, first);
  }
}

NTTF_TEST("bad calls are refused on the host") {
  for (const int device : places()) {
    const CudaNttPlan plan(spec_of(16, {60, 64, 17}, 2), device);
    OnDevice<std::uint64_t> x(device, 64), y(device, 64), z(device, 64);
    OnDevice<std::uint32_t> narrow(device, 64);
    std::vector<std::uint64_t> host(64);
    const auto part = [](auto words, std::size_t from, std::size_t count) {
      return words.subspan(from, count);
    };
    NTTF_CHECK_THROWS(plan.forward(narrow.in(), narrow.words), ParameterError, "pass uint64 arrays");
    NTTF_CHECK_THROWS(plan.forward(part(x.in(), 0, 33), y.words), SizeError,
                      "33 words: need a multiple of limbs * n = 2 * 16");
    NTTF_CHECK_THROWS(plan.forward(part(x.in(), 0, 32), y.words), SizeError,
                      "in has 32 words and out has 64");
    NTTF_CHECK_THROWS(plan.inverse(x.in(), part(y.words, 0, 32)), SizeError,
                      "in has 64 words and out has 32");
    NTTF_CHECK_THROWS(plan.forward(part(x.in(), 0, 32), part(x.words, 16, 32)), SizeError, "overlap partly");
    NTTF_CHECK_THROWS(plan.forward(host, y.words), ParameterError, "in is in host memory");
    NTTF_CHECK_THROWS(plan.forward(x.in(), host), ParameterError, "out is in host memory");
    NTTF_CHECK_THROWS(plan.forward(std::span<const std::uint64_t>(), y.words), SizeError, "in has 0 words");
    NTTF_CHECK_THROWS(plan.forward(part(x.in(), 1, 32), y.words.subspan(32)), ParameterError,
                      "not aligned to 16 bytes");
    NTTF_CHECK_THROWS(plan.multiply(x.in(), part(y.in(), 0, 32), z.words), SizeError, "b has 32 words");
    NTTF_CHECK_THROWS(plan.multiply(x.in(), host, z.words), ParameterError, "b is in host memory");
    NTTF_CHECK_THROWS(plan.multiply_accumulate(x.in(), y.in(), host), ParameterError,
                      "accumulator is in host memory");
    NTTF_CHECK_THROWS(plan.polynomial_product(x.in(), y.in(), z.words, x.words), SizeError,
                      "workspace overlaps");
    NTTF_CHECK_THROWS(plan.polynomial_product(x.in(), y.in(), z.words, {}), SizeError,
                      "workspace has 0 words");
    plan.forward(std::span<const std::uint64_t>(), std::span<std::uint64_t>());

    CudaRuntime& hosts = runtime_of(kHost2);
    const OnDevice<std::uint64_t> elsewhere(kHost2, 64);
    const CudaStream other = hosts.make_stream(kHost2);
    if (device < 0) {
      NTTF_CHECK_THROWS(plan.forward(elsewhere.in(), y.words), ParameterError,
                        "in is on cuda:host2 and the plan on cuda:host");
      NTTF_CHECK_THROWS(plan.forward(x.in(), y.words, other), ParameterError,
                        "the stream belongs to cuda:host2");
    } else {
      NTTF_CHECK_THROWS(plan.forward(elsewhere.in(), y.words), ParameterError, "in is in host memory");
    }
    hosts.destroy_stream(kHost2, other);
    const auto past_the_end = std::span<const std::uint64_t>(y.words.data(), 1u << 24);
    NTTF_CHECK_THROWS(plan.forward(past_the_end, std::span(z.words.data(), 1u << 24)), ParameterError,
                      "memory");

    std::vector<std::uint64_t> words(64);
    words[37] = plan.spec().moduli[0];
    words[63] = ~0ull;
    const OnDevice<std::uint64_t> bad(device, words);
    NTTF_CHECK_THROWS(plan.require_reduced(bad.in()), ParameterError,
                      "x[1][0][5] = " + std::to_string(words[37]));
  }
}

NTTF_TEST("several devices are kept apart") {
  testing::Rng rng;
  std::vector<int> all{kHost, kHost2};
  for (int i = 0; i < device_count(); ++i) all.push_back(i);
  const NttSpec spec = spec_of(2048, {60, 64, 17}, 2);
  std::vector<CudaNttPlan> plans;
  std::vector<OnDevice<std::uint64_t>> arrays;
  const auto a = residues<std::uint64_t>(spec, 1, rng);
  for (const int device : all) {
    plans.emplace_back(spec, device);
    arrays.emplace_back(device, a);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    compare(plans[i], 2, rng);
    for (std::size_t j = 0; j < all.size(); ++j) {
      const auto call = [&] { plans[i].forward(arrays[j].in(), arrays[j].words); };
      if (i == j) {
        call();
        plans[i].inverse(arrays[j].in(), arrays[j].words);
      } else if ((all[i] < 0) == (all[j] < 0)) {
        NTTF_CHECK_THROWS(call(), ParameterError, "and the plan on " + device_name(all[i]));
      } else {
        NTTF_CHECK_THROWS(call(), ParameterError, "host memory");
      }
    }
  }
  for (const auto& x : arrays) NTTF_CHECK(x.back() == a);
}

NTTF_TEST("plans that cannot be made say why") {
  const NttSpec spec = spec_of(1024, {60, 64, 17}, 1);
  NTTF_CHECK_THROWS(CudaNttPlan(spec, 1000), Error,
                    device_count() > 0 ? "does not exist" : why_unavailable().substr(0, 40));
  NTTF_CHECK_THROWS(CudaNttPlan(spec, -7), ParameterError, "does not exist");
  NttSpec bad = spec;
  bad.moduli = {97};
  NTTF_CHECK_THROWS(CudaNttPlan(bad, kHost), ParameterError, "97");
  bad = spec_of(1024, {60, 64, 17}, 1);
  bad.transform = Transform::dgt;
  NTTF_CHECK_THROWS(CudaNttPlan(bad, kHost), UnsupportedError, "dgt does not run on GPUs");
  bad = spec;
  bad.moduli.push_back(kGoldilocks);
  NTTF_CHECK_THROWS(CudaNttPlan(bad, kHost), UnsupportedError, "18446744069414584321");

  CudaRecipe recipe = CudaNttPlan(spec, kHost).recipe();
  CudaRecipe wrong = recipe;
  wrong.word_bits = 32;
  NTTF_CHECK_THROWS(CudaNttPlan(spec, wrong, kHost), ParameterError, "recipe.word_bits = 32");
  wrong = recipe;
  wrong.algorithm = "magic";
  NTTF_CHECK_THROWS(CudaNttPlan(spec, wrong, kHost), UnsupportedError, "no GPU kernel for the recipe");
  NTTF_CHECK_THROWS(CudaNttPlan(spec_of(1u << 19, {60, 64, 17}, 1), recipe, kHost), UnsupportedError,
                    "n = 524288 is not in");

  // A card without clusters, and one with little shared memory.
  CudaDevice old = describe_device(kHost);
  old.name = "an old card";
  old.max_cluster = 1;
  old.shared_bytes_per_block = 1024;
  for (const CudaKernelRow<std::uint64_t>& row : cuda_kernel_rows<std::uint64_t>()) {
    if (row.recipe.cluster == 1 && row.shared_bytes <= 1024) continue;
    const NttSpec fits = spec_of(std::size_t{1} << row.min_log_n, {50, 64, 17}, 1);
    if (fits.moduli.front() >= row.q_limit || row.recipe.arithmetic == Arithmetic::goldilocks) continue;
    NTTF_CHECK_THROWS(find_row<std::uint64_t>(fits, row.recipe, old), UnsupportedError, "an old card has");
  }

  // More tables than the limit allows: said before anything is allocated.
  const CudaPoolInfo before = pool_info(kHost2);
  set_pool_limit(kHost2, 1 << 16);
  NTTF_CHECK_THROWS(CudaNttPlan(spec_of(1u << 12, {60, 64, 17}, 4), kHost2), UnsupportedError,
                    "exceed the memory limit");
  NTTF_CHECK_EQ(pool_info(kHost2).used_bytes, before.used_bytes);
  set_pool_limit(kHost2, before.limit_bytes);
}

}  // namespace
}  // namespace nttforge::cuda
