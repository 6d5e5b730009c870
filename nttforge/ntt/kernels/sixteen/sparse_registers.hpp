// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stages in registers, for sixteen vector registers or scalar ones: which x each butterfly reduces is decided
// stage by stage and row by row (sparse_butterflies.hpp).

#include <bit>
#include <cstddef>

#include "nttforge/ntt/kernels/register_rows.hpp"
#include "nttforge/ntt/kernels/sixteen/sparse_butterflies.hpp"
#include "nttforge/ntt/twiddles/table_twiddles.hpp"

namespace nttforge {

/// batch: butterflies handed to Butterfly at once. radix_log: stages of a pass.
template <class Butterfly, unsigned radix_log, int batch>
class SparseRegisters {
 public:
  using Lanes = typename Butterfly::Lanes;
  using Word = typename Butterfly::Word;
  using V = typename Butterfly::V;
  using Twiddle = typename Butterfly::Twiddle;
  using Constants = typename Butterfly::Constants;
  using Product = typename Butterfly::Product;
  static constexpr std::size_t kLanes = Lanes::kWidth;
  static constexpr unsigned kLanesLog = static_cast<unsigned>(std::countr_zero(kLanes));

 protected:
  using Twiddles = TableTwiddles<Product>;
  /// What words are when they are loaded: as the loops hold them, the caller's in [0, q), or lazy ones of the
  /// caller, in [0, 4q) forward and [0, 2q) inverse.
  enum class Entry { none, reduced, lazy };
  enum class Kind { keep, reduce, final, final_reduce, inverse, inverse_last };
  static constexpr bool kReducesAlways = Butterfly::kForwardStages <= radix_log;

  template <unsigned log, Kind kind>
  static constexpr bool reduces(unsigned s, int row) {
    if (kind == Kind::inverse) return Butterfly::inverse_reduces(log, s, row);
    if ((kind == Kind::final || kind == Kind::final_reduce) && s == log - 1 && Butterfly::kFinalReduces)
      return true;
    return (kReducesAlways || kind == Kind::reduce || kind == Kind::final_reduce) &&
           s % Butterfly::kForwardStages == 0;
  }

  template <unsigned log, int columns, Kind kind, class Source>
  static NTTF_KERNEL void stage(V (&r)[1 << log][columns], unsigned s, const Source& source,
                                const Twiddle& scale, const Constants& c) {
    each_batch<batch, decltype(source(0, 0))>(
        r, s, [&](const Site& at) NTTF_LAMBDA_INLINE { return source((1 << s) - 1 + at.group, at.column); },
        [&](auto& x, auto& y, const auto& w, const auto& sites)
            NTTF_LAMBDA_INLINE { butterflies<log, kind>(x, y, w, scale, sites, s, c); });
  }

  template <unsigned log, int columns, Kind kind, class Source>
  static NTTF_KERNEL void stages(V (&r)[1 << log][columns], const Source& source, const Twiddle& scale,
                                 const Constants& c) {
    if constexpr (kind >= Kind::inverse) {
      NTTF_UNROLL for (unsigned s = log - 1; s > 0; --s)
          stage<log, columns, Kind::inverse>(r, s, source, scale, c);
      stage<log, columns, kind>(r, 0, source, scale, c);
    } else {
      NTTF_UNROLL for (unsigned s = 0; s < log; ++s) stage<log, columns, kind>(r, s, source, scale, c);
    }
  }

  template <int rows, int columns>
  static NTTF_KERNEL void enter(V (&r)[rows][columns]) {
    each_vector(r, [](const V& v) NTTF_LAMBDA_INLINE { return Butterfly::enter(v); });
  }

  /// Rows before the first stage: those of the second half are factors.
  template <int rows, int columns>
  static NTTF_KERNEL void enter(V (&r)[rows][columns], const Constants& c) {
    if constexpr (requires { Butterfly::enter_factor(r[0][0], c); }) {
      NTTF_UNROLL for (int i = 0; i < rows; ++i) {
        NTTF_UNROLL for (int h = 0; h < columns; ++h) {
          r[i][h] = i < rows / 2 ? Butterfly::enter(r[i][h]) : Butterfly::enter_factor(r[i][h], c);
        }
      }
    } else {
      enter(r);
    }
  }

  template <unsigned log, Kind kind, int K, class AnyTwiddle>
  static NTTF_KERNEL void butterflies(V (&x)[K], V (&y)[K], const AnyTwiddle (&w)[K], const Twiddle& scale,
                                      const Site (&sites)[K], unsigned s, const Constants& c) {
    if constexpr (kind == Kind::inverse_last) {
      Twiddle scales[K];
      NTTF_UNROLL for (int i = 0; i < K; ++i) scales[i] = scale;
      Butterfly::inverse_last(x, y, w, scales, c);
    } else {
      bool reduce[K];
      NTTF_UNROLL for (int i = 0; i < K; ++i) reduce[i] = reduces<log, kind>(s, sites[i].row);
      if constexpr (kind == Kind::inverse) {
        Butterfly::inverse(x, y, w, c, reduce);
      } else {
        Butterfly::forward(x, y, w, c, reduce);
      }
    }
  }
};

}  // namespace nttforge
