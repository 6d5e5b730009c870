// SPDX-License-Identifier: Apache-2.0
// Steps between bases, alone and fused with transforms, against the CPU's definitions in rns/.
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/cuda/explorer.hpp"
#include "nttforge/cuda/rns_steps.hpp"
#include "nttforge/cuda/testing_plans.hpp"

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

/// What a step is by its definition, coefficient by coefficient: f(own, sources, out).
template <class Word, class Definition>
std::vector<Word> defined(const Definition& f, const std::vector<Word>& own, const std::vector<Word>& sources,
                          std::size_t limbs, std::size_t count, std::size_t n, std::size_t batch) {
  std::vector<Word> out(batch * limbs * n);
  std::vector<std::uint64_t> x(own.empty() ? 0 : limbs), y(count), z(limbs);
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = own[(b * limbs + j) * n + i];
      for (std::size_t j = 0; j < count; ++j) y[j] = sources[(b * count + j) * n + i];
      f(x, y, z);
      for (std::size_t j = 0; j < limbs; ++j) out[(b * limbs + j) * n + i] = static_cast<Word>(z[j]);
    }
  }
  return out;
}

struct Case {
  NttSpec spec;
  RnsStep step;
  std::vector<std::uint64_t> limits;  ///< of the sources
  int device;
  std::size_t batch;
  std::vector<Fusion> ways;
};

/// Forward of the step, and inverse with it if it takes own words, against the CPU's transforms.
template <class Word, class Definition>
void check_step(const Case& c, const Definition& f, testing::Rng& rng) {
  const CudaNttPlan plan(c.spec, c.device);
  const NttSpec& spec = plan.spec();
  const NttPlan cpu(spec);
  const std::size_t limbs = spec.moduli.size();
  const auto sources = words_below<Word>(c.limits, spec.n, c.batch, rng);
  const bool takes = !c.step.own.empty();
  const std::vector<Word> own = takes ? residues<Word>(spec, c.batch, rng) : std::vector<Word>();
  const auto stepped = defined<Word>(f, own, sources, limbs, c.limits.size(), spec.n, c.batch);
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
  const auto spec_for = [&](std::span<const std::uint64_t> moduli) {
    return NttSpec{.n = n, .moduli = std::vector(moduli.begin(), moduli.end())};
  };
  const std::vector<std::uint64_t> q_limits(q.values().begin(), q.values().end());
  const std::vector<std::uint64_t> bsk_limits(behz.bsk().values().begin(), behz.bsk().values().end());
  const auto& constants = behz.constants();

  // The definitions take residues, the steps digits: residues with these digits.
  const auto residues_of = [](std::span<const std::uint64_t> digits, const auto& scale, const RnsBase& base) {
    std::vector<std::uint64_t> x(digits.begin(), digits.end());
    for (std::size_t i = 0; i < scale.size(); ++i)
      x[i] = base.modulus(i).mul(x[i], base.modulus(i).inverse(scale[i].value));
    return x;
  };
  check_step<std::uint64_t>(
      {spec_for(behz.bsk().values()), RnsStep::extend(behz), q_limits, device, batch, ways},
      [&](auto&, auto& y, auto& out) { behz.extend(residues_of(y, constants.extend_scale, q), out); }, rng);
  check_step<std::uint64_t>(
      {spec_for(behz.bsk().values()), RnsStep::floor(behz), q_limits, device, batch, ways},
      [&](auto& x, auto& y, auto& out) { behz.floor(residues_of(y, constants.floor_scale, q), x, out); },
      rng);
  check_step<std::uint64_t>(
      {spec_for(q.values()), RnsStep::to_q(behz), bsk_limits, device, batch, ways},
      [&](auto&, auto& y, auto& out) {
        behz.to_q(residues_of(y, constants.b_inverse_punctured, behz.bsk()), out);
      },
      rng);
  const BaseConversion conversion(q, behz.bsk().values());
  check_step<std::uint64_t>(
      {spec_for(behz.bsk().values()), RnsStep::conversion(conversion), q_limits, device, batch, ways},
      [&](auto&, auto& y, auto& out) {
        std::vector<ShoupConstant> scale(conversion.scale().begin(), conversion.scale().end());
        conversion.apply(residues_of(y, scale, q), out);
      },
      rng);
  if (k < 2) return;
  const ModDown down(q);
  check_step<std::uint64_t>(
      {spec_for(q.values().first(k - 1)), RnsStep::mod_down(down), {q_limits.back()}, device, batch, ways},
      [&](auto& x, auto& y, auto& out) {
        std::vector<std::uint64_t> all(x);
        all.push_back(y[0]);
        down.apply(all, out);
      },
      rng);
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
      RnsStep step{.sources = 2, .modulus = b % 4 == 0 ? std::uint64_t{1} << 32 : spec.moduli[1] - 2};
      for (std::size_t i = 0; i < 2; ++i) step.weights.push_back(rng.below(step.modulus));
      for (const std::uint64_t q : spec.moduli) {
        step.own.push_back(q - 1 - rng.below(3));
        step.excess.push_back(rng.below(q));
        for (std::size_t i = 0; i < 2; ++i) step.factors.push_back(i == 0 ? q - 1 : rng.below(q));
      }
      const std::uint64_t limit = std::uint64_t{1} << WideSum<Word>::kWordBits;
      const auto definition = [&](auto& x, auto& y, auto& out) {
        u128 sum = 0;
        for (std::size_t i = 0; i < 2; ++i)
          sum = (sum + static_cast<u128>(y[i]) * step.weights[i]) % step.modulus;
        const auto r = static_cast<std::uint64_t>(sum);
        for (std::size_t j = 0; j < out.size(); ++j) {
          const std::uint64_t q = spec.moduli[j];
          const bool negative = r > (step.modulus - 1) / 2;
          const std::uint64_t size = (negative ? step.modulus - r : r) % q;
          u128 all = static_cast<u128>(negative ? (q - size) % q : size) * step.excess[j] % q;
          all += static_cast<u128>(x[j]) * step.own[j] % q;
          for (std::size_t i = 0; i < 2; ++i) all += static_cast<u128>(y[i]) * step.factors[2 * j + i] % q;
          out[j] = static_cast<std::uint64_t>(all % q);
        }
      };
      // The row with steps, whatever would be chosen.
      const CudaDevice described = describe_device(device);
      for (const CudaRecipe& recipe : candidate_recipes(spec, described)) {
        const auto& row = find_row<Word>(spec, recipe, described);
        if (!row.has_steps) continue;
        const CudaNttPlan plan(spec, recipe, device);
        const NttPlan cpu(spec);
        for (const std::size_t batch : {1u, 2u}) {
          if (batch == 2 && log_n > 13) continue;
          const auto sources = words_below<Word>({limit, limit}, n, batch, rng);
          const auto own = residues<Word>(spec, batch, rng);
          const auto want = defined<Word>(definition, own, sources, 2, 2, n, batch);
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
  const auto made = [&](const RnsStep& step) { return CudaRnsStep(spec, step, kHost); };
  NTTF_CHECK_THROWS(made({.own = {1}}), ParameterError, "step.own has 1 entries: need 2");
  NTTF_CHECK_THROWS(made({.own = {1, q[1]}}), ParameterError, "step.own[1]");
  NTTF_CHECK_THROWS(made({.sources = 2, .factors = {1, 2, 3}}), ParameterError, "need 4");
  NTTF_CHECK_THROWS(made({.sources = 1, .factors = {1, q[1]}}), ParameterError, "step.factors[1]");
  NTTF_CHECK_THROWS(made({.sources = 1, .modulus = 97}), ParameterError, "step.weights has 0");
  NTTF_CHECK_THROWS(made({.sources = 1, .modulus = 97, .weights = {97}, .excess = {0, 0}}), ParameterError,
                    "step.weights[0] = 97");
  NTTF_CHECK_THROWS(made({.sources = 1, .modulus = 97, .weights = {1}, .excess = {0, q[1]}}), ParameterError,
                    "step.excess[1]");
  NTTF_CHECK_THROWS(made({.sources = 1, .modulus = std::uint64_t{1} << 62, .weights = {1}, .excess = {0, 0}}),
                    ParameterError, "step.modulus = 4611686018427387904");
  NTTF_CHECK_THROWS(CudaRnsStep(NttSpec{.n = 16, .moduli = {0xFFFFFFFF00000001u}}, {}, kHost), ParameterError,
                    "more than 62 bits");

  const CudaNttPlan plan(spec, kHost);
  const CudaRnsStep step = made({.sources = 1, .factors = {1, 2}});
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
  const CudaRnsStep must(spec, {.sources = 1, .factors = {1, 2}}, kHost, Fusion::fused);
  NTTF_CHECK_THROWS(plan.forward_converted(must, none, y.in(), out.words), UnsupportedError,
                    "has no fused steps");
}

}  // namespace
}  // namespace nttforge::cuda
