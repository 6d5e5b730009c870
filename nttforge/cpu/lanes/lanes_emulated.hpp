// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "nttforge/base/macros.hpp"

// Test only: lanes of any width in portable C++, with every member the vector lanes have (lanes_scalar.hpp
// explains them), so that each kernel written for AVX-512 runs bit for bit on machines that lack it. Written
// for clarity, not speed.

namespace nttforge::cpu {

/// kWords 64-bit words: element j of 32 bits is the lower (even j) or upper half of word j / 2, as in a
/// register.
template <std::size_t kWords>
using EmulatedVec = std::array<std::uint64_t, kWords>;

/// kWords 64-bit words; 8 stands for AVX-512 with the 52-bit multiply-add.
template <std::size_t kWords>
struct LanesEmulated {
  using Word = std::uint64_t;
  using Vec = EmulatedVec<kWords>;
  static constexpr std::size_t kWidth = kWords;

  template <class Function>
  static Vec map(const Function& function) {
    Vec r{};
    for (std::size_t i = 0; i < kWords; ++i) r[i] = function(i);
    return r;
  }

  [[gnu::noinline]] static Vec load(const Word* p) {
    return map([&](std::size_t i) { return p[i]; });
  }
  [[gnu::noinline]] static void store(Word* p, Vec v) { store_part(p, v, kWords); }
  [[gnu::noinline]] static Vec load_part(const Word* p, std::size_t count) {
    return map([&](std::size_t i) { return i < count ? p[i] : 0; });
  }
  [[gnu::noinline]] static void store_part(Word* p, Vec v, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) p[i] = v[i];
  }
  [[gnu::noinline]] static Vec broadcast(Word v) {
    return map([&](std::size_t) { return v; });
  }
  [[gnu::noinline]] static Vec add(Vec a, Vec b) {
    return map([&](std::size_t i) { return a[i] + b[i]; });
  }
  [[gnu::noinline]] static Vec sub(Vec a, Vec b) {
    return map([&](std::size_t i) { return a[i] - b[i]; });
  }
  [[gnu::noinline]] static Vec min(Vec a, Vec b) {
    return map([&](std::size_t i) { return a[i] < b[i] ? a[i] : b[i]; });
  }
  [[gnu::noinline]] static Vec bit_and(Vec a, Vec b) {
    return map([&](std::size_t i) { return a[i] & b[i]; });
  }
  [[gnu::noinline]] static Vec bit_xor(Vec a, Vec b) {
    return map([&](std::size_t i) { return a[i] ^ b[i]; });
  }
  [[gnu::noinline]] static Vec decrement_if_greater(Vec acc, Vec a, Vec b) {
    return map([&](std::size_t i) { return acc[i] - (a[i] > b[i] ? 1u : 0u); });
  }
  [[gnu::noinline]] static Vec above_mask(Vec a, Vec b) {
    return map([&](std::size_t i) { return a[i] > b[i] ? ~Word{0} : 0; });
  }
  [[gnu::noinline]] static bool any_greater(Vec a, Vec b) {
    bool any = false;
    for (std::size_t i = 0; i < kWords; ++i) any |= a[i] > b[i];
    return any;
  }
  [[gnu::noinline]] static Vec shift_left_by(Vec a, Vec counts) {
    return map([&](std::size_t i) { return counts[i] < 64 ? a[i] << counts[i] : 0; });
  }
  [[gnu::noinline]] static Vec shift_right_by(Vec a, Vec counts) {
    return map([&](std::size_t i) { return counts[i] < 64 ? a[i] >> counts[i] : 0; });
  }
  template <unsigned kCount>
  [[gnu::noinline]] static Vec shift_left(Vec a) {
    return map([&](std::size_t i) { return a[i] << kCount; });
  }
  template <unsigned kCount>
  [[gnu::noinline]] static Vec shift_right(Vec a) {
    return map([&](std::size_t i) { return a[i] >> kCount; });
  }

  static Word lower(Word a) { return a & 0xFFFFFFFFu; }
  static Word halves(Word low, Word high) { return lower(low) | high << 32; }
  [[gnu::noinline]] static Vec mul_32(Vec a, Vec b) {
    return map([&](std::size_t i) { return (a[i] & 0xFFFFFFFFu) * (b[i] & 0xFFFFFFFFu); });
  }
  [[gnu::noinline]] static Vec mul_lo_32(Vec a, Vec b) {
    return map([&](std::size_t i) { return halves(lower(a[i]) * lower(b[i]), (a[i] >> 32) * (b[i] >> 32)); });
  }
  [[gnu::noinline]] static Vec add_32(Vec a, Vec b) {
    return map([&](std::size_t i) { return halves(a[i] + b[i], (a[i] >> 32) + (b[i] >> 32)); });
  }
  [[gnu::noinline]] static Vec swap_halves(Vec a) {
    return map([&](std::size_t i) { return halves(a[i] >> 32, a[i]); });
  }
  [[gnu::noinline]] static Vec upper_halves(Vec a) {
    return map([&](std::size_t i) { return a[i] >> 32 << 32; });
  }
  [[gnu::noinline]] static Vec mul_lo(Vec a, Vec b) {
    return map([&](std::size_t i) { return a[i] * b[i]; });
  }
  [[gnu::noinline]] static Vec mul_hi(Vec a, Vec b) {
    return map([&](std::size_t i) { return static_cast<Word>((static_cast<u128>(a[i]) * b[i]) >> 64); });
  }
  [[gnu::noinline]] static Vec mul_hi_lower(Vec a, Vec b) {
    const Vec low = mul_32(a, b);
    return map(
        [&](std::size_t i) { return static_cast<Word>((static_cast<u128>(a[i]) * b[i] - low[i]) >> 64); });
  }
  [[gnu::noinline]] static Vec madd52_lo(Vec acc, Vec a, Vec b) {
    return map([&](std::size_t i) { return acc[i] + (static_cast<Word>(product52(a[i], b[i])) & kMask52); });
  }
  [[gnu::noinline]] static Vec madd52_hi(Vec acc, Vec a, Vec b) {
    return map([&](std::size_t i) { return acc[i] + static_cast<Word>(product52(a[i], b[i]) >> 52); });
  }
  [[gnu::noinline]] static Vec reduce_once(Vec x, Vec m) {
    return map([&](std::size_t i) { return x[i] >= m[i] ? x[i] - m[i] : x[i]; });
  }
  static Vec reduce_once_small(Vec x, Vec m) { return reduce_once(x, m); }
  /// Per word: x where the sign bit of `sign` is set, else y.
  static Vec select_by_sign(Vec sign, Vec x, Vec y) {
    return map([&](std::size_t i) { return sign[i] >> 63 != 0 ? x[i] : y[i]; });
  }
  [[gnu::noinline]] static Vec add_if_negative(Vec t, Vec m) {
    return map([&](std::size_t i) { return t[i] >> 63 != 0 ? t[i] + m[i] : t[i]; });
  }

  using Real = std::array<double, kWords>;
  template <class Function>
  static Real map_real(const Function& function) {
    Real r{};
    for (std::size_t i = 0; i < kWords; ++i) r[i] = function(i);
    return r;
  }
  [[gnu::noinline]] static Real real_broadcast(double v) {
    return map_real([&](std::size_t) { return v; });
  }
  [[gnu::noinline]] static Real to_real(Vec a) {
    return map_real([&](std::size_t i) { return static_cast<double>(a[i]); });
  }
  [[gnu::noinline]] static Vec from_real(Real a) {
    return map([&](std::size_t i) { return static_cast<Word>(static_cast<std::int64_t>(a[i])); });
  }
  [[gnu::noinline]] static Real real_add(Real a, Real b) {
    return map_real([&](std::size_t i) { return a[i] + b[i]; });
  }
  [[gnu::noinline]] static Real real_sub(Real a, Real b) {
    return map_real([&](std::size_t i) { return a[i] - b[i]; });
  }
  [[gnu::noinline]] static Real real_mul(Real a, Real b) {
    return map_real([&](std::size_t i) { return a[i] * b[i]; });
  }
  [[gnu::noinline]] static Real real_fma(Real a, Real b, Real c) {
    return map_real([&](std::size_t i) { return std::fma(a[i], b[i], c[i]); });
  }
  [[gnu::noinline]] static Real real_fms(Real a, Real b, Real c) {
    return map_real([&](std::size_t i) { return std::fma(a[i], b[i], -c[i]); });
  }
  [[gnu::noinline]] static Real real_fnma(Real a, Real b, Real c) {
    return map_real([&](std::size_t i) { return std::fma(-a[i], b[i], c[i]); });
  }
  [[gnu::noinline]] static Real real_floor(Real a) {
    return map_real([&](std::size_t i) { return std::floor(a[i]); });
  }
  [[gnu::noinline]] static Real real_round(Real a) {
    return map_real([&](std::size_t i) { return std::nearbyint(a[i]); });
  }
  [[gnu::noinline]] static Real bits_to_real(Vec a) {
    return map_real([&](std::size_t i) { return std::bit_cast<double>(a[i]); });
  }
  [[gnu::noinline]] static Vec real_to_bits(Real a) {
    return map([&](std::size_t i) { return std::bit_cast<Word>(a[i]); });
  }

 private:
  static constexpr Word kMask52 = (Word{1} << 52) - 1;
  static u128 product52(Word a, Word b) { return static_cast<u128>(a & kMask52) * (b & kMask52); }
};

/// kWords 32-bit words; 16 stands for AVX-512.
template <std::size_t kWords>
struct Lanes32Emulated {
  using Word = std::uint32_t;
  using Vec = EmulatedVec<kWords / 2>;
  using Wide = LanesEmulated<kWords / 2>;
  static constexpr std::size_t kWidth = kWords;

  static Word get(const Vec& v, std::size_t i) { return static_cast<Word>(v[i / 2] >> (32 * (i % 2))); }
  template <class Function>
  static Vec map(const Function& function) {
    Vec r{};
    for (std::size_t i = 0; i < kWords; ++i)
      r[i / 2] |= std::uint64_t{static_cast<Word>(function(i))} << (32 * (i % 2));
    return r;
  }

  [[gnu::noinline]] static Vec load(const Word* p) { return load_part(p, kWords); }
  [[gnu::noinline]] static void store(Word* p, Vec v) { store_part(p, v, kWords); }
  [[gnu::noinline]] static Vec load_part(const Word* p, std::size_t count) {
    return map([&](std::size_t i) { return i < count ? p[i] : 0; });
  }
  [[gnu::noinline]] static void store_part(Word* p, Vec v, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) p[i] = get(v, i);
  }
  [[gnu::noinline]] static Vec broadcast(Word v) {
    return map([&](std::size_t) { return v; });
  }
  [[gnu::noinline]] static Vec add(Vec a, Vec b) {
    return map([&](std::size_t i) { return get(a, i) + get(b, i); });
  }
  [[gnu::noinline]] static Vec sub(Vec a, Vec b) {
    return map([&](std::size_t i) { return get(a, i) - get(b, i); });
  }
  [[gnu::noinline]] static Vec min(Vec a, Vec b) {
    return map([&](std::size_t i) { return get(a, i) < get(b, i) ? get(a, i) : get(b, i); });
  }
  [[gnu::noinline]] static Vec mul_lo(Vec a, Vec b) {
    return map([&](std::size_t i) { return get(a, i) * get(b, i); });
  }
  [[gnu::noinline]] static Vec reduce_once(Vec x, Vec m) { return min(x, sub(x, m)); }
  [[gnu::noinline]] static Vec add_if_negative(Vec t, Vec m) { return min(t, add(t, m)); }
  [[gnu::noinline]] static Vec select_ge(Vec a, Vec b, Vec x, Vec y) {
    return map([&](std::size_t i) { return get(a, i) >= get(b, i) ? get(x, i) : get(y, i); });
  }
  [[gnu::noinline]] static Vec evens(Vec a) { return a; }
  [[gnu::noinline]] static Vec odds(Vec a) { return Wide::template shift_right<32>(a); }
  [[gnu::noinline]] static Vec iota() {
    return map([](std::size_t i) { return i; });
  }
  [[gnu::noinline]] static Vec bit_xor(Vec a, Vec b) { return Wide::bit_xor(a, b); }
  template <unsigned kCount>
  [[gnu::noinline]] static Vec rotate_left(Vec a) {
    return map([&](std::size_t i) { return (get(a, i) << kCount) | (get(a, i) >> (32 - kCount)); });
  }
  [[gnu::noinline]] static void transpose(Vec (&r)[kWords]) {
    Vec t[kWords];
    for (std::size_t j = 0; j < kWords; ++j) t[j] = map([&](std::size_t i) { return get(r[i], j); });
    for (std::size_t j = 0; j < kWords; ++j) r[j] = t[j];
  }
  [[gnu::noinline]] static Vec interleave(Vec even, Vec odd) {
    return map([&](std::size_t i) { return i % 2 == 0 ? get(even, i) : get(odd, i - 1); });
  }
};

}  // namespace nttforge::cpu
