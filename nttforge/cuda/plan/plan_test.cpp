// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/plan.hpp"

#include <span>
#include <string>
#include <vector>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/candidates.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"
#include "nttforge/cuda/runtime/runtime_host.hpp"
#include "nttforge/ntt/plan.hpp"

namespace nttforge::cuda {
namespace {

using namespace testing_plans;

NTTF_TEST("plans give the words of the CPU engine: orders, rings, words, batches") {
  testing::Rng rng;
  for (const int device : places()) {
    for (const std::size_t n : {1u, 2u, 8u, 64u, 256u, 1024u}) {
      for (const unsigned bits : {30u, 50u, 60u, 62u}) {
        NttSpec spec = spec_of(n, bits, n < 64 ? 1 : 3);
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

NTTF_TEST("calls of a plan can be captured into a graph and replayed") {
  testing::Rng rng;
  for (const int device : places()) {
    const CudaNttPlan plan(spec_of(4096, 60, 2), device);
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
    const CudaNttPlan plan(spec_of(1024, 60, 2), device);
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
    const CudaNttPlan plan(spec_of(16, 60, 2), device);
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
    const auto odd =
        reinterpret_cast<const std::uint64_t*>(reinterpret_cast<std::uintptr_t>(x.words.data()) + 4);
    NTTF_CHECK_THROWS(plan.forward(std::span(odd, 32), y.words.subspan(32)), ParameterError,
                      "not aligned to its words of 8 bytes");
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
    // In place: two arrays may be nearer to each other than this many words. Other blocks may lie at its end.
    std::size_t count = 1u << 24;
    while (runtime_of(device).locate(y.words.data() + count - 1).kind != CudaPlace::Kind::host) count *= 2;
    const std::span<std::uint64_t> past_the_end(y.words.data(), count);
    NTTF_CHECK_THROWS(plan.forward(past_the_end, past_the_end), ParameterError, "memory");

    std::vector<std::uint64_t> words(64);
    words[37] = plan.spec().moduli[0];
    words[63] = ~0ull;
    const OnDevice<std::uint64_t> bad(device, words);
    NTTF_CHECK_THROWS(plan.require_reduced(bad.in()), ParameterError,
                      "x[1][0][5] = " + std::to_string(words[37]));
  }
}

NTTF_TEST("a call asks once about its device, once about each array") {
  const CudaNttPlan plan(spec_of(64, 60, 1), kHost);
  const OnDevice<std::uint64_t> x(kHost, 64), y(kHost, 64);
  auto& host = static_cast<HostCudaRuntime&>(host_runtime());
  const auto questions = [&](const auto& call) {
    const std::size_t before = host.questions();
    call();
    return host.questions() - before;
  };
  // Each layer asks the host for its context; a GPU's runtime does once a call, or not at
  // all.
  const std::size_t without_arrays =
      questions([&] { plan.forward(x.in(), y.words, nullptr, CallPlaces::promised); });
  NTTF_CHECK_EQ(without_arrays, std::size_t{2});
  NTTF_CHECK_EQ(questions([&] { plan.forward(x.in(), y.words); }), without_arrays + 3);  // and the stream
  NTTF_CHECK_EQ(questions([&] { plan.forward(x.in(), x.words); }), without_arrays + 2);
  NTTF_CHECK_EQ(questions([&] { plan.multiply(x.in(), y.in(), y.words); }), without_arrays + 3);
}

NTTF_TEST("memory is released before its stream is, or without it") {
  auto& host = static_cast<HostCudaRuntime&>(host_runtime());
  const std::size_t before = host.releases_in_dead_streams();
  for (const bool shared : {true, false}) {
    const CudaStream stream = host.make_stream(kHost);
    {
      const CudaBuffer x(kHost, 64, stream);
      if (shared) x.share();
      if (shared) host.destroy_stream(kHost, stream);
    }
    if (!shared) host.destroy_stream(kHost, stream);
  }
  NTTF_CHECK_EQ(host.releases_in_dead_streams(), before);
  const CudaNttPlan plan(spec_of(64, 60, 1), kHost);  // its tables were uploaded in a stream of their own
  NTTF_CHECK_EQ(host.releases_in_dead_streams(), before);
}

NTTF_TEST("several devices are kept apart") {
  testing::Rng rng;
  std::vector<int> all{kHost, kHost2};
  for (int i = 0; i < device_count(); ++i) all.push_back(i);
  const NttSpec spec = spec_of(2048, 60, 2);
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
  const NttSpec spec = spec_of(1024, 60, 1);
  NTTF_CHECK_THROWS(CudaNttPlan(spec, 1000), Error,
                    device_count() > 0 ? "does not exist" : why_unavailable().substr(0, 40));
  NTTF_CHECK_THROWS(CudaNttPlan(spec, -7), ParameterError, "does not exist");
  NttSpec bad = spec;
  bad.moduli = {97};
  NTTF_CHECK_THROWS(CudaNttPlan(bad, kHost), ParameterError, "97");
  NTTF_CHECK_THROWS(CudaNttPlan(spec, kHost, {.inverse_factors = {1, 2}}), ParameterError,
                    "inverse_factors has 2 entries for 1 moduli");
  NTTF_CHECK_THROWS(CudaNttPlan(spec, kHost, {.inverse_factors = spec.moduli}), ParameterError,
                    "is not reduced: allowed is [0, q)");
  bad = spec_of(1, 60, 1);
  NTTF_CHECK_THROWS(CudaNttPlan(bad, kHost, {.inverse_factors = {3}}), ParameterError, "n = 1 has none");

  CudaRecipe recipe = CudaNttPlan(spec, kHost).recipe();
  CudaRecipe wrong = recipe;
  wrong.word_bits = 32;
  NTTF_CHECK_THROWS(CudaNttPlan(spec, wrong, kHost), ParameterError, "recipe.word_bits = 32");
  wrong = recipe;
  wrong.algorithm = "magic";
  NTTF_CHECK_THROWS(CudaNttPlan(spec, wrong, kHost), UnsupportedError, "no GPU kernel for the recipe");
  NTTF_CHECK_THROWS(CudaNttPlan(spec_of(1u << 19, 60, 1), recipe, kHost), UnsupportedError,
                    "n = 524288 is not in");

  // A card without clusters, and one with little shared memory.
  CudaDevice old = describe_device(kHost);
  old.name = "an old card";
  old.max_cluster = 1;
  old.shared_bytes_per_block = 1024;
  for (const CudaKernelRow<std::uint64_t>& row : cuda_rows<std::uint64_t>(CudaRowKind::ntt)) {
    if (row.recipe.cluster == 1 && row.shared_bytes <= 1024) continue;
    const NttSpec fits = spec_of(std::size_t{1} << row.min_log_n, 50, 1);
    if (fits.moduli.front() >= row.q_limit || row.recipe.arithmetic == Arithmetic::goldilocks) continue;
    NTTF_CHECK_THROWS(find_row<std::uint64_t>(fits, row.recipe, old), UnsupportedError, "an old card has");
  }

  // More tables than the limit allows: said before anything is allocated.
  const CudaPoolInfo before = pool_info(kHost2);
  set_pool_limit(kHost2, 1 << 16);
  NTTF_CHECK_THROWS(CudaNttPlan(spec_of(1u << 12, 60, 4), kHost2), UnsupportedError,
                    "exceed the memory limit");
  NTTF_CHECK_EQ(pool_info(kHost2).used_bytes, before.used_bytes);
  set_pool_limit(kHost2, before.limit_bytes);
}

}  // namespace
}  // namespace nttforge::cuda
