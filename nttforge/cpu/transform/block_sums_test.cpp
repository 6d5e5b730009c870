// SPDX-License-Identifier: Apache-2.0
// The intervals of sums of products that blocks are multiplied by (docs/bounds/pair_products.md, "Blocks"),
// at their ends, for the primes next to each limit and beyond it.

#include "nttforge/ntt/kernels/products/block_sums.hpp"

#include <algorithm>
#include <vector>

#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/cpu/lanes/testing_lanes.hpp"
#include "nttforge/ntt/kernels/products/ifma_block_product.hpp"
#include "nttforge/ntt/kernels/sixteen/sparse_butterflies.hpp"
#include "nttforge/ntt/testing.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

/// What one factor may be: largest values of forward, of a product with a table entry, and any.
std::uint64_t pick(std::uint64_t below, Rng& rng) {
  switch (rng.below(3)) {
    case 0:
      return below - 1 - rng.below(3);
    case 1:
      return rng.below(4);
    default:
      return rng.below(below);
  }
}

/// Whether sums of `count` products, left and right factors below 2B q, left ones also up to B q (wrapped),
/// are right and in [0, B q): sum(own, wrapped, right) by the arithmetic in question, over 2^bits.
template <class Sum>
bool holds(std::uint64_t q, unsigned count, unsigned bits, const Sum& sum, unsigned bound = 2) {
  const unsigned values_below = 2 * bound;
  Rng rng;
  const std::uint64_t scale = wide_pow_mod(2, bits, q);
  bool right = true;
  for (int round = 0; round < 4000; ++round) {
    std::vector<std::uint64_t> own(count), wrapped(count), b(count);
    const unsigned split = 1 + static_cast<unsigned>(rng.below(count));
    const bool extreme = round % 4 == 0;
    for (unsigned i = 0; i < count; ++i) {
      own[i] = extreme ? values_below * q - 1 : pick(values_below * q, rng);
      wrapped[i] = extreme ? bound * q : pick(bound * q, rng);
      b[i] = extreme ? (round % 8 == 0 ? q - 1 : values_below * q - 1) : pick(values_below * q, rng);
    }
    std::uint64_t want = 0;
    for (unsigned i = 0; i < count; ++i) {
      const std::uint64_t a = i < split ? own[i] : wrapped[i];
      want = static_cast<std::uint64_t>((want + static_cast<u128>(a % q) * (b[i] % q)) % q);
    }
    const std::uint64_t r = sum(own, wrapped, b, split);
    right &= r < bound * q && wide_mul_mod(r % q, scale, q) == want;
  }
  return right;
}

template <bool wide>
bool words_hold(std::uint64_t q) {
  using Sums = SumsOfWords<wide>;
  const Sums sums(q);
  return holds(q, 8, Sums::kBits, [&](const auto& own, const auto& wrapped, const auto& b, unsigned split) {
    typename Sums::Sum sum{};
    for (unsigned i = 0; i < 8; ++i)
      Sums::add(sum, i < split ? sums.left(own[i]) : wrapped[i], sums.right(b[i]));
    return sums.reduced(sum);
  });
}

/// Exact residues, as strict butterflies leave them.
template <class Sums>
bool strict_sums_hold(std::uint64_t q) {
  const Sums sums(q);
  Rng rng;
  bool right = true;
  for (int round = 0; round < 4000; ++round) {
    typename Sums::Sum sum{};
    std::uint64_t want = 0;
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint64_t a = round % 2 == 0 ? q - 1 : pick(q, rng),
                          b = round % 2 == 0 ? q - 1 : pick(q, rng);
      Sums::add(sum, sums.left(a), sums.right(b));
      want = static_cast<std::uint64_t>((want + static_cast<u128>(a) * b) % q);
    }
    const std::uint64_t r = sums.reduced(sum);
    right &= r < q && wide_mul_mod(r, wide_pow_mod(2, Sums::kBits, q), q) == want;
  }
  return right;
}

/// Sums of vectors, the same in every lane.
template <class Lanes, class Sums>
bool vectors_hold(std::uint64_t q, unsigned bound = 2) {
  using Word = typename Lanes::Word;
  const auto k = Sums::constants(static_cast<Word>(q));
  const auto spread = [](std::uint64_t v) { return Lanes::broadcast(static_cast<Word>(v)); };
  return holds(
      q, 4, Sums::kBits,
      [&](const auto& own, const auto& wrapped, const auto& b, unsigned split) {
        typename Sums::Factor left[4], right[4];
        for (unsigned i = 0; i < 4; ++i) {
          left[i] = i < split ? Sums::left(spread(own[i]), k) : Sums::wrapped(spread(wrapped[i]), k);
          right[i] = Sums::right(spread(b[i]), k);
        }
        Word words[Lanes::kWidth];
        Lanes::store(words, Sums::reduced(left, right, k));
        return std::uint64_t{words[Lanes::kWidth - 1]};
      },
      bound);
}

}  // namespace

NTTF_TEST("sums of eight products of words: right and below 2q up to the limit of q, not beyond") {
  for (const unsigned bits : {20u, 50u, 60u}) NTTF_CHECK(words_hold<false>(largest_prime(1024, bits)));
  for (const unsigned bits : {20u, 60u, 61u, 62u}) NTTF_CHECK(words_hold<true>(largest_prime(1024, bits)));
  NTTF_CHECK(!words_hold<false>(largest_prime(1024, 61)));
}

NTTF_TEST("sums of eight strict products: the residue itself up to the limit of q, not beyond") {
  for (const unsigned bits : {20u, 30u}) {
    NTTF_CHECK(strict_sums_hold<SumsOfHalfWords<std::uint64_t>>(largest_prime(1024, bits)));
  }
  for (const unsigned bits : {20u, 31u, 32u}) {
    NTTF_CHECK(strict_sums_hold<SumsOfHalfWords<u128>>(largest_prime(1024, bits)));
  }
  NTTF_CHECK(!strict_sums_hold<SumsOfHalfWords<std::uint64_t>>(largest_prime(1024, 31)));
  NTTF_CHECK(strict_sums_hold<SumsOfGoldilocks>(kGoldilocks));
}

NTTF_TEST("sums of four products in vectors: right and below 2q up to the limit of q, not beyond") {
  using Lanes60 = Emulated64<2>;
  using Lanes30 = Emulated32<4>;
  for (const unsigned bits : {20u, 33u, 59u, 60u}) {
    NTTF_CHECK((vectors_hold<Lanes60, VectorSums60<Lanes60>>(largest_prime(1024, bits))));
  }
  NTTF_CHECK(!(vectors_hold<Lanes60, VectorSums60<Lanes60>>(largest_prime(1024, 61))));
  for (const unsigned bits : {20u, 29u, 30u}) {
    NTTF_CHECK((vectors_hold<Lanes30, VectorSums32<Lanes30>>(largest_prime(1024, bits))));
  }
  using Sums62 = VectorSums62<SparseLazy<ShoupProduct<Lanes60>>>;
  using Sums61 = VectorSums62<SparseLazy<SwappedShoupProduct<Lanes60>>>;
  for (const unsigned bits : {20u, 33u, 60u, 61u, 62u}) {
    NTTF_CHECK((vectors_hold<Lanes60, Sums62>(largest_prime(1024, bits))));
  }
  for (const unsigned bits : {20u, 33u, 60u, 61u}) {
    NTTF_CHECK((vectors_hold<Lanes60, Sums61>(largest_prime(1024, bits), 4)));
  }
  NTTF_CHECK(!(vectors_hold<Lanes60, Sums61>(largest_prime(1024, 62), 4)));
}

NTTF_TEST("sums of four products by 52-bit multiply-adds: right and below 2q from any values of forward") {
  using Lanes = Emulated64<2>;
  struct Below2q : MultiplyAddSums<Lanes> {
    static Lanes::Vec reduced(const Factor (&a)[4], const Factor (&b)[4], const Constants& k) {
      const auto r = MultiplyAddSums::reduced(a, b, k);
      NTTF_CHECK(r[0] < 2 * k.q[0]);
      return r;
    }
  };
  for (const unsigned bits : {20u, 33u, 51u, 52u, 53u, 60u}) {
    NTTF_CHECK((vectors_hold<Lanes, Below2q>(largest_prime(1024, bits), 8)));
  }
  NTTF_CHECK((vectors_hold<Lanes, Below2q>(largest_prime(1024, 61), 4)));
  NTTF_CHECK((vectors_hold<Lanes, Below2q>(largest_prime(1024, 62), 2)));
}
