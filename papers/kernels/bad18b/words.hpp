// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/cuda/elementwise/elementwise.hpp"

// Integers of many 32-bit words in one thread, least word first, as [Bad18b] computes with them: native
// remainders of 64 by 32 bits, carries in 64-bit sums. The same code runs on the host.

namespace nttforge::cuda::bad18b {

using Word = std::uint32_t;
using Wide = std::uint64_t;

/// [rows][2^log_n] threads, as enqueue() of nttforge/cuda/elementwise takes them.
struct Shape {
  std::uint32_t rows = 0;
  std::uint32_t log_n = 0;
};

/// x mod p, one remainder a word; p < 2^32.
NTTF_HD Word mod_single(const Word* x, unsigned words, Word p) {
  Wide r = 0;
  for (unsigned i = words; i-- > 0;) r = ((r << 32) | x[i]) % p;
  return static_cast<Word>(r);
}

/// x += factor k, k of `count` <= words words. The sum fits.
NTTF_HD void add_product(Word* x, unsigned words, const Word* k, unsigned count, Word factor) {
  Wide carry = 0;
  for (unsigned i = 0; i < count; ++i) {
    carry += Wide{k[i]} * factor + x[i];
    x[i] = static_cast<Word>(carry);
    carry >>= 32;
  }
  for (unsigned i = count; i < words; ++i) {
    carry += x[i];
    x[i] = static_cast<Word>(carry);
    carry >>= 32;
  }
}

/// x = x factor, whose lowest word is added `low`; the carry out of the highest word.
NTTF_HD Word multiply_single(Word* x, unsigned words, Word factor, Word low) {
  Wide carry = low;
  for (unsigned i = 0; i < words; ++i) {
    carry += Wide{x[i]} * factor;
    x[i] = static_cast<Word>(carry);
    carry >>= 32;
  }
  return static_cast<Word>(carry);
}

NTTF_HD bool less(const Word* a, const Word* b, unsigned words) {
  for (unsigned i = words; i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i];
  }
  return false;
}

/// x -= y.
NTTF_HD void subtract(Word* x, const Word* y, unsigned words) {
  Wide borrow = 0;
  for (unsigned i = 0; i < words; ++i) {
    const Wide difference = Wide{x[i]} - y[i] - borrow;
    x[i] = static_cast<Word>(difference);
    borrow = difference >> 63;
  }
}

/// x = y - x, x <= y.
NTTF_HD void subtract_from(Word* x, const Word* y, unsigned words) {
  Wide borrow = 0;
  for (unsigned i = 0; i < words; ++i) {
    const Wide difference = Wide{y[i]} - x[i] - borrow;
    x[i] = static_cast<Word>(difference);
    borrow = difference >> 63;
  }
}

NTTF_HD void shift_left(Word* x, unsigned words, unsigned bits) {
  if (bits == 0) return;
  for (unsigned i = words; i-- > 0;) x[i] = x[i] << bits | (i == 0 ? 0 : x[i - 1] >> (32 - bits));
}
NTTF_HD void shift_right(Word* x, unsigned words, unsigned bits) {
  if (bits == 0) return;
  for (unsigned i = 0; i < words; ++i) x[i] = x[i] >> bits | (i + 1 == words ? 0 : x[i + 1] << (32 - bits));
}

/// x = x mod m by [MVOV96] Alg. 14.20: x of words + 1 words, its highest below m's, m of m_words <= words
/// words with its highest bit set. quotient: null, or words - m_words + 1 words.
NTTF_HD void divide(Word* x, unsigned words, const Word* m, unsigned m_words, Word* quotient) {
  const Word top = m[m_words - 1], second = m_words > 1 ? m[m_words - 2] : 0;
  for (unsigned j = words - m_words + 1; j-- > 0;) {
    Word* const part = x + j;
    const Wide high = (Wide{part[m_words]} << 32) | part[m_words - 1];
    const Word next = m_words > 1 ? part[m_words - 2] : 0;
    Wide q = high / top, r = high % top;
    while (q >> 32 != 0 || q * second > ((r << 32) | next)) {
      --q;
      r += top;
      if (r >> 32 != 0) break;
    }
    Wide borrow = 0, carry = 0;
    for (unsigned i = 0; i < m_words; ++i) {
      carry += q * m[i];
      const Wide difference = Wide{part[i]} - static_cast<Word>(carry) - borrow;
      part[i] = static_cast<Word>(difference);
      borrow = difference >> 63;
      carry >>= 32;
    }
    const Wide difference = Wide{part[m_words]} - carry - borrow;
    part[m_words] = static_cast<Word>(difference);
    if (difference >> 63 != 0) {  // q was one too large, which happens about twice in 2^32 times
      --q;
      Wide sum = 0;
      for (unsigned i = 0; i < m_words; ++i) {
        sum += Wide{part[i]} + m[i];
        part[i] = static_cast<Word>(sum);
        sum >>= 32;
      }
      part[m_words] += static_cast<Word>(sum);
    }
    if (quotient != nullptr) quotient[j] = static_cast<Word>(q);
  }
}

/// The upper 64 bits of a product.
NTTF_HD Wide high_product(Wide a, Wide b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  return static_cast<Wide>((static_cast<u128>(a) * b) >> 64);
#endif
}
/// x mod p for any x; reciprocal = floor(2^64 / p).
NTTF_HD Word barrett(Wide x, Word p, Wide reciprocal) {
  const Wide r = x - high_product(x, reciprocal) * p;
  return static_cast<Word>(r >= p ? r - p : r);
}
/// x w mod p in [0, 2p) for any word x: [Har14]; quotient = floor(2^32 w / p), w < p < 2^31.
NTTF_HD Word shoup(Word x, Word w, Word quotient, Word p) {
  return x * w - static_cast<Word>((Wide{x} * quotient) >> 32) * p;
}

}  // namespace nttforge::cuda::bad18b
