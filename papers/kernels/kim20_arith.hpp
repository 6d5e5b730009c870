// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "nttforge/arith/shoup.hpp"
#include "nttforge/base/macros.hpp"
#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/table/kernels.hpp"

// The multiplications that [Kim20] compares, for the kernels of kim20_radix.hpp and kim20_shared.hpp:
//
//   butterfly(a, b, w, c)   a, b -> a + w b, a - w b
//   inverse(a, b, w, c)     a, b -> a + b, w (a - b)
//   multiply(b, w, c)       w b
//   to_word(x, c)           what comes out of butterflies -> what stands in memory
//
// and complex numbers of two floats, as large as a 64-bit residue, for the DFT beside the NTT.

namespace nttforge::cuda {

/// Shoup's, values lazily in [0, 4q) ([Kim20] Alg. 4): an arithmetic of the fast engine with that range.
template <class Arith>
struct Kim20Shoup {
  using Word = typename Arith::Word;
  using Value = typename Arith::Value;
  using Twiddle = typename Arith::Twiddle;
  using Constants = typename Arith::Constants;
  using Limb = CudaLimb<Word>;
  static constexpr const char* kName = "shoup";
  static constexpr std::uint64_t kQLimit = Arith::kQLimit;
  static constexpr unsigned kEntryWords = Arith::kEntryWords;
  static_assert(Arith::kLimit == 4 && Arith::kGrowth == 2);

  static void fill_constants(Limb& limb) { Arith::fill_constants(limb); }
  static void entry(std::uint64_t w, std::uint64_t q, Word* entry) { Arith::entry(w, q, entry); }
  static NTTF_HD Constants constants(const Limb& limb) { return Arith::constants(limb); }
  static NTTF_HD Twiddle load(const Word* table, std::uint32_t entry) { return Arith::load(table, entry); }
  static NTTF_HD Value from_word(Word x, const Constants& c) { return Arith::from_word(x, c); }
  static NTTF_HD Word to_word(Value x, const Constants& c) { return Arith::template to_word<4>(x, c); }
  static NTTF_HD Value multiply(Value b, Twiddle w, const Constants& c) { return Arith::multiply(b, w, c); }
  static NTTF_HD void butterfly(Value& a, Value& b, Twiddle w, const Constants& c) {
    a = Arith::halve(a, c);
    Arith::forward(a, b, w, c);
  }
  /// Inverse butterfly of values below 2q, to values below 2q ([Har14] Alg. 4).
  static NTTF_HD void inverse(Value& a, Value& b, Twiddle w, const Constants& c) {
    Arith::inverse(a, b, w, c);
    a = Arith::halve(a, c);
  }
};

/// A product of twice the bits. NTTF_HD and both word sizes.
template <class WordOf>
struct Kim20Product {
  WordOf high, low;

  static NTTF_HD Kim20Product of(WordOf a, WordOf b) {
    if constexpr (sizeof(WordOf) == 4) {
      const std::uint64_t product = std::uint64_t{a} * b;
      return {static_cast<WordOf>(product >> 32), static_cast<WordOf>(product)};
    } else {
#ifdef __CUDA_ARCH__
      return {__umul64hi(a, b), a * b};
#else
      const u128 product = static_cast<u128>(a) * b;
      return {static_cast<WordOf>(product >> 64), static_cast<WordOf>(product)};
#endif
    }
  }
  /// The product shifted right by 0 < bits < the bits of a word.
  NTTF_HD WordOf shifted(unsigned bits) const { return high << (8 * sizeof(WordOf) - bits) | low >> bits; }
};

/// The operator % of CUDA: 64 bits modulo 32, or 128 modulo 64. Tables hold twiddles only.
struct Kim20Native {
  static constexpr const char* kName = "native";
  static constexpr unsigned kSpareBits = 0;
  template <class Word>
  static void fill_constants(CudaLimb<Word>&) {}
  template <class Word>
  static Word entry(std::uint64_t w, std::uint64_t) {
    return static_cast<Word>(w);
  }
  template <class Word>
  static NTTF_HD Word multiply(Word b, Word w, const Word* c) {
    if constexpr (sizeof(Word) == 4) {
      return static_cast<Word>(std::uint64_t{b} * w % c[0]);
    } else {
      __extension__ using Wide = unsigned __int128;
      return static_cast<Word>(static_cast<Wide>(b) * w % c[0]);
    }
  }
};

/// Barrett's: q has l bits, mu = floor(2^(2l) / q), and for x < q^2 the quotient
/// (x >> (l - 1)) mu >> (l + 1) falls short by at most 2 [Barrett 1986]. l <= bits of a word - 2.
struct Kim20Barrett {
  static constexpr const char* kName = "barrett";
  static constexpr unsigned kSpareBits = 2;
  template <class Word>
  static void fill_constants(CudaLimb<Word>& limb) {
    unsigned bits = 0;
    while (limb.q >> bits != 0) ++bits;
    limb.constants[1] = static_cast<Word>((static_cast<u128>(1) << (2 * bits)) / limb.q);
    limb.constants[2] = static_cast<Word>(bits);
  }
  template <class Word>
  static Word entry(std::uint64_t w, std::uint64_t) {
    return static_cast<Word>(w);
  }
  template <class Word>
  static NTTF_HD Word multiply(Word b, Word w, const Word* c) {
    const auto x = Kim20Product<Word>::of(b, w);
    const auto bits = static_cast<unsigned>(c[2]);
    const Word quotient = Kim20Product<Word>::of(x.shifted(bits - 1), c[1]).shifted(bits + 1);
    Word r = x.low - quotient * c[0];
    if (r >= 2 * c[0]) r -= 2 * c[0];
    return r >= c[0] ? r - c[0] : r;
  }
};

/// Montgomery's: tables hold w 2^64 mod q (2^32 for words of 32 bits), residues stay as they are.
struct Kim20Montgomery {
  static constexpr const char* kName = "montgomery";
  static constexpr unsigned kSpareBits = 0;
  template <class Word>
  static void fill_constants(CudaLimb<Word>& limb) {
    Word inverse = limb.q;  // right to 3 bits; each step doubles them
    for (int step = 0; step < 5; ++step) inverse *= static_cast<Word>(2) - limb.q * inverse;
    limb.constants[1] = inverse;
  }
  template <class Word>
  static Word entry(std::uint64_t w, std::uint64_t q) {
    return static_cast<Word>((static_cast<u128>(w) << (8 * sizeof(Word))) % q);
  }
  template <class Word>
  static NTTF_HD Word multiply(Word b, Word w, const Word* c) {
    const auto x = Kim20Product<Word>::of(b, w);
    const Word back = Kim20Product<Word>::of(x.low * c[1], c[0]).high;
    return x.high >= back ? x.high - back : x.high + c[0] - back;
  }
};

/// Residues always in [0, q), products by one of the above.
template <class WordOf, class Multiply>
struct Kim20Strict {
  using Word = WordOf;
  using Value = WordOf;
  using Twiddle = WordOf;
  using Limb = CudaLimb<Word>;
  struct Constants {
    Word c[3];
  };
  static constexpr const char* kName = Multiply::kName;
  /// 64-bit moduli end at 2^62 anyway.
  static constexpr std::uint64_t kQLimit = std::uint64_t{1}
                                           << (sizeof(Word) == 8 ? 62 : 32 - Multiply::kSpareBits);
  static constexpr unsigned kEntryWords = 1;

  static void fill_constants(Limb& limb) { Multiply::fill_constants(limb); }
  static void entry(std::uint64_t w, std::uint64_t q, Word* entry) {
    *entry = Multiply::template entry<Word>(w, q);
  }
  static NTTF_HD Constants constants(const Limb& limb) {
    return {{limb.q, limb.constants[1], limb.constants[2]}};
  }
  static NTTF_HD Twiddle load(const Word* table, std::uint32_t entry) {
#ifdef __CUDA_ARCH__
    return __ldg(table + entry);
#else
    return table[entry];
#endif
  }
  static NTTF_HD Value from_word(Word x, const Constants&) { return x; }
  static NTTF_HD Word to_word(Value x, const Constants&) { return x; }
  static NTTF_HD Value multiply(Value b, Twiddle w, const Constants& c) {
    return Multiply::multiply(b, w, c.c);
  }
  static NTTF_HD void butterfly(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Word q = c.c[0], t = multiply(b, w, c);
    b = difference_mod(a, t, q);
    a = sum_mod(a, t, q);
  }
  static NTTF_HD void inverse(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Value difference = difference_mod(a, b, c.c[0]);
    a = sum_mod(a, b, c.c[0]);
    b = multiply(difference, w, c);
  }
};

/// A complex number of two floats.
struct alignas(8) Kim20Complex {
  float re = 0, im = 0;
};

struct Kim20Dft {
  using Word = Kim20Complex;
  using Value = Kim20Complex;
  using Twiddle = Kim20Complex;
  struct Limb {
    const Kim20Complex* forward;
  };
  struct Constants {};
  static constexpr const char* kName = "complex";
  static constexpr unsigned kEntryWords = 1;

  static NTTF_HD Constants constants(const Limb&) { return {}; }
  static NTTF_HD Twiddle load(const Word* table, std::uint32_t entry) {
#ifdef __CUDA_ARCH__
    const float2 v = __ldg(reinterpret_cast<const float2*>(table) + entry);
    return {v.x, v.y};
#else
    return table[entry];
#endif
  }
  static NTTF_HD Value from_word(Word x, const Constants&) { return x; }
  static NTTF_HD Word to_word(Value x, const Constants&) { return x; }
  static NTTF_HD Value multiply(Value b, Twiddle w, const Constants&) {
    return {b.re * w.re - b.im * w.im, b.re * w.im + b.im * w.re};
  }
  static NTTF_HD void butterfly(Value& a, Value& b, Twiddle w, const Constants& c) {
    const Value t = multiply(b, w, c);
    b = {a.re - t.re, a.im - t.im};
    a = {a.re + t.re, a.im + t.im};
  }
};

}  // namespace nttforge::cuda
