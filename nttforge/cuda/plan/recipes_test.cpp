// SPDX-License-Identifier: Apache-2.0
// Every recipe of every class of moduli, word for word against the CPU engine: on a GPU for n = 2 ... 2^20
// and 1 ... 64 limbs, on the host as far as its time goes. One test for each class and range of sizes, so
// that they can run side by side (tools/gpu_test.py).
#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/candidates.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"

namespace nttforge::cuda {
namespace {

using namespace testing_plans;

struct Class {
  const char* name;
  unsigned bits;           ///< 64: Goldilocks
  unsigned covered_log_n;  ///< up to which there must be a recipe
  Transform transform = Transform::ntt;
};
constexpr Class kClasses[] = {{"30 bits", 30, 20},
                              {"32 bits", 32, 20},
                              {"50 bits", 50, 20},
                              {"60 bits", 60, 20},
                              {"62 bits", 62, 20},
                              {"Goldilocks", 64, 20},
                              {"DGT", 62, 20, Transform::dgt},
                              {"DGT of 32 bits", 32, 20, Transform::dgt}};
constexpr unsigned kRanges[][2] = {{1, 11}, {12, 14}, {15, 16}, {17, 18}, {19, 19}, {20, 20}};
constexpr std::size_t kMostLimbs = 64, kPrimes = 8;

/// The largest primes of so many bits that have a DGT and no NTT: n divides q + 1.
std::vector<std::uint64_t> dgt_primes(std::size_t n, unsigned bits, std::size_t count) {
  std::vector<std::uint64_t> primes;
  const std::uint64_t step = std::max<std::uint64_t>(n, 4);
  for (std::uint64_t q = (std::uint64_t{1} << bits) - 1; primes.size() < count; q -= step) {
    if (is_prime(q)) primes.push_back(q);
  }
  return primes;
}

/// `limbs` moduli of the class: some primes, again and again.
NttSpec spec_with(const Class& c, unsigned log_n, std::size_t limbs) {
  const std::size_t n = std::size_t{1} << log_n;
  NttSpec spec = spec_of(n, std::min(c.bits, 62u), c.bits == 64 ? 1 : std::min(limbs, kPrimes));
  if (c.bits == 64) spec.moduli = {kGoldilocks};
  if (c.transform == Transform::dgt) {
    spec.transform = c.transform;
    spec.moduli = dgt_primes(n, c.bits, std::min<std::size_t>(limbs, 3));
  }
  const std::vector<std::uint64_t> primes = spec.moduli;
  for (std::size_t i = primes.size(); i < limbs; ++i) spec.moduli.push_back(primes[i % primes.size()]);
  return spec;
}

std::vector<CudaRecipe> recipes_of(const Class& c, unsigned log_n, const CudaDevice& card) {
  try {
    return candidate_recipes(spec_with(c, log_n, 1), card);
  } catch (const UnsupportedError&) {
    if (log_n <= c.covered_log_n) throw;
    return {};
  }
}

/// body(device, log_n, recipe)
template <class Body>
void for_each_recipe(const Class& c, unsigned least, unsigned most, unsigned most_on_host, const Body& body) {
  const std::vector<int> devices = places();
  if (devices.back() < 0 && least > most_on_host) return testing::skip("needs a GPU");
  for (const int device : devices) {
    const CudaDevice card = describe_device(device);
    for (unsigned log_n = least; log_n <= (device < 0 ? std::min(most, most_on_host) : most); ++log_n) {
      for (const CudaRecipe& recipe : recipes_of(c, log_n, card)) body(device, log_n, recipe);
    }
  }
}

/// Random limbs, batch and ring; products too where that is little work.
void cross_check(const Class& c, unsigned least, unsigned most) {
  testing::Rng rng;
  unsigned log_n_before = 0;
  for_each_recipe(c, least, most, 12, [&](int device, unsigned log_n, const CudaRecipe& recipe) {
    // For a large size only the recipe that plans choose gets many limbs, because making tables takes long.
    const bool many = log_n < 17 || log_n != log_n_before;
    log_n_before = log_n;
    const std::size_t limbs = 1 + rng.below(device < 0 ? 2 : many ? kMostLimbs : kMostLimbs / 8);
    NttSpec spec = spec_with(c, log_n, limbs);
    if (c.transform == Transform::ntt && rng.below(2) != 0) spec.ring = Ring::cyclic;
    const CudaNttPlan plan(spec, recipe, device);
    const std::size_t batch = 1 + rng.below(limbs < 8 ? 3 : 1);
    if (batch * limbs << log_n <= std::size_t{1} << 21) {
      compare(plan, batch, rng);
    } else {
      with_word(plan, [&]<class Word>() { compare_transforms<Word>(plan, batch, rng); });
    }
  });
}

/// For compute-sanitizer: each kernel once in each direction, as little data as it takes.
void little_data(const Class& c, unsigned least, unsigned most) {
  testing::Rng rng;
  for_each_recipe(c, least, most, 11, [&](int device, unsigned log_n, const CudaRecipe& recipe) {
    const CudaNttPlan plan(spec_with(c, log_n, log_n < 13 ? 2 : 1), recipe, device);
    with_word(plan, [&]<class Word>() {
      const auto a = residues<Word>(plan.spec(), 1, rng);
      const OnDevice<Word> x(device, a);
      std::vector<Word> want(a.size());
      NttPlan(plan.spec()).forward(std::span<const Word>(a), std::span<Word>(want));
      plan.forward(x.in(), x.words);
      expect(x.back() == want, plan, "forward");
      plan.inverse(x.in(), x.words);
      expect(x.back() == a, plan, "inverse");
      if (!plan.recipe().fused_product) return;
      const OnDevice<Word> work(device, a.size());
      std::vector<Word> space(a.size());
      NttPlan(plan.spec())
          .polynomial_product(std::span<const Word>(a), std::span<const Word>(a), std::span<Word>(want),
                              std::span<Word>(space));
      const OnDevice<Word> y(device, a);
      plan.polynomial_product(x.in(), y.in(), x.words, work.words);
      expect(x.back() == want, plan, "product");
    });
  });
}

/// For compute-sanitizer too: every kernel that is no transform, and the copies around them.
NTTF_TEST("little data through everything else a plan does: orders, products, checks") {
  testing::Rng rng;
  struct {
    unsigned log_n;
    Order in, out;
  } constexpr kCases[] = {{0, Order::natural, Order::bit_reversed},
                          {5, Order::natural, Order::natural},
                          {8, Order::bit_reversed, Order::natural},
                          {3, Order::bit_reversed, Order::bit_reversed}};
  for (const int device : places()) {
    for (const Class& c : kClasses) {
      for (const auto& [log_n, in, out] : kCases) {
        if (c.transform == Transform::dgt && log_n == 0) continue;
        NttSpec spec = spec_with(c, log_n, 1 + rng.below(3));
        spec.input_order = in;
        spec.output_order = out;
        compare(CudaNttPlan(spec, device), 2, rng);
      }
    }
  }
}

using Check = void (*)(const Class&, unsigned, unsigned);

template <Check kCheck, std::size_t kClass, std::size_t kRange>
void run() {
  kCheck(kClasses[kClass], kRanges[kRange][0], kRanges[kRange][1]);
}

/// Names live as long as the tests.
const char* name_of(const char* what, const Class& c, const unsigned (&range)[2]) {
  static std::deque<std::string> names;
  std::string& name =
      names.emplace_back(std::string(what) + ", " + c.name + ": n = 2^" + std::to_string(range[0]));
  if (range[1] != range[0]) name += " ... 2^" + std::to_string(range[1]);
  return name.c_str();
}

template <Check kCheck, std::size_t kClass, std::size_t... kRange>
void add_class(const char* what, std::index_sequence<kRange...>) {
  (testing::Registration(name_of(what, kClasses[kClass], kRanges[kRange]), &run<kCheck, kClass, kRange>),
   ...);
}
template <Check kCheck, std::size_t... kClass>
bool add(const char* what, std::index_sequence<kClass...>) {
  (add_class<kCheck, kClass>(what, std::make_index_sequence<std::size(kRanges)>()), ...);
  return true;
}
using Classes = std::make_index_sequence<std::size(kClasses)>;
[[maybe_unused]] const bool added = add<cross_check>("every recipe", Classes()) &&
                                    add<little_data>("each recipe with little data", Classes());

}  // namespace
}  // namespace nttforge::cuda
