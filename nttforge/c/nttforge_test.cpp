// SPDX-License-Identifier: Apache-2.0
#include "nttforge/nttforge.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "nttforge/base/testing.hpp"
#include "nttforge/ntt/plan.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

constexpr std::size_t kBatch = 3, kLimbs = 2;

std::vector<std::uint64_t> primes_for(std::size_t n, unsigned bits) {
  std::vector<std::uint64_t> q(kLimbs);
  NTTF_CHECK_EQ(nttforge_ntt_primes(n, bits, kLimbs, q.data()), NTTFORGE_OK);
  return q;
}

nttforge_spec spec_for(std::size_t n, const std::vector<std::uint64_t>& q) {
  nttforge_spec spec = NTTFORGE_SPEC_INIT;
  spec.n = n;
  spec.moduli = q.data();
  spec.limbs = q.size();
  return spec;
}

template <class Word>
std::vector<Word> residues(std::size_t n, const std::vector<std::uint64_t>& q, Rng& rng) {
  std::vector<Word> x(kBatch * q.size() * n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Word>(rng.below(q[i / n % q.size()]));
  return x;
}

// The status must be `status` and the text must contain `text`.
void check_error(nttforge_status got, nttforge_status status, std::string_view text) {
  NTTF_CHECK_EQ(got, status);
  if (std::string_view(nttforge_last_error()).find(text) == std::string_view::npos) {
    fail(__FILE__, __LINE__, std::string(nttforge_last_error()) + " does not contain " + std::string(text));
  }
}

}  // namespace

NTTF_TEST("64-bit words equal those of the C++ plan, all rings and orders, in place and out of place") {
  Rng rng;
  for (const std::size_t n : {1u, 16u, 1024u}) {
    for (int choice = 0; choice < 8; ++choice) {
      const auto q = primes_for(n, 50);
      nttforge_spec spec = spec_for(n, q);
      spec.ring = choice & 1;
      spec.input_order = choice >> 1 & 1;
      spec.output_order = choice >> 2;
      nttforge_plan* plan = nullptr;
      NTTF_CHECK_EQ(nttforge_plan_create(&spec, 1, &plan), NTTFORGE_OK);
      const NttPlan same({n, q, Ring(spec.ring), Order(spec.input_order), Order(spec.output_order)});
      const auto a = residues<std::uint64_t>(n, q, rng), b = residues<std::uint64_t>(n, q, rng);
      auto x = a, y = a, work = a;
      const std::size_t words = a.size();
      NTTF_CHECK_EQ(nttforge_forward(plan, a.data(), x.data(), words), NTTFORGE_OK);
      same.forward(a, y);
      NTTF_CHECK(x == y);
      NTTF_CHECK_EQ(nttforge_inverse(plan, x.data(), x.data(), words), NTTFORGE_OK);
      NTTF_CHECK(x == a);
      NTTF_CHECK_EQ(nttforge_multiply(plan, a.data(), b.data(), x.data(), words), NTTFORGE_OK);
      same.multiply(a, b, y);
      NTTF_CHECK(x == y);
      NTTF_CHECK_EQ(nttforge_multiply_accumulate(plan, b.data(), b.data(), x.data(), words), NTTFORGE_OK);
      same.multiply_accumulate(b, b, y);
      NTTF_CHECK(x == y);
      NTTF_CHECK_EQ(nttforge_polynomial_product(plan, a.data(), b.data(), x.data(), work.data(), words),
                    NTTFORGE_OK);
      same.polynomial_product(a, b, y, work);
      NTTF_CHECK(x == y);
      NTTF_CHECK_EQ(nttforge_require_reduced(plan, x.data(), words), NTTFORGE_OK);
      std::uint64_t root = 0;
      NTTF_CHECK_EQ(nttforge_plan_root(plan, 1, &root), NTTFORGE_OK);
      NTTF_CHECK_EQ(root, same.spec().roots[1]);
      nttforge_plan_destroy(plan);
    }
  }
}

NTTF_TEST("32-bit words equal those of the C++ plan; roots and recipes are taken") {
  Rng rng;
  const std::size_t n = 256;
  const auto q = primes_for(n, 30);
  nttforge_spec spec = spec_for(n, q);
  spec.word_bits = 32;
  NttSpec own{n, q};
  own.word_bits = 32;
  own = validated(own);
  for (std::size_t i = 0; i < q.size(); ++i) own.roots[i] = q[i] - own.roots[i];  // -psi is primitive too
  spec.roots = own.roots.data();
  const NttPlan same(own);
  const std::string recipe = same.recipe().to_json();
  nttforge_plan* plan = nullptr;
  NTTF_CHECK_EQ(nttforge_plan_create_from_recipe(&spec, recipe.c_str(), &plan), NTTFORGE_OK);
  const char* text = nullptr;
  NTTF_CHECK_EQ(nttforge_plan_recipe(plan, &text), NTTFORGE_OK);
  NTTF_CHECK_EQ(std::string(text), recipe);
  const auto a = residues<std::uint32_t>(n, q, rng);
  auto x = a, y = a, work = a;
  NTTF_CHECK_EQ(nttforge_forward32(plan, a.data(), x.data(), a.size()), NTTFORGE_OK);
  same.forward(a, y);
  NTTF_CHECK(x == y);
  NTTF_CHECK_EQ(nttforge_multiply32(plan, x.data(), x.data(), x.data(), a.size()), NTTFORGE_OK);
  NTTF_CHECK_EQ(nttforge_inverse32(plan, x.data(), x.data(), a.size()), NTTFORGE_OK);
  NTTF_CHECK_EQ(nttforge_polynomial_product32(plan, a.data(), a.data(), y.data(), work.data(), a.size()),
                NTTFORGE_OK);
  NTTF_CHECK(x == y);
  NTTF_CHECK_EQ(nttforge_multiply_accumulate32(plan, a.data(), a.data(), x.data(), a.size()), NTTFORGE_OK);
  same.multiply_accumulate(a, a, y);
  NTTF_CHECK(x == y);
  NTTF_CHECK_EQ(nttforge_require_reduced32(plan, x.data(), x.size()), NTTFORGE_OK);
  std::vector<std::uint64_t> wide(a.size());
  check_error(nttforge_forward(plan, wide.data(), wide.data(), wide.size()), NTTFORGE_INVALID, "word");
  nttforge_plan_destroy(plan);
}

NTTF_TEST("ML-KEM's transform and base product are those of FIPS 203; a program of before has no layers") {
  const std::uint64_t q = 3329;
  nttforge_spec spec = NTTFORGE_SPEC_INIT;
  spec.n = 256;
  spec.moduli = &q;
  spec.limbs = 1;
  spec.layers = 7;
  spec.word_bits = 32;
  nttforge_plan* plan = nullptr;
  NTTF_CHECK_EQ(nttforge_plan_create(&spec, 1, &plan), NTTFORGE_OK);
  std::uint64_t zeta = 0;
  NTTF_CHECK_EQ(nttforge_plan_root(plan, 0, &zeta), NTTFORGE_OK);
  NTTF_CHECK_EQ(zeta, std::uint64_t{17});
  // X^2 is gamma modulo X^2 - gamma: the words of Appendix A. X * X is X^2.
  const std::uint32_t gammas[] = {17, 3312, 2761, 568, 583, 2746, 2649, 680};
  std::vector<std::uint32_t> x(256), y(256), work(256);
  x[2] = y[1] = 1;
  NTTF_CHECK_EQ(nttforge_forward32(plan, x.data(), x.data(), 256), NTTFORGE_OK);
  for (std::size_t i = 0; i < 8; ++i) NTTF_CHECK(x[2 * i] == gammas[i] && x[2 * i + 1] == 0);
  std::vector<std::uint32_t> square(256);
  NTTF_CHECK_EQ(nttforge_polynomial_product32(plan, y.data(), y.data(), square.data(), work.data(), 256),
                NTTFORGE_OK);
  NTTF_CHECK(square[2] == 1 && std::count(square.begin(), square.end(), 0u) == 255);
  NTTF_CHECK_EQ(nttforge_forward32(plan, y.data(), y.data(), 256), NTTFORGE_OK);
  std::vector<std::uint32_t> sum = x;
  NTTF_CHECK_EQ(nttforge_multiply_accumulate32(plan, y.data(), y.data(), sum.data(), 256), NTTFORGE_OK);
  NTTF_CHECK_EQ(nttforge_multiply32(plan, y.data(), y.data(), y.data(), 256), NTTFORGE_OK);
  NTTF_CHECK(x == y && sum[0] == 34);
  NTTF_CHECK_EQ(nttforge_inverse32(plan, y.data(), y.data(), 256), NTTFORGE_OK);
  NTTF_CHECK(y == square);
  y[3] = 3329;
  check_error(nttforge_require_reduced32(plan, y.data(), 256), NTTFORGE_INVALID, "x[0][0][3] = 3329");
  nttforge_plan_destroy(plan);

  spec.layers = 8;
  check_error(nttforge_plan_create(&spec, 1, &plan), NTTFORGE_INVALID, "use layers <= 7");
  spec.struct_size = offsetof(nttforge_spec, layers);  // before there were layers
  check_error(nttforge_plan_create(&spec, 1, &plan), NTTFORGE_INVALID, "with this q use layers = 7");
  NTTF_CHECK_EQ(nttforge_abi_version(), NTTFORGE_ABI_VERSION);
}

NTTF_TEST("errors name what is wrong and leave results alone") {
  std::uint64_t q = 97, limits[2] = {1, 2};
  nttforge_spec spec = NTTFORGE_SPEC_INIT;
  auto* const before = reinterpret_cast<nttforge_plan*>(limits);
  nttforge_plan* plan = before;
  const auto refused = [&](nttforge_status status, std::string_view text) {
    check_error(nttforge_plan_create(&spec, 1, &plan), status, text);
    NTTF_CHECK(plan == before);
  };
  refused(NTTFORGE_INVALID, "spec.limbs = 0");
  for (const std::size_t bytes : {std::size_t{0}, offsetof(nttforge_spec, layers) - 1, sizeof spec - 1}) {
    spec.struct_size = bytes;
    refused(NTTFORGE_INVALID, "spec = NTTFORGE_SPEC_INIT");
  }
  spec.struct_size = sizeof spec + 1;
  refused(NTTFORGE_UNSUPPORTED, "later nttforge than 0.");
  spec.struct_size -= 1;
  spec.limbs = std::numeric_limits<std::size_t>::max();
  refused(NTTFORGE_INVALID, "spec.limbs = 18446744073709551615");
  spec.limbs = 1;
  refused(NTTFORGE_INVALID, "spec.moduli = NULL");
  spec.moduli = &q;
  refused(NTTFORGE_INVALID, "n = 0");
  spec.n = 64;
  refused(NTTFORGE_INVALID, "97 = 97 (mod 128)");
  spec.n = 16;
  spec.ring = 2;
  refused(NTTFORGE_INVALID, "spec.ring = 2");
  spec.ring = 0;
  spec.output_order = -1;
  refused(NTTFORGE_INVALID, "spec.output_order = -1");
  spec.output_order = 1;
  spec.word_bits = 48;
  refused(NTTFORGE_INVALID, "48");
  spec.word_bits = 64;
  check_error(nttforge_plan_create(&spec, 1025, &plan), NTTFORGE_INVALID, "1025");
  check_error(nttforge_plan_create(nullptr, 1, &plan), NTTFORGE_INVALID, "spec = NULL");
  check_error(nttforge_plan_create(&spec, 1, nullptr), NTTFORGE_INVALID, "plan = NULL");
  check_error(nttforge_plan_create_from_recipe(&spec, nullptr, &plan), NTTFORGE_INVALID, "recipe = NULL");
  check_error(nttforge_plan_create_from_recipe(&spec, "{", &plan), NTTFORGE_FORMAT, "");
  NTTF_CHECK(plan == before);
  check_error(nttforge_ntt_primes(16, 63, 1, &q), NTTFORGE_INVALID, "63");
  check_error(nttforge_ntt_primes(12, 30, 1, &q), NTTFORGE_INVALID, "n = 12");
  check_error(nttforge_ntt_primes(16, 5, 2, &q), NTTFORGE_INVALID, "5");
  check_error(nttforge_ntt_primes(16, 30, 65537, &q), NTTFORGE_INVALID, "65537");
  check_error(nttforge_ntt_primes(16, 30, 1, nullptr), NTTFORGE_INVALID, "primes = NULL");
  NTTF_CHECK_EQ(q, 97u);
  nttforge_plan_destroy(nullptr);
}

NTTF_TEST("calls with null arrays, wrong sizes and unreduced residues are errors") {
  const std::uint64_t q = 97;
  nttforge_spec spec = NTTFORGE_SPEC_INIT;
  spec.n = 16;
  spec.moduli = &q;
  spec.limbs = 1;
  nttforge_plan* plan = nullptr;
  NTTF_CHECK_EQ(nttforge_plan_create(&spec, 0, &plan), NTTFORGE_OK);
  std::vector<std::uint64_t> x(16, 5), kept = x;
  check_error(nttforge_forward(nullptr, x.data(), x.data(), 16), NTTFORGE_INVALID, "plan = NULL");
  check_error(nttforge_forward(plan, nullptr, x.data(), 16), NTTFORGE_INVALID, "in = NULL");
  check_error(nttforge_inverse(plan, x.data(), nullptr, 16), NTTFORGE_INVALID, "out = NULL");
  check_error(nttforge_multiply(plan, x.data(), nullptr, x.data(), 16), NTTFORGE_INVALID, "b = NULL");
  check_error(nttforge_forward(plan, x.data(), x.data(), 15), NTTFORGE_SIZE, "15");
  check_error(nttforge_forward(plan, x.data(), x.data(), std::size_t{1} << 61), NTTFORGE_SIZE, "words");
  check_error(nttforge_polynomial_product(plan, x.data(), x.data(), x.data(), nullptr, 16), NTTFORGE_INVALID,
              "workspace = NULL");
  std::uint64_t root = 7;
  check_error(nttforge_plan_root(plan, 1, &root), NTTFORGE_INVALID, "limb = 1: need 0 to 0");
  NTTF_CHECK_EQ(root, 7u);
  NTTF_CHECK(x == kept);
  x[3] = q;
  check_error(nttforge_require_reduced(plan, x.data(), 16), NTTFORGE_INVALID, "97");
  const auto allocate = [](std::size_t, std::size_t, void*) -> void* { return nullptr; };
  const auto release = [](void*, std::size_t, std::size_t, void*) {};
  check_error(nttforge_set_allocator(allocate, release, nullptr), NTTFORGE_INVALID, "already");
  check_error(nttforge_set_allocator(nullptr, release, nullptr), NTTFORGE_INVALID, "NULL");
  nttforge_plan_destroy(plan);
}

NTTF_TEST("each thread has its own error, and threads share a plan") {
  Rng rng;
  const auto q = primes_for(1024, 50);
  const nttforge_spec spec = spec_for(1024, q);
  nttforge_plan* plan = nullptr;
  NTTF_CHECK_EQ(nttforge_plan_create(&spec, 1, &plan), NTTFORGE_OK);
  const auto a = residues<std::uint64_t>(1024, q, rng);
  auto expected = a;
  NTTF_CHECK_EQ(nttforge_forward(plan, a.data(), expected.data(), a.size()), NTTFORGE_OK);
  check_error(nttforge_forward(plan, nullptr, expected.data(), a.size()), NTTFORGE_INVALID, "in = NULL");
  const std::string mine = nttforge_last_error();
  bool good[4] = {};
  std::vector<std::thread> threads;
  for (bool& flag : good) {
    threads.emplace_back([&flag, &a, &expected, plan] {
      auto x = a;
      flag = std::string_view(nttforge_last_error()).empty() &&
             nttforge_forward(plan, a.data(), x.data(), a.size()) == NTTFORGE_OK && x == expected &&
             nttforge_forward(plan, a.data(), nullptr, a.size()) == NTTFORGE_INVALID &&
             std::string_view(nttforge_last_error()).find("out = NULL") == 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const bool flag : good) NTTF_CHECK(flag);
  NTTF_CHECK_EQ(mine, std::string(nttforge_last_error()));
  nttforge_plan_destroy(plan);
}
