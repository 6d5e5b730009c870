// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/pass/rounds.hpp"
#include "nttforge/cuda/table/kernels.hpp"

// [Din24]: what its seven algorithms share on a GPU, and where they differ: in the places of the values
// between stages (docs/algorithms.md). An index p names a value as DIT and DIF place it: stage s of DIT pairs
// indices that differ in bit s - 1, stage s of DIF those that differ in bit log_n - s. After s stages the
// value is at
//   dit, flat, dif       p
//   pease, pease_nc      p rotated right by s bits
//   stockham, six_step   the upper s bits of p reversed below the other bits
// All of them multiply by entry 2^b + (p mod 2^b) of one table where they pair bit b; six_step restarts that
// within its rows.

namespace nttforge::cuda::din24 {

enum class Method : std::uint8_t { dit, pease, pease_nc, dif, stockham, six_step };

/// Whether stages pair neighbours first (in bit-reversed order, the twiddle before the butterfly).
constexpr bool decimates_time(Method m) {
  return m == Method::dit || m == Method::pease || m == Method::pease_nc;
}
constexpr bool is_pease(Method m) { return m == Method::pease || m == Method::pease_nc; }
constexpr bool is_stockham(Method m) { return m == Method::stockham || m == Method::six_step; }

/// One call of a kernel: `polynomials` of 2^log_n words; polynomial i has the limb i mod limb_count.
template <class Word>
struct Args {
  const Word* in = nullptr;
  Word* out = nullptr;
  const CudaLimb<Word>* limbs = nullptr;
  std::uint32_t limb_count = 0;
  std::uint32_t polynomials = 0;
  std::uint32_t log_n = 0;
  std::uint32_t inverse = 0;  ///< with the inverse root
  std::uint32_t stage = 0;    ///< of kernels that do one stage, from 1 on; log2 of the rows of others
  std::uint32_t begins = 0;   ///< reads coefficients: multiplies by psi^j in the negacyclic ring
};

/// The table of a limb, sections of n entries:
///   0  entry h + k = omega^(k n / 2h), h = 1, 2, 4 ... n/2, k < h; the word of entry 0 says whether the ring
///   is
///      negacyclic
///   1  psi^j (inverse: psi^-j), or 1
///   2  six_step only: entry j2 n1 + k1 = omega^(j2 k1), log n1 = floor(log_n / 2)
enum Section : std::uint32_t { kStages, kTwist, kMatrix };
constexpr unsigned sections_of(Method method) { return method == Method::six_step ? 3 : 2; }

template <class Word>
NTTF_HD const Word* table_of(const CudaLimb<Word>& limb, std::uint32_t inverse) {
  return inverse != 0 ? limb.inverse : limb.forward;
}

NTTF_HD constexpr unsigned low_bits(unsigned bits) { return (1u << bits) - 1; }

/// The lowest `bits` bits of x, reversed.
NTTF_HD constexpr unsigned reversed(unsigned x, unsigned bits) {
#ifdef __CUDA_ARCH__
  return bits == 0 ? 0 : __brev(x) >> (32 - bits);
#else
  unsigned result = 0;
  for (unsigned i = 0; i < bits; ++i) result |= (x >> i & 1) << (bits - 1 - i);
  return result;
#endif
}

/// A part of a transform as one kernel: all stages, the first ones, or the last ones.
enum class Role : std::uint8_t { whole, first, last };
struct Shape {
  Method method = Method::dit;
  Role role = Role::whole;
  unsigned stages = 0;
  bool small = false;  ///< small tiles, for calls whose large ones would not occupy every multiprocessor
};

/// What is known of a kernel when it is compiled. A tile is 2^kStages values of each of 2^kColumns columns; a
/// thread holds 2^kLogPoints of one column.
template <class WordOf, Shape kShape>
struct Traits {
  using Word = WordOf;
  static constexpr Method kMethod = kShape.method;
  static constexpr Role kRole = kShape.role;
  static constexpr bool kSmall = kShape.small;
  static constexpr unsigned kStages = kShape.stages, kLogPoints = kSmall && sizeof(Word) == 8 ? 2 : 3,
                            kPoints = 1u << kLogPoints;
  static constexpr bool kTime = decimates_time(kMethod), kPease = is_pease(kMethod),
                        kStockham = is_stockham(kMethod), kRows = kMethod == Method::six_step;
  static_assert(kStages >= kLogPoints && kStages <= 12);

  /// Columns are neighbours in memory, for reading or writing; Pease's first kernel needs some for each. A
  /// block has 64 threads at least, and 512 in 64-bit words at most, for their registers. Small tiles have
  /// 2^9 to 2^11 values, and columns of half a sector of 32 bytes where that makes more blocks.
  static constexpr unsigned kMostTile = sizeof(Word) == 8 ? 12 : 13;
  static constexpr unsigned log_columns() {
    if (kRole == Role::whole) return 0;
    const unsigned fill = kStages < 9 ? 9 - kStages : 0, room = kMostTile - kStages;
    if (kMethod == Method::dif && kRole == Role::last) return fill;
    const bool pease_first = kPease && kRole == Role::first;
    if (kSmall) {
      if (kStages < 8) return fill;
      return sizeof(Word) == 8 && !pease_first && (kStages == 8 || kRole == Role::last) ? 1 : 2;
    }
    unsigned wanted = pease_first ? (kStages < 8 ? 4 : 6) : fill < 3 ? 3 : fill;
    if (sizeof(Word) == 8 && kPease && kRole == Role::last && kStages > 8) wanted = 2;
    if (sizeof(Word) == 4 && kMethod == Method::dif && kStages == 6) wanted = 4;
    return wanted < room ? wanted : room;
  }
  static constexpr unsigned kColumns = log_columns();
  static constexpr unsigned kWriteColumns = kPease && kRole == Role::first ? kColumns / 2 : 0;
  static constexpr unsigned kReadColumns = kColumns - kWriteColumns;
  static constexpr unsigned kLogTile = kStages + kColumns, kUnits = kStages - kLogPoints;  ///< log2 threads
  static constexpr unsigned kThreads = 1u << (kUnits + kColumns);

  /// Rounds of up to three stages in registers; one of none copies, so that neighbouring threads have
  /// neighbouring words of global memory.
  static constexpr bool kCopiesIn = kPease && kRole == Role::last;
  static constexpr bool kCopiesOut = kMethod == Method::dif && kRole != Role::first;
  static constexpr Rounds rounds() {
    Rounds found;
    if (kCopiesIn) found.add(0);
    for (unsigned left = kStages; left != 0;) {
      const unsigned next = left % kLogPoints != 0 ? left % kLogPoints : kLogPoints;
      found.add(next);
      left -= next;
    }
    if (kCopiesOut) found.add(0);
    return found;
  }
  static constexpr Rounds kRounds = rounds();

  /// Which of a thread's numbers its lowest bits are: the column, the column for writing, or the unit.
  enum class Lanes { column, write_column, unit };
  static constexpr Lanes lanes(unsigned round) {
    const bool ends = round == 0 || round + 1 == kRounds.count;
    if (kMethod == Method::dif && kRole == Role::last) return Lanes::unit;
    if (kCopiesIn && round == 0) return Lanes::unit;
    if (kRole == Role::first && ends && round != 0) {
      if (kPease) return Lanes::write_column;
      if (kMethod != Method::dif) return Lanes::unit;
    }
    return Lanes::column;
  }

  /// Pease copies, through registers, within one array; the others that work in place need one array too.
  static constexpr bool kTwoArrays = kMethod == Method::pease_nc || kStockham;
  /// The words of an exchange after round e: columns innermost, or each column on its own.
  static constexpr bool columns_inside(unsigned e) {
    return kColumns != 0 && lanes(e) != Lanes::unit && lanes(e + 1) != Lanes::unit;
  }
  /// Whether a barrier must come between what a round reads and what it writes.
  static constexpr bool splits(unsigned round) {
    if (kTwoArrays || round == 0 || round + 1 == kRounds.count) return false;
    return kPease || columns_inside(round - 1) != columns_inside(round) || lanes(round) != lanes(round - 1);
  }
  static constexpr unsigned phases() {
    unsigned count = 0;
    for (unsigned r = 0; r < kRounds.count; ++r) count += splits(r) ? 2 : 1;
    return count;
  }
  static constexpr unsigned kPhases = phases();
  struct Step {
    unsigned round;
    bool reads, writes;
  };
  static constexpr Step step(unsigned phase) {
    unsigned at = 0;
    for (unsigned r = 0;; ++r) {
      if (splits(r)) {
        if (phase == at) return {r, true, false};
        if (phase == at + 1) return {r, false, true};
        at += 2;
      } else {
        if (phase == at) return {r, true, true};
        at += 1;
      }
    }
  }

  static constexpr unsigned kBanks = 1u << kLogBanks<Word>;
  static constexpr unsigned kPitch = kColumns == 0
                                         ? 0
                                         : ((padded<Word>(1u << kStages) + kBanks - 1) / kBanks * kBanks) +
                                               ((kBanks >> kColumns) != 0 ? kBanks >> kColumns : 1);
  template <bool kInside>
  static NTTF_HD constexpr unsigned place(unsigned position, unsigned column) {
    if constexpr (kInside) {
      return ((position + (position >> kLogPoints)) << kColumns) + column;
    } else {
      return padded<Word>(position) + column * kPitch;
    }
  }
  static constexpr unsigned area() {
    unsigned most = 0;
    for (unsigned e = 0; e + 1 < kRounds.count; ++e) {
      const unsigned last = (1u << kStages) - 1, column = (1u << kColumns) - 1;
      const unsigned words = 1 + (columns_inside(e) ? place<true>(last, column) : place<false>(last, column));
      most = words > most ? words : most;
    }
    return most;
  }
  static constexpr unsigned kArea = area();
  static constexpr unsigned kSharedWords = kArea * (kTwoArrays && kRounds.count > 2 ? 2 : 1);
  static constexpr unsigned area_of(unsigned exchange) { return kTwoArrays ? exchange % 2 * kArea : 0; }
};

}  // namespace nttforge::cuda::din24
