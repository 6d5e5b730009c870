// SPDX-License-Identifier: Apache-2.0
// A chain whose levels are windows that move at both ends: rescaling and key switching against integers.

#include "nttforge/rlwe/chain.hpp"

#include <algorithm>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/rns/base.hpp"
#include "nttforge/rns/big_uint.hpp"

namespace nttforge::rlwe {
namespace {

using nttforge::testing::all_queues;
using nttforge::testing::OnDevice;
using nttforge::testing::Rng;
using nttforge::testing::Words;

constexpr std::size_t kN = 32;

/// Four primes of 25 bits before eight of 30: a level 40 bits above another takes one of 30 more or three
/// more and two of 25 fewer or more. Digits of two primes where they have 25 bits, else of three.
ChainModuli moduli() {
  ChainModuli result{.n = kN,
                     .word_bits = 64,
                     .q = ntt_primes(kN, 25, 4),
                     .special = ntt_primes(kN, 31, 4),
                     .digit_ends = {2, 4, 7, 10, 12},
                     .lowest = 1,
                     .levels = {{2, 6}, {0, 5}, {2, 8}, {4, 11}, {0, 9}, {2, 12}}};
  const auto large = ntt_primes(kN, 30, 8);
  result.q.insert(result.q.end(), large.begin(), large.end());
  return result;
}

Words primes_of(const ChainModuli& of, Window window, std::size_t special = 0) {
  Words result(of.q.begin() + static_cast<std::ptrdiff_t>(window.first),
               of.q.begin() + static_cast<std::ptrdiff_t>(window.last));
  result.insert(result.end(), of.special.begin(), of.special.begin() + static_cast<std::ptrdiff_t>(special));
  return result;
}

/// Residues [limbs][n] of coefficients.
Words residues(const std::vector<BigUint>& x, const Words& primes) {
  Words result;
  for (const std::uint64_t q : primes)
    for (const BigUint& value : x) result.push_back(value.mod(q));
  return result;
}

std::vector<BigUint> composed(const Words& words, const Words& primes) {
  const RnsBase base(primes);
  std::vector<BigUint> result;
  Words column(primes.size());
  for (std::size_t i = 0; i < kN; ++i) {
    for (std::size_t j = 0; j < column.size(); ++j) column[j] = words[j * kN + i];
    result.push_back(base.compose(column));
  }
  return result;
}

std::vector<BigUint> random_below(Rng& rng, const Words& primes) {
  Words words;
  for (const std::uint64_t q : primes)
    for (std::size_t i = 0; i < kN; ++i) words.push_back(rng.below(q));
  return composed(words, primes);
}

BigUint divided(BigUint x, const Words& primes) {
  for (const std::uint64_t q : primes) x = x.divided_by(q);
  return x;
}

Words less(const Words& a, const Words& b) {
  Words result;
  std::copy_if(a.begin(), a.end(), std::back_inserter(result),
               [&](std::uint64_t q) { return std::find(b.begin(), b.end(), q) == b.end(); });
  return result;
}

NTTF_TEST("chain of windows: levels, key rows and digits are those of their primes") {
  const ChainModuli of = moduli();
  const Chain chain(of, all_queues().front()->device(), 1);
  NTTF_CHECK_EQ(chain.top(), 6u);
  for (std::size_t level = 1; level <= 6; ++level) {
    NTTF_CHECK(chain.window(level) == of.levels[level - 1]);
    NTTF_CHECK(chain.ring(level).spec().moduli == primes_of(of, of.levels[level - 1]));
    for (std::size_t special = 1; special <= 4; ++special) {
      const SwitchTables& tables = chain.key_switching(level, special);
      NTTF_CHECK(tables.key_ring->spec().moduli == primes_of(of, of.levels[level - 1], special));
      NTTF_CHECK_EQ(tables.digits.size(), chain.digits(chain.window(level)).size());
      NTTF_CHECK_EQ(tables.division->sources(), special);
    }
  }
  NTTF_CHECK(chain.key_window(1) == Window({2, 6}));
  NTTF_CHECK(chain.key_window(4) == Window({0, 11}));
  NTTF_CHECK(chain.digits({3, 5}) == Window({1, 3}));
  NTTF_CHECK_THROWS(chain.key_switching(2, 0), ParameterError, "special = 0 is out of range [1, 4]");
  NTTF_CHECK_THROWS(chain.key_switching(2, 5), ParameterError, "special = 5");
  ChainModuli wrong = of;
  wrong.levels[2] = {2, 13};
  const Device& device = all_queues().front()->device();
  NTTF_CHECK_THROWS(Chain(wrong, device, 1), ParameterError,
                    "[2, 13) of level 3 is not within the 12 primes");
  wrong = of;
  wrong.digit_ends.back() = 11;
  NTTF_CHECK_THROWS(Chain(wrong, device, 1), ParameterError, "must end at 12");
  wrong.levels.clear();
  NTTF_CHECK_THROWS(Chain(wrong, device, 1), ParameterError, "there is no level");
}

NTTF_TEST("chain of windows: rescaling divides by what leaves and multiplies by what comes, rounded once") {
  const ChainModuli of = moduli();
  Rng rng;
  for (const auto& queue : all_queues()) {
    const Chain chain(of, queue->device(), 1);
    for (std::size_t level = 2; level <= 6; ++level) {
      const Words from = primes_of(of, of.levels[level - 1]), to = primes_of(of, of.levels[level - 2]);
      const Words dropped = less(from, to), added = less(to, from);
      const std::vector<BigUint> x = random_below(rng, from);
      std::vector<BigUint> expected;
      const BigUint half = BigUint::product(dropped).shifted_right(1);
      for (const BigUint& value : x)
        expected.push_back(divided(value * BigUint::product(added) + half, dropped));
      OnDevice in(*queue, residues(x, from)), out(*queue, to.size() * kN);
      const RingTables &above = chain.ring(level), &below = chain.ring(level - 1);
      queue->rescale(chain.drop(level), above, below, in.data(), Form::coefficients, out.data(), 1);
      NTTF_CHECK(out.host() == residues(expected, to));
      OnDevice values(*queue, to.size() * kN);
      queue->forward(above, in.data(), 1);
      queue->rescale(chain.drop(level), above, below, in.data(), Form::values, values.data(), 1);
      queue->inverse(below, values.data(), 1);
      NTTF_CHECK(values.host() == out.host());
    }
  }
}

NTTF_TEST(
    "chain of windows: one key switches at its level and every one below, with fewer special primes too") {
  const ChainModuli of = moduli();
  Rng rng;
  for (const auto& queue : all_queues()) {
    const Chain chain(of, queue->device(), 1);
    const StreamName name{{{7, 1}}, Domain::user, 0};
    const RingTables& all = chain.all();
    const std::size_t count = of.q.size();
    DeviceArray secret = queue->allocate(all, 1), other = queue->allocate(all, 1);
    queue->sample_ternary(all, name, secret.data());
    queue->sample_ternary(all, {{{7, 2}}, Domain::user, 0}, other.data());
    queue->forward(all, secret.data(), 1);
    queue->forward(all, other.data(), 1);
    for (const std::size_t special : {4, 3}) {
      // A key of all primes and all special ones, P s' with the product of as many as it is for.
      Words p;
      const BigUint product = BigUint::product(std::span(of.special).first(special));
      for (const std::uint64_t q : all.spec().moduli) p.push_back(product.mod(q));
      DeviceArray key = queue->allocate(all, of.digit_ends.size() * 2);
      queue->key_switch_pairs(all, secret.data(), {{{7, 3}}, Domain::user, 0},
                              {SmallPolynomial::Kind::error, {{{7, 4}}, Domain::user, 0}, {}}, other.data(),
                              p, of.digit_ends, key.data());
      for (const std::size_t key_level : {6, 4, 2}) {
        // The rows and digits that this level and those below need.
        const Window rows = chain.key_window(key_level), digits = chain.digits(rows);
        const std::size_t limbs = rows.size() + special;
        DeviceArray kept = queue->allocate(digits.size() * 2 * limbs * kN, 64);
        for (std::size_t i = 0; i < digits.size() * 2; ++i) {
          const ConstWordPtr in = key.data() + (digits.first * 2 + i) * all.words();
          queue->copy(in + rows.first * kN, kept.data() + i * limbs * kN, rows.size() * kN);
          queue->copy(in + count * kN, kept.data() + (i * limbs + rows.size()) * kN, special * kN);
        }
        for (std::size_t level = 1; level <= key_level; ++level) {
          const SwitchTables& tables = chain.key_switching(level, special);
          const Words primes = primes_of(of, chain.window(level));
          const std::size_t first = chain.window(level).first * kN, words = primes.size() * kN;
          OnDevice c(*queue, residues(random_below(rng, primes), primes)), out(*queue, 2 * words),
              phase(*queue, words);
          queue->switch_key(tables, {c.data(), words}, chain.key_rows(kept.data(), key_level, special, level),
                            {}, 0, Form::coefficients, out.data(), 1);
          // out_0 + out_1 s - c s'
          queue->forward(*tables.ring, c.data(), 1);
          queue->forward(*tables.ring, out.data(), 2);
          queue->multiply(*tables.ring, out.data() + words, secret.data() + first, phase.data(), 1);
          queue->add(*tables.ring, phase.data(), out.data(), phase.data(), 1);
          queue->multiply(*tables.ring, c.data(), other.data() + first, c.data(), 1);
          queue->sub(*tables.ring, phase.data(), c.data(), phase.data(), 1);
          queue->inverse(*tables.ring, phase.data(), 1);
          // Digits are below 2^92 and P is above 2^92: an error of a few sums of n products of small ones.
          const BigUint q = BigUint::product(primes);
          for (const BigUint& value : composed(phase.host(), primes))
            NTTF_CHECK(std::min(value, q - value).bits() <= 16);
        }
      }
    }
  }
}

/// What every scheme has, and nothing more.
struct AnyParameters final : RlweParameters {
  void validate() const override {}
  std::uint64_t plain_number() const override { return 0; }
  void set_plain_number(std::uint64_t) override {}
  std::string describe_plain() const override { return {}; }
};

NTTF_TEST("chain of prefixes: the windows of BFV and BGV") {
  AnyParameters parameters;
  parameters.n = kN;
  parameters.q = ntt_primes(kN, 40, 5);
  parameters.special = ntt_primes(kN, 41, 2);
  parameters.digit_primes = 2;
  const ChainModuli of = chain_moduli(parameters, 2);
  NTTF_CHECK(of.digit_ends == std::vector<std::size_t>({2, 4, 5}));
  const Chain chain(of, all_queues().front()->device(), 65537);
  NTTF_CHECK_EQ(chain.lowest(), 2u);
  NTTF_CHECK_EQ(chain.top(), 5u);
  for (std::size_t level = 2; level <= 5; ++level) {
    NTTF_CHECK(chain.window(level) == Window({0, level}));
    NTTF_CHECK(chain.key_window(level) == Window({0, level}));
  }
}

}  // namespace
}  // namespace nttforge::rlwe
