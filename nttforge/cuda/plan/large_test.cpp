// SPDX-License-Identifier: Apache-2.0
// Transforms up to n = 2^28, which a GPU computes and nothing else here: a few coefficients, whose values the
// definition gives at once, and a round trip of arbitrary ones.
#include <cstdint>
#include <string>
#include <vector>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/plan/tables.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"
#include "nttforge/ntt/order.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

namespace nttforge::cuda {
namespace {

using namespace testing_plans;

struct Term {
  std::size_t at;
  std::uint64_t value;
};

/// X[k] of those coefficients.
std::uint64_t value_of(const std::vector<Term>& terms, const NttSpec& spec, std::uint64_t k) {
  const std::uint64_t q = spec.moduli[0], root = spec.roots[0];
  const std::uint64_t exponent = spec.ring == Ring::negacyclic ? 2 * k + 1 : k;
  std::uint64_t sum = 0;
  for (const Term& t : terms) {
    const std::uint64_t power = wide_pow_mod(root, t.at * exponent % (2 * spec.n), q);
    sum = sum_mod(sum, wide_mul_mod(t.value, power, q), q);
  }
  return sum;
}

void check_large(unsigned log_n, std::uint64_t q, Ring ring, int device) {
  testing::Rng rng;
  const NttSpec spec{.n = std::size_t{1} << log_n, .moduli = {q}, .ring = ring};
  const CudaNttPlan plan(spec, device);
  const OnDevice<std::uint64_t> x(device, spec.n);
  std::vector<std::uint64_t> a(spec.n);
  std::vector<Term> terms{{0, 1}, {spec.n - 1, q - 1}};
  for (int i = 0; i < 4; ++i) terms.push_back({1 + rng.below(spec.n - 2), rng.below(q)});
  for (const Term& t : terms) a[t.at] = sum_mod(a[t.at], t.value, q);
  x.buffer.from_host(a.data());
  plan.forward(x.in(), x.words);
  const std::vector<std::uint64_t> values = x.back();
  for (int i = 0; i < 1000; ++i) {
    const std::size_t k = i == 0 ? 0 : i == 1 ? spec.n - 1 : rng.below(spec.n);
    NTTF_CHECK_EQ(values[bit_reverse(k, log_n)], value_of(terms, plan.spec(), k));
  }
  std::uint64_t state = 1;
  for (std::uint64_t& v : a) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = state >> 2 >= q ? (state >> 2) - q : state >> 2;
  }
  x.buffer.from_host(a.data());
  plan.forward(x.in(), x.words);
  plan.inverse(x.in(), x.words);
  expect(x.back() == a, plan, "inverse of forward");
}

void check_all(unsigned log_n, int device) {
  for (const std::uint64_t q : {kGoldilocks, ntt_primes(std::size_t{1} << log_n, 62, 1)[0]}) {
    for (const Ring ring : {Ring::negacyclic, Ring::cyclic}) check_large(log_n, q, ring, device);
  }
}

NTTF_TEST("values and round trips at n = 2^20 on the host") {
  check_large(20, kGoldilocks, Ring::negacyclic, kHost);
}
void on_a_gpu(unsigned log_n) { device_count() == 0 ? testing::skip("needs a GPU") : check_all(log_n, 0); }
NTTF_TEST("values and round trips at n = 2^24") { on_a_gpu(24); }
NTTF_TEST("values and round trips at n = 2^26") { on_a_gpu(26); }
NTTF_TEST("values and round trips at n = 2^28") { on_a_gpu(28); }

NTTF_TEST("tables that all threads make are those of one") {
  const std::size_t n = std::size_t{1} << 20;
  for (const std::uint64_t q : {kGoldilocks, ntt_primes(n, 62, 1)[0]}) {
    for (const Ring ring : {Ring::negacyclic, Ring::cyclic}) {
      const NttSpec spec = validated({.n = n, .moduli = {q}, .ring = ring});
      CudaKernelRow<std::uint64_t> plain;  // the product tree as it is
      plain.entry_words = 1;
      plain.entry = [](std::uint64_t w, std::uint64_t, std::uint64_t* entry) { *entry = w; };
      plain.layout = [](unsigned log_n) {
        TableLayout rounds;
        for (unsigned stage = 0; stage < log_n; ++stage) rounds.push_back({stage, 1});
        return rounds;
      };
      const auto made = build_table(TableSource{spec, 0}, plain, false);
      const auto want = tree_twiddles(ring, 20, q, spec.roots[0]);
      bool same = true;
      for (std::size_t i = 1; i < n; ++i) same = same && made[i] == want[i];
      NTTF_CHECK(same);
    }
  }
}

NTTF_TEST("what does not fit is refused before anything is computed") {
  const NttSpec spec{.n = std::size_t{1} << 24, .moduli = ntt_primes(std::size_t{1} << 24, 62, 4)};
  const std::size_t limit = pool_info(kHost2).limit_bytes;
  set_pool_limit(kHost2, std::size_t{1} << 30);
  // Each limb has two tables of 16 bytes an entry.
  NTTF_CHECK_THROWS(CudaNttPlan(spec, kHost2), UnsupportedError, "2147483648 bytes");
  set_pool_limit(kHost2, limit);
}

}  // namespace
}  // namespace nttforge::cuda
