// SPDX-License-Identifier: Apache-2.0
// Steps between bases on the host's run of the card's kernels: rows anywhere, copies and addends, chains and
// digits, against the value of a step (rns/step.hpp), word for word.
#include "nttforge/cuda/device/testing_steps.hpp"
#include "nttforge/rns/base_conversion.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/digits.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge::cuda {
namespace {

using namespace testing_steps;

void check(Rng& rng, const Case& c, const char* what) {
  const GpuQueue& queue = host_queue();
  const auto tables = queue.device().make_step(c.step, c.n);
  const Words x = input_of(rng, c, false), addend = addend_of(rng, c);
  OnDevice all(queue, x, c.word_bits), more(queue, addend, c.word_bits);
  queue.convert(*tables, rows_of(c, all.data(), more.data()), c.batch);
  testing::check_same(all.host(), expected_of(c, x, addend), queue, {c.n, c.step.targets}, what);
}

/// BEHZ's way down, in one launch and in two.
void check_chain(Rng& rng, unsigned bits, std::size_t n, std::size_t limbs, std::size_t batch) {
  const GpuQueue& queue = host_queue();
  const unsigned word_bits = bits < 32 ? 32 : 64;
  const Behz behz(RnsBase(ntt_primes(n, bits, limbs)), 65537, n, {}, 16, bits);
  const RnsStep chain[] = {behz.floor(), behz.to_q()};
  const Words x = testing::random_polynomials(rng, {n, chain[0].sources}, batch),
              y = testing::random_polynomials(rng, {n, chain[0].targets}, batch);
  const auto at = [&](OnDevice& array, const Words& moduli) -> BatchRows {
    return {array.data(), moduli.size() * n};
  };
  OnDevice in(queue, x, word_bits), own(queue, y, word_bits), between(queue, y.size(), word_bits),
      expected(queue, x.size(), word_bits), out(queue, x.size(), word_bits);
  const auto first = queue.device().make_step(chain[0], n), second = queue.device().make_step(chain[1], n),
             both = queue.device().make_step(chain, n);
  queue.apply(*first, in.data(), own.data(), between.data(), batch);
  queue.apply(*second, between.data(), nullptr, expected.data(), batch);
  queue.convert(
      *both,
      {.sources = at(in, chain[0].sources), .own = at(own, chain[0].targets), .out = {out.data(), limbs * n}},
      batch);
  testing::check_same(out.host(), expected.host(), queue, {n, chain[0].sources}, "chain");
}

NTTF_TEST("a chain of two steps has the words of its steps, one launch or two") {
  Rng rng;
  for (const unsigned bits : {30u, 49u, 60u})
    for (const std::size_t limbs : {std::size_t{2}, std::size_t{3}, std::size_t{9}, std::size_t{31}}) {
      check_chain(rng, bits, 16, limbs, 3);
      check_chain(rng, bits, 64, limbs, 1);
    }
  check_chain(rng, 30, 4096, 3, 3);
  check_chain(rng, 30, 4096, 3, 9);  // too much for one launch
}

/// Digits of one launch and of several, of one prime and more, of which the last has fewer.
void check_digits(Rng& rng, unsigned bits, std::size_t limbs, std::size_t primes, std::size_t special) {
  const GpuQueue& queue = host_queue();
  constexpr std::size_t kN = 8, kBatch = 2;
  const unsigned word_bits = bits < 32 ? 32 : 64;
  const Words all = ntt_primes(kN, bits, limbs + special),
              q(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(limbs)),
              p(all.begin() + static_cast<std::ptrdiff_t>(limbs), all.end());
  const auto ring = [&](const Words& moduli) {
    NttSpec spec = testing::spec_of({kN, moduli});
    spec.word_bits = word_bits;
    return queue.device().make_ring(spec);
  };
  const RnsStep division = mod_down_fast(RnsBase(q), RnsBase(p));
  const SwitchTables level = queue.device().make_switch(ring(q), ring(all), primes, &division);
  const Words x = testing::random_polynomials(rng, {kN, all}, kBatch);  // digits are of the first rows
  Words expected;
  for (std::size_t b = 0; b < kBatch; ++b) {
    std::size_t first = 0;
    for (const RnsStep& step : digit_steps(q, all, equal_digits(q.size(), primes))) {
      const StepValue value(step);
      const std::size_t at = expected.size();
      expected.resize(at + all.size() * kN);
      for (std::size_t k = 0; k < kN; ++k) {
        Words in, out(all.size());
        for (std::size_t i = 0; i < step.sources.size(); ++i)
          in.push_back(x[(b * all.size() + first + i) * kN + k]);
        value.apply(in, {}, out);
        for (std::size_t j = 0; j < all.size(); ++j) expected[at + j * kN + k] = out[j];
      }
      first += step.sources.size();
    }
  }
  OnDevice in(queue, x, word_bits), out(queue, expected.size(), word_bits);
  queue.convert_digits(level, {in.data(), all.size() * kN}, out.data(), kBatch);
  testing::check_same(out.host(), expected, queue, {kN, all}, "digits");
}

NTTF_TEST("digits of a batch are those of their steps, one launch or several") {
  Rng rng;
  for (const unsigned bits : {30u, 49u, 60u})
    for (const std::size_t limbs : {std::size_t{1}, std::size_t{6}, std::size_t{13}, std::size_t{29}})
      for (const std::size_t primes : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{8}})
        check_digits(rng, bits, limbs, primes, 3);
}

NTTF_TEST("convert writes rows, copies and sums where the caller wants them, and nothing else") {
  Rng rng;
  for (const unsigned bits : {30u, 49u, 60u}) {
    const unsigned word_bits = bits == 30 ? 32 : 64;
    for (const std::size_t n : {std::size_t{2}, std::size_t{64}})
      for (std::size_t special = 1; special < 4; ++special) {
        const Words primes = ntt_primes(n, bits, 9);
        const auto middle = primes.end() - static_cast<std::ptrdiff_t>(special);
        const RnsBase q({primes.begin(), middle}), p({middle, primes.end()});
        check(rng, {mod_down_fast(q, p), n, 4, word_bits, 2, 1}, "mod_down_fast, an addend of one part");
        check(rng, {mod_down_fast(q, p), n, 4, word_bits, 2, 2}, "mod_down_fast, an addend of two parts");
        check(rng, {fast_base_conversion(q, p.values()), n, 3, word_bits}, "conversion");
        check(rng, {fast_base_conversion(p, primes), n, 3, word_bits}, "digit");
        if (special == 1) check(rng, {mod_down(RnsBase(primes)), n, 2, word_bits, 2, 1}, "mod_down");
      }
  }
}

}  // namespace
}  // namespace nttforge::cuda
