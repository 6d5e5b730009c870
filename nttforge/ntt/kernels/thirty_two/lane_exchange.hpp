// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the stages between points of one vector are done between vectors instead (stage_loops.hpp).
//
// L = 2^k rows of L lanes; P is the highest row bit, R the lane bits still to do (highest first), v those
// done. Before the stage of the highest R the pair of rows (P = 0, P = 1) trades it for P:
//
//   step s < k    lanes (R_top R_rest v_{s-1} ... v_0), pair P   ->   lanes (R_rest P v_{s-1} ... v_0), pair
//   R_top step k        lanes (v_{k-1} ... v_0), pair P                ->   lanes (v_1 ... v_{k-1} P), pair
//   v_0
//
// so that v_0 is the row bit traded first and the bits done come to the lowest lanes: stage s has 2^(s + 1)
// different twiddles a vector, repeated, which loads bring without a shuffle. Step k restores the order of
// memory.

#include <array>
#include <bit>
#include <cstddef>

namespace nttforge {

/// Lanes that can exchange<inverted>(a, b, step).
template <class Lanes>
concept ExchangingLanes = requires(typename Lanes::Vec& v) { Lanes::template exchange<false>(v, v, 0u); };

/// Where each lane of the two new vectors comes from: lane of a, or L + lane of b.
template <std::size_t lanes>
struct ExchangeMap {
  std::array<unsigned, lanes> first, second;
};

template <std::size_t lanes>
constexpr ExchangeMap<lanes> exchange_map(bool inverted, unsigned step) {
  constexpr unsigned kLog = static_cast<unsigned>(std::countr_zero(lanes));
  ExchangeMap<lanes> map{};
  for (unsigned pair = 0; pair < 2; ++pair) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      unsigned source_pair = 0, source_lane = 0;  // of (pair, lane) after the step
      if (step == kLog) {
        source_pair = lane & 1u;
        source_lane = pair;
        for (unsigned i = 1; i < kLog; ++i) source_lane |= (lane >> (kLog - i) & 1u) << i;
      } else {
        const unsigned done = (1u << step) - 1u;
        source_pair = lane >> step & 1u;
        source_lane = pair << (kLog - 1) | lane >> (step + 1) << step | (lane & done);
      }
      const unsigned here = pair << kLog | lane, there = source_pair << kLog | source_lane;
      const unsigned to = inverted ? there : here, from = inverted ? here : there;
      (to >> kLog == 0 ? map.first : map.second)[to & (lanes - 1u)] = from;
    }
  }
  return map;
}

}  // namespace nttforge
