// SPDX-License-Identifier: Apache-2.0
#pragma once

// Polynomial products for thirty-two registers: the codelets of both factors up to blocks
// (block_products.hpp), products of these, and codelets of the inverse from there on.

#include <cstddef>

#include "nttforge/ntt/kernels/products/ifma_block_product.hpp"
#include "nttforge/ntt/kernels/products/ifma_pair_product.hpp"
#include "nttforge/ntt/kernels/thirty_two/stage_codelets.hpp"

namespace nttforge {

template <class Butterfly, StageShape shape>
class StageProducts : public StageCodelets<Butterfly, shape> {
  using Codelets = StageCodelets<Butterfly, shape>;
  using Block = BlockProduct<Butterfly>;

 public:
  using Codelets::kLanes;
  using Codelets::kLanesLog;
  using typename Codelets::Constants;
  using typename Codelets::Lanes;
  using typename Codelets::Twiddle;
  using typename Codelets::V;
  using typename Codelets::Walk;
  using typename Codelets::Word;
  static constexpr bool kHasProduct = Block::kExists && Codelets::kExchanged;
  static constexpr unsigned kProductLog = 2 * kLanesLog;  ///< of a codelet's points
  static constexpr unsigned kProductBits = kHasProduct ? Block::kBits + Block::kLog : 0;

  /// forward_codelets on a and b (a == b: squares), product of their values and inverse_codelets: the last
  /// stages as products of short polynomials (block_products.hpp).
  static void product_units(const Walk& walk, const Walk& back, const Constants& constants, Word q,
                            const Word* a, const Word* b, Word* out, std::size_t first, std::size_t count) {
    Codelets::with_lanes(walk, [&](const auto& lanes) {
      if (a == b) {
        product_codelets<true>(walk, back, lanes, constants, q, a, b, out, first, count);
      } else {
        product_codelets<false>(walk, back, lanes, constants, q, a, b, out, first, count);
      }
    });
  }

 protected:
  using typename Codelets::None;
  using typename Codelets::Twiddles;

 private:
  using Codelets::kCodelets;
  using Codelets::kPoints;
  using Codelets::kRows;

  template <bool square, class LaneTwiddles>
  static void product_codelets(const Walk& walk, const Walk& back, const LaneTwiddles& lanes,
                               const Constants& constants, Word q, const Word* a, const Word* b, Word* out,
                               std::size_t first, std::size_t count) {
    const Constants c = constants;
    const auto block = Block::constants(q);
    for (std::size_t i = first; i < first + count; i += kCodelets) {
      for (std::size_t codelet = i; codelet < i + kCodelets; ++codelet) {
        if constexpr (square) {
          square_codelet(walk, Shared{lanes(walk, c, codelet)}, c, block, a, out, codelet);
        } else {
          multiply_codelet(walk, Shared{lanes(walk, c, codelet)}, c, block, a, b, out, codelet);
        }
      }
      Codelets::template inverse_codelet<kCodelets, Block::kLog>(back, lanes, c, out, out, i);
    }
  }

  /// The same twiddles for all columns.
  template <class Source>
  struct Shared {
    Source source;
    NTTF_KERNEL Twiddle operator()(unsigned s, int j, int) const { return source(s, j, 0); }
    /// The twiddle of block j, from the stage before the blocks.
    NTTF_KERNEL Twiddle of_block(int j) const {
      if constexpr (Block::kLog == 1) {
        return source(kLanesLog - 2, j, 0);
      } else {
        return source.joined(j);
      }
    }
  };
  template <class Source>
  Shared(Source) -> Shared<Source>;  // what clang before 17 does not deduce for an aggregate

  /// Values of a codelet of each factor, multiplied; as inverse_from_blocks takes them.
  template <class Source, class BlockConstants>
  static NTTF_KERNEL void multiply_codelet(const Walk& walk, const Source& source, const Constants& c,
                                           const BlockConstants& block, const Word* a, const Word* b,
                                           Word* out, std::size_t first) {
    const std::size_t at = first * kPoints;
    const typename Twiddles::template Scalars<0> rows = {Codelets::scalars(walk, first).table};
    V x[2][kRows];
    if constexpr (kRows <= 8) {
      V r[kRows][2];
      NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
        r[i][0] = Lanes::load(a + at + static_cast<std::size_t>(i) * kLanes);
        r[i][1] = Lanes::load(b + at + static_cast<std::size_t>(i) * kLanes);
      }
      Codelets::template forward_stages<kLanesLog, 2, false>(r, rows, Step::reduce, None{}, c);
      Codelets::template forward_to_blocks<Block::kLog>(r, source, c);
      NTTF_UNROLL for (int i = 0; i < kRows; ++i) {
        x[0][i] = r[i][0];
        x[1][i] = r[i][1];
      }
    } else {  // too many for the registers: one after the other
      NTTF_UNROLL for (int factor = 0; factor < 2; ++factor) {
        V r[kRows][1];
        load_rows<Lanes>(r, (factor == 0 ? a : b) + at, kLanes, 0);
        Codelets::template forward_stages<kLanesLog, 1, false>(r, rows, Step::reduce, None{}, c);
        Codelets::template forward_to_blocks<Block::kLog>(r, source, c);
        NTTF_UNROLL for (int i = 0; i < kRows; ++i) x[factor][i] = r[i][0];
      }
    }
    each_block(x[0], x[1], source, out + at,
               [&](auto& left, const auto& right, const auto& z)
                   NTTF_LAMBDA_INLINE { Block::multiply(left, right, z, block); });
  }
  template <class Source, class BlockConstants>
  static NTTF_KERNEL void square_codelet(const Walk& walk, const Source& source, const Constants& c,
                                         const BlockConstants& block, const Word* a, Word* out,
                                         std::size_t first) {
    const std::size_t at = first * kPoints;
    V r[kRows][1], x[kRows];
    load_rows<Lanes>(r, a + at, kLanes, 0);
    Codelets::template forward_stages<kLanesLog, 1, false>(r, Codelets::scalars(walk, first), Step::reduce,
                                                           None{}, c);
    Codelets::template forward_to_blocks<Block::kLog>(r, source, c);
    NTTF_UNROLL for (int i = 0; i < kRows; ++i) x[i] = r[i][0];
    each_block(x, x, source, out + at, [&](auto& left, const auto&, const auto& z) NTTF_LAMBDA_INLINE {
      Block::square(left, z, block);
    });
  }
  /// Two pairs at a time, or one block of four: their products need many registers.
  template <class Source, class Body>
  static NTTF_KERNEL void each_block(const V (&x)[kRows], const V (&y)[kRows], const Source& source,
                                     Word* out, const Body& body) {
    constexpr int kSize = 1 << Block::kLog, kBlocks = kRows / kSize, kBatch = 4 / kSize;
    NTTF_UNROLL for (int first = 0; first < kBlocks; first += kBatch) {
      V left[kSize][kBatch], right[kSize][kBatch];
      Twiddle z[kBatch];
      NTTF_UNROLL for (int i = 0; i < kSize * kBatch; ++i) {
        const int row = first + i % kBatch + i / kBatch * kBlocks;
        left[i / kBatch][i % kBatch] = x[row];
        right[i / kBatch][i % kBatch] = y[row];
      }
      NTTF_UNROLL for (int i = 0; i < kBatch; ++i) z[i] = source.of_block(first + i);
      body(left, right, z);
      NTTF_UNROLL for (int i = 0; i < kSize * kBatch; ++i) {
        const int row = first + i % kBatch + i / kBatch * kBlocks;
        Lanes::store(out + static_cast<std::size_t>(row) * kLanes, left[i / kBatch][i % kBatch]);
      }
    }
  }
};

}  // namespace nttforge
