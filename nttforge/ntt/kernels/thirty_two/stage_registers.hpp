// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stages in registers, for thirty-two of them: the butterflies of one stage after the other over rows of
// vectors (register_rows.hpp), and what rows carry from stage to stage besides their values.

#include <bit>
#include <cstddef>
#include <type_traits>

#include "nttforge/ntt/kernels/butterflies.hpp"
#include "nttforge/ntt/kernels/register_rows.hpp"
#include "nttforge/ntt/kernels/thirty_two/lane_exchange.hpp"
#include "nttforge/ntt/twiddles/table_twiddles.hpp"

namespace nttforge {

/// batch: butterflies handed to Butterfly at once.
template <class Butterfly, int batch>
class StageRegisters {
 public:
  using Lanes = typename Butterfly::Lanes;
  using Word = typename Butterfly::Word;
  using V = typename Butterfly::V;
  using Twiddle = typename Butterfly::Twiddle;
  using Constants = typename Butterfly::Constants;
  using Product = typename Butterfly::Product;
  static constexpr std::size_t kLanes = Lanes::kWidth;
  static constexpr unsigned kLanesLog = static_cast<unsigned>(std::countr_zero(kLanes));
  static constexpr bool kExchanged = ExchangingLanes<Lanes>;
  static constexpr bool kSigned = Butterfly::kSigned;

 protected:
  using Twiddles = TableTwiddles<Product>;
  enum class Kind { forward, forward_last, inverse, inverse_last };

  /// What rows carry besides their values if Butterfly::kSigned: before the last forward stage the sign of
  /// each column, after the last inverse stage of a pass the role of each column in the next.
  struct None {
    NTTF_KERNEL int operator()(const Constants&, int) const { return 0; }
  };
  struct GroupRole {
    std::size_t group;
    NTTF_KERNEL auto operator()(const Constants&, int) const { return Butterfly::role_of_group(group); }
  };
  struct CodeletRole {
    std::size_t first;
    NTTF_KERNEL auto operator()(const Constants&, int column) const {
      return Butterfly::role_of_group(first + static_cast<std::size_t>(column));
    }
  };
  struct LanesRole {
    unsigned bit;
    NTTF_KERNEL auto operator()(const Constants&, int) const { return Butterfly::role_of_lanes(bit); }
  };
  struct CodeletSign {
    std::size_t first;
    NTTF_KERNEL unsigned operator()(const Constants&, int column) const {
      return static_cast<unsigned>(std::popcount(first + static_cast<std::size_t>(column)));
    }
  };

  /// The butterflies of one batch, of stage s.
  template <Kind kind, int K, class Context>
  static NTTF_KERNEL void butterflies(V (&x)[K], V (&y)[K], const Twiddle (&w)[K], const Twiddle& scale,
                                      const Site (&sites)[K], unsigned s, Step step, const Context& context,
                                      const Constants& c) {
    if constexpr (kind == Kind::inverse_last) {
      Twiddle scales[K];
      NTTF_UNROLL for (int i = 0; i < K; ++i) scales[i] = scale;
      Butterfly::inverse_last(x, y, w, scales, c);
    } else if constexpr (kind == Kind::forward) {
      Butterfly::forward(x, y, w, c, step);
    } else if constexpr (!Butterfly::kSigned && kind == Kind::inverse) {
      Butterfly::inverse(x, y, w, c, step);
    } else if constexpr (!Butterfly::kSigned) {
      Butterfly::forward_last(x, y, w, c);
    } else if constexpr (kind == Kind::inverse) {
      typename Butterfly::Role roles[K];
      NTTF_UNROLL for (int i = 0; i < K; ++i) {
        roles[i] = Butterfly::role(c, sites[i].group % 2 != 0);
        if constexpr (!std::is_same_v<Context, None>) {
          if (s == 0) roles[i] = context(c, sites[i].column);
        }
      }
      Butterfly::inverse(x, y, w, roles, c, step);
    } else {
      unsigned negated[K];
      NTTF_UNROLL for (int i = 0; i < K; ++i) {
        negated[i] =
            (context(c, sites[i].column) + static_cast<unsigned>(std::popcount(unsigned(sites[i].group)))) %
            2;
      }
      Butterfly::forward_last(x, y, w, negated, c);
    }
  }

  template <unsigned log, int columns, Kind kind, class Source, class Context>
  static NTTF_KERNEL void stage(V (&r)[1 << log][columns], unsigned s, const Source& source,
                                const Twiddle& scale, Step step, const Context& context, const Constants& c) {
    each_batch<batch, Twiddle, Batches::along>(
        r, s, [&](const Site& at) NTTF_LAMBDA_INLINE { return source((1 << s) - 1 + at.group, at.column); },
        [&](auto& x, auto& y, const auto& w, const auto& sites)
            NTTF_LAMBDA_INLINE { butterflies<kind>(x, y, w, scale, sites, s, step, context, c); });
  }

  /// Stage s of those that a pass merges.
  static NTTF_KERNEL constexpr Step forward_step(unsigned s) {
    return s % (Butterfly::kKept + 1) == 0 ? Step::reduce : Step::keep;
  }

  /// `last`: the transform ends here, with words in [0, q).
  template <unsigned log, int columns, bool last, class Source, class Context>
  static NTTF_KERNEL void forward_stages(V (&r)[1 << log][columns], const Source& source, Step first,
                                         const Context& context, const Constants& c) {
    const Twiddle none{};
    NTTF_UNROLL for (unsigned s = 0; s + 1 < log; ++s) {
      stage<log, columns, Kind::forward>(r, s, source, none, s == 0 ? first : forward_step(s), context, c);
    }
    stage<log, columns, last ? Kind::forward_last : Kind::forward>(
        r, log - 1, source, none, log == 1 ? first : forward_step(log - 1), context, c);
  }
  /// Values are reduced in every second stage and in the last one.
  template <unsigned log, int columns, bool last, class Source, class Context>
  static NTTF_KERNEL void inverse_stages(V (&r)[1 << log][columns], const Source& source,
                                         const Twiddle& scale, Step first, const Context& context,
                                         const Constants& c) {
    NTTF_UNROLL for (unsigned s = log - 1; s > 0; --s) {
      const Step step = (log - s) % 2 == 0 ? Step::reduce : s == log - 1 ? first : Step::keep;
      stage<log, columns, Kind::inverse>(r, s, source, scale, step, context, c);
    }
    stage<log, columns, last ? Kind::inverse_last : Kind::inverse>(r, 0, source, scale, Step::reduce, context,
                                                                   c);
  }
};

}  // namespace nttforge
