// SPDX-License-Identifier: Apache-2.0
#pragma once

// Twiddles as stages in registers read them: source(i, column) is twiddle i of those that a group's stages
// need (1, 2, 4 ... a stage), for the group in `column`. Entries (value, quotient) lie in the order they are
// read; see twiddles.hpp.

#include <cstddef>

#include "nttforge/ntt/kernels/products/products.hpp"

namespace nttforge {

template <class Product>
struct TableTwiddles {
  using Lanes = typename Product::Lanes;
  using Word = typename Product::Word;
  using Twiddle = typename Product::Twiddle;
  static constexpr std::size_t kLanes = Lanes::kWidth;

  /// Twiddles whose entry serves all lanes; groups follow each other `stride` entries apart.
  template <std::size_t stride>
  struct Scalars {
    const Word* table;
    NTTF_KERNEL Twiddle operator()(int i, int column) const {
      const Word* p = table + 2 * (static_cast<std::size_t>(column) * stride + static_cast<std::size_t>(i));
      return Product::twiddle(Lanes::broadcast(p[0]), Lanes::broadcast(p[1]));
    }
  };

  /// Twiddles of one group, read before the loop over columns, as they are the same for every column.
  template <int count>
  struct Held {
    Twiddle w[count];
    NTTF_KERNEL Twiddle operator()(int i, int) const { return w[i]; }
  };
  template <int count>
  static NTTF_KERNEL Held<count> hold(const Word* table) {
    Held<count> held;
    NTTF_UNROLL for (int i = 0; i < count; ++i) held.w[i] = Scalars<0>{table}(i, 0);
    return held;
  }

  /// L groups a column, one per lane: a vector of values and one of quotients per entry.
  struct Vectors {
    const Word* table;
    NTTF_KERNEL Twiddle operator()(int i, int column) const {
      const Word* p =
          table +
          2 * kLanes * (static_cast<std::size_t>(column) * (kLanes - 1) + static_cast<std::size_t>(i));
      return Product::twiddle(Lanes::load(p), Lanes::load(p + kLanes));
    }
  };

  /// Vectors of values without quotients.
  struct ValueVectors {
    const Word* table;
    NTTF_KERNEL auto operator()(int i, int column) const {
      return typename Product::ValueTwiddle{Lanes::load(
          table + kLanes * (static_cast<std::size_t>(column) * (kLanes - 1) + static_cast<std::size_t>(i)))};
    }
  };

  /// L / 2 neighbouring entries, each for two neighbouring lanes.
  static NTTF_KERNEL Twiddle paired(const Word* p) {
    return Product::twiddle(Lanes::doubled_evens(p), Lanes::doubled_odds(p));
  }

  /// Entries of exchanged lanes before those of stage s and vector pair j.
  static NTTF_KERNEL std::size_t repeated_at(unsigned s, int j, int column) {
    const std::size_t per_stage = std::size_t{2} << s;
    return kLanes * (kLanes - 1) * static_cast<std::size_t>(column) + kLanes / 2 * (per_stage - 2) +
           per_stage * static_cast<std::size_t>(j);
  }

  /// Twiddles for exchanged lanes (lane_exchange.hpp): the 2^(s + 1) twiddles of stage s and vector pair j,
  /// repeated over the lanes.
  struct Repeated {
    const Word* table;
    NTTF_KERNEL Twiddle operator()(unsigned s, int j, int column) const {
      const Word* p = table + 2 * repeated_at(s, j, column);
      if (s == 0) return load<2>(p);
      if (s == 1) return load<4>(p);
      if (s == 2) return load<8>(p);
      return load<16>(p);
    }
    /// Twiddles of the last stage but two: those of pair j in the lower half of the lanes, those of pair
    /// j + L/4 in the upper half.
    NTTF_KERNEL Twiddle joined(int j) const {
      constexpr std::size_t kCount = kLanes / 4;
      constexpr unsigned kStage = kLanes == 8 ? 0 : 1;
      static_assert(kCount == std::size_t{2} << kStage);
      const Word* const p = table + 2 * repeated_at(kStage, j, 0);
      const Word* const r = table + 2 * repeated_at(kStage, j + static_cast<int>(kCount), 0);
      const auto joined = [&](std::size_t at) NTTF_LAMBDA_INLINE {
        return Lanes::join_halves(Lanes::template load_repeated<kCount>(p + at),
                                  Lanes::template load_repeated<kCount>(r + at));
      };
      return of_words<kCount>(joined);
    }

   private:
    template <std::size_t count>
    static NTTF_KERNEL Twiddle load(const Word* p) {
      constexpr std::size_t kCount = count < kLanes ? count : kLanes;
      return of_words<kCount>(
          [&](std::size_t at) NTTF_LAMBDA_INLINE { return Lanes::template load_repeated<kCount>(p + at); });
    }
    /// words(at): the lanes' words, `at` after those of the first value. Moved on by one word quotients are
    /// what ShoupProduct::kApart wants, a load instead of a shift; entries of passes follow the last one.
    template <std::size_t count, class WordsAt>
    static NTTF_KERNEL Twiddle of_words(const WordsAt& words) {
      const auto value = words(0), quotient = words(count);
      if constexpr (requires { Product::twiddle(value, quotient, quotient); }) {
        return Product::twiddle(value, quotient, words(count + 1));
      } else {
        return Product::twiddle(value, quotient);
      }
    }
  };

  /// Repeated, made from quotients alone.
  struct RepeatedQuotients {
    const Word* table;
    const typename Product::Constants& c;
    NTTF_KERNEL Twiddle operator()(unsigned s, int j, int column) const {
      const Word* p = table + repeated_at(s, j, column);
      if (s == 0) return load<2>(p);
      if (s == 1) return load<4>(p);
      if (s == 2) return load<8>(p);
      return load<16>(p);
    }

   private:
    template <std::size_t count>
    NTTF_KERNEL Twiddle load(const Word* p) const {
      constexpr std::size_t kCount = count < kLanes ? count : kLanes;
      return Product::of_quotient(Lanes::template load_repeated<kCount>(p), c);
    }
  };
};

}  // namespace nttforge
