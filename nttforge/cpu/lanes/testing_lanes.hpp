// SPDX-License-Identifier: Apache-2.0
#pragma once

// Emulated lanes with what transforms need beyond lanes_emulated.hpp. Tests only.

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "nttforge/base/testing.hpp"
#include "nttforge/cpu/lanes/lanes_emulated.hpp"
#include "nttforge/ntt/kernels/thirty_two/lane_exchange.hpp"

namespace nttforge::testing {
namespace {

/// What products of blocks need: words 0, 0, 2, 2 ..., words 1, 1, 3, 3 ..., and m - t in odd lanes.
template <class Base>
struct Doubling {
  using Word = typename Base::Word;
  using Vec = typename Base::Vec;
  static Vec doubled_evens(const Word* p) { return doubled(p, 0); }
  static Vec doubled_odds(const Word* p) { return doubled(p, 1); }
  static Vec reflect_odd(const Vec& t, const Vec& m) {
    Word words[Base::kWidth], reflected[Base::kWidth];
    Base::store(words, t);
    Base::store(reflected, Base::sub(m, t));
    for (std::size_t i = 1; i < Base::kWidth; i += 2) words[i] = reflected[i];
    return Base::load(words);
  }

 private:
  static Vec doubled(const Word* p, std::size_t odd) {
    Word words[Base::kWidth];
    for (std::size_t i = 0; i < Base::kWidth; ++i) words[i] = p[i / 2 * 2 + odd];
    return Base::load(words);
  }
};

template <std::size_t width>
struct Emulated64 : cpu::LanesEmulated<width>, Doubling<cpu::LanesEmulated<width>> {
  using typename cpu::LanesEmulated<width>::Word;
  using typename cpu::LanesEmulated<width>::Vec;
  template <unsigned kCount>
  static Vec rotate_left(const Vec& v) {
    return Emulated64::map([&](std::size_t i) { return std::rotl(v[i], static_cast<int>(kCount)); });
  }
  /// The checked build: v, a residue modulo 2^52, stands for a value in [low q, high q).
  static void promise52(const Vec& v, const Vec& q, int low, int high) {
    constexpr std::uint64_t kMask = (std::uint64_t{1} << 52) - 1;
    for (std::size_t i = 0; i < width; ++i) {
      const auto shift = static_cast<std::uint64_t>(-low) * q[i];
      NTTF_CHECK(((v[i] + shift) & kMask) < static_cast<std::uint64_t>(high - low) * q[i]);
    }
  }
  /// The checked build: v in [0, times bound).
  static void promise_below(const Vec& v, const Vec& bound, unsigned times) {
    for (std::size_t i = 0; i < width; ++i) NTTF_CHECK(v[i] < u128{bound[i]} * times);
  }
  /// The checked build: |v| <= times q.
  using typename cpu::LanesEmulated<width>::Real;
  static void promise_within(const Real& v, const Real& q, double times) {
    for (std::size_t i = 0; i < width; ++i) NTTF_CHECK(std::abs(v[i]) <= times * q[i]);
  }
  static void transpose(Vec (&r)[width]) {
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < i; ++j) std::swap(r[i][j], r[j][i]);
    }
  }
};

template <std::size_t width>
struct Emulated32 : cpu::Lanes32Emulated<width> {
  using Base = cpu::Lanes32Emulated<width>;
  using typename Base::Vec;
  static Vec mul_hi(Vec a, Vec b) {
    return Base::map([&](std::size_t i) { return std::uint64_t{Base::get(a, i)} * Base::get(b, i) >> 32; });
  }
  static void promise_below(const Vec& v, const Vec& bound, unsigned times) {
    for (std::size_t i = 0; i < width; ++i) {
      NTTF_CHECK(Base::get(v, i) < std::uint64_t{Base::get(bound, i)} * times);
    }
  }
  static Vec merge_upper(Vec even, Vec odd) {
    return Base::map([&](std::size_t i) { return Base::get(i % 2 == 0 ? even : odd, i | 1); });
  }
  static void transpose(Vec (&r)[width]) {
    Vec t[width];
    for (std::size_t i = 0; i < width; ++i) {
      t[i] = Base::map([&](std::size_t j) { return Base::get(r[j], i); });
    }
    for (std::size_t i = 0; i < width; ++i) r[i] = t[i];
  }
};

/// Lanes with the exchange of AVX-512 instead of a transposition.
template <class Base>
struct Exchanging : Base {
  using typename Base::Vec;
  using typename Base::Word;
  static void transpose(Vec (&)[Base::kWidth]) = delete;
  template <bool inverted>
  static void exchange(Vec& a, Vec& b, unsigned step) {
    constexpr std::size_t kWidth = Base::kWidth;
    Word from[2 * kWidth], to[2 * kWidth];
    Base::store(from, a);
    Base::store(from + kWidth, b);
    const auto map = exchange_map<kWidth>(inverted, step);
    for (std::size_t i = 0; i < kWidth; ++i) {
      to[i] = from[map.first[i]];
      to[kWidth + i] = from[map.second[i]];
    }
    a = Base::load(to);
    b = Base::load(to + kWidth);
  }
  using Base::mul_hi;
  static Vec mul_hi(const Vec& a, const Vec& b, const Vec& b_odds)
    requires(sizeof(Word) == 4)
  {
    return Base::map([&](std::size_t i) {
      const Word factor = i % 2 == 0 ? Base::get(b, i) : Base::get(b_odds, i - 1);
      return std::uint64_t{Base::get(a, i)} * factor >> 32;
    });
  }
  static Vec reflect_upper(const Vec& t, const Vec& m) {
    return chosen(t, Base::sub(m, t), [](std::size_t lane) { return lane >= Base::kWidth / 2; });
  }
  static Vec reflect_odd_quarters(const Vec& t, const Vec& m) {
    return chosen(t, Base::sub(m, t), [](std::size_t lane) { return lane / (Base::kWidth / 4) % 2 != 0; });
  }
  static Vec join_halves(const Vec& lower, const Vec& upper) {
    return chosen(lower, upper, [](std::size_t lane) { return lane >= Base::kWidth / 2; });
  }
  template <std::size_t count>
  static Vec load_repeated(const Word* p) {
    Word words[Base::kWidth];
    for (std::size_t i = 0; i < Base::kWidth; ++i) words[i] = p[i % count];
    return Base::load(words);
  }

 private:
  /// b in the lanes that `second` names, else a.
  template <class Second>
  static Vec chosen(const Vec& a, const Vec& b, const Second& second) {
    Word words[Base::kWidth], others[Base::kWidth];
    Base::store(words, a);
    Base::store(others, b);
    for (std::size_t lane = 0; lane < Base::kWidth; ++lane) {
      if (second(lane)) words[lane] = others[lane];
    }
    return Base::load(words);
  }
};

}  // namespace
}  // namespace nttforge::testing
