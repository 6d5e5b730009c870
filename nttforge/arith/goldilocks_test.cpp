// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/goldilocks.hpp"

#include <vector>

#include "nttforge/base/testing.hpp"

using namespace nttforge;

namespace {

std::vector<std::uint64_t> edges() {
  std::vector<std::uint64_t> values;
  for (const std::uint64_t middle :
       {std::uint64_t{0}, std::uint64_t{1} << 32, kGoldilocks, std::uint64_t{1} << 63, kGoldilocks / 2})
    for (std::uint64_t step = 0; step < 4; ++step) {
      values.push_back(middle + step);
      values.push_back(middle - step);
    }
  return values;  // some wrap round to the largest words
}

}  // namespace

NTTF_TEST("goldilocks: reductions of words and double words at every edge") {
  for (const std::uint64_t high : edges()) {
    NTTF_CHECK_EQ(goldilocks::reduce(high), high % kGoldilocks);
    for (const std::uint64_t low : edges()) {
      const u128 x = (static_cast<u128>(high) << 64) | low;
      NTTF_CHECK_EQ(goldilocks::reduce128(x), static_cast<std::uint64_t>(x % kGoldilocks));
    }
  }
}

NTTF_TEST("goldilocks: operations equal wide arithmetic") {
  testing::Rng rng;
  std::vector<std::uint64_t> values;
  for (const std::uint64_t value : edges()) values.push_back(value % kGoldilocks);
  for (int i = 0; i < 300; ++i) values.push_back(rng.below(kGoldilocks));
  const u128 p = kGoldilocks;
  for (const std::uint64_t a : values) {
    NTTF_CHECK_EQ(goldilocks::negate(a), static_cast<std::uint64_t>((p - a) % p));
    for (const std::uint64_t b : values) {
      NTTF_CHECK_EQ(goldilocks::add(a, b), static_cast<std::uint64_t>((static_cast<u128>(a) + b) % p));
      NTTF_CHECK_EQ(goldilocks::sub(a, b), static_cast<std::uint64_t>((static_cast<u128>(a) + p - b) % p));
      NTTF_CHECK_EQ(goldilocks::mul(a, b), static_cast<std::uint64_t>(static_cast<u128>(a) * b % p));
    }
  }
}

NTTF_TEST("goldilocks: every pattern of borrow and carry in the reduction") {
  // low - high borrows or not, the sum with the middle term carries or not, the result is p or more or not.
  bool borrow = false, carry = false, both = false, final_step = false;
  testing::Rng rng;
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t tops[] = {rng.next(), ~rng.below(16), rng.below(16), rng.below(16) << 32};
    const std::uint64_t top = tops[rng.below(4)];
    const std::uint64_t low = rng.below(3) == 0   ? rng.below(16)
                              : rng.below(2) == 0 ? rng.next()
                                                  : ~rng.below(16);
    const std::uint64_t high = top >> 32, middle = top & 0xFFFFFFFFu;
    const bool borrows = low < high;
    const std::uint64_t r = low - high - (borrows ? 0xFFFFFFFFu : 0);
    const std::uint64_t term = (middle << 32) - middle;
    const bool carries = r + term < term;
    borrow |= borrows, carry |= carries, both |= borrows && carries;
    final_step |= r + term + (carries ? 0xFFFFFFFFu : 0) >= kGoldilocks;
    const u128 x = (static_cast<u128>(top) << 64) | low;
    NTTF_CHECK_EQ(goldilocks::reduce128(x), static_cast<std::uint64_t>(x % kGoldilocks));
  }
  NTTF_CHECK(borrow && carry && both && final_step);
}
