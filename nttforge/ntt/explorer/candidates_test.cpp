// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/candidates.hpp"

#include <algorithm>
#include <array>

#include "nttforge/base/error.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/ntt/testing.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

NttSpec spec_of(std::size_t n, Words moduli, unsigned word_bits = 64) {
  return validated({n, std::move(moduli), Ring::negacyclic, Order::natural, Order::bit_reversed, word_bits});
}

/// The highest target that a build for this processor may have.
#if defined(__aarch64__)
constexpr Target kHighest = Target::neon;
#else
constexpr Target kHighest = Target::avx512_ifma;
#endif

/// The first prime above 2^bits that is 1 modulo 2048.
std::uint64_t next_prime_from(unsigned bits) {
  std::uint64_t q = (std::uint64_t{1} << bits) + 1;
  while (!is_prime(q)) q += 2048;
  return q;
}

}  // namespace

NTTF_TEST("candidates are valid, distinct, ranked, and the choice is the first") {
  for (const unsigned word_bits : {32u, 64u}) {
    Words moduli{largest_prime(1024, 30), largest_prime(1024, 31)};
    if (word_bits == 64)
      moduli.insert(moduli.end(), {largest_prime(1024, 50), largest_prime(1024, 62), kGoldilocks});
    const NttSpec spec = spec_of(1024, moduli, word_bits);
    const auto recipes = candidate_recipes(spec, kAllTargets, 2);
    NTTF_CHECK(recipes.size() >= 2);
    for (std::size_t i = 0; i < recipes.size(); ++i) {
      require_recipe(spec, recipes[i]);
      NTTF_CHECK_EQ(recipes[i].threads, 2u);
      NTTF_CHECK(predicted_ns(spec, recipes[i]) > 0);
      if (i > 0) NTTF_CHECK(predicted_ns(spec, recipes[i - 1]) <= predicted_ns(spec, recipes[i]));
      NTTF_CHECK_EQ(std::count(recipes.begin(), recipes.end(), recipes[i]), std::ptrdiff_t{1});
    }
    NTTF_CHECK(choose_recipe(spec, kHighest, 2) == recipes.front());
  }
}

NTTF_TEST("the choice for a target uses no higher target") {
  for (const Target target : kAllTargets) {
    const Target chosen = choose_recipe({4096, {largest_prime(4096, 50)}}, target).target;
    NTTF_CHECK(target_contains(target, chosen));
  }
  NTTF_CHECK(choose_recipe({4096, {largest_prime(4096, 50)}}, Target::scalar) ==
             (NttRecipe{Target::scalar, {Arithmetic::shoup64}, 4, 1}));
}

NTTF_TEST("class limits of the scalar rows") {
  const NttRecipe shoup32{Target::scalar, {Arithmetic::shoup32}, 4, 1};
  require_recipe(spec_of(64, {largest_prime(64, 32)}, 32), shoup32);
  const NttRecipe shoup64{Target::scalar, {Arithmetic::shoup64}, 4, 1};
  require_recipe(spec_of(64, {largest_prime(64, 62)}), shoup64);
  NTTF_CHECK_THROWS(require_recipe(spec_of(64, {kGoldilocks}), shoup64), ParameterError,
                    "cannot compute modulo q = 18446744069414584321: allowed is q < 2^62");
  const NttRecipe goldilocks{Target::scalar, {Arithmetic::goldilocks}, 4, 1};
  NTTF_CHECK_THROWS(require_recipe(spec_of(64, {largest_prime(64, 62)}), goldilocks), ParameterError,
                    "allowed is q = 18446744069414584321 only");
}

NTTF_TEST("what bad recipes get") {
  const NttSpec spec = spec_of(64, {97 * 0 + 257, 769});
  const auto rejects = [&](NttRecipe recipe, const char* text) {
    NTTF_CHECK_THROWS(require_recipe(spec, recipe), ParameterError, text);
    NTTF_CHECK_THROWS(NttPlan(spec, recipe), ParameterError, text);
  };
  using A = Arithmetic;
  rejects({Target::scalar, {A::shoup64}, 4, 1}, "recipe.arithmetic has 1 entries for 2 moduli");
  rejects({Target::scalar, {}, 4, 1}, "recipe.arithmetic has 0 entries");
  rejects({Target::scalar, {A::shoup64, A::shoup64}, 4, 0},
          "threads = 0 is out of range: allowed are 1 ... 1024");
  rejects({Target::scalar, {A::shoup64, A::shoup64}, 4, 1025}, "threads = 1025 is out of range");
  rejects({Target::scalar, {A::shoup64, A::shoup64}, 3, 1},
          "recipe.radix = 3 is not supported for shoup64: allowed are 4, 2");
  rejects({Target::scalar, {A::shoup64, A::shoup64}, 0, 1}, "recipe.radix = 0");
  rejects({Target::scalar, {A::shoup64, A::shoup32}, 4, 1},
          "recipe.arithmetic[1] = shoup32 does not work on word_bits = 64");
  rejects({Target::scalar, {A::goldilocks, A::shoup64}, 4, 1},
          "recipe.arithmetic[0] = goldilocks cannot compute modulo q = 257");
  const std::size_t beyond = std::size_t{1} << 25;
  NTTF_CHECK_THROWS(
      require_recipe(spec_of(beyond, {largest_prime(beyond, 60)}), {Target::scalar, {A::shoup64}, 4, 1}),
      UnsupportedError,
      "n = 33554432 is too large for the CPU engine: need a power of two, 1 ... 2^24 on CPUs");
  NTTF_CHECK_THROWS(require_recipe(spec_of(64, {257}, 32), {Target::scalar, {A::shoup64}, 4, 1}),
                    ParameterError, "shoup64 does not work on word_bits = 32");
  NTTF_CHECK_THROWS(candidate_recipes(spec, kAllTargets, 0), ParameterError, "threads = 0");
  NTTF_CHECK_THROWS(candidate_recipes(spec, {}, 1), UnsupportedError, "no recipe");
  NTTF_CHECK_THROWS(candidate_recipes({64, {97}}, kAllTargets), ParameterError, "q = 97");
  NTTF_CHECK_THROWS(choose_recipe({63, {97}}, Target::scalar), ParameterError, "n = 63");
}

NTTF_TEST("a plan refuses a target that this CPU lacks, and says which features are missing") {
  for (const Target target : kAllTargets) {
    if (target_available(target)) continue;
    NTTF_CHECK_THROWS(NttPlan({64, {257}}, NttRecipe{target, {Arithmetic::shoup64}, 4, 1}), UnsupportedError,
                      std::string(target_name(target)));
  }
}

NTTF_TEST("class limits of the vector rows: the largest prime below is taken, the next one above is not") {
#if defined(__x86_64__)
  constexpr std::pair<Target, Arithmetic> kRows[] = {{Target::avx512_ifma, Arithmetic::ifma52},
                                                     {Target::avx2, Arithmetic::fp64},
                                                     {Target::avx512, Arithmetic::fp64}};
#elif defined(__aarch64__)
  constexpr std::pair<Target, Arithmetic> kRows[] = {{Target::neon, Arithmetic::fp64}};
#else
  constexpr std::array<std::pair<Target, Arithmetic>, 0> kRows{};
#endif
  for (const auto& [target, arithmetic] : kRows) {
    const NttRecipe recipe{target, {arithmetic}, 4, 1};
    require_recipe(spec_of(1024, {largest_prime(1024, 50)}), recipe);
    NTTF_CHECK_THROWS(require_recipe(spec_of(1024, {next_prime_from(50)}), recipe), ParameterError,
                      "allowed is q < 2^50");
  }
  NTTF_CHECK_THROWS(
      find_kernel<std::uint64_t>(spec_of(64, {257}), {Target::scalar, {Arithmetic::shoup64}, 4, 1}, 1),
      ParameterError, "limb = 1: there are 1");
}

#if defined(__aarch64__)
NTTF_TEST(
    "neon: 64-bit primes to the end of the class, 32-bit ones to 2^30, nothing with 52-bit multiply-adds") {
  const auto target_of = [](std::uint64_t q) {
    return find_kernel<std::uint64_t>(spec_of(1024, {q}), {Target::neon, {Arithmetic::shoup64}, 4, 1}, 0)
        .target;
  };
  NTTF_CHECK(target_of(largest_prime(1024, 30)) == Target::neon);
  NTTF_CHECK(target_of(largest_prime(1024, 62)) == Target::neon);
  const auto target_of_32 = [](std::uint64_t q) {
    return find_kernel<std::uint32_t>(spec_of(1024, {q}, 32), {Target::neon, {Arithmetic::shoup32}, 4, 1}, 0)
        .target;
  };
  NTTF_CHECK(target_of_32(largest_prime(1024, 30)) == Target::neon);
  NTTF_CHECK(target_of_32(largest_prime(1024, 32)) == Target::scalar);
  NTTF_CHECK_THROWS(
      require_recipe(spec_of(1024, {largest_prime(1024, 50)}), {Target::neon, {Arithmetic::ifma52}, 4, 1}),
      UnsupportedError, "recipe.arithmetic[0] = ifma52 is not part of this build");
}
#endif

#if defined(__x86_64__)
NTTF_TEST("x86-64: which target begins with an arithmetic, and where vector rows end") {
  const NttRecipe below{Target::avx2, {Arithmetic::ifma52}, 4, 1};
  NTTF_CHECK_THROWS(require_recipe(spec_of(1024, {largest_prime(1024, 50)}), below), UnsupportedError,
                    "recipe.target = avx2 has no ifma52 arithmetic");
  const NttRecipe small{Target::avx512_ifma, {Arithmetic::ifma52}, 4, 1};
  require_recipe(spec_of(128, {largest_prime(128, 50)}), small);
  NTTF_CHECK_THROWS(
      require_recipe(spec_of(64, {largest_prime(64, 50)}), small), ParameterError,
      "n = 64 is too small for ifma52 arithmetic on target avx512_ifma: need n >= 128; use shoup64");
  NTTF_CHECK_THROWS(require_recipe(spec_of(64, {257}), {Target::avx512_ifma, {Arithmetic::ifma52}, 8, 1}),
                    ParameterError, "recipe.radix = 8 is not supported for ifma52: allowed are 4");
  // The vector rows of shoup64 and shoup32 end below the scalar ones, which then take over.
  const auto target_of = [](std::uint64_t q) {
    return find_kernel<std::uint64_t>(spec_of(1024, {q}), {Target::avx2, {Arithmetic::shoup64}, 4, 1}, 0)
        .q_limit;
  };
  NTTF_CHECK(target_of(largest_prime(1024, 61)) == std::uint64_t{1} << 61);
  NTTF_CHECK(target_of(next_prime_from(61)) == std::uint64_t{1} << 62);
  const auto target_of_32 = [](std::uint64_t q) {
    return find_kernel<std::uint32_t>(spec_of(1024, {q}, 32), {Target::avx2, {Arithmetic::shoup32}, 4, 1}, 0)
        .target;
  };
  NTTF_CHECK(target_of_32(largest_prime(1024, 30)) == Target::avx2);
  NTTF_CHECK(target_of_32(next_prime_from(30)) == Target::scalar);
}
#endif
