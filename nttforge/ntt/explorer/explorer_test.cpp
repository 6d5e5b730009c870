// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/explorer.hpp"

#include <algorithm>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/explorer/cost_model.hpp"
#include "nttforge/ntt/testing.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

using State = ExploredRecipe::State;

}  // namespace

NTTF_TEST("exploration: every candidate once, measured ones first and fastest first, the best among them") {
  for (const unsigned word_bits : {32u, 64u}) {
    NttSpec spec{256, {largest_prime(256, 30), largest_prime(256, 29)}};
    spec.word_bits = word_bits;
    ExploreOptions options;
    options.threads = 2;
    options.batch = 2;
    options.budget_s = 0.3;
    const Exploration found = explore(spec, options);
    NTTF_CHECK(found.recipes.size() >= 2);  // two scalar radices
    bool slower = false;
    for (std::size_t i = 0; i < found.recipes.size(); ++i) {
      const ExploredRecipe& r = found.recipes[i];
      require_recipe(validated(spec), r.recipe);
      NTTF_CHECK_EQ(r.predicted_ns, predicted_ns(validated(spec), r.recipe, 2));
      NTTF_CHECK(r.state != State::wrong);
      NTTF_CHECK_EQ(r.state == State::measured, r.measured_ns > 0);
      NTTF_CHECK_EQ(r.state == State::measured, r.rounds > 0);
      for (std::size_t j = 0; j < i; ++j) NTTF_CHECK(found.recipes[j].recipe != r.recipe);
      if (i > 0 && r.state == State::measured)
        slower |=
            r.measured_ns < found.recipes[i - 1].measured_ns || found.recipes[i - 1].state != State::measured;
    }
    NTTF_CHECK(!slower);
    NTTF_CHECK(found.best().measured_ns <= 1.02 * found.recipes.front().measured_ns);
    NTTF_CHECK(plans_agree(NttPlan(spec, found.best().recipe), NttPlan(spec), 2));
  }
}

NTTF_TEST("exploration: two threads are a candidate only where both get rows") {
  const NttSpec spec{256, {largest_prime(256, 30), largest_prime(256, 29)}};
  for (const std::size_t batch : {2u, 32u}) {  // one chunk of rows, and four
    ExploreOptions options;
    options.threads = 2;
    options.batch = batch;
    options.budget_s = 0.05;
    const Exploration found = explore(spec, options);
    const auto two = std::count_if(found.recipes.begin(), found.recipes.end(),
                                   [](const ExploredRecipe& r) { return r.recipe.threads == 2; });
    NTTF_CHECK_EQ(2 * static_cast<std::size_t>(two), batch == 2 ? 0 : found.recipes.size());
  }
}

NTTF_TEST("exploration: the gate tells plans apart") {
  const std::uint64_t q = largest_prime(64, 40);
  NttSpec other{64, {q}};
  other.roots = {Modulus(q).pow(validated(other).roots[0], 3)};
  NTTF_CHECK(plans_agree(NttPlan({64, {q}}), NttPlan({64, {q}}), 3));
  NTTF_CHECK(!plans_agree(NttPlan({64, {q}}), NttPlan(other), 1));
}

NTTF_TEST("exploration: stops when told to, keeping what is known, and reports as it goes") {
  std::size_t calls = 0;
  ExploreOptions options;
  options.progress = [&](const ExploreProgress& p) {
    NTTF_CHECK(p.step >= 1 && p.step <= p.steps && p.recipe != nullptr && p.elapsed_s >= 0);
    ++calls;
    return p.what == "preparing";
  };
  const Exploration stopped = explore({128, {largest_prime(128, 50)}}, options);
  NTTF_CHECK(!stopped.complete && calls >= 2);
  NTTF_CHECK(stopped.best().measured_ns > 0);

  options.progress = [](const ExploreProgress&) { return false; };
  NTTF_CHECK_THROWS(explore({128, {largest_prime(128, 50)}}, options), Error, "no recipe was measured");
  options.progress = [](const ExploreProgress&) -> bool { throw ParameterError("mine"); };
  NTTF_CHECK_THROWS(explore({128, {largest_prime(128, 50)}}, options), ParameterError, "mine");
}

NTTF_TEST("exploration: what bad options get") {
  const auto rejects = [](ExploreOptions options, const char* text) {
    NTTF_CHECK_THROWS(explore({64, {257}}, options), ParameterError, text);
  };
  ExploreOptions options;
  options.batch = 0;
  rejects(options, "batch = 0 is out of range");
  options.batch = (1u << 20) + 1;
  rejects(options, "batch = 1048577 is out of range");
  options = {};
  options.threads = 1025;
  rejects(options, "threads = 1025");
  for (const double bad : {0.0, -1.0, 3601.0, 0.0 / 0.0 * 1.0}) {
    options = {};
    options.budget_s = bad;
    rejects(options, "budget_s");
  }
  NTTF_CHECK_THROWS(explore({63, {257}}), ParameterError, "n = 63");
}

NTTF_TEST("cost model: more work costs more, more threads never cost much") {
  RowCost row{4096, 8, 0.5, 4096 / 2 * 12, 0, true};
  const double plain = row_ns(row);
  row.permutations = 1;
  NTTF_CHECK(row_ns(row) > plain);
  for (const std::size_t n : {64u, 4096u, 65536u, 1u << 20}) {
    const RowCost one{n, 8, 0.5, static_cast<double>(n) * 6, 0, true};
    const std::vector<RowCost> rows(3, one);
    NTTF_CHECK_EQ(batch_ns(rows, 1, 1), 3 * row_ns(one));
    double before = batch_ns(rows, 8, 1);
    for (const unsigned threads : {2u, 4u, 8u}) {
      const double now = batch_ns(rows, 8, threads);
      NTTF_CHECK(now < before + 20000 && now >= 24 * row_ns(one) / threads);
      before = now;
    }
    NTTF_CHECK(n < 4096 || before < batch_ns(rows, 8, 1) / 4);
  }
}

NTTF_TEST("explore: a batch that no memory holds is refused before it is allocated") {
  ExploreOptions options;
  options.batch = std::size_t{1} << 20;
  NTTF_CHECK_THROWS(explore({1u << 20, {kGoldilocks}}, options), UnsupportedError,
                    "the arrays of batch = 1048576 need 8796093022208 bytes");
}
