// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "nttforge/arith/barrett.hpp"
#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/base/macros.hpp"
#include "nttforge/cuda/block/block.hpp"

namespace nttforge::cuda {

/// Limbs for which arguments of kernels have room.
inline constexpr std::size_t kMostLimbs = 72;

/// A modulus for products of two residues.
template <class Word>
struct ProductModulus {
  Word q = 0;
  std::uint64_t ratio =
      0;  ///< 64 bits: floor(2^(2 bits) / q), 0 for the Goldilocks prime; 32 bits: floor(2^64 / q)
  unsigned bits = 0;  ///< of q
};

template <class Word>
inline ProductModulus<Word> make_product_modulus(std::uint64_t q) {
  ProductModulus<Word> m;
  m.q = static_cast<Word>(q);
  m.bits = static_cast<unsigned>(std::bit_width(q));
  if constexpr (sizeof(Word) == 4) {
    m.ratio = static_cast<std::uint64_t>((u128{1} << 64) / q);
  } else if (m.bits < 64) {
    m.ratio = static_cast<std::uint64_t>((u128{1} << (2 * m.bits)) / q);
  }
  return m;
}

/// a b mod q for a, b < q. [Bar86] with b = bits of q: t = floor(a b / 2^(b-1)) < 2^(b+1) and ratio <
/// 2^(b+1), so floor(t ratio / 2^(b+1)) is at most 2 below the quotient; q < 2^62. docs/bounds/barrett.md
NTTF_HD std::uint64_t product_mod(std::uint64_t a, std::uint64_t b, const ProductModulus<std::uint64_t>& m) {
  const u128 product = static_cast<u128>(a) * b;
  const auto low = static_cast<std::uint64_t>(product);
  if (m.ratio == 0) return goldilocks::reduce128(product);
  const auto t = static_cast<std::uint64_t>(product >> (m.bits - 1));
  const auto quotient = static_cast<std::uint64_t>((static_cast<u128>(t) * m.ratio) >> (m.bits + 1));
  std::uint64_t r = low - quotient * m.q;
  r = r >= 2 * m.q ? r - 2 * m.q : r;
  return r >= m.q ? r - m.q : r;
}

/// a b mod q for q < 2^32.
NTTF_HD std::uint32_t product_mod(std::uint32_t a, std::uint32_t b, const ProductModulus<std::uint32_t>& m) {
  return static_cast<std::uint32_t>(barrett_reduce(static_cast<std::uint64_t>(a) * b, m.q, m.ratio));
}

/// a + b and a - b modulo q, a, b < q, any q.
template <class Word>
NTTF_HD Word sum_mod(Word a, Word b, Word q) {
  const Word rest = q - b;
  return a >= rest ? a - rest : a + b;
}
template <class Word>
NTTF_HD Word difference_mod(Word a, Word b, Word q) {
  return a >= b ? a - b : a + (q - b);
}

}  // namespace nttforge::cuda
