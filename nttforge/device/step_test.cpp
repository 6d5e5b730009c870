// SPDX-License-Identifier: Apache-2.0
// Every queue's steps between bases against their value (rns/step.hpp), word for word.
#include "nttforge/base/error.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/rns/base_conversion.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/hps.hpp"
#include "nttforge/rns/mod_down.hpp"
#include "nttforge/rns/scale.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Rng;
using testing::Words;

/// The chain on [batch][sources][n] and [batch][own words][n], coefficient by coefficient; exceeded: whether
/// a correction passes its step's limit.
Words chain_value(std::span<const RnsStep> chain, const Words& sources, const Words& own, std::size_t n,
                  bool& exceeded) {
  exceeded = false;
  const std::vector<StepValue> values(chain.begin(), chain.end());
  const std::size_t count = chain.front().sources.size(), taken = chain.front().own.size(),
                    targets = chain.back().targets.size(), batch = sources.size() / (count * n);
  Words out(batch * targets * n);
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t c = 0; c < n; ++c) {
      Words x(count), y(taken);
      for (std::size_t i = 0; i < count; ++i) x[i] = sources[(b * count + i) * n + c];
      for (std::size_t j = 0; j < taken; ++j) y[j] = own[(b * taken + j) * n + c];
      for (const StepValue& value : values) {
        Words z(value.step().targets.size());
        exceeded = value.apply(x, y, z) || exceeded;
        x = std::move(z);
        y.clear();
      }
      for (std::size_t j = 0; j < targets; ++j) out[(b * targets + j) * n + c] = x[j];
    }
  return out;
}

void check_chain(Rng& rng, std::span<const RnsStep> chain, std::size_t n, const char* what) {
  const RingCase in{n, chain.front().sources}, own_ring{n, chain.front().targets},
      out_ring{n, chain.back().targets};
  const bool takes_own = !chain.front().own.empty();
  const std::size_t count = in.moduli.size(), taken = takes_own ? own_ring.moduli.size() : 0;
  for (const std::size_t batch : {std::size_t{1}, std::size_t{3}}) {
    const Words x = testing::random_polynomials(rng, in, batch),
                own = takes_own ? testing::random_polynomials(rng, own_ring, batch) : Words();
    bool exceeded = false;
    const Words expected = chain_value(chain, x, own, n, exceeded);
    Words joined;  // [batch][own words, sources][n]
    for (std::size_t b = 0; b < batch; ++b) {
      joined.insert(joined.end(), own.begin() + static_cast<std::ptrdiff_t>(b * taken * n),
                    own.begin() + static_cast<std::ptrdiff_t>((b + 1) * taken * n));
      joined.insert(joined.end(), x.begin() + static_cast<std::ptrdiff_t>(b * count * n),
                    x.begin() + static_cast<std::ptrdiff_t>((b + 1) * count * n));
    }
    for (const auto& queue : testing::all_queues()) {
      const auto step = queue->device().make_step(chain, n);
      OnDevice sources(*queue, x), words(*queue, own), both(*queue, joined), out(*queue, expected.size());
      OnDevice flag(*queue, Words{7});
      queue->apply(*step, sources.data(), takes_own ? words.data() : nullptr, out.data(), batch, flag.data());
      NTTF_CHECK_EQ(flag.host()[0], std::uint64_t{exceeded});
      check_same(out.host(), expected, *queue, out_ring, what);
      NTTF_CHECK(sources.host() == x && words.host() == own);
      OnDevice other(*queue, expected.size());
      queue->apply_joined(*step, both.data(), other.data(), batch);
      check_same(other.host(), expected, *queue, out_ring, what);
      if (!takes_own || chain.size() > 1) continue;
      queue->apply(*step, sources.data(), words.data(), words.data(), batch);
      check_same(words.host(), expected, *queue, out_ring, "step in place of its own words");
      if (batch > 1) continue;
      queue->apply_joined(*step, both.data(), both.data(), 1);
      Words begin = both.host();
      begin.resize(expected.size());
      check_same(begin, expected, *queue, out_ring, "step in place of a joined array");
    }
  }
}

void check_step(Rng& rng, const RnsStep& step, std::size_t n, const char* what) {
  check_chain(rng, std::span(&step, 1), n, what);
}

NTTF_TEST("device: steps of BEHZ, alone and as a chain") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{786433}}) {
      const Behz behz(RnsBase(ring.moduli), t, ring.n);
      check_step(rng, behz.extend(), ring.n, "extend");
      check_step(rng, behz.floor(), ring.n, "floor");
      check_step(rng, behz.to_q(), ring.n, "to_q");
      const RnsStep down[] = {behz.floor(), behz.to_q()};
      check_chain(rng, down, ring.n, "floor and to_q");
      const RnsStep around[] = {behz.extend(), behz.to_q(), behz.extend()};
      check_chain(rng, around, ring.n, "extend, to_q and extend");
    }
  }
}

NTTF_TEST("device: division by one prime and by several, and BGV's") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const std::size_t limbs = ring.moduli.size();
    if (limbs < 2) continue;
    const RnsBase base(ring.moduli);
    check_step(rng, mod_down(base), ring.n, "mod_down");
    check_step(rng, switch_modulus(base, 65537), ring.n, "switch_modulus");
    const std::size_t special = limbs / 2;
    const auto middle = ring.moduli.end() - static_cast<std::ptrdiff_t>(special);
    const RnsBase q({ring.moduli.begin(), middle}), p({middle, ring.moduli.end()});
    check_step(rng, mod_down_fast(q, p), ring.n, "mod_down_fast");
    if (ring.n < 4096) check_step(rng, mod_down_nearest(q, p), ring.n, "mod_down_nearest");
  }
}

/// Noise a sixteenth below the limit of decryption in one coefficient is taken, a sixteenth above it is
/// noticed, with either sign.
void check_limit(Rng& rng, const Queue& queue, const DecryptScale& scale, std::size_t n) {
  const RnsBase& q = scale.q();
  const std::uint64_t t = scale.t().value(), gamma = scale.gamma().value();
  const BigUint limit = (q.product() * scale.noise_limit()).divided_by(gamma).divided_by(t);
  const auto encrypt = queue.device().make_step(scale.encrypt(), n),
             decrypt = queue.device().make_step(scale.decrypt(), n);
  const Words plain = testing::random_polynomials(rng, {n, {t}}, 1);
  OnDevice message(queue, plain), phase(queue, n * q.size()), out(queue, n), flag(queue, Words{7});
  queue.apply(*encrypt, message.data(), nullptr, phase.data(), 1);
  queue.apply(*decrypt, phase.data(), nullptr, out.data(), 1, flag.data());
  NTTF_CHECK(out.host() == plain);
  if (limit < BigUint(64)) return;  // too few steps on either side
  const Words x = phase.host();
  const BigUint step = limit.shifted_right(4) + BigUint(1);
  for (const std::size_t at : {std::size_t{0}, n / 2, n - 1})
    for (const bool over : {false, true})
      for (const bool negative : {false, true}) {
        const Words noise = q.decompose(over ? limit + step : limit - step);
        Words shifted = x;
        for (std::size_t j = 0; j < q.size(); ++j) {
          std::uint64_t& word = shifted[j * n + at];
          word = negative ? q.modulus(j).sub(word, noise[j]) : q.modulus(j).add(word, noise[j]);
        }
        OnDevice in(queue, shifted);
        queue.apply(*decrypt, in.data(), nullptr, out.data(), 1, flag.data());
        NTTF_CHECK_EQ(flag.host()[0], std::uint64_t{over});
      }
}

NTTF_TEST("device: between plaintexts and Q") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{786433}, (std::uint64_t{1} << 50) + 7}) {
      if (BigUint(t) >= BigUint::product(ring.moduli)) continue;
      const DecryptScale scale(RnsBase(ring.moduli), t);
      check_step(rng, scale.decrypt(), ring.n, "decrypt");
      for (const auto& queue : testing::all_queues()) check_limit(rng, *queue, scale, ring.n);
      check_step(rng, scale.encrypt(), ring.n, "encrypt");
    }
  }
}

NTTF_TEST("device: fast base conversion and the steps of HPS") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const RnsBase q(ring.moduli);
    const Words targets = ntt_primes(ring.n, 61, 2, ring.moduli),
                mixed = {2, std::uint64_t{1} << 32, targets[0]};
    check_step(rng, fast_base_conversion(q, mixed), ring.n, "conversion");
    if (ring.n > 512) continue;  // word by word
    check_step(rng, hps_extend(q, targets), ring.n, "hps_extend");
    check_step(rng, hps_scale(q, targets, BigUint(65537)), ring.n, "hps_scale");
    check_step(rng, hps_decrypt(q, 65537), ring.n, "hps_decrypt");
    const RnsStep chain[] = {hps_scale(q, targets, BigUint(65537)),
                             hps_extend(RnsBase(targets), ring.moduli)};
    check_chain(rng, chain, ring.n, "hps_scale and hps_extend");
  }
}

/// Any fields that a step may have, so that every way of running it is taken.
RnsStep random_step(Rng& rng, const Words& sources, const Words& targets, unsigned fields) {
  RnsStep step{.sources = sources, .targets = targets};
  const auto of_targets = [&] {
    Words words;
    for (const std::uint64_t q : targets) words.push_back(rng.below(q));
    return words;
  };
  if (fields & 1)
    for (const std::uint64_t s : sources) step.scale.push_back(rng.below(s));
  if (fields & 2) step.own = of_targets();
  if (fields & 4) step.offset = of_targets();
  if (fields & 24) {
    for (const std::uint64_t q : targets)
      for (std::size_t i = 0; i < sources.size(); ++i)  // the last column is zero for 16
        step.factors.push_back((fields & 16) && i + 1 == sources.size() ? 0 : rng.below(q));
  }
  if (fields & 32) {
    step.modulus = fields & 64 ? std::uint64_t{1} << 32 : 1000003;
    for (std::size_t i = 0; i < sources.size(); ++i) step.weights.push_back(rng.below(step.modulus));
    step.limit = fields & 4 ? (step.modulus - 1) / 2 - rng.below(step.modulus / 50) : 0;
    step.excess = of_targets();
  } else if (fields & 128) {
    set_fractions(step);
    step.nearest = fields & 4;
    if (fields & 8) {  // any fractions, of 60 bits or fewer
      for (std::uint64_t& fraction : step.fractions) fraction = rng.below(std::uint64_t{1} << 60);
      step.fraction_bits = 67 + static_cast<unsigned>(rng.below(20));
    }
    step.excess = of_targets();
  }
  return step;
}

NTTF_TEST("device: steps with any of their fields, alone and after another") {
  Rng rng;
  for (const unsigned bits : {50u, 62u}) {
    const Words primes = ntt_primes(64, bits, 5);
    for (unsigned fields = 0; fields < 256; ++fields) {
      if (((fields & 64) && !(fields & 32)) || ((fields & 128) && (fields & 32))) continue;
      const Words sources(primes.begin(), primes.begin() + 1 + fields % 3),
          targets(primes.begin() + 2, primes.end());
      check_step(rng, random_step(rng, sources, targets, fields), 32, "random step");
      const RnsStep chain[] = {random_step(rng, sources, targets, fields),
                               random_step(rng, targets, sources, rng.below(256) & ~2u)};
      check_chain(rng, chain, 32, "random chain");
    }
  }
}

NTTF_TEST("device: a correction at the limit is taken, one beyond it is reported, for odd and even p") {
  for (const std::uint64_t p : {std::uint64_t{17}, std::uint64_t{16}, std::uint64_t{1} << 32})
    for (const std::uint64_t limit : {std::uint64_t{1}, std::uint64_t{5}, (p - 1) / 2}) {
      RnsStep step{
          .sources = {p}, .targets = {97}, .modulus = p, .weights = {1}, .limit = limit, .excess = {1}};
      for (const auto& queue : testing::all_queues()) {
        const auto tables = queue->device().make_step(step, 1);
        OnDevice out(*queue, std::size_t{1}), flag(*queue, Words{7});
        for (const std::uint64_t x : {std::uint64_t{0}, limit, (limit + 1) % p, p - limit, p - limit - 1}) {
          OnDevice in(*queue, Words{x});
          queue->apply(*tables, in.data(), nullptr, out.data(), 1, flag.data());
          const std::uint64_t size = x > (p - 1) / 2 ? p - x : x;
          NTTF_CHECK_EQ(flag.host()[0], std::uint64_t{size > limit});
        }
      }
    }
}

NTTF_TEST("device: bad steps are refused") {
  const RnsStep good = mod_down(RnsBase({17, 97}));
  for (const auto& queue : testing::all_queues()) {
    NTTF_CHECK_THROWS(queue->device().make_step(std::span<const RnsStep>(), 8), ParameterError, "is empty");
    RnsStep bad = good;
    bad.own[0] = 17;
    NTTF_CHECK_THROWS(queue->device().make_step(bad, 8), ParameterError, "step.own[0] = 17");
    const RnsStep twice[] = {good, good};
    NTTF_CHECK_THROWS(queue->device().make_step(twice, 8), ParameterError, "step 1 of the chain");
    NTTF_CHECK(queue->device().make_step(good, 8)->chain()[0] == good);
  }
}

}  // namespace
}  // namespace nttforge
