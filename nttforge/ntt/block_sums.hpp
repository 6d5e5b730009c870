#pragma once

// Sums of products of words, one lane, reduced once: what block_products.hpp is made of. A product's left
// factor is left(a value of forward), a product with a table entry or negated(such a product), the right one
// right(a value of forward). docs/bounds/pair_products.md.

#include <cstdint>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/goldilocks_product.hpp"
#include "nttforge/ntt/products.hpp"

namespace nttforge {

/// v - m where v >= m, else v. A minimum, so compilers make it a conditional move.
NTTF_INLINE std::uint64_t minus_once(std::uint64_t v, std::uint64_t m) {
  const std::uint64_t t = v - m;
  return t < v ? t : v;
}

/// q < 2^62 if wide, else q < 2^60; values in [0, 4q), at most eight products -> [0, 2q), over 2^64.
template <bool wide>
class SumsOfWords {
 public:
  using Sum = u128;
  static constexpr unsigned kBits = 64, kLimitBits = wide ? 62 : 60;
  explicit NTTF_INLINE SumsOfWords(std::uint64_t q) : q_(q), q2_(2 * q), inverse_(inverse_of_odd(q)) {}

  NTTF_INLINE std::uint64_t left(std::uint64_t v) const { return wide ? minus_once(v, q2_) : v; }
  NTTF_INLINE std::uint64_t right(std::uint64_t v) const { return minus_once(minus_once(v, q2_), q_); }
  NTTF_INLINE std::uint64_t negated(std::uint64_t t) const { return q2_ - t; }
  static NTTF_INLINE void add(Sum& sum, std::uint64_t a, std::uint64_t b) { sum += static_cast<u128>(a) * b; }
  NTTF_INLINE std::uint64_t reduced(Sum x) const {
    const std::uint64_t factor = static_cast<std::uint64_t>(x) * inverse_;
    const auto low = static_cast<std::uint64_t>((static_cast<u128>(factor) * q_) >> 64);
    const auto high = static_cast<std::uint64_t>(x >> 64);  // below 2q, 4q if wide
    return minus_once((wide ? minus_once(high, q2_) : high) - low + q_, q2_);
  }

 private:
  std::uint64_t q_, q2_, inverse_;
};

/// q < 2^32, values in [0, q), at most eight products -> [0, q), over 2^64. Sums of one word: q < 2^30.
template <class SumWord>
class SumsOfHalfWords {
 public:
  using Sum = SumWord;
  static constexpr unsigned kBits = 64, kLimitBits = sizeof(Sum) > 8 ? 32 : 30;
  explicit NTTF_INLINE SumsOfHalfWords(std::uint64_t q) : q_(q), inverse_(inverse_of_odd(q)) {}

  NTTF_INLINE std::uint64_t negated(std::uint64_t t) const { return q_ - t; }
  static NTTF_INLINE std::uint64_t left(std::uint64_t v) { return v; }
  static NTTF_INLINE std::uint64_t right(std::uint64_t v) { return v; }
  static NTTF_INLINE void add(Sum& sum, std::uint64_t a, std::uint64_t b) { sum += a * b; }
  NTTF_INLINE std::uint64_t reduced(Sum x) const {
    const std::uint64_t factor = static_cast<std::uint64_t>(x) * inverse_;
    const auto low = static_cast<std::uint64_t>((static_cast<u128>(factor) * q_) >> 64);
    const std::uint64_t high = sizeof(Sum) > 8 ? static_cast<std::uint64_t>(static_cast<u128>(x) >> 64) : 0;
    return minus_once(high - low + q_, q_);
  }

 private:
  std::uint64_t q_, inverse_;
};

/// The Goldilocks prime p, values in [0, p), at most eight products -> [0, p).
class SumsOfGoldilocks {
 public:
  struct Sum {
    u128 low;
    std::uint64_t high;
  };
  static constexpr unsigned kBits = 0;
  explicit NTTF_INLINE SumsOfGoldilocks(std::uint64_t) {}

  static NTTF_INLINE std::uint64_t negated(std::uint64_t t) { return goldilocks::negate(t); }
  static NTTF_INLINE std::uint64_t left(std::uint64_t v) { return v; }
  static NTTF_INLINE std::uint64_t right(std::uint64_t v) { return v; }
  static NTTF_INLINE void add(Sum& sum, std::uint64_t a, std::uint64_t b) {
    sum.high += __builtin_add_overflow(sum.low, static_cast<u128>(a) * b, &sum.low);
  }
  static NTTF_INLINE std::uint64_t reduced(const Sum& x) {  // 2^128 = -2^32
    return goldilocks::sub(goldilocks::reduce128(x.low), x.high << 32);
  }
};

}  // namespace nttforge
