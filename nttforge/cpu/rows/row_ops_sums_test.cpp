// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/rows/row_ops_sums.hpp"

#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cpu/conversion/conversion_lanes_scalar.hpp"
#include "nttforge/cpu/lanes/lanes_emulated.hpp"
#include "nttforge/cpu/lanes/lanes_scalar.hpp"

using namespace nttforge;
using namespace nttforge::cpu;

namespace {

using Wide = LanesEmulated<4>;
using Narrow = Lanes32Emulated<8>;

/// Whether start + count x y modulo q is right in every word.
template <class L, class Sums>
bool is_right(std::uint64_t q, std::uint64_t x, std::uint64_t y, std::uint64_t start, unsigned count) {
  using Word = typename L::Word;
  const RowModulus m = make_row_modulus(q);
  const auto c = Sums::constants(m);
  auto sum = Sums::start(L::broadcast(static_cast<Word>(start)));
  const auto a = Sums::factor(L::broadcast(static_cast<Word>(x)));
  const auto b = Sums::factor(L::broadcast(static_cast<Word>(y)));
  for (unsigned i = 0; i < count; ++i) Sums::add_product(sum, a, b, c);
  const auto product = static_cast<u128>(wide_mul_mod(x, y, q)) * count;
  bool right = true;
  const auto check = [&](auto reduced) {
    Word words[L::kWidth];
    L::store(words, reduced);
    for (const Word word : words) right &= word == (product + start) % q;
  };
  check(Sums::reduce(sum, c));
  if constexpr (requires { Sums::reduce_of_four(sum, c); }) {
    if (count <= 4) check(Sums::reduce_of_four(sum, c));
  }
  return right;
}

/// Seven products beside a residue, for the class's largest moduli and operands; `count` of them are too
/// many.
template <class L, class Sums>
void check_limit(std::uint64_t largest, unsigned too_many) {
  for (const std::uint64_t q : {largest, largest - 2, largest / 2 + 2, std::uint64_t{3}, std::uint64_t{2}}) {
    for (const std::uint64_t x : {q - 1, q / 2 + 1, std::uint64_t{1}}) {
      for (const std::uint64_t y : {q - 1, q / 2}) {
        for (unsigned count = 0; count <= 7; ++count)
          NTTF_CHECK((is_right<L, Sums>(q, x % q, y, q - 1, count)));
      }
    }
  }
  NTTF_CHECK((!is_right<L, Sums>(largest, largest - 1, largest - 1, largest - 1, too_many) ||
              !is_right<L, Sums>(largest, 1, largest / 2, largest - 1, too_many)));
}

/// Moduli up to the limit whose truncated constants lose the most, sums a little below and above a multiple
/// of q, any operands.
template <class L, class Sums>
void check_estimates(std::uint64_t largest) {
  testing::Rng rng;
  for (unsigned trial = 0; trial < 3000; ++trial) {
    const std::uint64_t q = largest - rng.below(trial % 2 == 0 ? largest / 2 : 1000);
    const std::uint64_t x = q - 1 - rng.below(q / (1 + trial % 5)), y = 1 + rng.below(q - 1);
    NTTF_CHECK((is_right<L, Sums>(q, x, y, rng.below(q), 7)));
    const std::uint64_t rest = wide_mul_mod(x, 7, q), off = trial % 3;  // 7 x + start = -off (mod q)
    NTTF_CHECK((is_right<L, Sums>(q, x, 1, (2 * q - rest - off) % q, 7)));
    NTTF_CHECK((is_right<L, Sums>(q, x, y, rng.below(q), 4)));
  }
}

}  // namespace

NTTF_TEST("row sums: quotients that are estimated too small or too large") {
  const auto below = [](unsigned bits) { return (std::uint64_t{1} << bits) - 1; };
  check_estimates<Wide, SumsFp64<Wide>>(below(50));
  check_estimates<Narrow, Sums30<Narrow>>(below(30));
  check_estimates<Narrow, Sums32Full<Narrow>>(below(32));
}

NTTF_TEST("row sums of four products by one quotient: every modulus up to 2^9, and next to powers of two") {
  using Sums = Sums30<Narrow>;
  const auto check = [](std::uint64_t q) {
    for (const unsigned count : {2u, 4u}) {
      for (const std::uint64_t x : {q - 1, q / 2 + 1})
        NTTF_CHECK((is_right<Narrow, Sums>(q, x % q, q - 1, q - 1, count)));
    }
  };
  for (std::uint64_t q = 2; q <= 512; ++q) check(q);
  for (unsigned bits = 10; bits <= 30; ++bits) {
    for (std::uint64_t off = 0; off < 4; ++off) {
      check((std::uint64_t{1} << bits) - 1 - off);
      if (bits < 30) check((std::uint64_t{1} << bits) + off);
    }
  }
  const std::uint64_t q = (std::uint64_t{1} << 30) - 1;
  const auto c = Sums::constants(make_row_modulus(q));
  Sums::Sum sum = Sums::start(Narrow::broadcast(0));
  const auto a = Sums::factor(Narrow::broadcast(static_cast<std::uint32_t>(q - 1)));
  for (int i = 0; i < 5; ++i) Sums::add_product(sum, a, a, c);  // five overflow the quotient's operand
  std::uint32_t words[Narrow::kWidth];
  Narrow::store(words, Sums::reduce_of_four(sum, c));
  NTTF_CHECK(words[0] != wide_mul_mod(5, 1, q));
}

NTTF_TEST("row sums: seven products and a residue fit, many more do not") {
  const auto below = [](unsigned bits) { return (std::uint64_t{1} << bits) - 1; };
  check_limit<Wide, SumsFp64<Wide>>(below(50), 40);
  check_limit<Wide, SumsOf<Lanes52<Wide>>>(below(50), 5000);
  check_limit<Wide, SumsOf<LanesWide<Wide, Columns32<Wide>>>>(below(62), 17);
  check_limit<Wide, SumsOf<LanesWide<Wide, Columns52<Wide>>>>(below(62), 5000);
  check_limit<Narrow, Sums30<Narrow>>(below(30), 17);
  check_limit<LanesScalar, SumsOf<ScalarLanes>>(below(62), 17);
}

NTTF_TEST("row sums: 32-bit moduli up to 2^32, Goldilocks") {
  for (const std::uint64_t q : {0xFFFFFFFFull, 0xFFFFFFFBull, 0x80000001ull, 0x40000001ull, 3ull, 2ull}) {
    for (const std::uint64_t x : {q - 1, q / 2 + 1}) {
      for (const unsigned count : {1u, 2u, 7u, 1023u})
        NTTF_CHECK((is_right<Narrow, Sums32Full<Narrow>>(q, x % q, q - 1, q - 1, count)));
    }
  }
  constexpr std::uint64_t p = kGoldilocks;
  for (const std::uint64_t x : {p - 1, p / 2, std::uint64_t{1} << 63, std::uint64_t{0xFFFFFFFFu}, p - 2}) {
    for (const unsigned count : {0u, 1u, 2u, 3u, 7u, 1023u})
      NTTF_CHECK((is_right<LanesScalar, SumsGoldilocks>(p, x, p - 1, p - 1, count)));
  }
}
