#pragma once

#include <cstdint>
#include <type_traits>

#include "nttforge/cuda/block.hpp"
#include "nttforge/cuda/kernels.hpp"
#include "nttforge/cuda/rounds.hpp"

// One pass over the data: `kStages` neighbouring stages of the product-tree transform (ntt/twiddles.hpp), in
// a thread block or a cluster of blocks. An index of the data is
//
//     high (first_stage bits) | stages (kStages bits) | low bits
//
// and a tile is everything with the same high and the same low bits but the last kLogColumns: it is
// transformed in shared memory, in rounds of up to log2(kPoints) stages. With kLogColumns = 0 there are no
// low bits: the pass is the last (forward), and the whole transform if there are no high bits either.
//
//   forward   global -> round 0 -> shared (of all blocks of the cluster) -> round 1 -> ... -> global
//   inverse   the same backwards: the first exchange between blocks becomes the last
//
// In the last round of a contiguous pass a thread has neighbouring points; a warp's points then cross shared
// memory once more, so that global memory sees neighbouring threads at neighbouring words.

namespace nttforge::cuda {

/// What a pass is specialised by. log2 of: columns of a strided pass; points per thread; blocks per cluster;
/// tiles per block (whole transforms, kLogColumns = 0, no cluster); stages of the first round (0: free).
template <unsigned kStagesOf, unsigned kLogColumnsOf, unsigned kLogPointsOf, unsigned kLogClusterOf = 0,
          unsigned kLogFirstOf = 0, unsigned kLogRowsOf = 0, unsigned kMinBlocksOf = 1,
          bool kFetchesOf = false, unsigned kDerivedOf = 0, bool kDirectOf = false>
struct PassShape {
  static constexpr unsigned kStages = kStagesOf;
  static constexpr unsigned kLogColumns = kLogColumnsOf;
  static constexpr unsigned kLogPoints = kLogPointsOf;
  static constexpr unsigned kLogCluster = kLogClusterOf;
  static constexpr unsigned kLogFirst = kLogFirstOf;
  static constexpr unsigned kLogRows = kLogRowsOf;
  static constexpr unsigned kMinBlocks = kMinBlocksOf;  ///< per multiprocessor, bounds the registers
  static constexpr bool kFetches = kFetchesOf;          ///< twiddles come to shared memory ahead of use
  /// Last stages of the last round whose twiddles are a product: of the first group's of the round, and of a
  /// constant that all rounds share ([Kim20] VII, with one base). Contiguous passes only.
  static constexpr unsigned kDerived = kDerivedOf;
  /// A thread's neighbouring points go to global memory straight from its registers, 16 bytes at a time.
  static constexpr bool kDirect = kDirectOf;
};

template <class Word>
struct PassArgs {
  const Word* in;
  Word* out;
  const CudaLimb<Word>* limbs;
  std::uint32_t limb_count;  ///< of a polynomial
  std::uint32_t first_limb;  ///< of this launch
  std::uint32_t limbs_here;
  std::uint32_t batch;
  std::uint32_t log_n;
  std::uint32_t first_stage;
};

template <class Arith, class Shape, unsigned kLogN, unsigned kFirstStage>
struct FusedProduct;

/// Words of a point in memory: 2 for pairs (arith_complex.hpp), whose second words lie 2^log_n after the
/// first.
template <class Arith>
constexpr unsigned parts_of() {
  if constexpr (requires { Arith::kParts; }) return Arith::kParts;
  return 1;
}

/// kLogN: the transforms' size, or 0 if only the launch says it; kFirstStage then too.
template <class Arith, class Shape, bool kInverse, unsigned kLogN = 0, unsigned kFirstStage = 0,
          bool kBackwards = false>
struct Pass {
  template <class, class, unsigned, unsigned>
  friend struct FusedProduct;
  using Word = typename Arith::Word;
  using Value = typename Arith::Value;
  using Twiddle = typename Arith::Twiddle;
  using Args = PassArgs<Word>;

  static constexpr unsigned kLogPoints = Shape::kLogPoints;
  static constexpr unsigned kPoints = 1u << kLogPoints;
  static constexpr unsigned kLogCluster = Shape::kLogCluster;
  static constexpr unsigned kLogColumns = Shape::kLogColumns;
  static constexpr unsigned kLogRows = Shape::kLogRows;
  static constexpr unsigned kLogTile = Shape::kStages + kLogColumns;
  static constexpr unsigned kLogLocal = kLogTile - kLogCluster;  ///< of a tile, in one block
  static constexpr unsigned kLogTileThreads = kLogLocal - kLogPoints;
  static constexpr unsigned kThreads = 1u << (kLogTileThreads + kLogRows);
  static constexpr Rounds kRounds = make_rounds(Shape::kStages, kLogPoints, Shape::kLogFirst);
  static constexpr bool kContiguous = kLogColumns == 0;
  static constexpr bool kOneRound = kRounds.count == 1;
  static constexpr bool kCopies =
      kContiguous && !kOneRound && !Shape::kDirect;  ///< a phase of its own for global memory
  static constexpr unsigned kMinBlocks = Shape::kMinBlocks;
  static constexpr unsigned kDerived = Shape::kDerived;
  static constexpr unsigned kPhases = kRounds.count + (kCopies ? 1 : 0);
  static constexpr unsigned kLogParts = parts_of<Arith>() - 1;
  static constexpr unsigned kRowWords = padded<Value>(1u << kLogLocal);
  static constexpr unsigned kSharedWords = kOneRound ? 1 : kRowWords << kLogRows;
  static_assert(static_cast<int>(kRounds.radix[0]) >= static_cast<int>(kLogCluster),
                "the first round exchanges between the blocks");
  static_assert(!kContiguous || kOneRound || kRounds.radix[kRounds.count - 1] == kLogPoints,
                "a thread's last points are neighbours");
  static_assert(Shape::kDerived == 0 || (kContiguous && !kOneRound),
                "twiddles are derived in the last round of contiguous passes");
  static_assert(kLogRows == 0 || !Shape::kDirect, "rows past the end are left out by the copy");
  static_assert(kLogRows == 0 || (kContiguous && kLogCluster == 0));

  static_assert(!Shape::kFetches || kLogRows == 0, "rows have tables of their own");

  struct State {
    Value r[kPoints];
    typename Arith::Constants c;
    const CudaLimb<Word>* limb;
    const Word* table;
  };

  static constexpr std::uint32_t clusters(unsigned log_n, std::uint32_t polynomials) {
    return kLogRows != 0 ? (polynomials + (1u << kLogRows) - 1) >> kLogRows
                         : polynomials << (log_n - kLogTile);
  }

  /// The round of a phase; kRounds.count for the copying phase.
  static constexpr unsigned round_of(unsigned phase) { return kInverse ? kPhases - 1 - phase : phase; }
  static constexpr unsigned log_stride(unsigned round) {
    return kLogTile - kRounds.first[round] - kRounds.radix[round];
  }
  static constexpr Barrier barrier_after(unsigned phase) {
    if (phase == kPhases - 1) return kInverse && kLogCluster != 0 ? Barrier::cluster : Barrier::none;
    const unsigned a = round_of(kInverse ? phase + 1 : phase);  // the exchange between rounds a and a + 1
    if (a == 0 && kLogCluster != 0) return Barrier::cluster;
    const bool fetched = phase == 0 && kFetchedBytes != 0;  // by every thread for all
    return exchanged_in_warp(a) && !fetched ? Barrier::warp : Barrier::block;
  }
  /// Forward blocks write to each other at once: all must have begun.
  static constexpr bool kWaitsForCluster = !kInverse && kLogCluster != 0;

  /// Rounds whose twiddles come to shared memory during phase 0.
  static constexpr bool fetched(unsigned round) {
    return Shape::kFetches && round != 0 && round < kRounds.count && round != round_of(0);
  }
  static constexpr std::uint32_t kFetchedBytes =
      Shape::kFetches && kRounds.count > 1 ? sizeof(Twiddle) << (kLogLocal - kLogColumns) : 0;

  /// What does not depend on the data: constants, and twiddles on their way.
  template <class Shared>
  static NTTF_HD void prologue(const Place& at, const Args& args, State& state, Shared& shared) {
    const Tile tile(at, args);
    state.limb = args.limbs + (tile.inside ? tile.limb : 0);
    state.c = Arith::constants(*state.limb);
    state.table = kInverse ? state.limb->inverse : state.limb->forward;
    if constexpr (kFetchedBytes != 0) fetch_rounds<1>(tile, args, state.table, shared);
  }

  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State& state, Shared& shared) {
    constexpr unsigned kRound = round_of(kPhase);
    const Tile tile(at, args);
    if constexpr (kRound == kRounds.count) {
      copy(tile, args, state, shared);
    } else {
      run_round<kRound>(tile, args, state, shared);
    }
  }

 private:
  static NTTF_HD unsigned size_of(const Args& args) { return kLogN != 0 ? kLogN : args.log_n; }
  static NTTF_HD unsigned first_stage_of(const Args& args) {
    return kLogN != 0 ? kFirstStage : args.first_stage;
  }

  /// Where a thread's tile is.
  struct Tile {
    unsigned thread, rank, shared_base, high, low, limb;
    unsigned log_low;
    bool inside;             ///< false: a row past the last polynomial
    std::size_t polynomial;  ///< first word

    NTTF_HD Tile(const Place& at, const Args& args) {
      rank = at.rank;
      thread = at.thread & ((1u << kLogTileThreads) - 1);
      const unsigned row = at.thread >> kLogTileThreads;
      shared_base = row * kRowWords;
      std::uint32_t index, b;
      if constexpr (kLogRows != 0) {
        index = (at.cluster << kLogRows) + row;
        inside = index < args.limbs_here * args.batch;
        b = index / args.limbs_here;
        limb = args.first_limb + index - b * args.limbs_here;
        high = low = log_low = 0;
      } else {
        // Tiles of a polynomial, then its batch, then limbs: blocks that run together share twiddles.
        // Every other pass goes backwards: it begins with what the pass before wrote last, still in the
        // cache.
        const unsigned log_tiles = size_of(args) - kLogTile;
        const std::uint32_t all = args.limbs_here * args.batch << log_tiles;
        const std::uint32_t cluster = kBackwards ? all - 1 - at.cluster : at.cluster;
        index = cluster >> log_tiles;
        inside = true;
        const std::uint32_t limb_here = args.batch == 1 ? index : index / args.batch;
        limb = args.first_limb + limb_here;
        b = index - limb_here * args.batch;
        const std::uint32_t tile = cluster & ((1u << log_tiles) - 1);
        log_low = kContiguous ? 0 : size_of(args) - first_stage_of(args) - Shape::kStages;
        high = tile >> (log_low - (kContiguous ? 0 : kLogColumns));
        low = kContiguous ? 0 : (tile << kLogColumns) & ((1u << log_low) - 1);
      }
      polynomial = (std::size_t{b} * args.limb_count + limb) << (size_of(args) + kLogParts);
    }
    /// Word of the polynomial at index `i` of the whole tile (stages and columns).
    NTTF_HD std::uint32_t word(std::uint32_t i) const {
      if constexpr (kContiguous) return (high << kLogTile) + i;
      return (high << (Shape::kStages + log_low)) + low + word_offset(i);
    }
    /// word(i + j) = word(i) + word_offset(j) if i and j have no bit in common.
    NTTF_HD std::uint32_t word_offset(std::uint32_t i) const {
      if constexpr (kContiguous) return i;
      return ((i >> kLogColumns) << log_low) + (i & ((1u << kLogColumns) - 1));
    }
  };

  /// Threads that exchange after round a are one warp: both rounds are full, the sub-block is at most 32
  /// threads' and no permutation of threads leaves the warp.
  static constexpr bool exchanged_in_warp(unsigned a) {
    if (a + 1 == kRounds.count) return true;  // the copy
    if (kRounds.radix[a] != kLogPoints || kRounds.radix[a + 1] != kLogPoints) return false;
    if (a == 0) return kLogTile <= 5 + kLogPoints;
    for (unsigned round = a; round <= a + 1; ++round) {
      const unsigned stride = log_stride(round);
      if (stride != 0 && stride < kLogBanks<Value> && 2 * kLogBanks<Value> > kLogPoints + 5) return false;
    }
    return log_stride(a) + kRounds.radix[a] <= 5 + kLogPoints;
  }

  /// The group of sub-butterfly m of a thread and its first index; later ones are 2^log_stride apart.
  struct Position {
    unsigned group;  ///< within the tile
    unsigned index;  ///< in the block's part of the tile; round 0 of a cluster: in the whole tile
  };
  template <unsigned kRound>
  static NTTF_HD Position position(const Tile& tile, unsigned m) {
    constexpr unsigned kStride = log_stride(kRound), kRadix = kRounds.radix[kRound];
    if constexpr (kRound == 0) {
      return {0, (((m << kLogCluster) + tile.rank) << kLogTileThreads) + tile.thread};
    } else {
      const unsigned v = (m << kLogTileThreads) + tile.thread;
      constexpr unsigned kLogBlocks = kLogTileThreads > kStride ? kLogTileThreads - kStride : 0;
      const unsigned block = spread_sub_block<kLogBanks<Value>, kStride, kRadix, kLogBlocks>(v >> kStride);
      const unsigned offset = v & ((1u << kStride) - 1);
      constexpr unsigned kGroupBits = kRounds.first[kRound] - kLogCluster;
      return {(tile.rank << kGroupBits) + block, (block << (kStride + kRadix)) + offset};
    }
  }

  /// What comes between global or shared memory and the registers in a round. Forward rounds: `enter` reads
  /// what was there before the round, `leave` writes; inverse rounds run the other way.
  static constexpr bool touches_global_first(unsigned round) { return round == 0; }
  static constexpr bool touches_global_last(unsigned round) { return round + 1 == kRounds.count && !kCopies; }

  template <unsigned kRound, bool kStore, class Shared>
  static NTTF_HD void first_side(const Tile& tile, const Args& args, const Position& p, Value* r,
                                 Shared& shared, const typename Arith::Constants& c) {
    constexpr unsigned kStride = log_stride(kRound), kRadix = 1u << kRounds.radix[kRound];
    if constexpr (touches_global_first(kRound)) {
      global<kStore, kRadix, kStride>(tile, args, p, r, c);
    } else {
      local<kStore, kRadix, kStride>(tile, p, r, shared);
    }
  }
  template <unsigned kRound, bool kStore, class Shared>
  static NTTF_HD void last_side(const Tile& tile, const Args& args, const Position& p, Value* r,
                                Shared& shared, const typename Arith::Constants& c) {
    constexpr unsigned kStride = log_stride(kRound), kRadix = 1u << kRounds.radix[kRound];
    if constexpr (touches_global_last(kRound)) {
      global<kStore, kRadix, kStride>(tile, args, p, r, c);
    } else if constexpr (kRound == 0 && kLogCluster != 0) {
      remote<kStore, kRadix>(p, r, shared);
    } else {
      local<kStore, kRadix, kStride>(tile, p, r, shared);
    }
  }
  template <bool kStore, unsigned kRadix, unsigned kStride>
  static NTTF_HD void global(const Tile& tile, const Args& args, const Position& p, Value* r,
                             const typename Arith::Constants& c) {
    const unsigned rank_offset = kStride == 0 && kContiguous ? tile.rank << kLogLocal : 0;
    const std::size_t first = tile.polynomial + tile.word(rank_offset + p.index);
    if constexpr (kStride == 0 && kContiguous && !kOneRound && kLogParts == 0) {
      neighbours<kStore, kRadix>((kStore ? args.out : args.in) + first, r, c);
    } else {
      NTTF_UNROLL
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
  /// kCount neighbouring words, 16 bytes at a time where they are aligned.
  template <bool kStore, unsigned kCount>
  static NTTF_HD void neighbours(const Word* words, Value* r, const typename Arith::Constants& c) {
    constexpr unsigned kPack = 16 / sizeof(Word);
    if (reinterpret_cast<std::uintptr_t>(words) % 16 != 0) {
      NTTF_UNROLL
      for (unsigned k = 0; k < kCount; ++k) {
        if constexpr (kStore) {
          const_cast<Word*>(words)[k] = leave(r[k], c);
        } else {
          r[k] = enter(words[k], c);
        }
      }
      return;
    }
    struct alignas(16) Pack {
      Word words[kPack];
    };
    NTTF_UNROLL
    for (unsigned k = 0; k < kCount; k += kPack) {
      auto* const at = reinterpret_cast<Pack*>(const_cast<Word*>(words) + k);
      Pack pack;
      if constexpr (!kStore) pack = *at;
      NTTF_UNROLL
      for (unsigned i = 0; i < kPack; ++i) {
        if constexpr (kStore) {
          pack.words[i] = leave(r[k + i], c);
        } else {
          r[k + i] = enter(pack.words[i], c);
        }
      }
      if constexpr (kStore) *at = pack;
    }
  }
  template <bool kStore, unsigned kRadix, unsigned kStride, class Shared>
  static NTTF_HD void local(const Tile& tile, const Position& p, Value* r, Shared& shared) {
    const unsigned base = tile.shared_base + padded<Value>(p.index);
    NTTF_UNROLL
    for (unsigned k = 0; k < kRadix; ++k) {
      const unsigned word = base + padded<Value>(k << kStride);
      if constexpr (kStore) {
        shared.store(word, r[k]);
      } else {
        r[k] = shared.load(word);
      }
    }
  }
  template <bool kStore, unsigned kRadix, class Shared>
  static NTTF_HD void remote(const Position& p, Value* r, Shared& shared) {
    constexpr unsigned kPerBlock = kRadix >> kLogCluster, kStride = log_stride(0);
    const unsigned base = padded<Value>(p.index);
    NTTF_UNROLL
    for (unsigned k = 0; k < kRadix; ++k) {
      const unsigned word = base + padded<Value>((k % kPerBlock) << kStride);
      if constexpr (kStore) {
        shared.store_to(k / kPerBlock, word, r[k]);
      } else {
        r[k] = shared.load_from(k / kPerBlock, word);
      }
    }
  }

  /// Forward, values before a stage are below this many q; stages count in the order of execution.
  static constexpr unsigned bound_before(unsigned stage) {
    unsigned bound = 1;
    for (unsigned s = 0; s < stage && !Arith::kModular; ++s) {
      bound = (reduces(bound) ? Arith::kHalf : bound) + Arith::kGrowth;
    }
    return bound;
  }
  static constexpr bool reduces(unsigned bound) {
    return !Arith::kModular && bound + Arith::kGrowth > Arith::kLimit;
  }

  /// Inverse: the sums of a stage that are reduced, a bit for the register of each. A round begins and ends
  /// with all values below kMost q (the first begins with 1); sums double, products are below kGrowth q.
  static constexpr std::uint32_t reduced_sums(unsigned round, unsigned stage) {
    if (Arith::kModular) return 0;
    const unsigned radix = kRounds.radix[round];
    unsigned bounds[kPoints] = {};
    for (unsigned& bound : bounds) bound = kBefore == 0 && round + 1 == kRounds.count ? 1 : Arith::kMost;
    std::uint32_t reduced = 0;
    for (unsigned s = radix; s-- > stage;) {  // from the last stage on
      reduced = 0;
      for (unsigned k = 0; k < 1u << radix; ++k) {
        const unsigned distance = 1u << (radix - 1 - s);
        if ((k & distance) != 0) continue;
        const bool reduce = 2 * bounds[k] > Arith::kMost;
        bounds[k] = reduce ? Arith::kHalf : 2 * bounds[k];
        bounds[k + distance] = Arith::kGrowth;
        if (reduce) reduced |= 1u << k;
      }
    }
    return reduced;
  }
  static constexpr bool kScales = kInverse && kLogN != 0 && kFirstStage == 0;  ///< ends with products
  /// Stages that other passes did before, in the order of execution, and whether none comes after.
  static constexpr unsigned kBefore = kLogN == 0 ? 0
                                      : kInverse ? kLogN - kFirstStage - Shape::kStages
                                                 : kFirstStage;
  static constexpr bool kIsLast = kLogN == 0 || kBefore + Shape::kStages == kLogN;
  static constexpr unsigned kBoundAtEnd = !kInverse ? bound_before(kBefore + Shape::kStages)
                                          : kScales ? Arith::kGrowth
                                                    : Arith::kMost;

  /// Between passes values stay lazy.
  static NTTF_HD auto enter(Word x, const typename Arith::Constants& c) {
    if constexpr (kBefore == 0) {
      return Arith::from_word(x, c);
    } else {
      return Arith::from_lazy_word(x);
    }
  }
  template <class Part>
  static NTTF_HD Word leave(Part x, const typename Arith::Constants& c) {
    if constexpr (kIsLast) return Arith::template to_word<kBoundAtEnd>(x, c);
    return Arith::to_lazy_word(x);
  }
  /// A point at a word of global memory.
  static NTTF_HD Value get(const Word* at, const Args& args, const typename Arith::Constants& c) {
    if constexpr (kLogParts == 0) {
      return enter(*at, c);
    } else {
      return {enter(*at, c), enter(at[std::size_t{1} << size_of(args)], c)};
    }
  }
  static NTTF_HD void put(Word* at, Value x, const Args& args, const typename Arith::Constants& c) {
    if constexpr (kLogParts == 0) {
      *at = leave(x, c);
    } else {
      *at = leave(x.re, c);
      at[std::size_t{1} << size_of(args)] = leave(x.im, c);
    }
  }

  static constexpr unsigned slots(unsigned round) { return (1u << kRounds.radix[round]) - 1; }
  static constexpr bool derives(unsigned round, unsigned stage) {
    return slot_major(round) && stage + Shape::kDerived >= kRounds.radix[round] && stage != 0;
  }
  /// A bit for each slot; 0: of this slot there is only the constant that derives it from its stage's first,
  /// in group 0.
  static constexpr std::uint32_t kept_slots(unsigned round) {
    std::uint32_t kept = 0;
    for (unsigned stage = 0; stage < kRounds.radix[round]; ++stage) {
      const std::uint32_t slots_of_stage = derives(round, stage) ? 1 : (1u << (1u << stage)) - 1;
      kept |= slots_of_stage << ((1u << stage) - 1);
    }
    return kept;
  }

  /// The twiddles of a group in a round, from global memory.
  template <unsigned kRound>
  struct Twiddles {
    const Word *first, *table;
    unsigned stage;

    template <class Shared>
    NTTF_HD Twiddles(const Tile& tile, const Args& args, const Word* from, unsigned group, const Shared&)
        : table(from) {
      constexpr unsigned kFirst = kRounds.first[kRound], kSlots = slots(kRound);
      stage = first_stage_of(args) + kFirst;
      const unsigned in_stage = (tile.high << kFirst) + group;
      const unsigned entry = (1u << stage) + (slot_major(kRound) ? in_stage : in_stage * kSlots);
      first = table + std::size_t{entry} * Arith::kEntryWords;
    }
    NTTF_HD Twiddle operator[](unsigned slot) const {
      return Arith::load(first, slot_major(kRound) ? slot << stage : slot);
    }
    NTTF_HD Twiddle derivation(unsigned slot) const { return Arith::load(table, (slot + 1) << stage); }
  };

  /// Stages before `round` that divide the block's own part of the tile.
  static constexpr unsigned local_first(unsigned round) { return kRounds.first[round] - kLogCluster; }

  /// The same, fetched to shared memory: the block's part of each round, in the order of the table.
  template <unsigned kRound, class Shared>
  struct FetchedTwiddles {
    const Shared& shared;
    unsigned first;

    NTTF_HD FetchedTwiddles(const Tile& tile, const Args&, const Word*, unsigned group, const Shared& from)
        : shared(from) {
      constexpr unsigned kFirst = local_first(kRound), kSlots = slots(kRound);
      const unsigned local = group - (tile.rank << kFirst);
      first = (1u << kFirst) + (slot_major(kRound) ? local : local * kSlots);
    }
    NTTF_HD Twiddle operator[](unsigned slot) const {
      constexpr unsigned kFirst = local_first(kRound);
      return shared.template fetched<Twiddle>(first + (slot_major(kRound) ? slot << kFirst : slot));
    }
    NTTF_HD Twiddle derivation(unsigned slot) const {
      constexpr unsigned kFirst = local_first(kRound);
      return shared.template fetched<Twiddle>((slot + 1) << kFirst);
    }
  };
  template <unsigned kRound, class Shared>
  using TwiddlesOf = std::conditional_t<fetched(kRound), FetchedTwiddles<kRound, Shared>, Twiddles<kRound>>;

  template <unsigned kRound, class Shared>
  static NTTF_HD void fetch_rounds(const Tile& tile, const Args& args, const Word* table, Shared& shared) {
    if constexpr (kRound < kRounds.count) {
      if constexpr (fetched(kRound)) fetch_round<kRound>(tile, args, table, shared);
      fetch_rounds<kRound + 1>(tile, args, table, shared);
    }
  }
  template <unsigned kRound, class Shared>
  static NTTF_HD void fetch_round(const Tile& tile, const Args& args, const Word* table, Shared& shared) {
    constexpr unsigned kFirst = kRounds.first[kRound], kLocal = local_first(kRound);
    constexpr unsigned kSlots = slots(kRound), kCount = kSlots << kLocal;
    constexpr unsigned kTurns = (kCount + kThreads - 1) / kThreads;
    constexpr std::uint32_t kKept = kept_slots(kRound);
    const unsigned stage = first_stage_of(args) + kFirst;
    const unsigned group = (tile.high << kFirst) + (tile.rank << kLocal);
    const unsigned first = (1u << stage) + (slot_major(kRound) ? group : group * kSlots);
    NTTF_UNROLL
    for (unsigned turn = 0; turn < kTurns; ++turn) {
      const unsigned i = turn * kThreads + tile.thread;
      const unsigned from = slot_major(kRound) ? ((i >> kLocal) << stage) + (i & ((1u << kLocal) - 1)) : i;
      if (slot_major(kRound) && (kKept >> turn & 1) == 0) {  // turns are slots here
        if (tile.thread == 0) {
          shared.template fetch<Twiddle>((turn + 1) << kLocal,
                                         table + (std::size_t{turn + 1} << stage) * Arith::kEntryWords);
        }
      } else if (kCount % kThreads == 0 || i < kCount) {
        shared.template fetch<Twiddle>((1u << kLocal) + i,
                                       table + std::size_t{first + from} * Arith::kEntryWords);
      }
    }
  }

  /// Stage kStage of a round over 2^log_radix registers: group j pairs registers half a group apart.
  template <unsigned kRound, unsigned kStage, class Source>
  static NTTF_HD void stage(Value* r, const Source& twiddles, const Args& args, const CudaLimb<Word>& limb,
                            const typename Arith::Constants& c) {
    constexpr unsigned kRadix = kRounds.radix[kRound];
    constexpr unsigned kHalfGroup = 1u << (kRadix - 1 - kStage);
    constexpr unsigned kGlobalStage = kRounds.first[kRound] + kStage;
    constexpr bool kReduce = !kInverse && reduces(bound_before(kBefore + kGlobalStage));
    // What is multiplied by 1/n is not reduced before.
    constexpr std::uint32_t kReduced =
        kInverse && !(kScales && kGlobalStage == 0) ? reduced_sums(kRound, kStage) : 0;
    const bool scales = kInverse && kGlobalStage == 0 && first_stage_of(args) == 0;
    NTTF_UNROLL
    for (unsigned j = 0; j < 1u << kStage; ++j) {
      constexpr unsigned kSlot = (1u << kStage) - 1;
      constexpr bool kDerives = derives(kRound, kStage);
      const Twiddle w = twiddles[kDerives ? kSlot : kSlot + j];
      Twiddle derivation{};
      if (kDerives && j != 0) derivation = twiddles.derivation(kSlot + j);
      NTTF_UNROLL
      for (unsigned o = 0; o < kHalfGroup; ++o) {
        Value& a = r[2 * j * kHalfGroup + o];
        Value& b = r[(2 * j + 1) * kHalfGroup + o];
        if constexpr (kInverse) {
          Arith::inverse(a, b, w, c);
          if (kDerives && j != 0) b = Arith::multiply(b, derivation, c);
          if ((kReduced >> (2 * j * kHalfGroup + o) & 1) != 0) a = Arith::halve(a, c);
        } else {
          if constexpr (kReduce) a = Arith::halve(a, c);
          if (kDerives && j != 0) b = Arith::multiply(b, derivation, c);
          Arith::forward(a, b, w, c);
        }
      }
    }
    if (scales) {
      const Twiddle scale = Arith::load(limb.scale, 0);
      NTTF_UNROLL
      for (unsigned o = 0; o < kHalfGroup; ++o) r[o] = Arith::multiply(r[o], scale, c);
    }
  }
  template <unsigned kRound, unsigned kStage = 0, class Source>
  static NTTF_HD void stages(Value* r, const Source& twiddles, const Args& args, const CudaLimb<Word>& limb,
                             const typename Arith::Constants& c) {
    if constexpr (kStage < kRounds.radix[kRound]) {
      constexpr unsigned kNow = kInverse ? kRounds.radix[kRound] - 1 - kStage : kStage;
      stage<kRound, kNow>(r, twiddles, args, limb, c);
      stages<kRound, kStage + 1>(r, twiddles, args, limb, c);
    }
  }

  template <unsigned kRound, class Shared>
  static NTTF_HD void run_round(const Tile& tile, const Args& args, State& state, Shared& shared) {
    constexpr unsigned kRadix = 1u << kRounds.radix[kRound];
    const CudaLimb<Word>& limb = *state.limb;
    const typename Arith::Constants& c = state.c;
    NTTF_UNROLL
    for (unsigned m = 0; m < kPoints / kRadix; ++m) {
      const Position p = position<kRound>(tile, m);
      const TwiddlesOf<kRound, Shared> twiddles(tile, args, state.table, p.group, shared);
      Value* r = state.r + m * kRadix;
      if constexpr (kInverse) {
        last_side<kRound, false>(tile, args, p, r, shared, c);
        stages<kRound>(r, twiddles, args, limb, c);
        first_side<kRound, true>(tile, args, p, r, shared, c);
      } else {
        first_side<kRound, false>(tile, args, p, r, shared, c);
        stages<kRound>(r, twiddles, args, limb, c);
        last_side<kRound, true>(tile, args, p, r, shared, c);
      }
    }
  }

  /// Between global memory and the words of shared memory that the thread's warp works on.
  template <class Shared>
  static NTTF_HD void copy(const Tile& tile, const Args& args, const State& state, Shared& shared) {
    constexpr unsigned kLogWarp = kLogTileThreads < 5 ? kLogTileThreads : 5;
    const unsigned lane = tile.thread & ((1u << kLogWarp) - 1);
    const unsigned first = ((tile.thread >> kLogWarp) << (kLogWarp + kLogPoints)) + lane;
    const auto c = Arith::constants(*state.limb);
    const std::size_t base = tile.polynomial + tile.word(tile.rank << kLogLocal) + first;
    const unsigned shared_first = tile.shared_base + padded<Value>(first);
    NTTF_UNROLL
    for (unsigned m = 0; m < kPoints; ++m) {
      const unsigned offset = m << kLogWarp;
      const unsigned word = shared_first + padded<Value>(offset);
      if constexpr (kInverse) {
        shared.store(word, tile.inside ? get(args.in + base + offset, args, c) : Value{});
      } else if (tile.inside) {
        put(args.out + base + offset, shared.load(word), args, c);
      }
    }
  }

 public:
  /// The last round of a contiguous pass has one group per thread: neighbours read neighbouring entries.
  static constexpr bool slot_major(unsigned round) {
    return kContiguous && !kOneRound && round + 1 == kRounds.count;
  }
};

}  // namespace nttforge::cuda
