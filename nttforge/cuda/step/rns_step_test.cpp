// SPDX-License-Identifier: Apache-2.0
// Steps between bases, alone and fused with transforms, against their value (rns/step.hpp) and the CPU's
// transforms.
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/cuda/candidates.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"
#include "nttforge/cuda/rns_steps.hpp"
#include "nttforge/rns/base_conversion.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/hps.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge::cuda {
namespace {

using namespace testing_plans;
using Fusion = CudaRnsStep::Fusion;

NTTF_TEST("sums of products are reduced to [0, q) up to the limits of their words") {
  testing::Rng rng;
  for (const std::uint64_t q : {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{1} << 32,
                                (std::uint64_t{1} << 61) + 1, (std::uint64_t{1} << 62) - 57}) {
    if (q >> 32 == 1 && q << 32 == 0) continue;
    const auto m = make_wide_modulus<std::uint64_t>(q);
    for (int trial = 0; trial < 2000; ++trial) {
      const u128 high =
          trial < 3 ? ~u128{0} - static_cast<unsigned>(trial)
                    : static_cast<u128>(rng.below(~std::uint64_t{0})) << 64 | rng.below(~std::uint64_t{0});
      for (const u128 x : {high, high % q, high / q * q, high / q * q - 1})
        NTTF_CHECK_EQ(reduce_wide(x, m), static_cast<std::uint64_t>(x % q));
    }
  }
  for (const std::uint64_t q : {2u, 3u, 65537u, (1u << 30) + 1, (1u << 31) - 1}) {
    const auto m = make_wide_modulus<std::uint32_t>(q);
    for (int trial = 0; trial < 2000; ++trial) {
      const std::uint64_t any = trial == 0 ? ~std::uint64_t{0} : rng.below(~std::uint64_t{0});
      for (const std::uint64_t x : {any, any / q * q, any / q * q - 1})
        NTTF_CHECK_EQ(reduce_wide(x, m), static_cast<std::uint32_t>(x % q));
    }
  }
}

/// Sums with as many and as large terms as there can be.
template <class Word>
void check_largest_sums(std::uint64_t q, std::uint64_t p) {
  const std::uint64_t most = (std::uint64_t{1} << WideSum<Word>::kWordBits) - 1;
  for (std::uint32_t count = 1; count < 40; ++count) {
    const std::vector<Word> factors(count, static_cast<Word>(q - 1)),
        weights(count, static_cast<Word>(p - 1));
    const RnsStepLimb<Word> limb{make_wide_modulus<Word>(q), static_cast<Word>(q - 1),
                                 static_cast<Word>(q - 1), factors.data()};
    const RnsStepArgs<Word> step{nullptr, nullptr, weights.data(), make_wide_modulus<Word>(p), count,
                                 count,   true};
    Word x[1] = {static_cast<Word>(q - 1)};
    apply_step<1>(step, limb, [&](std::uint32_t, unsigned) { return static_cast<Word>(most); }, x);
    // Factors are -1 and so are weights: 1 - count most - r, r = -count most modulo p, centred.
    const std::uint64_t rest = (p - static_cast<std::uint64_t>(static_cast<u128>(count) * most % p)) % p;
    const std::uint64_t r = rest > (p - 1) / 2 ? (q - (p - rest) % q) % q : rest % q;
    const u128 minus = static_cast<u128>(count) * most % q + r;
    NTTF_CHECK_EQ(x[0], static_cast<Word>((static_cast<u128>(q) * 2 + 1 - minus) % q));
  }
}

NTTF_TEST("steps of the largest words keep to the bounds of their sums") {
  constexpr std::uint64_t kTwo32 = std::uint64_t{1} << 32, k62 = (std::uint64_t{1} << 62) - 57;
  for (const std::uint64_t p : {std::uint64_t{2}, std::uint64_t{3}, kTwo32, k62}) {
    check_largest_sums<std::uint64_t>(k62, p);
    check_largest_sums<std::uint64_t>(65537, p);
  }
  for (const std::uint64_t p : {std::uint64_t{2}, std::uint64_t{3}, kTwo32, (std::uint64_t{1} << 31) - 1}) {
    check_largest_sums<std::uint32_t>((std::uint64_t{1} << 31) - 1, p);
    check_largest_sums<std::uint32_t>(257, p);
  }
}

/// [batch][count][n] words below a limit each.
template <class Word>
std::vector<Word> words_below(const std::vector<std::uint64_t>& limits, std::size_t n, std::size_t batch,
                              testing::Rng& rng) {
  std::vector<Word> x;
  for (std::size_t i = 0; i < batch * limits.size() * n; ++i) {
    const std::uint64_t limit = limits[i / n % limits.size()], pick = rng.below(8);
    x.push_back(static_cast<Word>(pick == 0 ? limit - 1 : pick == 1 ? 0 : rng.below(limit)));
  }
  return x;
}

/// What a step is by its value, coefficient by coefficient.
template <class Word>
std::vector<Word> defined(const RnsStep& step, const std::vector<Word>& own, const std::vector<Word>& sources,
                          std::size_t n, std::size_t batch) {
  const StepValue value(step);
  const std::size_t limbs = step.targets.size(), count = step.sources.size();
  std::vector<Word> out(batch * limbs * n);
  std::vector<std::uint64_t> x(step.own.size()), y(count), z(limbs);
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = own[(b * limbs + j) * n + i];
      for (std::size_t j = 0; j < count; ++j) y[j] = sources[(b * count + j) * n + i];
      value.apply(y, x, z);
      for (std::size_t j = 0; j < limbs; ++j) out[(b * limbs + j) * n + i] = static_cast<Word>(z[j]);
    }
  }
  return out;
}

struct Case {
  NttSpec spec;
  RnsStep step;  ///< of digits
  int device;
  std::size_t batch;
  std::vector<Fusion> ways;
};

/// Forward of the step, and inverse with it if it takes own words, against the CPU's transforms.
template <class Word>
void check_step(const Case& c, testing::Rng& rng) {
  const CudaNttPlan plan(c.spec, c.device);
  const NttSpec& spec = plan.spec();
  const NttPlan cpu(spec);
  const auto sources = words_below<Word>(c.step.sources, spec.n, c.batch, rng);
  const bool takes = !c.step.own.empty();
  const std::vector<Word> own = takes ? residues<Word>(spec, c.batch, rng) : std::vector<Word>();
  const auto stepped = defined<Word>(c.step, own, sources, spec.n, c.batch);
  std::vector<Word> want(stepped.size()), values(stepped.size());
  cpu.forward(std::span<const Word>(stepped), std::span<Word>(want));
  if (takes) cpu.forward(std::span<const Word>(own), std::span<Word>(values));
  const OnDevice<Word> x(c.device, takes ? own : std::vector<Word>(1)), y(c.device, sources),
      v(c.device, values), out(c.device, want.size());
  for (const Fusion way : c.ways) {
    const CudaRnsStep step(spec, c.step, c.device, way);
    plan.forward_converted(step, takes ? x.in() : std::span<const Word>(), y.in(), out.words);
    expect(out.back() == want, plan, "forward of a step");
    if (!takes) continue;
    plan.inverse_converted(step, v.in(), y.in(), out.words);
    expect(out.back() == stepped, plan, "step of an inverse");
    out.buffer.from_host(values.data());
    plan.inverse_converted(step, out.in(), y.in(), out.words);
    expect(out.back() == stepped, plan, "step of an inverse in place");
  }
}

/// All that BFV does between Q and B_sk, and the drop of a prime, in words of 64 bits.
void check_steps_of_bfv(std::size_t n, unsigned bits, std::size_t k, int device, std::size_t batch,
                        const std::vector<Fusion>& ways, testing::Rng& rng) {
  const RnsBase q(ntt_primes(n, bits, k));
  const Behz behz(q, 65537, n);
  const auto check = [&](RnsStep step) {
    step.scale.clear();  // of digits
    const NttSpec spec{.n = n, .moduli = step.targets};
    check_step<std::uint64_t>({spec, std::move(step), device, batch, ways}, rng);
  };
  check(behz.extend());
  check(behz.floor());
  check(behz.to_q());
  const RnsStep down[] = {behz.floor(), behz.to_q()};
  for (const RnsStep& step : folded(down)) check(step);
  check(fast_base_conversion(q, behz.bsk().values()));
  if (k >= 2) check(mod_down(q));
}

const std::vector<Fusion> kBoth = {Fusion::fused, Fusion::composed, Fusion::automatic};

NTTF_TEST("steps between bases with transforms: BFV's, against the CPU") {
  testing::Rng rng;
  for (const int device : places()) {
    check_steps_of_bfv(16, 30, 3, device, 2, {Fusion::composed, Fusion::automatic}, rng);
    check_steps_of_bfv(4096, 49, 2, device, 2, {Fusion::composed, Fusion::automatic}, rng);
    check_steps_of_bfv(256, 62, 20, device, 1, {Fusion::composed}, rng);  // sums are reduced on the way
  }
}

/// n and bits of each row with steps.
template <class Word>
void check_rows(const std::vector<unsigned>& bits, unsigned log_n, testing::Rng& rng) {
  const std::size_t n = std::size_t{1} << log_n;
  for (const int device : places()) {
    for (const unsigned b : bits) {
      NttSpec spec = spec_of(n, b, 2);
      spec.output_order = log_n % 2 == 0 ? Order::natural : Order::bit_reversed;
      const std::uint64_t limit = (std::uint64_t{1} << WideSum<Word>::kWordBits) - 1;
      RnsStep step{.sources = {limit, limit}, .targets = spec.moduli};
      step.modulus = b % 4 == 0 ? std::uint64_t{1} << 32 : spec.moduli[1] - 2;
      for (std::size_t i = 0; i < 2; ++i) step.weights.push_back(rng.below(step.modulus));
      for (const std::uint64_t q : spec.moduli) {
        step.own.push_back(q - 1 - rng.below(3));
        step.excess.push_back(rng.below(q));
        for (std::size_t i = 0; i < 2; ++i) step.factors.push_back(i == 0 ? q - 1 : rng.below(q));
      }
      // The row with steps, whatever would be chosen.
      const CudaDevice described = describe_device(device);
      for (const CudaRecipe& recipe : candidate_recipes(spec, described)) {
        const auto& row = find_row<Word>(spec, recipe, described);
        if (!row.has_steps) continue;
        const CudaNttPlan plan(spec, recipe, device);
        const NttPlan cpu(spec);
        for (const std::size_t batch : {1u, 2u}) {
          if (batch == 2 && log_n > 13) continue;
          const auto sources = words_below<Word>(step.sources, n, batch, rng);
          const auto own = residues<Word>(spec, batch, rng);
          const auto want = defined<Word>(step, own, sources, n, batch);
          std::vector<Word> values(want.size()), of_own(want.size());
          cpu.forward(std::span<const Word>(want), std::span<Word>(values));
          cpu.forward(std::span<const Word>(own), std::span<Word>(of_own));
          const CudaRnsStep fused(spec, step, device, Fusion::fused);
          const OnDevice<Word> x(device, own), y(device, sources), v(device, of_own), out(device, own.size());
          plan.forward_converted(fused, x.in(), y.in(), out.words);
          expect(out.back() == values, plan, "fused forward of a step");
          plan.inverse_converted(fused, v.in(), y.in(), v.words);
          expect(v.back() == want, plan, "fused step of an inverse");
        }
      }
    }
  }
}

template <unsigned kLogN>
void check_size() {
  testing::Rng rng;
  check_rows<std::uint64_t>({50, 60}, kLogN, rng);
  check_rows<std::uint32_t>({30}, kLogN, rng);
}
NTTF_TEST("fused steps of every row that has them: n = 2^12") { check_size<12>(); }
NTTF_TEST("fused steps of every row that has them: n = 2^13") { check_size<13>(); }
NTTF_TEST("fused steps of every row that has them: n = 2^14") { check_size<14>(); }
NTTF_TEST("fused steps of every row that has them: n = 2^15") { check_size<15>(); }
NTTF_TEST("fused steps of every row that has them: n = 2^16") { check_size<16>(); }

NTTF_TEST("what is chosen for tens of limbs of 2^12 ... 2^16 points has fused steps") {
  CudaDevice h100 = describe_device(kHost);
  h100.multiprocessors = 132;
  h100.clock_khz = 1'980'000;
  h100.l2_bytes = std::size_t{50} << 20;
  h100.memory_bytes_per_s = 3.35e12;
  for (unsigned log_n = 12; log_n <= 16; ++log_n) {
    for (const auto& [bits, limbs] : {std::pair{30u, 21u}, {30u, 45u}, {60u, 21u}, {60u, 45u}}) {
      const NttSpec spec = spec_of(std::size_t{1} << log_n, bits, limbs);
      const auto has = [&]<class Word>() {
        const auto recipe = candidate_recipes(spec, h100).front();
        return find_row<Word>(spec, recipe, h100).has_steps;
      };
      if (!(bits == 30 ? has.operator()<std::uint32_t>() : has.operator()<std::uint64_t>()))
        testing::fail(__FILE__, __LINE__,
                      "the first recipe for 2^" + std::to_string(log_n) + " x " + std::to_string(limbs) +
                          ", " + std::to_string(bits) + " bits has no fused steps");
    }
  }
}

NTTF_TEST("bad steps between bases are refused") {
  const NttSpec spec = spec_of(16, 60, 2);
  const std::vector<std::uint64_t>& q = spec.moduli;
  const RnsStep plain{.sources = {q[0]}, .targets = q, .factors = {1, 2}};
  const auto refused = [&](auto change, const char* message) {
    RnsStep step = plain;
    change(step);
    NTTF_CHECK_THROWS(CudaRnsStep(spec, step, kHost), ParameterError, message);
  };
  refused([](RnsStep& s) { s.own = {1}; }, "step.own has 1 entries: need 2");
  refused([](RnsStep& s) { s.scale = {1}; }, "step.scale is not empty: steps on a GPU take digits");
  refused([](RnsStep& s) { std::swap(s.targets[0], s.targets[1]); }, "are not the moduli of the spec");
  RnsStep unsupported = plain;
  unsupported.offset = {1, 1};
  NTTF_CHECK_THROWS(CudaRnsStep(spec, unsupported, kHost), UnsupportedError, "step.offset is not supported");
  unsupported = hps_extend(RnsBase({97}), q);
  unsupported.scale.clear();
  NTTF_CHECK_THROWS(CudaRnsStep(spec, unsupported, kHost), UnsupportedError, "step.fractions is not");
  NttSpec narrow = spec_of(16, 30, 2);
  narrow.word_bits = 32;
  RnsStep wide{.sources = {q[0]}, .targets = narrow.moduli, .factors = {1, 2}};
  NTTF_CHECK_THROWS(CudaRnsStep(narrow, wide, kHost), ParameterError, "step.sources[0] = ");
  wide = {.sources = {97}, .targets = narrow.moduli, .modulus = q[0], .weights = {1}, .excess = {1, 2}};
  NTTF_CHECK_THROWS(CudaRnsStep(narrow, wide, kHost), ParameterError, "has more than 31 bits");
  wide.modulus = std::uint64_t{1} << 32;
  NTTF_CHECK_EQ(CudaRnsStep(narrow, wide, kHost).sources(), std::size_t{1});

  const CudaNttPlan plan(spec, kHost);
  const CudaRnsStep step(spec, plain, kHost);
  const OnDevice<std::uint64_t> y(kHost, 16), out(kHost, 32);
  const std::span<const std::uint64_t> none;
  plan.forward_converted(step, none, y.in(), out.words);
  NTTF_CHECK_THROWS(plan.forward_converted(step, out.in(), y.in(), out.words), ParameterError,
                    "takes no words of its own");
  NTTF_CHECK_THROWS(plan.forward_converted(step, none, y.in().first(15), out.words), SizeError,
                    "sources has 15 words: need 16");
  NTTF_CHECK_THROWS(plan.forward_converted(step, none, out.in().first(16), out.words), SizeError,
                    "sources and out overlap");
  NTTF_CHECK_THROWS(plan.inverse_converted(step, out.in(), y.in(), out.words), ParameterError,
                    "no own factors");
  NTTF_CHECK_THROWS(CudaNttPlan(spec_of(16, 50, 2), kHost).forward_converted(step, none, y.in(), out.words),
                    ParameterError, "made for other moduli");
  const CudaRnsStep must(spec, plain, kHost, Fusion::fused);
  NTTF_CHECK_THROWS(plan.forward_converted(must, none, y.in(), out.words), UnsupportedError,
                    "has no fused steps");
}

}  // namespace
}  // namespace nttforge::cuda
