// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/cuda/pass/tile.hpp"
#include "nttforge/cuda/step/rns_step.hpp"

// What a pass (pass.hpp) moves: between registers, shared memory and global memory.

namespace nttforge::cuda {

template <class T>
struct PassMemory {
  using Word = typename T::Word;
  using Value = typename T::Value;

  template <bool kStore, unsigned kRadix, unsigned kStride>
  static NTTF_HD void global(const PassTile<T>& tile, const typename T::Args& args, const PassPosition& p,
                             Value* r, const typename T::Constants& c) {
    const unsigned rank_offset = kStride == 0 && T::kContiguous ? tile.rank << T::kLogLocal : 0;
    const std::size_t first = tile.polynomial + tile.word(rank_offset + p.index);
    if constexpr (T::kStepped && kStore == T::kInverse) {
      stepped<kStore, kRadix, kStride>(tile, args, first, r, c);
    } else if constexpr (T::kSummed && !kStore) {
      summed<kRadix, kStride>(tile, args, first - tile.polynomial, r, c);
    } else if constexpr (kStride == 0 && T::kContiguous && !T::kOneRound && T::kLogParts == 0) {
      neighbours<kStore, kRadix>((kStore ? args.out : args.in) + first, r, c);
    } else {
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kRadix; ++k) {
        const std::uint32_t offset = tile.word_offset(k << kStride);
        if (!tile.inside) {
          if constexpr (!kStore) r[k] = Value{};
        } else if constexpr (kStore) {
          put(args.out + first + offset, r[k], args, c);
        } else {
          r[k] = get(args.in + first + offset, args, c);
        }
      }
    }
  }
  /// Moves points as above, with a step between bases on the way.
  template <bool kStore, unsigned kRadix, unsigned kStride>
  static NTTF_HD void stepped(const PassTile<T>& tile, const typename T::Args& args, std::size_t first,
                              Value* r, const typename T::Constants& c) {
    const RnsStepLimb<Word>& limb = args.step.limbs[tile.limb];
    const std::size_t batch_first = std::size_t{tile.member} * args.step.count << T::kLogN;
    const Word* const sources = args.step.sources + batch_first + (first - tile.polynomial);
    const auto load = [&](std::uint32_t i, unsigned k) {
      return sources[(std::size_t{i} << T::kLogN) + tile.word_offset(k << kStride)];
    };
    Word x[kRadix];
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kRadix; ++k) {
      if constexpr (kStore) {
        x[k] = T::leave(r[k], c);
      } else {
        x[k] = args.in == nullptr ? Word{0} : args.in[first + tile.word_offset(k << kStride)];
      }
    }
    apply_step<kRadix>(args.step, limb, load, x);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kRadix; ++k) {
      if constexpr (kStore) {
        args.out[first + tile.word_offset(k << kStride)] = x[k];
      } else {
        r[k] = T::enter(x[k], c);
      }
    }
  }
  /// Sums of products where a transform loads its first points: neighbours, or kRadix of them with a stride.
  template <unsigned kRadix, unsigned kStride>
  static NTTF_HD void summed(const PassTile<T>& tile, const typename T::Args& args, std::size_t first,
                             Value* r, const typename T::Constants& c) {
    constexpr unsigned kPack = kStride == 0 && T::kContiguous && !T::kOneRound
                                   ? (kRadix < 16 / sizeof(Word) ? kRadix : 16 / sizeof(Word))
                                   : 1;
    if (!tile.inside) {
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kRadix; ++k) r[k] = Value{};
      return;
    }
    const SumTerms<Word> terms =
        terms_of(args.sums, tile.member, tile.limb, args.limb_count, size_of<T>(args));
    const SumModulus<Word> modulus(args.sums, tile.limb, args.limbs[tile.limb].product);
    Word words[kRadix];
    sums_at<kRadix, kPack>(
        terms, modulus, [&](unsigned k) { return first + tile.word_offset(k << kStride); }, words);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kRadix; ++k) r[k] = T::enter(words[k], c);
  }
  /// A point at a word of global memory.
  static NTTF_HD Value get(const Word* at, const typename T::Args& args, const typename T::Constants& c) {
    if constexpr (T::kLogParts == 0) {
      return T::enter(*at, c);
    } else {
      return {T::enter(*at, c), T::enter(at[std::size_t{1} << size_of<T>(args)], c)};
    }
  }
  static NTTF_HD void put(Word* at, Value x, const typename T::Args& args, const typename T::Constants& c) {
    if constexpr (T::kLogParts == 0) {
      *at = T::leave(x, c);
    } else {
      *at = T::leave(x.re, c);
      at[std::size_t{1} << size_of<T>(args)] = T::leave(x.im, c);
    }
  }
  /// kCount neighbouring words, 16 bytes at a time where they are aligned.
  template <bool kStore, unsigned kCount>
  static NTTF_HD void neighbours(const Word* words, Value* r, const typename T::Constants& c) {
    constexpr unsigned kPack = 16 / sizeof(Word);
    if (reinterpret_cast<std::uintptr_t>(words) % 16 != 0) {
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kCount; ++k) {
        if constexpr (kStore) {
          const_cast<Word*>(words)[k] = T::leave(r[k], c);
        } else {
          r[k] = T::enter(words[k], c);
        }
      }
      return;
    }
    struct alignas(16) Pack {
      Word words[kPack];
    };
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kCount; k += kPack) {
      auto* const at = reinterpret_cast<Pack*>(const_cast<Word*>(words) + k);
      Pack pack;
      if constexpr (!kStore) pack = *at;
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kPack; ++i) {
        if constexpr (kStore) {
          pack.words[i] = T::leave(r[k + i], c);
        } else {
          r[k + i] = T::enter(pack.words[i], c);
        }
      }
      if constexpr (kStore) *at = pack;
    }
  }
  template <unsigned kExchange>
  static NTTF_HD unsigned first_place(const PassTile<T>& tile, unsigned index) {
    constexpr unsigned kArea = T::area_of(kExchange) * T::area_words();
    return tile.shared_base + kArea + T::template place<kExchange>(index);
  }
  template <bool kStore, unsigned kExchange, unsigned kRadix, unsigned kStride, class Shared>
  static NTTF_HD void local(const PassTile<T>& tile, const PassPosition& p, Value* r, Shared& shared) {
    const unsigned base = first_place<kExchange>(tile, p.index);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kRadix; ++k) {
      const unsigned word = base + T::template place<kExchange>(k << kStride);
      if constexpr (kStore) {
        shared.store(word, r[k]);
      } else {
        r[k] = shared.load(word);
      }
    }
  }
  template <bool kStore, unsigned kRadix, class Shared>
  static NTTF_HD void remote(const PassTile<T>& tile, const PassPosition& p, Value* r, Shared& shared) {
    constexpr unsigned kPerBlock = kRadix >> T::kLogCluster, kStride = T::log_stride(0);
    const unsigned base = first_place<0>(tile, p.index);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kRadix; ++k) {
      const unsigned word = base + T::template place<0>((k % kPerBlock) << kStride);
      if constexpr (kStore) {
        shared.store_to(k / kPerBlock, word, r[k]);
      } else {
        r[k] = shared.load_from(k / kPerBlock, word);
      }
    }
  }
  /// Copies between global memory and the words of shared memory that the thread's warp works on.
  template <class Shared>
  static NTTF_HD void copy(const PassTile<T>& tile, const typename T::Args& args, const CudaLimb<Word>& limb,
                           Shared& shared) {
    constexpr unsigned kLogWarp = T::kLogTileThreads < 5 ? T::kLogTileThreads : 5;
    const unsigned lane = tile.thread & ((1u << kLogWarp) - 1);
    const unsigned first = ((tile.thread >> kLogWarp) << (kLogWarp + T::kLogPoints)) + lane;
    const auto c = T::Arith::constants(limb);
    const std::size_t base = tile.polynomial + tile.word(tile.rank << T::kLogLocal) + first;
    const unsigned shared_first = first_place<T::kRounds.count - 1>(tile, first);
    if constexpr (T::kSummed) {
      const SumTerms<Word> terms =
          terms_of(args.sums, tile.member, tile.limb, args.limb_count, size_of<T>(args));
      const SumModulus<Word> modulus(args.sums, tile.inside ? tile.limb : 0, limb.product);
      Word words[T::kPoints] = {};
      if (tile.inside) {
        const std::size_t begin = base - tile.polynomial;
        sums_at<T::kPoints, 1>(terms, modulus, [&](unsigned m) { return begin + (m << kLogWarp); }, words);
      }
      NTTF_GPU_UNROLL
      for (unsigned m = 0; m < T::kPoints; ++m)
        shared.store(shared_first + padded<Value>(m << kLogWarp), T::enter(words[m], c));
      return;
    }
    NTTF_GPU_UNROLL
    for (unsigned m = 0; m < T::kPoints; ++m) {
      const unsigned offset = m << kLogWarp;
      const unsigned word = shared_first + padded<Value>(offset);
      if constexpr (T::kInverse) {
        shared.store(word, tile.inside ? get(args.in + base + offset, args, c) : Value{});
      } else if (tile.inside) {
        put(args.out + base + offset, shared.load(word), args, c);
      }
    }
  }

  /// Words that a thread has together where it meets other arrays than the pass's own: groups of neighbouring
  /// words. After the last round its own points, or, where these cross shared memory once more, groups that
  /// neighbouring threads have side by side.
  static constexpr unsigned kTogether = T::kPoints < 16 / sizeof(Word) ? T::kPoints : 16 / sizeof(Word);
  static constexpr unsigned kGroups = T::kPoints / kTogether;
  using Words = NeighbouringWords<Word, kTogether>;
  static NTTF_HD unsigned place_of_group(const PassTile<T>& tile, unsigned group) {
    constexpr unsigned kLogWarp = 5;
    if constexpr (!T::kCopies) return position_of<T, T::kRounds.count - 1>(tile, 0).index + group * kTogether;
    const unsigned lane = tile.thread & ((1u << kLogWarp) - 1);
    return ((tile.thread >> kLogWarp) << (kLogWarp + T::kLogPoints)) +
           (lane + (group << kLogWarp)) * kTogether;
  }
  /// A group's values, from shared memory.
  template <class Shared>
  static NTTF_HD void load_group(const PassTile<T>& tile, unsigned group, Shared& shared, Value* values) {
    const unsigned first = first_place<T::kRounds.count - 1>(tile, place_of_group(tile, group));
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kTogether; ++k) values[k] = shared.load(first + k);
  }
  /// A value at the end of the transform in [0, 2q).
  static NTTF_HD Word below_2q(Value x, const typename T::Constants& c) {
    if constexpr (T::kBoundAtEnd > 2) return T::Arith::halve(x, c);
    return x;
  }

  // What a division joins is on its way while the transform is computed.
  template <class State>
  static NTTF_HD void find_images(const PassTile<T>& tile, const typename T::Args& args, State& state) {
    if (args.join.image == nullptr) return;
    NTTF_GPU_UNROLL
    for (unsigned g = 0; g < kGroups; ++g) {
      const std::uint32_t at = tile.word(place_of_group(tile, g));
      state.images[g] = ImageWords<kTogether>(args.join.image, at / kTogether).packed();
    }
  }
  static NTTF_HD unsigned slot(const PassTile<T>& tile, unsigned group, unsigned array) {
    return (array * kGroups + group) * T::kThreads + tile.thread;
  }
  template <class State, class Shared>
  static NTTF_HD void fetch_joined(const PassTile<T>& tile, const typename T::Args& args, const State& state,
                                   Shared& shared) {
    const unsigned log_n = size_of<T>(args);
    if (const Word* const x = args.join.row_of_x(tile.member, tile.limb, log_n); x != nullptr) {
      NTTF_GPU_UNROLL
      for (unsigned g = 0; g < kGroups; ++g)
        shared.template fetch_once<Words>(slot(tile, g, 0), x + tile.word(place_of_group(tile, g)));
    }
    const Word* const addend = args.join.row_of_addend(tile.member, tile.limb, args.limb_count, log_n);
    if (addend == nullptr) return;
    const bool moves = args.join.image != nullptr;
    NTTF_GPU_UNROLL
    for (unsigned g = 0; g < kGroups; ++g) {
      const std::uint32_t from = moves ? ImageWords<kTogether>::unpacked(state.images[g]).group * kTogether
                                       : tile.word(place_of_group(tile, g));
      shared.template fetch_once<Words>(slot(tile, g, 1), addend + from);
    }
  }
  /// What is joined with a row: x, and an addend or its image.
  template <class State, class Shared>
  static NTTF_HD void join_all(const PassTile<T>& tile, const typename T::Args& args, const State& state,
                               Shared& shared) {
    const bool has_x = args.join.has_x(tile.limb), has_addend = args.join.has_addend(tile.member);
    if (!has_x) return join_groups<false, true>(tile, args, state, shared, has_addend);
    if (!has_addend) return join_groups<true, false>(tile, args, state, shared, false);
    join_groups<true, true>(tile, args, state, shared, true);
  }
  template <bool kHasX, bool kMayAdd, class State, class Shared>
  static NTTF_HD void join_groups(const PassTile<T>& tile, const typename T::Args& args, const State& state,
                                  Shared& shared, bool has_addend) {
    const Word q = state.limb->q, own = args.join.own[tile.limb], quotient = args.join.quotient[tile.limb];
    const bool moves = args.join.image != nullptr;
    Word* const out = args.out + tile.polynomial;
    NTTF_GPU_UNROLL
    for (unsigned g = 0; g < kGroups; ++g) {
      Words words;
      if constexpr (T::kCopies) {
        load_group(tile, g, shared, words.words);
      } else {
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < kTogether; ++k) words.words[k] = state.r[g * kTogether + k];
      }
      Words x;
      if constexpr (kHasX) x = shared.template fetched<Words>(slot(tile, g, 0));
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kTogether; ++k) {
        Word& word = words.words[k];
        word = below_2q(word, state.c);
        if constexpr (kHasX) word = DivisionJoin<Word>::plus_product(word, x.words[k], own, quotient, q);
        word = smaller(word, word - q);
      }
      if (kMayAdd && has_addend) {
        auto addend = shared.template fetched<Words>(slot(tile, g, 1));
        if (moves) addend = ImageWords<kTogether>::unpacked(state.images[g]).ordered(addend);
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < kTogether; ++k) {
          const Word sum = words.words[k] + addend.words[k];
          words.words[k] = smaller(sum, sum - q);
        }
      }
      *reinterpret_cast<Words*>(out + tile.word(place_of_group(tile, g))) = words;
    }
  }
};

/// Where a thread's groups of an image come from, in passes that join one (ImageWords::packed).
template <class T, bool kJoined = T::kJoined>
struct PassImages {};
template <class T>
struct PassImages<T, true> {
  std::uint32_t images[PassMemory<T>::kGroups];
};

}  // namespace nttforge::cuda
