// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/arith/upper_product.hpp"
#include "nttforge/rns/kernels.hpp"

namespace nttforge {
namespace {

/// One coefficient at a time, moduli and values below 2^62. Sums are 128-bit words.
struct ScalarLanes {
  static constexpr std::size_t kWidth = 1;
  static constexpr std::size_t kVectors = 4;
  static constexpr std::size_t kOutputs = 1;
  static constexpr std::size_t kDigits = 2;
  static constexpr bool kPrepares = false;
  static constexpr unsigned kSumBits = 128;
  using Vector = std::uint64_t;
  using Sum = u128;
  using Factor = std::uint64_t;
  using Constants = const RowModulus*;

  static NTTF_INLINE Vector load(const std::uint64_t* p) { return *p; }
  static NTTF_INLINE Vector load(const std::uint32_t* p) { return *p; }
  static NTTF_INLINE void store(std::uint64_t* p, Vector v) { *p = v; }
  static NTTF_INLINE Vector broadcast(std::uint64_t v) { return v; }
  static NTTF_INLINE Constants constants(const RowModulus& m) { return &m; }

  static NTTF_INLINE Sum start(Vector v) { return v; }
  static NTTF_INLINE Factor factor(Vector v) { return v; }
  static NTTF_INLINE Factor factor_of(std::uint64_t c) { return c; }
  static NTTF_INLINE void add_product(Sum& sum, Factor a, Factor b) { sum += static_cast<u128>(a) * b; }
  static constexpr unsigned kUpperBits = 0;
  /// sum = a 2^64 + b: one quotient estimate for both parts, at most 3 too small
  /// (docs/bounds/conversion64.md).
  static NTTF_INLINE Vector reduce(const Sum& sum, Constants m) {
    const auto a = static_cast<std::uint64_t>(sum >> 64), b = static_cast<std::uint64_t>(sum);
    const std::uint64_t quotient = upper_product(a, m->pow64.quotient) + upper_product(b, m->one_quotient);
    const std::uint64_t r = a * m->pow64.value + b - quotient * m->q;
    return once(once(r, 2 * m->q), m->q);
  }

  /// Any word: the estimate is at most one too small.
  static NTTF_INLINE Vector reduce_word(Vector x, Constants m) {
    return once(x - upper_product(x, m->one_quotient) * m->q, m->q);
  }

  struct Scale {
    ShoupConstant w;
    std::uint64_t q;
  };
  static NTTF_INLINE Scale scale(const ScaleRow& row) { return {row.w, row.modulus.q}; }
  static NTTF_INLINE Vector multiply(Vector x, const Scale& s) { return mul_shoup(x, s.w, s.q); }

  static NTTF_INLINE Vector multiply_low32(Vector x, std::uint32_t c) {
    return static_cast<std::uint32_t>(static_cast<std::uint32_t>(x) * c);
  }
  static NTTF_INLINE Vector add(Vector a, Vector b) { return a + b; }
  /// x in [0, q), small in (-q, q): the sum is in (-q, 2q).
  static NTTF_INLINE Vector add_signed(Vector x, Vector small, Vector q) {
    std::uint64_t sum = x + small;
    sum += q & (std::uint64_t{0} - (sum >> 63));
    sum -= q;
    return sum + (q & (std::uint64_t{0} - (sum >> 63)));
  }
  static NTTF_INLINE Vector negate_if_bit(Vector v, Vector index, Vector position, Vector q) {
    const std::uint64_t mask = std::uint64_t{0} - ((index >> position) & 1);
    const std::uint64_t opposite = (q - v) & (std::uint64_t{0} - static_cast<std::uint64_t>(v != 0));
    return v ^ ((v ^ opposite) & mask);
  }
  static NTTF_INLINE Vector low32(Vector x) { return static_cast<std::uint32_t>(x); }

 private:
  /// A minimum, so compilers make it a conditional move.
  static NTTF_INLINE std::uint64_t once(std::uint64_t v, std::uint64_t m) { return v - m < v ? v - m : v; }
};

}  // namespace
}  // namespace nttforge
