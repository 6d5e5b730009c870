// SPDX-License-Identifier: Apache-2.0
#pragma once

// A warp whose threads work together, on a card and, one thread after the other, on the host.
//
//   each(work)                 work(lane, state) for every thread
//   multiply_bytes(c, a, b)    c += a b by m16n8k32 of unsigned bytes: c(state) is the thread's four sums,
//                              a(state, i) and b(state, i) its words of the factors
//   sum_quads(word, add)       word(state) becomes the sum over the threads 4 g ... 4 g + 3
//   last_sums()                nothing but the outputs is left to do

#include <cstdint>

#include "nttforge/cuda/block/block.hpp"
#include "nttforge/cuda/step/rns_step.hpp"

namespace nttforge::cuda {

inline constexpr unsigned kWarpThreads = 32;

/// A constant, which no kernel writes.
template <class T>
NTTF_HD T load_packed(const T* from) {
#ifdef __CUDA_ARCH__
  static_assert(sizeof(T) % 16 == 0);
  T value;
  NTTF_GPU_UNROLL
  for (unsigned i = 0; i < sizeof(T) / 16; ++i)
    reinterpret_cast<uint4*>(&value)[i] = __ldg(reinterpret_cast<const uint4*>(from) + i);
  return value;
#else
  return *from;
#endif
}

/// Places of a thread's words in the factors and in the product, as the PTX manual has them. Words of the
/// factors are four bytes of a row of a, or of a column of b.
struct ByteProductPlaces {
  static constexpr unsigned kRows = 16, kColumns = 8, kWords = 8;
  static constexpr unsigned row_of_a(unsigned lane, unsigned i) { return lane / 4 + 8 * (i % 2); }
  static constexpr unsigned word_of_a(unsigned lane, unsigned i) { return lane % 4 + 4 * (i / 2); }
  static constexpr unsigned column_of_b(unsigned lane) { return lane / 4; }
  static constexpr unsigned word_of_b(unsigned lane, unsigned i) { return lane % 4 + 4 * i; }
  static constexpr unsigned row_of_c(unsigned lane, unsigned i) { return lane / 4 + 8 * (i / 2); }
  static constexpr unsigned column_of_c(unsigned lane, unsigned i) { return 2 * (lane % 4) + i % 2; }
};

template <class State>
struct HostWarp {
  State states[kWarpThreads] = {};

  template <class Work>
  void each(const Work& work) {
    for (unsigned lane = 0; lane < kWarpThreads; ++lane) work(lane, states[lane]);
  }

  template <class C, class A, class B>
  void multiply_bytes(const C& c, const A& a, const B& b) {
    using Places = ByteProductPlaces;
    std::uint32_t left[Places::kRows][Places::kWords], right[Places::kColumns][Places::kWords];
    each([&](unsigned lane, const State& state) {
      for (unsigned i = 0; i < 4; ++i)
        left[Places::row_of_a(lane, i)][Places::word_of_a(lane, i)] = a(state, i);
      for (unsigned i = 0; i < 2; ++i)
        right[Places::column_of_b(lane)][Places::word_of_b(lane, i)] = b(state, i);
    });
    each([&](unsigned lane, State& state) {
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t* const x = left[Places::row_of_c(lane, i)];
        const std::uint32_t* const y = right[Places::column_of_c(lane, i)];
        for (unsigned word = 0; word < Places::kWords; ++word)
          for (unsigned shift = 0; shift < 32; shift += 8)
            c(state)[i] += (x[word] >> shift & 0xFF) * (y[word] >> shift & 0xFF);
      }
    });
  }

  template <class Word, class Add>
  void sum_quads(const Word& word, const Add& add) {
    for (unsigned quad = 0; quad < kWarpThreads; quad += 4) {
      const auto at = [&](unsigned i) -> auto& { return word(states[quad + i]); };
      const auto sum = add(add(at(0), at(1)), add(at(2), at(3)));
      for (unsigned i = 0; i < 4; ++i) at(i) = sum;
    }
  }

  void last_sums() {}
};

}  // namespace nttforge::cuda
