// SPDX-License-Identifier: Apache-2.0
// Compiled with -std=c++20 as all tests; tests/consumer/cxx17 compiles the header with -std=c++17.
#include "nttforge/cxx17.hpp"

#include <array>
#include <string_view>
#include <type_traits>
#include <utility>

#include "nttforge/base/testing.hpp"
#include "nttforge/ntt/plan.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

static_assert(!std::is_copy_constructible_v<cxx17::Plan> && !std::is_copy_assignable_v<cxx17::Plan>);
static_assert(std::is_nothrow_move_constructible_v<cxx17::Plan>);

template <class Body>
void check_error(nttforge_status status, std::string_view text, const Body& body) {
  try {
    body();
  } catch (const cxx17::Error& error) {
    NTTF_CHECK_EQ(error.status(), status);
    if (std::string_view(error.what()).find(text) != std::string_view::npos) return;
    fail(__FILE__, __LINE__, std::string(error.what()) + " does not contain " + std::string(text));
  }
  fail(__FILE__, __LINE__, "nothing was thrown for " + std::string(text));
}

template <class Word>
void check_words(const cxx17::Spec& spec) {
  Rng rng;
  const NttPlan same({spec.n, spec.moduli, Ring(spec.ring), Order(spec.input_order), Order(spec.output_order),
                      spec.word_bits, spec.roots});
  const cxx17::Plan plan(spec);
  std::vector<Word> a(2 * spec.moduli.size() * spec.n), b = a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t q = spec.moduli[i / spec.n % spec.moduli.size()];
    a[i] = static_cast<Word>(rng.below(q));
    b[i] = static_cast<Word>(rng.below(q));
  }
  std::vector<Word> x = a, y = a, work = a;
  plan.forward(a, x);
  same.forward(a, y);
  NTTF_CHECK(x == y);
  plan.inverse(x, x);
  NTTF_CHECK(x == a);
  plan.multiply(a, b, x);
  same.multiply(a, b, y);
  NTTF_CHECK(x == y);
  plan.multiply_accumulate(b, b, x);
  same.multiply_accumulate(b, b, y);
  NTTF_CHECK(x == y);
  plan.polynomial_product(a, b, x, work);
  same.polynomial_product(a, b, y, work);
  NTTF_CHECK(x == y);
  plan.require_reduced(x);
  NTTF_CHECK_EQ(plan.recipe(), same.recipe().to_json());
  NTTF_CHECK_EQ(plan.root(1), same.spec().roots[1]);
}

}  // namespace

NTTF_TEST("the C++17 plan gives the words of the C++20 plan, for 64- and 32-bit words, rings and roots") {
  cxx17::Spec spec{256, cxx17::ntt_primes(256, 50, 2)};
  check_words<std::uint64_t>(spec);
  spec.ring = NTTFORGE_CYCLIC;
  spec.output_order = NTTFORGE_NATURAL;
  check_words<std::uint64_t>(spec);
  cxx17::Spec small{256, cxx17::ntt_primes(256, 30, 2)};
  small.word_bits = 32;
  check_words<std::uint32_t>(small);
  const cxx17::Plan with_smallest(small);
  for (std::size_t limb = 0; limb < 2; ++limb)
    small.roots.push_back(small.moduli[limb] - with_smallest.root(limb));
  check_words<std::uint32_t>(small);
}

NTTF_TEST("C++17 plans move, take any contiguous container and recipes, and throw the texts") {
  const cxx17::Spec spec{4, {17}};
  cxx17::Plan first(spec, 0);
  cxx17::Plan plan(std::move(first));
  std::array<std::uint64_t, 4> x{1, 2, 3, 4};
  const auto kept = x;
  check_error(NTTFORGE_INVALID, "plan = NULL", [&] { first.forward(x, x); });
  first = cxx17::Plan(spec, plan.recipe());
  std::uint64_t raw[4] = {1, 2, 3, 4};
  first.forward(raw, raw);
  plan.forward(x, x);
  NTTF_CHECK(std::equal(x.begin(), x.end(), raw));
  plan.inverse(x.data(), x.data(), x.size());
  NTTF_CHECK(x == kept);
  std::vector<std::uint64_t> longer(8);
  check_error(NTTFORGE_SIZE, "arrays of 4 and 8 words", [&] { plan.forward(x, longer); });
  check_error(NTTFORGE_SIZE, "arrays of 4 and 8 words", [&] { plan.multiply(x, x, longer); });
  check_error(NTTFORGE_SIZE, "arrays of 4 and 8 words", [&] { plan.polynomial_product(x, x, x, longer); });
  check_error(NTTFORGE_INVALID, "spec.roots has 2 values: need none or 1", [] {
    cxx17::Plan({4, {17}, NTTFORGE_NEGACYCLIC, NTTFORGE_NATURAL, NTTFORGE_NATURAL, 64, {2, 3}});
  });
  check_error(NTTFORGE_FORMAT, "", [&] { cxx17::Plan(spec, std::string("{")); });
  check_error(NTTFORGE_INVALID, "63", [] { cxx17::ntt_primes(16, 63, 1); });
  x[2] = 17;
  check_error(NTTFORGE_INVALID, "17", [&] { plan.require_reduced(x); });
}
