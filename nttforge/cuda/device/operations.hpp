// SPDX-License-Identifier: Apache-2.0
#pragma once

// The operations of nttforge/device/queue.hpp that are not transforms, for one element each: written once,
// run on the card (operations.cu) and on the host, as those of elementwise.hpp. Words have 64 bits.

#include <cstddef>
#include <cstdint>

#include "nttforge/arith/integer_range.hpp"
#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/elementwise/elementwise.hpp"
#include "nttforge/cuda/product/modulus.hpp"
#include "nttforge/cuda/step/rns_step.hpp"

namespace nttforge::cuda {

using Wide = WideModulus<std::uint64_t>;

/// floor(2^128 / q) beside q, for any 2 <= q < 2^62.
inline Wide wide_modulus(std::uint64_t q) {
  const u128 all = ~u128{0};
  return {q, all / q + (all % q == q - 1)};
}

NTTF_HD std::uint64_t wide_product(std::uint64_t a, std::uint64_t b, const Wide& m) {
  return reduce_wide(u128{a} * b, m);
}
template <class Word>
NTTF_HD Word opposite_mod(Word a, Word q) {
  return a == 0 ? 0 : q - a;
}

/// A modulus for words of either size.
template <class Word>
NTTF_HD WideModulus<Word> modulus_of(const Wide& m) {
  if constexpr (sizeof(Word) == 8)
    return m;
  else
    return {m.q, static_cast<std::uint64_t>(m.ratio >> 64)};
}
/// a b + c modulo q; a, b, c below 2^62, or residues of 32 bits.
template <class Word>
NTTF_HD Word product_of(Word a, Word b, const WideModulus<Word>& m, Word c = 0) {
  return reduce_wide(static_cast<typename WideSum<Word>::Sum>(a) * b + c, m);
}
/// Any 64 bits modulo q.
NTTF_HD std::uint64_t reduced_word(std::uint64_t x, const WideModulus<std::uint64_t>& m) {
  return barrett_reduce(x, m.q, static_cast<std::uint64_t>(m.ratio >> 64));
}
NTTF_HD std::uint32_t reduced_word(std::uint64_t x, const WideModulus<std::uint32_t>& m) {
  return reduce_wide(x, m);
}

/// 16 bytes of neighbouring words.
template <class Word>
struct alignas(16) Pack {
  static constexpr unsigned kWords = 16 / sizeof(Word);
  Word words[kWords];
};

/// Words of either size.
struct ReadWords {
  const void* address = nullptr;
  bool narrow = false;  ///< 32 bits
  NTTF_HD std::uint64_t operator[](std::size_t i) const {
    return narrow ? static_cast<const std::uint32_t*>(address)[i]
                  : static_cast<const std::uint64_t*>(address)[i];
  }
};
struct WriteWords {
  void* address = nullptr;
  bool narrow = false;
  NTTF_HD ReadWords read() const { return {address, narrow}; }
  NTTF_HD std::uint64_t operator[](std::size_t i) const { return read()[i]; }
  NTTF_HD void set(std::size_t i, std::uint64_t value) const {
    if (narrow)
      static_cast<std::uint32_t*>(address)[i] = static_cast<std::uint32_t>(value);
    else
      static_cast<std::uint64_t*>(address)[i] = value;
  }
};

/// [rows][n]: how many elements an operation has.
struct Grid {
  std::uint32_t rows = 0;
  std::uint32_t log_n = 0;
};

/// Arrays [batch][limbs][n]: rows = batch * limbs.
struct RingRows {
  const Wide* moduli = nullptr;
  std::uint32_t limbs = 0;
  NTTF_HD const Wide& of(std::uint32_t row) const { return moduli[row % limbs]; }
  template <class Word>
  NTTF_HD WideModulus<Word> limb(std::uint32_t j) const {
    return modulus_of<Word>(moduli[j]);
  }
};

struct GatherRow {
  Grid shape;
  const std::uint32_t* index;
  ReadWords in;
  WriteWords out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t base = std::size_t{row} << shape.log_n;
    out.set(base + column, in[base + index[column]]);
  }
};

/// Each word of a shorter row 2^shift times.
struct RepeatRow {
  Grid shape;
  std::uint32_t shift;
  ReadWords in;
  WriteWords out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    out.set(at, in[at >> shift]);
  }
};

NTTF_HD void add_at(std::uint64_t* at, std::uint64_t value) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
#else
  *at += value;
#endif
}

/// Adds the low and the high 32 bits of centred absolute values to sums[batch][2], which begin as zeros.
struct AddCentred {
  Grid shape;
  std::uint64_t t;
  ReadWords plain;
  std::uint64_t* sums;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint64_t value = plain[(std::size_t{row} << shape.log_n) + column];
    const std::uint64_t size = value < t - value ? value : t - value;
    add_at(sums + 2 * std::size_t{row}, size & 0xFFFFFFFFu);
    add_at(sums + 2 * std::size_t{row} + 1, size >> 32);
  }
};
/// Those two sums as the low and the high word of the whole.
struct JoinSums {
  Grid shape;
  const std::uint64_t* sums;
  WriteWords out;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t) const {
    const std::size_t at = 2 * std::size_t{row};
    const u128 sum = (u128{sums[at + 1]} << 32) + sums[at];
    out.set(at, static_cast<std::uint64_t>(sum));
    out.set(at + 1, static_cast<std::uint64_t>(sum >> (out.narrow ? 32 : 64)));
  }
};

struct CopyWords {
  Grid shape;
  ReadWords in;
  WriteWords out;
  std::size_t words;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    if (at < words) out.set(at, in[at]);
  }
};

/// Zeros in the words of 32 bits begin ... end - 1 from `base` on, a multiple of 16 bytes, four by each
/// thread.
struct FillZero {
  struct alignas(16) Four {
    std::uint32_t words[4];
  };
  Grid shape;
  std::uint32_t* base;
  std::size_t begin, end;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t at = 4 * ((std::size_t{row} << shape.log_n) + column);
    if (at >= begin && at + 4 <= end) {
      *reinterpret_cast<Four*>(base + at) = Four{};
      return;
    }
    for (std::size_t i = at; i < at + 4; ++i)
      if (i >= begin && i < end) base[i] = 0;
  }
};

// Integers that others wrote, modulo t, and back.

/// [rows][width] -> [rows][n] in [0, range.t), zeros behind each row.
struct ReduceIntegers {
  Grid shape;
  IntegerRange range;
  ReadWords in;
  bool is_signed;  ///< of words of 32 bits; range has it of the others
  std::uint32_t width;
  WriteWords out, outside;  ///< outside: or null; set to 1 where an integer is not allowed
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    if (column >= width) return out.set(at, 0);
    std::uint64_t word = in[std::size_t{row} * width + column], wrong = 0;
    if (in.narrow && is_signed)
      word = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word)});
    out.set(at, reduce_integer(word, range, wrong));
    if (outside.address != nullptr && wrong != 0) outside.set(0, 1);
  }
};

struct CentreWords {
  Grid shape;
  std::uint64_t t;
  ReadWords in;
  WriteWords out;
  std::size_t words;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    if (at < words) out.set(at, centred_integer(in[at], t));
  }
};

/// What is instantiated for cards: these, and those of convert.hpp.
#define NTTF_DEVICE_OPERATIONS(apply)                                                                  \
  apply(GatherRow) apply(RepeatRow) apply(AddCentred) apply(JoinSums) apply(CopyWords) apply(FillZero) \
      apply(ConvertBase) apply(CorrectionRow) apply(ReduceIntegers) apply(CentreWords)

}  // namespace nttforge::cuda
