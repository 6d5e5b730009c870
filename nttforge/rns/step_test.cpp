// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/step.hpp"

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/rns/hps.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::Rng;
using testing::value_of;
using Words = std::vector<std::uint64_t>;

NTTF_TEST("inner_product: largest 62-bit operands around the reduction inside the loop") {
  const std::uint64_t largest = (std::uint64_t{1} << 62) - 1;
  for (const std::uint64_t q :
       {largest, (std::uint64_t{1} << 62) - 57, std::uint64_t{2}, std::uint64_t{1000003}}) {
    const Modulus m(q);
    for (const std::size_t terms : {1, 2, 14, 15, 16, 17, 29, 30, 31, 32, 47, 64}) {
      const std::vector<std::uint64_t> a(terms, largest);
      const std::vector<std::uint64_t> b(terms, largest - 1);
      const BigUint expected = BigUint(largest) * BigUint(largest - 1) * terms;
      NTTF_CHECK_EQ(inner_product(a, b.data(), m), expected.mod(q));
    }
  }
}

/// All fields at once, small enough to write the value down.
RnsStep small_step() {
  return {.sources = {5, 7},
          .targets = {11, 13},
          .scale = {2, 3},
          .own = {4, 5},
          .factors = {1, 2, 3, 4},
          .offset = {6, 7},
          .modulus = 17,
          .weights = {1, 16},
          .excess = {10, 12}};
}

NTTF_TEST("step: the value is its formula, exhaustively, for odd and even p and for fractions") {
  for (const std::uint64_t p : {17, 16, 2, 0}) {
    RnsStep step = small_step();
    step.modulus = p;
    if (p == 0) {
      step.weights.clear();
      step.fraction_bits = 3;
      step.fractions = {3, 9};
    } else {
      step.weights = {1, p - 1};
    }
    for (const bool nearest : {false, true})
      for (std::uint64_t i = 0; i < 5 * 7 * 11 * 13; ++i) {
        step.nearest = nearest;
        const std::uint64_t x[] = {i % 5, i / 5 % 7}, own[] = {i / 35 % 11, i / 385};
        const auto y0 = static_cast<std::int64_t>(x[0] * 2 % 5), y1 = static_cast<std::int64_t>(x[1] * 3 % 7);
        const auto signed_p = static_cast<std::int64_t>(p);
        std::int64_t c =
            p == 0 ? (3 * y0 + 9 * y1 + (nearest ? 4 : 0)) / 8 : (y0 - y1 + 7 * signed_p) % signed_p;
        if (p != 0 && 2 * c >= signed_p) c -= signed_p;
        const std::int64_t first = 6 + 4 * static_cast<std::int64_t>(own[0]) + y0 + 2 * y1 + 10 * c,
                           second = 7 + 5 * static_cast<std::int64_t>(own[1]) + 3 * y0 + 4 * y1 + 12 * c;
        const Words expected = {static_cast<std::uint64_t>((first % 11 + 11) % 11),
                                static_cast<std::uint64_t>((second % 13 + 13) % 13)};
        if (value_of(step, x, own) != expected)
          return testing::fail(__FILE__, __LINE__, "p = " + std::to_string(p) + ", i = " + std::to_string(i));
      }
  }
}

NTTF_TEST("step: the largest words and fractions stay within their sums") {
  const std::uint64_t q = (std::uint64_t{1} << 62) - 57, m = (std::uint64_t{1} << 62) - 1;
  const std::size_t count = 40;
  RnsStep step{.sources = Words(count, m), .targets = {q}, .offset = {q - 1}};
  step.own = {q - 1};
  step.factors.assign(count, q - 1);
  step.excess = {q - 1};
  const Words x(count, m - 1), own = {q - 1};
  const Modulus modulus(q);
  const std::uint64_t sum = modulus.mul(count, modulus.reduce(m - 1));
  // (q - 1) + 1 - sum = -sum, less the correction.
  step.fraction_bits = 1;
  step.fractions.assign(count, ~std::uint64_t{0});
  NTTF_CHECK_THROWS(step.validate(), ParameterError, "step.fractions are too large");
  for (std::size_t i = 0; i < count; ++i) step.fractions[i] = i < 3 ? ~std::uint64_t{0} : i < 4 ? m : 0;
  BigUint v = BigUint(m - 1) * ~std::uint64_t{0} * 3 + BigUint(m - 1) * m;
  NTTF_CHECK_EQ(value_of(step, x, own)[0], modulus.negate(modulus.add(sum, v.shifted_right(1).mod(q))));
  step.fraction_bits = 0;
  step.fractions.clear();
  for (const std::uint64_t p : {q, std::uint64_t{1} << 32, m}) {
    step.modulus = p;
    step.weights.assign(count, p - 1);
    const std::uint64_t r = (BigUint(m - 1) * count).mod(p);  // the residue is -r
    const std::uint64_t correction = r <= p / 2 ? modulus.negate(modulus.reduce(r)) : modulus.reduce(p - r);
    NTTF_CHECK_EQ(value_of(step, x, own)[0], modulus.negate(modulus.add(sum, correction)));
  }
}

NTTF_TEST("step: fixed point takes all the bits that kernels and sums have room for") {
  for (const Words& moduli : {Words{97}, ntt_primes(64, 30, 3), ntt_primes(1024, 62, 40), Words{3, 5, 7},
                              Words{3, (std::uint64_t{1} << 50) - 1}, Words{3, std::uint64_t{1} << 50}}) {
    RnsStep step{.sources = moduli, .targets = {97}, .excess = {1}};
    set_fractions(step);
    step.validate();
    const std::uint64_t smallest = *std::min_element(moduli.begin(), moduli.end());
    const bool narrow = *std::max_element(moduli.begin(), moduli.end()) < std::uint64_t{1} << 50;
    const unsigned most = narrow ? 50 : 62;
    const std::uint64_t largest = *std::max_element(step.fractions.begin(), step.fractions.end());
    NTTF_CHECK_EQ(largest,
                  static_cast<std::uint64_t>((static_cast<u128>(1) << step.fraction_bits) / smallest));
    NTTF_CHECK(largest >> most == 0);
    if (largest >> (most - 1) != 0) continue;  // one bit more would not fit
    RnsStep longer = step;
    ++longer.fraction_bits;
    for (std::uint64_t& fraction : longer.fractions) fraction *= 2;
    NTTF_CHECK_THROWS(longer.validate(), ParameterError, "2^128");
  }
}

NTTF_TEST("hps_extend: x centred, exhaustively; hps_decrypt: round(t x / Q)") {
  const RnsBase q({7, 11, 13});
  const std::uint64_t targets[] = {101, 2, std::uint64_t{1} << 32};
  const RnsStep nearest = hps_extend(q, targets), floor = hps_extend(q, targets, false);
  const RnsStep decrypt = hps_decrypt(q, 5);
  for (std::uint64_t x = 0; x < 1001; ++x) {
    const Words residues = q.decompose(BigUint(x));
    NTTF_CHECK(value_of(floor, residues) == Words({x % 101, x % 2, x}));
    const Words centred = value_of(nearest, residues);
    for (std::size_t j = 0; j < 3; ++j)
      NTTF_CHECK_EQ(centred[j],
                    x <= 500 ? x % targets[j] : Modulus(targets[j]).negate((1001 - x) % targets[j]));
    NTTF_CHECK_EQ(value_of(decrypt, residues)[0], (10 * x + 1001) / 2002 % 5);
  }
}

NTTF_TEST("folded: the words of the steps one after the other") {
  Rng rng;
  RnsStep second = small_step();
  second.own.clear();
  second.sources = {11, 13};
  second.targets = {31, 37};
  const RnsStep chain[] = {small_step(), second};
  const std::vector<RnsStep> both = folded(chain);
  NTTF_CHECK(both[1].scale.empty() && both[0] != chain[0]);
  for (int trial = 0; trial < 500; ++trial) {
    const std::uint64_t x[] = {rng.below(5), rng.below(7)}, own[] = {rng.below(11), rng.below(13)};
    NTTF_CHECK(value_of(both[1], value_of(both[0], x, own)) ==
               value_of(chain[1], value_of(chain[0], x, own)));
  }
  const RnsStep apart[] = {small_step(), small_step()};
  NTTF_CHECK_THROWS(folded(apart), ParameterError, "step 1 of the chain does not take the targets");
  RnsStep owning = second;
  owning.own = {1, 1};
  const RnsStep greedy[] = {small_step(), owning};
  NTTF_CHECK_THROWS(folded(greedy), ParameterError, "only the first step may take own words");
  NTTF_CHECK_THROWS(folded({}), ParameterError, "chain of steps is empty");
}

NTTF_TEST("step: bad fields are named") {
  const auto refused = [](auto change, const char* message) {
    RnsStep step = small_step();
    change(step);
    NTTF_CHECK_THROWS(step.validate(), ParameterError, message);
  };
  small_step().validate();
  refused([](RnsStep& s) { s.sources.clear(); }, "step.sources is empty");
  refused([](RnsStep& s) { s.targets[1] = 1; }, "step.targets[1] = 1 is out of range");
  refused([](RnsStep& s) { s.sources[0] = std::uint64_t{1} << 62; }, "step.sources[0] = 4611686018427387904");
  refused([](RnsStep& s) { s.scale = {1}; }, "step.scale has 1 entries: need 2");
  refused([](RnsStep& s) { s.scale[1] = 7; }, "step.scale[1] = 7 is not reduced: allowed is [0, 7)");
  refused([](RnsStep& s) { s.own[0] = 11; }, "step.own[0] = 11");
  refused([](RnsStep& s) { s.factors.pop_back(); }, "step.factors has 3 entries: need 4");
  refused([](RnsStep& s) { s.factors[2] = 13; }, "step.factors[2] = 13");
  refused([](RnsStep& s) { s.offset[0] = 12; }, "step.offset[0] = 12");
  refused([](RnsStep& s) { s.excess.clear(); }, "step.excess has 0 entries: need 2");
  refused([](RnsStep& s) { s.modulus = 1; }, "step.modulus = 1 is out of range");
  refused([](RnsStep& s) { s.modulus = 0; }, "step.weights has 2 entries: need 0");
  refused([](RnsStep& s) { s.limit = 9; }, "step.limit = 9 is out of range: allowed are 0 and");
  refused([](RnsStep& s) { s.weights.clear(); }, "step.weights has 0 entries: need 2");
  refused([](RnsStep& s) { s.weights[0] = 17; }, "step.weights[0] = 17");
  refused([](RnsStep& s) { s.fraction_bits = 3; }, "stands beside fraction_bits = 3");
  refused([](RnsStep& s) { s.fractions = {1, 1}; }, "step.fractions has 2 entries: need 0");
  const auto fractional = [](RnsStep& s) {
    s.modulus = 0;
    s.weights.clear();
    s.fraction_bits = 128;
    s.fractions = {1, 1};
  };
  refused(fractional, "step.fraction_bits = 128 is out of range");
  const StepValue value(small_step());
  Words out(2), words(2);
  NTTF_CHECK_THROWS(value.apply(Words(3), words, out), SizeError, "x has 3 residues: this step needs 2");
  NTTF_CHECK_THROWS(value.apply(words, {}, out), SizeError, "own has 0 residues");
  NTTF_CHECK_THROWS(value.apply(words, words, std::span(out).first(1)), SizeError, "out has 1 residues");
}

}  // namespace
}  // namespace nttforge
