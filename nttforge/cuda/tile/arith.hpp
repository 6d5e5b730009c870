// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arithmetic of steps between bases as products of matrices: sums of digit times factor, each reduced once.
// An arithmetic has the words of the arrays, what a factor and a sum are, and
//
//   scaled(x, source)      x scale mod s, in [0, s)
//   digit(y), factor(c)    the two sides of a product, split where the arithmetic splits them
//   add(sum, y, c)         sum += y c
//   fold(sum, target)      a smaller sum, congruent modulo q
//   finish(sum, target)    the residue in [0, q)
//
// How many products a sum takes before it is folded: first_products and next_products of TileStep, which
// tile/tables.cpp computes from the moduli. docs/bounds/gpu_conversions.md

#include <cstdint>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/product/modulus.hpp"
#include "nttforge/cuda/step/rns_step.hpp"

namespace nttforge::cuda {

/// Odd moduli below 2^31 in words of 32 bits. Constants of a target are in Montgomery form, c 2^32 mod q, so
/// that a sum of products with them reduces to the sum itself ([Mon85]).
struct NarrowTiles {
  using Word = std::uint32_t;
  using Factor = std::uint32_t;
  using Digit = std::uint32_t;
  using Sum = std::uint64_t;
  static constexpr unsigned kMontgomeryBits = 32;

  struct alignas(16) Source {
    std::uint32_t q = 0, inverse = 0;  ///< s^-1 mod 2^32
    std::uint32_t scale = 0;           ///< in Montgomery form modulo s
    std::uint32_t weight = 0;          ///< in Montgomery form modulo p; as it is for p = 2^32
  };
  struct alignas(16) Target {
    std::uint32_t q = 0, inverse = 0, unit = 0;     ///< q^-1 mod 2^32; 2^32 mod q
    std::uint32_t own = 0, offset = 0, excess = 0;  ///< in Montgomery form
    std::uint32_t unused[2] = {};
  };

  /// x / 2^32 mod q for x < 2^32 q.
  static NTTF_HD std::uint32_t reduced(std::uint64_t x, std::uint32_t q, std::uint32_t inverse) {
    const std::uint32_t factor = static_cast<std::uint32_t>(x) * inverse;
    const auto back = static_cast<std::uint32_t>((std::uint64_t{factor} * q) >> 32);
    const std::uint32_t r = static_cast<std::uint32_t>(x >> 32) - back, other = r + q;
    return r < other ? r : other;
  }
  static NTTF_HD Word scaled(Word x, const Source& s) {
    return reduced(std::uint64_t{x} * s.scale, s.q, s.inverse);
  }
  static NTTF_HD Digit digit(Word y) { return y; }
  static NTTF_HD Factor factor(Word c) { return c; }
  static NTTF_HD void add(Sum& sum, Digit y, Factor c) { sum += std::uint64_t{y} * c; }
  static NTTF_HD void fold(Sum& sum, const Target& t) {
    sum = (sum >> 32) * t.unit + static_cast<std::uint32_t>(sum);
  }
  static NTTF_HD Word finish(Sum sum, const Target& t) {
    fold(sum, t);
    return reduced(sum, t.q, t.inverse);
  }
};

/// Constants of both arithmetics of 64-bit words.
struct alignas(16) WideSource {
  std::uint64_t q = 0, scale = 0;
  std::uint64_t quotient = 0;  ///< floor(scale 2^64 / q)
  std::uint64_t weight = 0;
};
struct alignas(16) WideTarget {
  WideModulus<std::uint64_t> modulus{};
  std::uint64_t own = 0, offset = 0, excess = 0, unit = 1;
};
/// [Har14]: the quotient is exact or one short.
NTTF_HD std::uint64_t scaled_word(std::uint64_t x, const WideSource& s) {
  const auto quotient = static_cast<std::uint64_t>((u128{x} * s.quotient) >> 64);
  const std::uint64_t y = x * s.scale - quotient * s.q;
  return y >= s.q ? y - s.q : y;
}

/// Odd moduli below 2^52: factors in halves of 26 bits, so that a product is three of 32 by 32 bits in sums
/// that take a thousand of them without a carry ([KO62]): low low, high high, (low + high) (low + high).
/// Constants of a target are in Montgomery form, c 2^64 mod q.
struct SplitTiles {
  using Word = std::uint64_t;
  struct Halves {
    std::uint32_t low = 0, high = 0;
  };
  using Factor = Halves;
  using Digit = Halves;
  struct Sum {
    std::uint64_t low = 0, high = 0, both = 0;
  };
  using Source = WideSource;
  struct alignas(16) Target {
    std::uint64_t q = 0, inverse = 0, unit = 0;     ///< q^-1 mod 2^64; 2^64 mod q
    std::uint64_t own = 0, offset = 0, excess = 0;  ///< in Montgomery form
  };
  static constexpr unsigned kMontgomeryBits = 64, kHalf = 26, kModulusBits = 2 * kHalf, kProducts = 1000;

  static NTTF_HD Word scaled(Word x, const Source& s) { return scaled_word(x, s); }
  static NTTF_HD Halves digit(Word y) {
    return {static_cast<std::uint32_t>(y) & ((1u << kHalf) - 1), static_cast<std::uint32_t>(y >> kHalf)};
  }
  static NTTF_HD Halves factor(Word c) { return digit(c); }
  static NTTF_HD void add(Sum& sum, Halves y, Halves c) {
    sum.low += std::uint64_t{y.low} * c.low;
    sum.high += std::uint64_t{y.high} * c.high;
    sum.both += std::uint64_t{y.low + y.high} * (c.low + c.high);
  }
  static NTTF_HD void fold(Sum&, const Target&) {}
  static NTTF_HD Word finish(const Sum& sum, const Target& t) {
    const std::uint64_t cross = sum.both - sum.low - sum.high;
    const u128 x = u128{sum.low} + (u128{cross} << kHalf) + (u128{sum.high} << (2 * kHalf));
    const std::uint64_t factor = static_cast<std::uint64_t>(x) * t.inverse;
    const auto back = static_cast<std::uint64_t>((u128{factor} * t.q) >> 64);
    const std::uint64_t r = static_cast<std::uint64_t>(x >> 64) - back, other = r + t.q;
    return r < other ? r : other;
  }
};

/// Moduli below 2^62: sums of 128 bits.
struct WholeTiles {
  using Word = std::uint64_t;
  using Factor = std::uint64_t;
  using Digit = std::uint64_t;
  using Sum = u128;
  using Source = WideSource;
  using Target = WideTarget;
  static constexpr unsigned kMontgomeryBits = 0;  ///< constants are as they are

  static NTTF_HD Word scaled(Word x, const Source& s) { return scaled_word(x, s); }
  static NTTF_HD Digit digit(Word y) { return y; }
  static NTTF_HD Factor factor(Word c) { return c; }
  static NTTF_HD void add(Sum& sum, Digit y, Factor c) { sum += u128{y} * c; }
  static NTTF_HD void fold(Sum& sum, const Target& t) { sum = reduce_wide(sum, t.modulus); }
  static NTTF_HD Word finish(Sum sum, const Target& t) { return reduce_wide(sum, t.modulus); }
};

}  // namespace nttforge::cuda
