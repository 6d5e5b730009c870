// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/arith/row_modulus.hpp"
#include "nttforge/cpu/lanes/lanes_pair.hpp"
#include "nttforge/cpu/lanes/lanes_wasm.hpp"

// Include only from *_wasm.cpp. Sums of products of four 32-bit words, and products, modulo q < 2^30: SIMD128
// multiplies the lower and the upper two words of registers, so words stay beside each other
//
//   | a0 a1 a2 a3 | x | b0 b1 b2 b3 |  ->  low | a0 b0, a1 b1 |  high | a2 b2, a3 b3 |
//
// where row_ops_kernels32.hpp takes those at even and at odd positions apart. Bounds: docs/bounds/sums.md,
// barrett.md, for the same integers.

namespace nttforge::cpu {
namespace {

/// Four 64-bit words in two registers.
struct FourWords : PairOfAny<LanesWasm> {
  using L = LanesWasm;
  static NTTF_INLINE Vec bit_and(const Vec& a, const Vec& b) {
    return {L::bit_and(a.low, b.low), L::bit_and(a.high, b.high)};
  }
  static NTTF_INLINE Vec mul_32(const Vec& a, const Vec& b) {
    return {L::mul_32(a.low, b.low), L::mul_32(a.high, b.high)};
  }
  static NTTF_INLINE Vec shift_right_by(const Vec& a, const Vec& counts) {
    return {L::shift_right_by(a.low, counts.low), L::shift_right_by(a.high, counts.high)};
  }
  static NTTF_INLINE Vec add_if_negative(const Vec& t, const Vec& m) {
    return {L::add_if_negative(t.low, m.low), L::add_if_negative(t.high, m.high)};
  }
};

struct SumsWasm {
  using L = Lanes32Wasm;
  using Vec = L::Vec;
  using Factor = Vec;
  struct Sum {
    Vec low, high;
  };
  struct Constants {
    Vec q, q2, power, power_quotient, one_quotient;
  };
  static NTTF_INLINE Constants constants(const RowModulus& m) { return constants(m.q, m.one_quotient); }
  /// ratio = floor(2^64 / q)
  static NTTF_INLINE Constants constants(std::uint64_t q, std::uint64_t ratio) {
    const std::uint64_t power = (std::uint64_t{1} << 32) % q;
    return {word(q), word(2 * q), word(power), word((power << 32) / q), word(ratio >> 32)};
  }
  static NTTF_INLINE Sum start(Vec v) {
    return {wasm_u64x2_extend_low_u32x4(v), wasm_u64x2_extend_high_u32x4(v)};
  }
  static NTTF_INLINE Factor factor(Vec v) { return v; }
  static NTTF_INLINE void add_product(Sum& sum, Vec a, Vec b) {
    sum.low = wasm_i64x2_add(sum.low, wasm_u64x2_extmul_low_u32x4(a, b));
    sum.high = wasm_i64x2_add(sum.high, wasm_u64x2_extmul_high_u32x4(a, b));
  }
  static NTTF_INLINE void add_product(Sum& sum, Vec a, Vec b, const Constants&) { add_product(sum, a, b); }
  /// Any sum a 2^32 + b of 64 bits, as Sums30 reduces it: r in [0, 4q), right modulo 2^32, which holds 4q.
  static NTTF_INLINE Vec reduce(const Sum& sum, const Constants& c) {
    const Vec a = wasm_i32x4_shuffle(sum.low, sum.high, 1, 3, 5, 7);
    const Vec b = wasm_i32x4_shuffle(sum.low, sum.high, 0, 2, 4, 6);
    const Vec estimate = L::add(L::mul_hi(a, c.power_quotient), L::mul_hi(b, c.one_quotient));
    const Vec r = L::sub(L::add(L::mul_lo(a, c.power), b), L::mul_lo(estimate, c.q));
    return L::reduce_once(L::reduce_once(r, c.q2), c.q);
  }

 private:
  static NTTF_INLINE Vec word(std::uint64_t v) { return L::broadcast(static_cast<std::uint32_t>(v)); }
};

/// 64-bit words below 2^32 in memory, packed where they are computed with.
struct PackedWords {
  using Word = std::uint64_t;
  using Vec = v128_t;
  static constexpr std::size_t kWidth = 4;

  static NTTF_INLINE Vec load(const Word* p) { return pack(wasm_v128_load(p), wasm_v128_load(p + 2)); }
  static NTTF_INLINE void store(Word* p, Vec v) {
    wasm_v128_store(p, wasm_u64x2_extend_low_u32x4(v));
    wasm_v128_store(p + 2, wasm_u64x2_extend_high_u32x4(v));
  }
  static NTTF_INLINE Vec load_part(const Word* p, std::size_t count) {
    Word part[kWidth] = {};
    for (std::size_t i = 0; i < kWidth && i < count; ++i) part[i] = p[i];
    return load(part);
  }
  static NTTF_INLINE void store_part(Word* p, Vec v, std::size_t count) {
    Word part[kWidth];
    store(part, v);
    for (std::size_t i = 0; i < kWidth && i < count; ++i) p[i] = part[i];
  }
  static NTTF_INLINE Vec broadcast(Word v) { return wasm_u32x4_splat(static_cast<std::uint32_t>(v)); }
  static NTTF_INLINE Vec pack(Vec low, Vec high) { return wasm_i32x4_shuffle(low, high, 0, 2, 4, 6); }
};

/// Barrett30 of row_ops_kernels32.hpp.
struct BarrettWasm {
  using L = Lanes32Wasm;
  using Vec = L::Vec;
  Vec q, q2, mu;
  unsigned shift;

  explicit NTTF_INLINE BarrettWasm(const RowModulus& m)
      : q(L::broadcast(static_cast<std::uint32_t>(m.q))),
        q2(L::broadcast(static_cast<std::uint32_t>(2 * m.q))),
        mu(L::broadcast(static_cast<std::uint32_t>(m.ratio_high >> (34 - bits(m.q))))),
        shift(bits(m.q) - 2) {}
  NTTF_INLINE Vec add(Vec a, Vec b) const { return L::reduce_once(L::add(a, b), q); }
  NTTF_INLINE Vec sub(Vec a, Vec b) const {
    const Vec t = L::sub(a, b);
    return L::min(t, L::add(t, q));
  }
  NTTF_INLINE Vec negate(Vec a) const { return L::reduce_once(L::sub(q, a), q); }
  NTTF_INLINE Vec mul(Vec a, Vec b) const {
    const Vec upper =
        wasm_i32x4_shuffle(wasm_u64x2_shr(wasm_u64x2_extmul_low_u32x4(a, b), shift),
                           wasm_u64x2_shr(wasm_u64x2_extmul_high_u32x4(a, b), shift), 0, 2, 4, 6);
    const Vec r = L::sub(L::mul_lo(a, b), L::mul_lo(L::mul_hi(upper, mu), q));
    return L::reduce_once(L::reduce_once(r, q2), q);
  }

 private:
  static NTTF_INLINE unsigned bits(std::uint64_t q) { return 64 - static_cast<unsigned>(__builtin_clzll(q)); }
};

}  // namespace
}  // namespace nttforge::cpu
