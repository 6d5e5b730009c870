#pragma once

// The tail of a transform for sixteen registers: the last log L stages, on L x L points in registers, and
// what a polynomial product does there. Both between two transpositions, so that stages are between vectors.

#include <cstddef>

#include "nttforge/ntt/pair_products.hpp"
#include "nttforge/ntt/pass_walk.hpp"
#include "nttforge/ntt/split_registers.hpp"

namespace nttforge {

template <class Butterfly, class ShapeType>
class SplitTail : public SplitRegisters<Butterfly, ShapeType::kRadixLog, ShapeType::kBatch> {
  using Registers = SplitRegisters<Butterfly, ShapeType::kRadixLog, ShapeType::kBatch>;

 public:
  using Registers::kLanes;
  using Registers::kLanesLog;
  using typename Registers::Constants;
  using typename Registers::Lanes;
  using typename Registers::Twiddle;
  using typename Registers::V;
  using typename Registers::Word;
  static constexpr int kTogether = ShapeType::kTogether;
  static constexpr unsigned kTailLog = kLanesLog == 0 ? ShapeType::kLastLog : kLanesLog;

  using Walk = PassWalk<Butterfly, kLanesLog, ShapeType::kRadixLog, kTailLog>;

  /// The tail of groups [first, first + count), as the last pass leaves them; both multiples of what is
  /// together.
  static void forward_codelets(const Walk& walk, const Constants& constants, Word* out, std::size_t first,
                               std::size_t count) {
    if (!kReducesAlways && reduces_in(walk, walk.end(), kTailLog - Butterfly::kFinalReduces)) {
      forward_tail<Kind::final_reduce>(walk, constants, out, first, count);
    } else {
      forward_tail<Kind::final>(walk, constants, out, first, count);
    }
  }

  static void inverse_codelets(const Walk& walk, const Constants& constants, const Word* in, Word* out,
                               std::size_t first, std::size_t count) {
    const Constants c = constants;
    for (std::size_t group = first; group < first + count; group += kTailGroups) {
      V r[kTailRows][kTogether];
      load_squares<Lanes>(r, in + group * kGroupWords);
      Registers::enter(r);
      Registers::template stages<kTailLog, kTogether, Kind::inverse>(r, tail_twiddles(walk, group), Twiddle{},
                                                                     c);
      store_squares<Lanes>(r, out + group * kGroupWords);
    }
  }

  static constexpr unsigned kProductBits = PairProduct<Butterfly>::kBits;
  static constexpr bool kHasProduct = PairProduct<Butterfly>::kExists && kTailLog >= 2;

  /// forward_codelets on a and b (a == b: squares), product of their values and inverse_codelets: the last
  /// stage as products of linear polynomials (pair_products.hpp), between the other stages of the transposed
  /// squares.
  static void product_codelets(const Walk& walk, const Walk& back, const Constants& constants, Word q,
                               const Word* a, const Word* b, Word* out, std::size_t first,
                               std::size_t count) {
    if (kReducesAlways || !reduces_in(walk, walk.end(), kTailLog - 1)) {
      product_tail<Kind::keep>(walk, back, constants, q, a, b, out, first, count);
    } else if constexpr (!kReducesAlways) {
      product_tail<Kind::reduce>(walk, back, constants, q, a, b, out, first, count);
    }
  }

 protected:
  using Registers::kReducesAlways;

  /// Whether forward values must be reduced first in the next `more` stages, log_m stages having been done.
  static bool reduces_in(const Walk& walk, unsigned log_m, unsigned more) {
    unsigned grown = 0;
    for (unsigned at = 0; at < log_m; at += walk.step(at)) {
      grown = grown + walk.step(at) > Butterfly::kForwardStages ? walk.step(at) : grown + walk.step(at);
    }
    return grown + more > Butterfly::kForwardStages;
  }
  using typename Registers::Kind;
  using typename Registers::Twiddles;

 private:
  static constexpr int kTailRows = 1 << kTailLog;
  static constexpr std::size_t kGroupWords = kTailRows;  ///< L > 1: one vector; else the tail itself
  static constexpr std::size_t kTailGroups = kLanes * kTogether;

  static NTTF_KERNEL auto tail_twiddles(const Walk& walk, std::size_t group) {
    if constexpr (kLanesLog == 0) {
      return typename Twiddles::template Scalars<kTailRows - 1>{walk.scalars(walk.end(), kTailLog, group)};
    } else {
      return typename Twiddles::Vectors{walk.table + 2 * (kLanes - 1) * group};
    }
  }

  template <Kind kind>
  static void product_tail(const Walk& walk, const Walk& back, const Constants& constants, Word q,
                           const Word* a, const Word* b, Word* out, std::size_t first, std::size_t count) {
    if (a == b) {
      product_tail<kind, true>(walk, back, constants, q, a, b, out, first, count);
    } else {
      product_tail<kind, false>(walk, back, constants, q, a, b, out, first, count);
    }
  }

  template <Kind kind, bool square>
  static void product_tail(const Walk& walk, const Walk& back, const Constants& constants, Word q,
                           const Word* a, const Word* b, Word* out, std::size_t first, std::size_t count) {
    constexpr unsigned kStages = kTailLog - 1;  // the last one is the pair products
    const Constants c = constants;
    const auto pair_constants = PairProduct<Butterfly>::constants(q);
    for (std::size_t group = first; group < first + count; group += kLanes) {
      const auto w = tail_twiddles(walk, group), v = tail_twiddles(back, group);
      V x[kTailRows][1];
      load_squares<Lanes>(x, a + group * kGroupWords);
      NTTF_UNROLL for (unsigned s = 0; s < kStages; ++s)
          Registers::template stage<kTailLog, 1, kind>(x, s, w, Twiddle{}, c);
      constexpr int kPairs = kTailRows / 2;
      V left[2][kPairs];
      Twiddle z[kPairs];
      NTTF_UNROLL for (int i = 0; i < kPairs; ++i) {
        left[0][i] = x[2 * i][0];
        left[1][i] = x[2 * i + 1][0];
        z[i] = w((kPairs - 1) / 2 + i / 2, 0);
      }
      if constexpr (square) {
        PairProduct<Butterfly>::square(left, z, pair_constants);
      } else {
        V y[kTailRows][1], right[2][kPairs];
        load_squares<Lanes>(y, b + group * kGroupWords);
        NTTF_UNROLL for (unsigned s = 0; s < kStages; ++s)
            Registers::template stage<kTailLog, 1, kind>(y, s, w, Twiddle{}, c);
        NTTF_UNROLL for (int i = 0; i < kPairs; ++i) {
          right[0][i] = y[2 * i][0];
          right[1][i] = y[2 * i + 1][0];
        }
        PairProduct<Butterfly>::multiply(left, right, z, pair_constants);
      }
      NTTF_UNROLL for (int i = 0; i < kPairs; ++i) {
        x[2 * i][0] = left[0][i];
        x[2 * i + 1][0] = left[1][i];
      }
      NTTF_UNROLL for (unsigned s = kStages; s > 0; --s)
          Registers::template stage<kTailLog, 1, Kind::inverse>(x, s - 1, v, Twiddle{}, c);
      store_squares<Lanes>(x, out + group * kGroupWords);
    }
  }

  template <Kind kind>
  static void forward_tail(const Walk& walk, const Constants& constants, Word* out, std::size_t first,
                           std::size_t count) {
    const Constants c = constants;
    for (std::size_t group = first; group < first + count; group += kTailGroups) {
      V r[kTailRows][kTogether];
      load_squares<Lanes>(r, out + group * kGroupWords);
      Registers::template stages<kTailLog, kTogether, kind>(r, tail_twiddles(walk, group), Twiddle{}, c);
      each_vector(r, [&](const V& v) NTTF_LAMBDA_INLINE { return Butterfly::reduce_forward(v, c); });
      store_squares<Lanes>(r, out + group * kGroupWords);
    }
  }
};

}  // namespace nttforge
