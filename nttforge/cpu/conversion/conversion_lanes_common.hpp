// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "nttforge/rns/kernels.hpp"

namespace nttforge {
namespace {

template <class Word, std::size_t kBytes>
struct VectorOf {
  typedef Word Type __attribute__((vector_size(kBytes)));
};

/// What vectors of words do in the same way for every class of moduli; base of the lanes of
/// conversion_rows.hpp.
template <class L>
struct ConversionLanes {
  static constexpr std::size_t kWidth = L::kWidth;
  using Vector = typename L::Vec;

  static NTTF_INLINE Vector load(const std::uint64_t* p) { return L::load(p); }
  /// Words of 32 bits, widened.
  static NTTF_INLINE Vector load(const std::uint32_t* p) {
    using Narrow = typename VectorOf<std::uint32_t, 4 * kWidth>::Type;
    using Wide = typename VectorOf<std::uint64_t, 8 * kWidth>::Type;
    static_assert(sizeof(Wide) == sizeof(Vector));
    Narrow words;
    std::memcpy(&words, p, sizeof words);
    const Wide wide = __builtin_convertvector(words, Wide);
    Vector result;
    std::memcpy(&result, &wide, sizeof result);
    return result;
  }
  static NTTF_INLINE void store(std::uint64_t* p, Vector v) { L::store(p, v); }
  static NTTF_INLINE Vector broadcast(std::uint64_t v) { return L::broadcast(v); }
  static NTTF_INLINE Vector pick(const std::uint64_t* block, const std::uint32_t* index)
    requires requires { L::pick(block, index); }
  {
    return L::pick(block, index);
  }
  static NTTF_INLINE Vector add(Vector a, Vector b) { return L::add(a, b); }
  static NTTF_INLINE Vector low32(Vector x) { return L::bit_and(x, L::broadcast(0xFFFFFFFFu)); }
  static NTTF_INLINE Vector multiply_low32(Vector x, std::uint32_t c) {
    return L::mul_32(x, L::broadcast(c));
  }
  static NTTF_INLINE Vector shift_right_by(Vector x, Vector bits) { return L::shift_right_by(x, bits); }
  /// x in [0, q), small in (-q, q): the sum is in (-q, 2q).
  static NTTF_INLINE Vector add_signed(Vector x, Vector small, Vector q) {
    return L::reduce_once(L::add_if_negative(L::add(x, small), q), q);
  }
  /// -v mod q where bit `position` of the index is set, else v.
  static NTTF_INLINE Vector negate_if_bit(Vector v, Vector index, Vector position, Vector q) {
    const Vector bit = L::bit_and(L::shift_right_by(index, position), L::broadcast(1));
    const Vector mask = L::sub(L::broadcast(0), bit);
    const Vector opposite = L::reduce_once(L::sub(q, v), q);
    return L::bit_xor(v, L::bit_and(L::bit_xor(v, opposite), mask));
  }
};

}  // namespace
}  // namespace nttforge
