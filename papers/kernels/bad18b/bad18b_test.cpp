// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_vectors.hpp"
#include "papers/kernels/bad18b/constants.hpp"
#include "papers/kernels/bad18b/fv.hpp"

// The kernels of [Bad18b] on the host, word for word against the library's integers and steps.

namespace nttforge::cuda::bad18b {
namespace {

using testing::Rng;

constexpr unsigned kLogColumns = 4, kColumns = 1u << kLogColumns;

RnsBase base_of(unsigned count) { return RnsBase(ntt_primes(64, 31, count)); }

BigUint random_below(const BigUint& limit, Rng& rng) {
  std::vector<std::uint64_t> words(limit.words().size());
  for (auto& word : words) word = rng.below(4) == 0 ? ~std::uint64_t{0} : rng.next();
  BigUint x = BigUint::from_words(words);
  while (x >= limit) x = x.shifted_right(1);
  return x;
}
/// 0, 1, the largest and random integers below `limit`, one a column.
std::vector<BigUint> integers(const BigUint& limit, Rng& rng) {
  std::vector<BigUint> values = {BigUint(0), BigUint(1), limit - BigUint(1)};
  while (values.size() < kColumns) values.push_back(random_below(limit, rng));
  return values;
}
/// [count][columns].
template <class Words>
std::vector<Word> arranged(const std::vector<BigUint>& values, std::size_t count, const Words& words) {
  std::vector<Word> out(count * kColumns);
  for (std::size_t c = 0; c < kColumns; ++c) {
    const auto column = words(values[c]);
    for (std::size_t i = 0; i < count; ++i) out[i * kColumns + c] = static_cast<Word>(column[i]);
  }
  return out;
}

template <class Kernel>
std::vector<Word> run(Kernel kernel, const std::vector<Word>& in, std::size_t out_rows,
                      std::size_t rows = 1) {
  std::vector<Word> out(out_rows * kColumns, 0xDEADBEEF);
  kernel.shape = {static_cast<std::uint32_t>(rows), kLogColumns};
  kernel.in = in.data();
  kernel.out = out.data();
  Machine::cpu().run(kernel);
  return out;
}

struct Integers {
  std::vector<Word> words, residues;
};
Integers integers_of(const RnsBase& base, const std::vector<BigUint>& values) {
  const std::size_t count = word_count(base.product());
  return {arranged(values, count, [&](const BigUint& x) { return words_of(x, count); }),
          arranged(values, base.size(), [&](const BigUint& x) { return base.decompose(x); })};
}

template <unsigned kCount>
void check_mixed_radix(const RnsBase& base, const Integers& expected) {
  if (base.size() != kCount) return;
  const auto kernel = make_mixed_radix<kCount>(base);
  NTTF_CHECK(run(kernel, expected.residues, kernel.words) == expected.words);
}

void check_crt(const RnsBase& base, const std::vector<BigUint>& values) {
  const Integers expected = integers_of(base, values);
  const std::size_t k = base.size(), words = word_count(base.product());
  NTTF_CHECK(run(make_crt<kPrimes>(base), expected.words, k, k) == expected.residues);
  NTTF_CHECK(run(make_crt_lazy<kPrimes>(base), expected.words, k, k) == expected.residues);
  const auto classic = classic_constants<kPrimes>(base);
  NTTF_CHECK(run(Garner<kPrimes>{.constants = garner_constants<kPrimes>(base)}, expected.residues, words) ==
             expected.words);
  NTTF_CHECK(run(Classic<kPrimes, Reducing::subtractions>{.constants = classic}, expected.residues, words) ==
             expected.words);
  NTTF_CHECK(run(Classic<kPrimes, Reducing::division>{.constants = classic}, expected.residues, words) ==
             expected.words);
  check_mixed_radix<2>(base, expected);
  check_mixed_radix<6>(base, expected);
  check_mixed_radix<12>(base, expected);
  check_mixed_radix<24>(base, expected);
}

NTTF_TEST("[Bad18b] Table 1: three reductions of 62-bit integers modulo NFLlib's prime") {
  Rng rng;
  std::vector<Wide> x = {0, 1, kNflPrime - 1, kNflPrime, kNflPrime + 1, kNflLimit - 1, kNflLimit - kNflPrime};
  for (const Wide multiple : {Wide{2}, Wide{0xFFFFFFFF}, Wide{1} << 31})
    for (const Wide delta : {Wide{0}, Wide{1}, Wide{kNflPrime - 1}})
      x.push_back(multiple * kNflPrime + delta);
  while (x.size() < 4096) x.push_back(rng.below(kNflLimit));
  std::vector<Word> expected, found(x.size());
  for (const Wide value : x) expected.push_back(static_cast<Word>(value % kNflPrime));
  const auto check = [&](auto kernel) {
    kernel.shape = {1, 12};
    kernel.in = x.data();
    kernel.out = found.data();
    Machine::cpu().run(kernel);
    NTTF_CHECK(found == expected);
  };
  check(Reduce<Reduction::native>{});
  check(Reduce<Reduction::nfllib>{});
  check(Reduce<Reduction::barrett>{});
}

NTTF_TEST("[Bad18b] CRT, Garner's reconstruction, the two classic ones and ours, 1 to 24 primes") {
  Rng rng;
  for (unsigned count = 1; count <= kPrimes; ++count) {
    const RnsBase base = base_of(count);
    check_crt(base, integers(base.product(), rng));
  }
  // A product of one word with many primes; products that fill their words, so that sums below 2M carry out.
  for (const RnsBase& base :
       {RnsBase({3, 5, 7, 11, 13, 17}), RnsBase({65521, 65519}), RnsBase({65521, 65519, 65497, 65479})})
    check_crt(base, integers(base.product(), rng));
}

NTTF_TEST("[Bad18b] CRT and its reconstructions: the oracle's vectors") {
  std::size_t used = 0;
  const Json document = testing::load_vectors("rns.json");
  for (const Json& entry : document.at("bases").elements()) {
    const auto moduli = entry.at("moduli").as_u64_vector();
    if (!std::all_of(moduli.begin(), moduli.end(), [](auto m) { return m % 2 == 1 && m >> 31 == 0; }))
      continue;
    std::vector<BigUint> values;
    for (const Json& value : entry.at("values").elements())
      if (values.size() < kColumns) values.push_back(BigUint::from_decimal(value.at("x").as_string()));
    values.resize(kColumns);
    check_crt(RnsBase(moduli), values);
    ++used;
  }
  NTTF_CHECK(used > 0);
}

NTTF_TEST("[Bad18b] division of many words, also where the quotient's digit is corrected") {
  Rng rng;
  for (int round = 0; round < 4000; ++round) {
    const unsigned m_words = 1 + static_cast<unsigned>(rng.below(5));
    const unsigned words = m_words + static_cast<unsigned>(rng.below(4));
    const auto digit = [&] {
      const Word edges[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
      return rng.below(3) == 0 ? static_cast<Word>(rng.next()) : edges[rng.below(5)];
    };
    std::vector<Word> m(m_words), x(words + 1), quotient(words - m_words + 1);
    for (Word& word : m) word = digit();
    for (Word& word : x) word = digit();
    m.back() |= 0x80000000;
    x.back() = x.back() % m.back();
    const auto big = [](const std::vector<Word>& from) {
      std::vector<std::uint64_t> pairs((from.size() + 1) / 2);
      for (std::size_t i = 0; i < from.size(); ++i) pairs[i / 2] |= Wide{from[i]} << (i % 2 * 32);
      return BigUint::from_words(pairs);
    };
    const BigUint before = big(x), divisor = big(m);
    divide(x.data(), words, m.data(), m_words, quotient.data());
    NTTF_CHECK(big(x) < divisor);
    NTTF_CHECK(big(quotient) * divisor + big(x) == before);
  }
}

void check_step(const RnsStep& step, Rng& rng) {
  const std::size_t sources = step.sources.size(), targets = step.targets.size();
  const StepValue value(step);
  std::vector<Word> in(2 * sources * kColumns), own(2 * targets * kColumns), expected(own.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::uint64_t s = step.sources[i / kColumns % sources];
    in[i] = static_cast<Word>(rng.below(4) == 0 ? s - 1 : rng.below(s));
  }
  for (std::size_t i = 0; i < own.size(); ++i)
    own[i] = static_cast<Word>(rng.below(step.targets[i / kColumns % targets]));
  for (std::size_t member = 0; member < 2; ++member)
    for (std::size_t c = 0; c < kColumns; ++c) {
      std::vector<std::uint64_t> x, mine, out(targets);
      for (std::size_t i = 0; i < sources; ++i) x.push_back(in[(member * sources + i) * kColumns + c]);
      for (std::size_t j = 0; j < targets && !step.own.empty(); ++j)
        mine.push_back(own[(member * targets + j) * kColumns + c]);
      value.apply(x, mine, out);
      for (std::size_t j = 0; j < targets; ++j)
        expected[(member * targets + j) * kColumns + c] = static_cast<Word>(out[j]);
    }
  ApplyStep kernel{};
  kernel.k = step_constants(step);
  kernel.own = own.data();
  NTTF_CHECK(run(kernel, in, 2 * targets, 2) == expected);
}

NTTF_TEST("[Bad18b] Alg. 2 and 3 by residues: the steps as the library defines them") {
  Rng rng;
  for (const unsigned count : {1u, 2u, 3u, 6u, 24u}) {
    for (const std::uint64_t m_tilde : {std::uint64_t{1}, std::uint64_t{65536}}) {
      const FvBase base(64, count, 53, m_tilde);
      for (const RnsStep& step : {base.extend(), base.floor(), base.to_q(), base.decrypt()})
        check_step(step, rng);
    }
  }
  for (const std::size_t n : {2048u, 4096u, 8192u, 16384u}) {
    const FvBase base = FvBase::of_paper(n);
    NTTF_CHECK_EQ(base.q.product().bits(), 31u * static_cast<unsigned>(base.q.size()));
    NTTF_CHECK(base.bsk.product() > base.q.product() * BigUint(4 * n * base.t));
    NTTF_CHECK(base.bsk.size() <= kBase && base.wide.size() <= kTextbookPrimes);
    NTTF_CHECK(base.wide.product() > base.q.product() * base.q.product() * BigUint(2 * n));
  }
  NTTF_CHECK_THROWS(FvBase::of_paper(1024), ParameterError, "n = 1024");
  NTTF_CHECK_THROWS(FvBase(64, 25, 53, 1), ParameterError, "25 primes");
}

NTTF_TEST("[Bad18b] the textbook's rounding and digits over integers of many words") {
  Rng rng;
  for (const unsigned count : {1u, 2u, 6u, 24u}) {
    const FvBase base(64, count, 53, 1);
    const BigUint &m = base.wide.product(), &q = base.q.product();
    auto values = integers(m, rng);
    values[3] = m.shifted_right(1);  // the largest that is not negative
    values[4] = values[3] + BigUint(1);
    const auto rounded = [&](const BigUint& x) {  // round(t x / Q), centred x
      const bool negative = x > m.shifted_right(1);
      BigUint rest = (negative ? m - x : x) * base.t + q.shifted_right(1), shifted = q, power = 1, quotient;
      for (; shifted <= rest; power *= 2) shifted *= 2;
      for (; !power.is_zero(); power = power.shifted_right(1), shifted = shifted.shifted_right(1)) {
        if (shifted > rest) continue;
        rest -= shifted;
        quotient += power;
      }
      std::vector<std::uint64_t> out;
      for (const std::uint64_t p : base.q.values())
        out.push_back(negative && quotient.mod(p) != 0 ? p - quotient.mod(p) : quotient.mod(p));
      return out;
    };
    const Integers in = integers_of(base.wide, values);
    const auto kernel = make_positional(base.wide, base.q.values(), &q, static_cast<Word>(base.t));
    NTTF_CHECK(run(kernel, in.residues, count) == arranged(values, count, rounded));

    const auto small = integers(q, rng);
    const Integers short_in = integers_of(base.q, small);
    const auto lifted = [&](const BigUint& x) {
      return base.wide.decompose(x > q.shifted_right(1) ? m - (q - x) : x);
    };
    NTTF_CHECK(run(make_positional(base.q, base.wide.values()), short_in.residues, base.wide.size()) ==
               arranged(small, base.wide.size(), lifted));
    const auto digits = [&](const BigUint& x) {
      std::vector<std::uint64_t> out;
      for (unsigned i = 0; i < count; ++i)
        for (const std::uint64_t p : base.q.values())
          out.push_back(x.shifted_right(31 * i).mod(std::uint64_t{1} << 31) % p);
      return out;
    };
    NTTF_CHECK(run(BinaryDigits{.constants = garner_constants<kPrimes>(base.q)}, short_in.residues,
                   count * count) == arranged(small, count * count, digits));
  }
}

NTTF_TEST("[Bad18b] the whole scheme: products decrypt by every transform and rounding, also as on a card") {
  for (const Rounding rounding : {Rounding::residues, Rounding::integers, Rounding::integers_on_host}) {
    for (const Transform transform : {Transform::dgt, Transform::ntt}) {
      Fv(FvBase(256, 3, 53, 1), Machine::cpu(), transform, rounding).verify();
      if (host_in_this_build())
        Fv(FvBase(64, 2, 7, 65536), Machine::cuda(kHost), transform, rounding).verify();
    }
  }
}

NTTF_TEST("[Bad18b] samplers: Philox as published, and the moments of the error") {
  struct Known {
    Word counter[4], key[2], out[4];
  };
  for (const Known& known : {Known{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                             Known{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                                   {0xa4093822, 0x299f31d0},
                                   {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}}) {
    Word out[4];
    philox(known.counter[0], known.counter[1], known.counter[2], known.counter[3], known.key[0], known.key[1],
           out);
    NTTF_CHECK(std::equal(out, out + 4, known.out));
  }
  const RnsBase base = base_of(3);
  const std::size_t n = 1 << 14;
  std::vector<Word> x(3 * n);
  SampleError error{{1, 13}, x.data(), prime_list(base.values()), {{1, 2}, 3}};
  Machine::cpu().run(error);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto p = static_cast<Word>(base.values()[0]), q = static_cast<Word>(base.values()[2]);
    const double e = x[i] > p / 2 ? -static_cast<double>(p - x[i]) : x[i];
    NTTF_CHECK(x[2 * n + i] == (e < 0 ? q + static_cast<Word>(static_cast<int>(e)) : static_cast<Word>(e)));
    NTTF_CHECK(std::abs(e) <= 48);
    sum += e;
    squares += e * e;
  }
  NTTF_CHECK(std::abs(sum / n) < 0.5);  // eight standard deviations of the mean
  NTTF_CHECK(std::abs(squares / n - 64) < 6);
  SampleUniform uniform{{1, 14}, x.data(), prime_list(base.values()), {{1, 2}, 4}};
  Machine::cpu().run(uniform);
  for (std::size_t i = 0; i < x.size(); ++i) NTTF_CHECK(x[i] < base.values()[i / n]);
}

}  // namespace
}  // namespace nttforge::cuda::bad18b
