// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "nttforge/arith/odd_inverse.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/macros.hpp"

namespace nttforge {

/// Montgomery multiplication [Mon85] with R = 2^64 or 2^32: products of residues kept in the form a
/// R mod q, without division and without a constant per factor. Odd 3 <= q < R / 4, so that values may stay
/// lazily in [0, 2q) from product to product (docs/bounds/montgomery.md). Time does not depend on the values.
template <class Word>
class Montgomery {
  static_assert(std::is_same_v<Word, std::uint64_t> || std::is_same_v<Word, std::uint32_t>);

 public:
  using Wide = std::conditional_t<std::is_same_v<Word, std::uint64_t>, u128, std::uint64_t>;
  static constexpr unsigned kWordBits = 8 * sizeof(Word);
  static constexpr unsigned kMaxBits = kWordBits - 2;

  /// throws ParameterError unless q is odd and 3 <= q < 2^62 (2^30).
  explicit Montgomery(Word q) : q_(q) {
    if (q % 2 == 0 || q < 3 || q >> kMaxBits != 0) {
      throw ParameterError("q = " + std::to_string(q) + " has no Montgomery form of " +
                           std::to_string(kWordBits) + " bits: need q odd and 3 <= q < 2^" +
                           std::to_string(kMaxBits) + "; use Barrett or a wider word");
    }
    inverse_ = inverse_of_odd(q);
    const Word r = static_cast<Word>((Wide{1} << kWordBits) % q);
    r_squared_ = static_cast<Word>(Wide{r} * r % q);
  }

  Word value() const { return q_; }
  Word one() const { return from_lazy(reduce_lazy(r_squared_)); }

  /// a in [0, q) -> a R mod q in [0, q), and back.
  NTTF_INLINE Word to_form(Word a) const { return mul(a, r_squared_); }
  NTTF_INLINE Word from_form(Word a) const { return from_lazy(reduce_lazy(a)); }

  /// a b / R mod q; a, b in [0, 2q) -> [0, q).
  NTTF_INLINE Word mul(Word a, Word b) const { return from_lazy(mul_lazy(a, b)); }
  /// a, b in [0, 2q) -> [0, 2q).
  NTTF_INLINE Word mul_lazy(Word a, Word b) const { return reduce_lazy(static_cast<Wide>(Wide{a} * b)); }

  /// x in [0, q R) -> x / R mod q in [1, 2q).
  NTTF_INLINE Word reduce_lazy(Wide x) const {
    const Word m = static_cast<Word>(static_cast<Word>(x) * inverse_);
    const Word high =
        static_cast<Word>(static_cast<Wide>(Wide{m} * q_) >> kWordBits);  // lower words of x and m q agree
    return static_cast<Word>(static_cast<Word>(x >> kWordBits) - high + q_);
  }
  /// [0, 2q) -> [0, q).
  NTTF_INLINE Word from_lazy(Word x) const {
    return static_cast<Word>(x - (q_ & static_cast<Word>(Word{0} - static_cast<Word>(x >= q_))));
  }

 private:
  Word q_;
  Word inverse_ = 0;    // q^-1 mod R
  Word r_squared_ = 0;  // R^2 mod q
};

}  // namespace nttforge
