#pragma once

// Operations on single residues and their order, one thread an element: written once, run on the device
// (elementwise.cu) and on the host. They move more bytes than they compute, so nothing here is tuned for
// arithmetic.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "nttforge/base/macros.hpp"
#include "nttforge/cuda/block.hpp"

namespace nttforge::cuda {

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
  if (m.ratio == 0) {  // 2^64 = 2^32 - 1, 2^96 = -1
    const std::uint64_t high = static_cast<std::uint64_t>(product >> 64), small = 0xFFFFFFFFu;
    const std::uint64_t top = high >> 32, middle = (high & small) * small;
    std::uint64_t r = low - top;
    if (low < top) r -= small;
    const std::uint64_t sum = r + middle;
    r = sum < r ? sum + small : sum;
    return r >= m.q ? r - m.q : r;
  }
  const auto t = static_cast<std::uint64_t>(product >> (m.bits - 1));
  const auto quotient = static_cast<std::uint64_t>((static_cast<u128>(t) * m.ratio) >> (m.bits + 1));
  std::uint64_t r = low - quotient * m.q;
  r = r >= 2 * m.q ? r - 2 * m.q : r;
  return r >= m.q ? r - m.q : r;
}

/// The same for q < 2^32: the quotient by floor(2^64 / q) is at most 1 too small.
NTTF_HD std::uint32_t product_mod(std::uint32_t a, std::uint32_t b, const ProductModulus<std::uint32_t>& m) {
  const std::uint64_t product = static_cast<std::uint64_t>(a) * b;
  const auto quotient = static_cast<std::uint64_t>((static_cast<u128>(product) * m.ratio) >> 64);
  const std::uint64_t r = product - quotient * m.q;
  return static_cast<std::uint32_t>(r >= m.q ? r - m.q : r);
}

NTTF_HD std::uint32_t reversed(std::uint32_t index, unsigned log_n) {
#ifdef __CUDA_ARCH__
  return log_n == 0 ? 0 : __brev(index) >> (32 - log_n);
#else
  std::uint32_t out = 0;
  for (unsigned bit = 0; bit < log_n; ++bit) out |= ((index >> bit) & 1u) << (log_n - 1 - bit);
  return out;
#endif
}

/// What every operation works on: [rows][n] with rows = batch * limbs.
template <class Word>
struct Rows {
  const ProductModulus<Word>* moduli = nullptr;
  std::uint32_t limb_count = 0;
  std::uint32_t rows = 0;
  std::uint32_t log_n = 0;
};

/// out = a b, or out += a b.
template <class Word, bool kAccumulate>
struct Multiply {
  using Value = Word;
  Rows<Word> shape;
  const Word* a;
  const Word* b;
  Word* out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const ProductModulus<Word> m = shape.moduli[row % shape.limb_count];
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    Word value = product_mod(a[at], b[at], m);
    if constexpr (kAccumulate) {
      const Word before = out[at], sum = static_cast<Word>(value + before);
      value = sum < before || sum >= m.q ? static_cast<Word>(sum - m.q) : sum;
    }
    out[at] = value;
  }
};

/// Bit reversal of each row, in place or not.
template <class Word>
struct Permute {
  using Value = Word;
  Rows<Word> shape;
  const Word* in;
  Word* out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t base = std::size_t{row} << shape.log_n;
    const std::uint32_t other = reversed(column, shape.log_n);
    if (in != out) {
      out[base + column] = in[base + other];
    } else if (column < other) {
      const Word x = out[base + column], y = out[base + other];
      out[base + column] = y;
      out[base + other] = x;
    }
  }
};

/// The least position of a word that is not below its modulus; `found` begins as all ones.
template <class Word>
struct FindUnreduced {
  using Value = Word;
  Rows<Word> shape;
  const Word* x;
  unsigned long long* found;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    if (x[at] < shape.moduli[row % shape.limb_count].q) return;
#ifdef __CUDA_ARCH__
    atomicMin(found, static_cast<unsigned long long>(at));
#else
    if (at < *found) *found = at;
#endif
  }
};

/// Enqueues the operation for every element; returns a CUDA error code.
template <class Operation>
int enqueue(const Operation& operation, void* stream);
/// Does it on the host.
template <class Operation>
int each_on_host(const Operation& operation) {
  const std::uint32_t n = std::uint32_t{1} << operation.shape.log_n;
  for (std::uint32_t row = 0; row < operation.shape.rows; ++row) {
    for (std::uint32_t column = 0; column < n; ++column) operation(row, column);
  }
  return 0;
}

#define NTTF_ELEMENTWISE_OF_WORD(apply, Word) \
  apply(Multiply<Word, false>) apply(Multiply<Word, true>) apply(Permute<Word>) apply(FindUnreduced<Word>)
#define NTTF_ELEMENTWISE(apply) \
  NTTF_ELEMENTWISE_OF_WORD(apply, std::uint64_t) NTTF_ELEMENTWISE_OF_WORD(apply, std::uint32_t)

}  // namespace nttforge::cuda
