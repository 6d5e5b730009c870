// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/pass/multi_pass.hpp"
#include "nttforge/cuda/table/row.hpp"

// Products of polynomials without leaving the chip: a contiguous pass forward of both factors, the product of
// their values in registers, where both passes leave them, and the same pass backwards.
//
//   a: global -> round 0 -> shared -> ... -> round R - 1: stays in registers
//   b: global -> round 0 -> shared -> ... -> round R - 1, times a, round R - 1 inverse -> shared -> ...
//      -> round 0 inverse -> global
//
// Where a polynomial fits a block or a cluster this is all of the product. Else the transforms' passes before
// the last are done for both factors before it, and backwards for the result after it.

namespace nttforge::cuda {

template <class Word>
struct ProductArgs {
  PassArgs<Word> pass;  ///< `in` is the first factor
  const Word* second;   ///< may be pass.in, for a square
};

/// Multiplies values of the two forward passes; the inverse pass begins with the result.
template <class Arith, unsigned kBound>
NTTF_HD typename Arith::Value product_of_values(typename Arith::Value a, typename Arith::Value b,
                                                const CudaLimb<typename Arith::Word>& limb,
                                                const typename Arith::Constants& c) {
  static_assert(parts_of<Arith>() == 1, "products of pairs are composed (docs/decisions/gpu-transforms.md)");
  const auto product =
      product_mod(Arith::template to_word<kBound>(a, c), Arith::template to_word<kBound>(b, c), limb.product);
  return Arith::from_word(product, c);
}

/// kForward is the contiguous last pass of a transform, or the whole transform if it begins with stage 0.
template <class ArithOf, PassRole kForward>
struct FusedProduct {
  using Arith = ArithOf;
  using Forward = Pass<Arith, kForward>;
  using Inverse = Pass<Arith, inverse_of(kForward)>;
  using Word = typename Arith::Word;
  using Value = typename Arith::Value;
  using Args = ProductArgs<Word>;
  using Tile = PassTile<typename Forward::T>;
  using InverseTile = PassTile<typename Inverse::T>;

  static constexpr unsigned kThreads = Forward::kThreads, kLogCluster = Forward::kLogCluster,
                            kSharedWords = Forward::kSharedWords, kPoints = Forward::kPoints,
                            kMinBlocks = Forward::kMinBlocks;
  static constexpr unsigned kRoundCount = Forward::kRounds.count, kPhases = 3 * kRoundCount - 1;
  static constexpr bool kWaitsForCluster = kLogCluster != 0;
  static_assert(Forward::kContiguous && !Forward::kFetches);

  struct State {
    typename Forward::State pass;  ///< its table is the forward one
    Value first[kPoints];
  };

  static constexpr Barrier barrier_after(unsigned phase) {
    constexpr Barrier kWidest = kLogCluster != 0 ? Barrier::cluster : Barrier::block;
    if (phase + 1 == kPhases) return kLogCluster != 0 ? Barrier::cluster : Barrier::none;
    if (phase + 1 == kRoundCount) return kWidest;  // before the second factor's words in the same places
    if (phase < kRoundCount) return Forward::barrier_after(phase);
    if (phase + 1 < 2 * kRoundCount) return Forward::barrier_after(phase - kRoundCount);
    return Forward::barrier_after(3 * kRoundCount - 3 - phase);  // backwards
  }

  template <class Shared>
  static NTTF_HD void prologue(const Place& at, const Args& args, State& state, Shared& shared) {
    Forward::prologue(at, args.pass, state.pass, shared);
  }

  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State& state, Shared& shared) {
    const Tile tile(at, args.pass);
    if constexpr (kPhase < kRoundCount) {
      forward<kPhase>(tile, args.pass, state, shared);
      if constexpr (kPhase + 1 == kRoundCount) {
        NTTF_GPU_UNROLL
        for (unsigned i = 0; i < kPoints; ++i) state.first[i] = state.pass.r[i];
      }
    } else if constexpr (kPhase < 2 * kRoundCount) {
      if (args.second != args.pass.in) {
        PassArgs<Word> second = args.pass;
        second.in = args.second;
        forward<kPhase - kRoundCount>(tile, second, state, shared);
      }
      if constexpr (kPhase + 1 == 2 * kRoundCount) {
        multiply(state);
        inverse<kRoundCount - 1>(InverseTile(at, args.pass), args.pass, state, shared);
      }
    } else {
      inverse<3 * kRoundCount - 2 - kPhase>(InverseTile(at, args.pass), args.pass, state, shared);
    }
  }

 private:
  /// Runs a round from memory to memory; the values of the last round stay in the state.
  template <unsigned kRound, class Shared>
  static NTTF_HD void forward(const Tile& tile, const PassArgs<Word>& args, State& state, Shared& shared) {
    constexpr unsigned kRadix = 1u << Forward::kRounds.radix[kRound];
    const auto& c = state.pass.c;
    NTTF_GPU_UNROLL
    for (unsigned m = 0; m < kPoints / kRadix; ++m) {
      const auto p = position_of<typename Forward::T, kRound>(tile, m);
      const typename PassTwiddles<typename Forward::T>::template Twiddles<kRound> twiddles(
          tile, args, state.pass.table, p.group, shared);
      Value* r = state.pass.r + m * kRadix;
      Forward::template first_side<kRound, false>(tile, args, p, r, shared, c);
      Forward::template stages<kRound>(r, twiddles, args, *state.pass.limb, c);
      if constexpr (kRound + 1 != kRoundCount)
        Forward::template last_side<kRound, true>(tile, args, p, r, shared, c);
    }
  }
  /// Runs a round backwards; the first one begins with the values in the state.
  template <unsigned kRound, class Shared>
  static NTTF_HD void inverse(const InverseTile& tile, const PassArgs<Word>& args, State& state,
                              Shared& shared) {
    constexpr unsigned kRadix = 1u << Inverse::kRounds.radix[kRound];
    const auto& c = state.pass.c;
    NTTF_GPU_UNROLL
    for (unsigned m = 0; m < kPoints / kRadix; ++m) {
      const auto p = position_of<typename Inverse::T, kRound>(tile, m);
      const typename PassTwiddles<typename Inverse::T>::template Twiddles<kRound> twiddles(
          tile, args, state.pass.limb->inverse, p.group, shared);
      Value* r = state.pass.r + m * kRadix;
      if constexpr (kRound + 1 != kRoundCount)
        Inverse::template last_side<kRound, false>(tile, args, p, r, shared, c);
      Inverse::template stages<kRound>(r, twiddles, args, *state.pass.limb, c);
      Inverse::template first_side<kRound, true>(tile, args, p, r, shared, c);
    }
  }
  static NTTF_HD void multiply(State& state) {
    NTTF_GPU_UNROLL
    for (unsigned i = 0; i < kPoints; ++i) {
      state.pass.r[i] = product_of_values<Arith, Forward::kBoundAtEnd>(state.first[i], state.pass.r[i],
                                                                       *state.pass.limb, state.pass.c);
    }
  }
};

/// The shape for a product, which fetches nothing ahead and needs registers for a second factor.
constexpr PassShape product_shape(PassShape shape) {
  shape.fetches = false;
  shape.min_blocks = shape.min_blocks > 1 ? shape.min_blocks / 2 : 1;
  return shape;
}

/// The product that goes with a row.
template <class Row>
struct ProductOf;

template <class Arith, TransformShape kShape>
struct ProductOf<Passes<Arith, kShape>> {
  using Row = Passes<Arith, kShape>;
  static constexpr unsigned kLast = Row::kCount - 1;
  using Kernel = FusedProduct<Arith, PassRole{.shape = product_shape(kShape.pass(kLast)),
                                              .log_n = Row::kLogN,
                                              .first_stage = kShape.first_stage(kLast)}>;

  static constexpr unsigned first_stage(unsigned) { return kShape.first_stage(kLast); }
};

template <class Arith>
struct ProductOf<MultiPass<Arith>> {
  using Row = MultiPass<Arith>;
  using Kernel = FusedProduct<Arith, PassRole{.shape = product_shape(Row::kLast)}>;

  static constexpr unsigned first_stage(unsigned log_n) { return log_n - Row::kLogLast; }
};

template <Where kWhere, class Row>
int run_product(const CudaProductLaunch<typename Row::Word>& launch, void* stream) {
  using Product = ProductOf<Row>;
  using K = typename Product::Kernel;
  const auto& call = launch.call;
  const ProductArgs<typename Row::Word> args{pass_args(call, call.in, Product::first_stage(call.log_n)),
                                             launch.second};
  const std::uint32_t clusters = K::Forward::clusters(call.log_n, call.limbs_of_call() * call.batch);
  return run_clusters<kWhere, K>(args, clusters, stream);
}

template <class List, Where kWhere>
void fill_products(CudaKernelRow<typename List::Word>* rows) {
  List::each([&]<class Row>(Row) {
    using Launch = CudaProductLaunch<typename Row::Word>;
    if constexpr (!Row::kHasProduct) {
    } else if constexpr (kWhere == Where::device) {
      rows->product = [](const Launch& l, void* stream) { return run_product<kWhere, Row>(l, stream); };
    } else {
      rows->product_on_host = [](const Launch& l) { run_product<kWhere, Row>(l, nullptr); };
    }
    ++rows;
  });
}

}  // namespace nttforge::cuda
