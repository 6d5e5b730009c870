// SPDX-License-Identifier: Apache-2.0
// Every operation of a lane type against the same one of lanes in plain C++, on edge values and random ones:
// pairs of emulated vectors everywhere, NEON's registers in builds for aarch64.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "nttforge/base/testing.hpp"
#include "nttforge/cpu/lanes/lanes_emulated.hpp"
#include "nttforge/cpu/lanes/lanes_pair.hpp"
#if defined(__aarch64__)
#include "nttforge/cpu/lanes/lanes_neon.hpp"
#endif

using namespace nttforge;
using namespace nttforge::testing;

namespace {

/// Two vectors of words, the same for a lane type and for the one it is compared with.
template <class L, class Reference>
struct Both {
  static constexpr std::size_t kWidth = L::kWidth;
  static_assert(kWidth == Reference::kWidth);
  using Word = typename L::Word;
  using V = typename L::Vec;
  using R = typename Reference::Vec;
  Word a[kWidth], b[kWidth], c[kWidth];

  /// Words near powers of two and anything.
  static Word word(Rng& rng, unsigned bits) {
    const Word mask = static_cast<Word>(~std::uint64_t{0} >> (64 - bits));
    const auto power = static_cast<Word>(std::uint64_t{1} << rng.below(bits));
    const Word choices[] = {0,
                            1,
                            mask,
                            power,
                            static_cast<Word>(power - 1),
                            static_cast<Word>(rng.next()),
                            static_cast<Word>(rng.next() >> rng.below(64))};
    return choices[rng.below(7)] & mask;
  }
  Both(Rng& rng, unsigned bits) {
    for (std::size_t i = 0; i < kWidth; ++i) {
      a[i] = word(rng, bits);
      b[i] = rng.below(4) == 0 ? a[i] : word(rng, bits);
      c[i] = word(rng, bits);
    }
  }

  /// The operation of both, given vectors of a, b and c.
  template <class OfLanes, class OfReference>
  void same(const char* what, const OfLanes& of_lanes, const OfReference& of_reference) const {
    Word left[kWidth], right[kWidth];
    L::store(left, of_lanes(L::load(a), L::load(b), L::load(c)));
    Reference::store(right, of_reference(Reference::load(a), Reference::load(b), Reference::load(c)));
    if (!std::equal(left, left + kWidth, right)) fail(__FILE__, __LINE__, what);
  }
};

// The expression in x, y, z with `Lanes` standing for either type.
#define SAME(both, expression)                                                                              \
  both.same(                                                                                                \
      #expression,                                                                                          \
      [&]([[maybe_unused]] const auto& x, [[maybe_unused]] const auto& y, [[maybe_unused]] const auto& z) { \
        using Lanes [[maybe_unused]] = L;                                                                   \
        return expression;                                                                                  \
      },                                                                                                    \
      [&]([[maybe_unused]] const auto& x, [[maybe_unused]] const auto& y, [[maybe_unused]] const auto& z) { \
        using Lanes [[maybe_unused]] = Reference;                                                           \
        return expression;                                                                                  \
      })

constexpr int kRounds = 2000;

/// What kernels of transforms use of 64-bit words.
template <class L, class Reference>
void compare_words64() {
  Rng rng;
  for (int round = 0; round < kRounds; ++round) {
    const Both<L, Reference> any(rng, 64), small(rng, 63);
    SAME(any, Lanes::broadcast(0x123456789ABCDEFu));
    SAME(any, Lanes::add(x, y));
    SAME(any, Lanes::sub(x, y));
    SAME(any, Lanes::bit_and(x, y));
    SAME(any, Lanes::bit_xor(x, y));
    SAME(any, Lanes::template shift_left<7>(x));
    SAME(any, Lanes::template shift_left<32>(x));
    SAME(any, Lanes::template shift_right<1>(x));
    SAME(any, Lanes::template shift_right<31>(x));
    SAME(any, Lanes::template shift_right<32>(x));
    SAME(any, Lanes::mul_32(x, y));
    SAME(any, Lanes::mul_lo(x, y));
    SAME(any, Lanes::mul_hi(x, y));
    SAME(any, Lanes::select_by_sign(x, y, z));
    SAME(small,
         Lanes::reduce_once(Lanes::add(x, Lanes::bit_and(y, z)), Lanes::broadcast(std::uint64_t{1} << 63)));
    SAME(small, Lanes::reduce_once(x, x));
    SAME(small, Lanes::add_if_negative(Lanes::sub(x, y), y));
  }
}

template <class L, class Reference>
void compare_reals() {
  Rng rng;
  for (int round = 0; round < kRounds; ++round) {
    const Both<L, Reference> word(rng, 52), factor(rng, 50), integer(rng, 50);
    const double inverse = 1 / static_cast<double>(1 + rng.below(std::uint64_t{1} << 50));
    SAME(word, Lanes::real_to_bits(Lanes::to_real(x)));
    SAME(word, Lanes::bit_xor(Lanes::real_to_bits(Lanes::bits_to_real(x)), y));
    SAME(integer, Lanes::from_real(Lanes::real_sub(Lanes::to_real(x), Lanes::to_real(y))));
    SAME(factor, Lanes::real_to_bits(Lanes::real_add(Lanes::to_real(x), Lanes::to_real(y))));
    SAME(factor, Lanes::real_to_bits(Lanes::real_mul(Lanes::to_real(x), Lanes::to_real(y))));
    SAME(factor,
         Lanes::real_to_bits(Lanes::real_fma(Lanes::to_real(x), Lanes::to_real(y), Lanes::to_real(z))));
    SAME(factor,
         Lanes::real_to_bits(Lanes::real_fnma(Lanes::to_real(x), Lanes::to_real(y), Lanes::to_real(z))));
    SAME(factor, Lanes::from_real(Lanes::real_fms(Lanes::to_real(x), Lanes::to_real(y),
                                                  Lanes::real_mul(Lanes::to_real(x), Lanes::to_real(y)))));
    SAME(factor, Lanes::from_real(Lanes::real_floor(Lanes::real_mul(
                     Lanes::real_sub(Lanes::to_real(x), Lanes::to_real(y)), Lanes::real_broadcast(0.5)))));
    SAME(factor, Lanes::from_real(Lanes::real_round(Lanes::real_mul(
                     Lanes::real_sub(Lanes::to_real(x), Lanes::to_real(y)), Lanes::real_broadcast(0.5)))));
    SAME(factor, Lanes::from_real(
                     Lanes::real_round(Lanes::real_mul(Lanes::to_real(x), Lanes::real_broadcast(inverse)))));
  }
}

template <class L, class Reference>
void compare_words32() {
  Rng rng;
  using Wide = typename L::Wide;
  using WideReference = typename Reference::Wide;
  for (int round = 0; round < kRounds; ++round) {
    const Both<L, Reference> any(rng, 32), small(rng, 31);
    SAME(any, Lanes::broadcast(0x89ABCDEFu));
    SAME(any, Lanes::add(x, y));
    SAME(any, Lanes::sub(x, y));
    SAME(any, Lanes::mul_lo(x, y));
    SAME(any, Lanes::bit_xor(x, y));
    SAME(any, Lanes::interleave(x, y));
    SAME(any, Lanes::interleave(Lanes::evens(x), Lanes::odds(y)));
    SAME(small, Lanes::reduce_once(x, x));
    SAME(small, Lanes::reduce_once(Lanes::add(x, y), Lanes::broadcast(std::uint32_t{1} << 31)));
    if constexpr (requires(typename L::Vec v) { L::sub_mul(v, v, v); }) {
      any.same(
          "sub_mul", [](const auto& x, const auto& y, const auto& z) { return L::sub_mul(x, y, z); },
          [](const auto& x, const auto& y, const auto& z) {
            return Reference::sub(x, Reference::mul_lo(y, z));
          });
    }
    any.same(
        "products of evens and odds",
        [](const auto& x, const auto& y, const auto&) {
          return L::interleave(Wide::mul_32(L::evens(x), L::evens(y)), Wide::mul_32(L::odds(x), L::odds(y)));
        },
        [](const auto& x, const auto& y, const auto&) {
          return Reference::interleave(WideReference::mul_32(Reference::evens(x), Reference::evens(y)),
                                       WideReference::mul_32(Reference::odds(x), Reference::odds(y)));
        });
    typename L::Word high[L::kWidth], even[L::kWidth], odd[L::kWidth], upper[L::kWidth];
    L::store(high, L::mul_hi(L::load(any.a), L::load(any.b)));
    L::store(even, L::load(any.a));
    L::store(odd, L::load(any.b));
    L::store(upper, L::merge_upper(L::load(any.a), L::load(any.b)));
    for (std::size_t i = 0; i < L::kWidth; ++i) {
      NTTF_CHECK_EQ(high[i], static_cast<std::uint32_t>(std::uint64_t{any.a[i]} * any.b[i] >> 32));
      NTTF_CHECK_EQ(upper[i], i % 2 == 0 ? even[i + 1] : odd[i]);
    }
  }
}

/// What rows, conversions and samplers use beyond that.
template <class L, class Reference>
void compare_rows64() {
  Rng rng;
  for (int round = 0; round < kRounds; ++round) {
    const Both<L, Reference> any(rng, 64), small(rng, 63);
    const std::uint64_t left = rng.below(64), right = rng.below(64);
    SAME(any, Lanes::shift_left_by(x, Lanes::broadcast(left)));
    SAME(any, Lanes::shift_right_by(x, Lanes::broadcast(right)));
    SAME(any, Lanes::above_mask(x, y));
    any.same(
        "mul_hi_lower, which may be one less elsewhere",
        [](const auto& x, const auto& y, const auto&) { return L::mul_hi_lower(x, y); },
        [](const auto& x, const auto& y, const auto&) { return Reference::mul_hi(x, y); });
    SAME(small, Lanes::decrement_if_greater(z, x, y));
    NTTF_CHECK_EQ(L::any_greater(L::load(any.a), L::load(any.b)),
                  Reference::any_greater(Reference::load(any.a), Reference::load(any.b)));
  }
}

template <class L, class Reference>
void compare_rows32() {
  Rng rng;
  for (int round = 0; round < kRounds; ++round) {
    const Both<L, Reference> any(rng, 32);
    SAME(any, Lanes::min(x, y));
    SAME(any, Lanes::select_ge(x, y, z, x));
    SAME(any, Lanes::iota());
    SAME(any, Lanes::template rotate_left<16>(x));
    SAME(any, Lanes::template rotate_left<12>(x));
    SAME(any, Lanes::template rotate_left<8>(x));
    SAME(any, Lanes::template rotate_left<7>(x));
  }
}

/// Vectors of which only the first words are there.
template <class L>
void check_parts() {
  constexpr std::size_t kWidth = L::kWidth;
  using Word = typename L::Word;
  for (std::size_t count = 0; count <= kWidth; ++count) {
    std::vector<Word> memory(count);  // nothing behind it, as a sanitizer sees
    for (std::size_t i = 0; i < count; ++i) memory[i] = static_cast<Word>(100 + i);
    Word whole[kWidth];
    L::store(whole, L::load_part(memory.data(), count));
    for (std::size_t i = 0; i < kWidth; ++i)
      NTTF_CHECK_EQ(whole[i], static_cast<Word>(i < count ? 100 + i : 0));
    Word out[kWidth];
    std::fill(out, out + kWidth, Word{7});
    for (std::size_t i = 0; i < kWidth; ++i) whole[i] = static_cast<Word>(200 + i);
    L::store_part(out, L::load(whole), count);
    for (std::size_t i = 0; i < kWidth; ++i)
      NTTF_CHECK_EQ(out[i], static_cast<Word>(i < count ? 200 + i : 7));
  }
}

template <class L>
void check_transpose() {
  constexpr std::size_t kWidth = L::kWidth;
  typename L::Vec r[kWidth];
  typename L::Word words[kWidth];
  for (std::size_t i = 0; i < kWidth; ++i) {
    for (std::size_t j = 0; j < kWidth; ++j) words[j] = static_cast<typename L::Word>(100 * i + j);
    r[i] = L::load(words);
  }
  L::transpose(r);
  for (std::size_t i = 0; i < kWidth; ++i) {
    L::store(words, r[i]);
    for (std::size_t j = 0; j < kWidth; ++j)
      NTTF_CHECK_EQ(words[j], static_cast<typename L::Word>(100 * j + i));
  }
}

/// Emulated lanes with what NEON's have beyond them.
struct Emulated32 : cpu::Lanes32Emulated<4> {
  static Vec mul_hi(Vec a, Vec b) {
    return map([&](std::size_t i) { return std::uint64_t{get(a, i)} * get(b, i) >> 32; });
  }
  static Vec merge_upper(Vec even, Vec odd) {
    return map([&](std::size_t i) { return get(i % 2 == 0 ? even : odd, i | 1); });
  }
};
using Pair64 = cpu::PairOf64<cpu::LanesEmulated<2>>;
using Pair32 = cpu::PairOf32<Emulated32, Pair64>;

}  // namespace

NTTF_TEST("lanes: pairs of emulated vectors are emulated vectors of twice the width") {
  compare_words64<Pair64, cpu::LanesEmulated<4>>();
  compare_reals<Pair64, cpu::LanesEmulated<4>>();
  compare_words32<Pair32, cpu::Lanes32Emulated<8>>();
}

#if defined(__aarch64__)
NTTF_TEST("lanes: NEON's vectors are emulated vectors, operation by operation") {
  compare_words64<cpu::LanesNeon, cpu::LanesEmulated<2>>();
  compare_rows64<cpu::LanesNeon, cpu::LanesEmulated<2>>();
  compare_reals<cpu::LanesNeon, cpu::LanesEmulated<2>>();
  compare_words32<cpu::Lanes32Neon, cpu::Lanes32Emulated<4>>();
  compare_rows32<cpu::Lanes32Neon, cpu::Lanes32Emulated<4>>();
  check_parts<cpu::LanesNeon>();
  check_parts<cpu::Lanes32Neon>();
  check_transpose<cpu::Lanes32Neon>();
}
#endif
