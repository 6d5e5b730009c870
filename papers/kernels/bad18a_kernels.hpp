// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/cuda/table/kernels.hpp"
#include "papers/kernels/bad18a_arith.hpp"

// [Bad18a]: cyclic transforms of N = 4096 R points, R = 4, 8, 16, modulo the Goldilocks prime, in three
// kernels of 64 threads with 8 points each (Emmart and Weems). With i = R (64 t + u) + c and
// k = k1 + 64 k2 + 4096 k3:
//
//   first    64 points over t, times w^(R u k1);           (t, u, c) -> (u, k1, c)
//   second   64 points over u, times w^(c (k1 + 64 k2));   (u, k1, c) -> (k2, k1, c)
//   third    R points over c;                              (k2, k1, c) -> (k3, k2, k1)
//
// 64 points are 8 x 8, with an exchange through shared memory and powers of 8 between. The first kernel's
// input is 32-bit words, the upper half of the points zero (a product's operands), or, of an inverse, 64-bit
// words read backwards; the third one's output may be scaled by 1/N and reduced modulo a 32-bit prime.
//
// Switches of the paper: shared memory packed, or split into 32-bit halves and padded (Table I); powers of 8
// by a case per exponent, or by multiplication with entries of constant memory.

namespace nttforge::cuda::bad18a {

struct Args {
  const void* in = nullptr;              ///< 32-bit words (first, extended), else 64-bit ones
  void* out = nullptr;                   ///< 32-bit words (third, reduced), else 64-bit ones
  const std::uint64_t* roots = nullptr;  ///< w^i, i < N, w^(N/64) = 8
  std::uint32_t polynomials = 0;
  std::uint32_t prime = 0;        ///< third, reduced
  std::uint64_t scale = 1;        ///< third, reduced: 1/N
  std::uint64_t powers[64] = {};  ///< of 8: kernel parameters are in constant memory
  /// The limbs of a plan, whose roots and 1/N are read where `roots` is null.
  const CudaLimb<std::uint64_t>* limbs = nullptr;
  std::uint32_t limb_count = 1;
};

/// first and third_scaled: 64-bit words in, and 1/N out.
enum class Step { first, first_extended, first_backwards, second, third, third_scaled, third_reduced };

struct Shape {
  Step step = Step::first_extended;
  unsigned log_r = 2;
  bool halves = false;          ///< shared memory: two arrays of 32 bits with padding
  bool constant_roots = false;  ///< else a case per exponent
};
constexpr Shape of_step(Shape shape, Step step) {
  shape.step = step;
  return shape;
}

/// 64-bit words in shared memory, packed or as two padded halves: word i of row r stands kPadding r further.
template <bool kHalves, unsigned kFirst, unsigned kSize, unsigned kRow, unsigned kPadding>
struct Words {
  static constexpr unsigned kHalf = kSize + (kSize / kRow - 1) * kPadding;
  static constexpr unsigned kWords = kHalves ? 2 * kHalf : kSize;  ///< of 32 or of 64 bits

  template <class Shared>
  static NTTF_HD void store(Shared& shared, unsigned i, std::uint64_t x) {
    if constexpr (kHalves) {
      const unsigned at = kFirst + i + i / kRow * kPadding;
      shared.store(at, static_cast<std::uint32_t>(x));
      shared.store(at + kHalf, static_cast<std::uint32_t>(x >> 32));
    } else {
      shared.store(kFirst + i, x);
    }
  }
  template <class Shared>
  static NTTF_HD std::uint64_t load(Shared& shared, unsigned i) {
    if constexpr (kHalves) {
      const unsigned at = kFirst + i + i / kRow * kPadding;
      return shared.load(at) | std::uint64_t{shared.load(at + kHalf)} << 32;
    } else {
      return shared.load(kFirst + i);
    }
  }
};

template <bool kHalves>
struct ValueOf {
  using Type = std::uint64_t;
};
template <>
struct ValueOf<true> {
  using Type = std::uint32_t;
};

/// What the three kernels have in common.
template <Shape kShape>
struct Block {
  using Value = typename ValueOf<kShape.halves>::Type;
  using Args = bad18a::Args;
  struct State {};
  static constexpr unsigned kLogR = kShape.log_r, kR = 1u << kLogR, kLogN = 12 + kLogR;
  static constexpr unsigned kThreads = 64, kLogCluster = 0, kPhases = 2, kMinBlocks = 1;
  static constexpr bool kWaitsForCluster = false;
  static constexpr Barrier barrier_after(unsigned phase) {
    return phase == 0 ? Barrier::block : Barrier::none;
  }
  static unsigned blocks(const Args& args) { return args.polynomials << (kLogN - 9); }

  /// w^i.
  static NTTF_HD std::uint64_t root(const Args& args, unsigned i) {
    return (args.roots != nullptr ? args.roots : args.limbs->forward)[i];
  }
  static NTTF_HD std::uint64_t times_power(const Args& args, std::uint64_t x, unsigned exponent) {
    if constexpr (kShape.constant_roots) return mul(x, args.powers[exponent]);
    return shifted_by_switch(x, exponent);
  }
};

/// The first and the second kernel: a block has eight neighbouring columns of 64 points.
template <Shape kShape>
struct Columns : Block<kShape> {
  using Base = Block<kShape>;
  using Base::kLogN;
  using Base::kLogR;
  using Base::kR;
  using typename Base::State;
  static constexpr bool kSecond = kShape.step == Step::second, kExtends = kShape.step == Step::first_extended;
  static constexpr unsigned kInRow = kR > 8 ? 1 : 8 / kR;  ///< different u of a block's columns
  using Buffer = Words<kShape.halves, 0, 512, 64, 8>;
  using Roots = Words<kShape.halves, Buffer::kWords, 64 * kInRow, 64, 4>;
  static constexpr unsigned kSharedWords = Buffer::kWords + (kSecond ? 0 : Roots::kWords);
  static constexpr unsigned kLogRow = 6 + kLogR;  ///< log2 of the words between a column's points

  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State&, Shared& shared) {
    constexpr unsigned kLogBlocks = kLogN - 9;
    const std::size_t polynomial = std::size_t{at.cluster >> kLogBlocks} << kLogN;
    const unsigned block = at.cluster & ((1u << kLogBlocks) - 1), high = at.thread >> 3, low = at.thread & 7;
    const unsigned column = 8 * block + low;
    std::uint64_t x[8];
    if constexpr (kPhase == 0) {
      if constexpr (!kSecond) {
        NTTF_GPU_UNROLL
        for (unsigned i = 0; i < kInRow; ++i) {
          const unsigned u = (8 * block >> kLogR) + i;
          Roots::store(shared, 64 * i + at.thread, Base::root(args, kR * u * at.thread));
        }
      }
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < 8; ++i) {
        x[i] = kExtends && i >= 4 ? 0 : load(args, polynomial, ((8 * i + high) << kLogRow) + column);
      }
      stages<3>(x);
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < 8; ++i) {
        Buffer::store(shared, 64 * high + 8 * i + low, Base::times_power(args, x[i], high * i));
      }
    } else {
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < 8; ++i) x[i] = Buffer::load(shared, 64 * i + at.thread);
      stages<3>(x);
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < 8; ++i) finish(args, polynomial, column, high + 8 * i, low, x[i], shared);
    }
  }

 private:
  static NTTF_HD std::uint64_t load(const Args& args, std::size_t polynomial, unsigned i) {
    if constexpr (kExtends) {
      return static_cast<const std::uint32_t*>(args.in)[(polynomial >> 1) + i];
    } else if constexpr (kShape.step == Step::first_backwards) {
      return static_cast<const std::uint64_t*>(args.in)[polynomial + ((0u - i) & ((1u << kLogN) - 1))];
    } else {
      return static_cast<const std::uint64_t*>(args.in)[polynomial + i];
    }
  }
  /// Value k of a column's transform.
  template <class Shared>
  static NTTF_HD void finish(const Args& args, std::size_t polynomial, unsigned column, unsigned k,
                             unsigned low, std::uint64_t x, Shared& shared) {
    auto* out = static_cast<std::uint64_t*>(args.out) + polynomial;
    const unsigned outer = column >> kLogR, c = column & (kR - 1);
    if constexpr (kSecond) {  // outer is k1
      out[(k << kLogRow) + column] = mul(x, Base::root(args, c * (outer + 64 * k)));
    } else {  // outer is u
      const std::uint64_t root = Roots::load(shared, (kInRow > 1 ? 64 * (low >> kLogR) : 0) + k);
      out[(outer << kLogRow) + (k << kLogR) + c] = mul(x, root);
    }
  }
};

/// The third kernel: a block has 512 / R neighbouring transforms of R neighbouring words.
template <Shape kShape>
struct Rows : Block<kShape> {
  using Base = Block<kShape>;
  using Base::kLogN;
  using Base::kLogR;
  using Base::kR;
  using Buffer = Words<kShape.halves, 0, 512, 32, 1>;
  static constexpr bool kTwice = kR > 8;  ///< 16 points: two threads, 8 x 2
  static constexpr unsigned kSharedWords = Buffer::kWords, kPhases = kTwice ? 4 : 2;
  struct State {
    std::uint64_t x[kTwice ? 8 : 1];
  };
  static constexpr Barrier barrier_after(unsigned phase) {
    return phase + 1 == kPhases ? Barrier::none : Barrier::block;
  }

  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State& state, Shared& shared) {
    constexpr unsigned kLogBlocks = kLogN - 9;
    const std::size_t polynomial = std::size_t{at.cluster >> kLogBlocks} << kLogN;
    const unsigned block = at.cluster & ((1u << kLogBlocks) - 1), first = block * (512 >> kLogR);
    if constexpr (kPhase == 0) {
      const auto* in = static_cast<const std::uint64_t*>(args.in) + polynomial + 512 * block;
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < 8; ++i) Buffer::store(shared, 64 * i + at.thread, in[64 * i + at.thread]);
    } else if constexpr (!kTwice) {  // 2^(3 - log_r) transforms of a thread, 64 apart
      NTTF_GPU_UNROLL
      for (unsigned m = 0; m < 8 / kR; ++m) {
        std::uint64_t x[kR];
        const unsigned row = 64 * m + at.thread;
        NTTF_GPU_UNROLL
        for (unsigned c = 0; c < kR; ++c) x[c] = Buffer::load(shared, (row << kLogR) + c);
        stages<kLogR>(x);
        NTTF_GPU_UNROLL
        for (unsigned k = 0; k < kR; ++k) store(args, polynomial, first + row + 4096 * k, x[k]);
      }
    } else if constexpr (kPhase == 1) {  // thread (row, half): words half, half + 2 ... of a row
      const unsigned row = at.thread & 31, half = at.thread >> 5;
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < 8; ++i) state.x[i] = Buffer::load(shared, 16 * row + 2 * i + half);
      stages<3>(state.x);
      if (half != 0) times_powers(state.x);
    } else if constexpr (kPhase == 2) {
      const unsigned row = at.thread & 31, half = at.thread >> 5;
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < 8; ++i) Buffer::store(shared, 16 * row + 8 * half + i, state.x[i]);
    } else {  // four pairs of a thread
      const unsigned row = at.thread & 31, half = at.thread >> 5;
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned k = 4 * half + i;
        const std::uint64_t a = Buffer::load(shared, 16 * row + k),
                            b = Buffer::load(shared, 16 * row + 8 + k);
        store(args, polynomial, first + row + 4096 * k, add(a, b));
        store(args, polynomial, first + row + 4096 * (k + 8), sub(a, b));
      }
    }
  }

 private:
  /// x[k] times a 16th root's k-th power, 2^(12 k).
  template <unsigned kAt = 1>
  static NTTF_HD void times_powers(std::uint64_t* x) {
    if constexpr (kAt < 8) {
      x[kAt] = shifted<12 * kAt>(x[kAt]);
      times_powers<kAt + 1>(x);
    }
  }
  static NTTF_HD void store(const Args& args, std::size_t polynomial, unsigned k, std::uint64_t x) {
    if constexpr (kShape.step == Step::third_scaled) {
      const std::uint32_t limb = static_cast<std::uint32_t>(polynomial >> kLogN) % args.limb_count;
      static_cast<std::uint64_t*>(args.out)[polynomial + k] = mul(x, args.limbs[limb].scale[0]);
    } else if constexpr (kShape.step == Step::third_reduced) {
      static_cast<std::uint32_t*>(args.out)[polynomial + k] =
          static_cast<std::uint32_t>(mul(x, args.scale) % args.prime);
    } else {
      static_cast<std::uint64_t*>(args.out)[polynomial + k] = x;
    }
  }
};

}  // namespace nttforge::cuda::bad18a
