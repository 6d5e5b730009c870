// SPDX-License-Identifier: Apache-2.0
// The words of shared memory that a warp touches at once lie in different banks, on both sides of every
// exchange of the passes that large transforms are made of.
#include "nttforge/cuda/pass/pass.hpp"

#include <algorithm>
#include <array>

#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/table/rows_shoup32.hpp"
#include "nttforge/cuda/table/rows_shoup64.hpp"

namespace nttforge::cuda {
namespace {

/// Words of one bank that the threads of a request touch, at most: 1 is a request without conflicts. 64-bit
/// words go by half-warps over 16 banks.
template <class T, class WordOfThread>
unsigned words_in_a_bank(const WordOfThread& word_of) {
  constexpr unsigned kBanks = 1u << kLogBanks<typename T::Value>;
  unsigned most = 0;
  for (unsigned first = 0; first < T::kThreads; first += kBanks) {
    std::array<unsigned, kBanks> count{};
    for (unsigned thread = first; thread < std::min(first + kBanks, T::kThreads); ++thread) {
      most = std::max(most, ++count[word_of(thread) % kBanks]);
    }
  }
  return most;
}

/// Bank conflicts on round kRound's side of exchange kExchange.
template <class T, unsigned kExchange, unsigned kRound>
unsigned conflicts_of() {
  constexpr unsigned kRadix = T::kRounds.radix[kRound], kStride = T::log_stride(kRound);
  typename T::Args args{};
  args.limb_count = args.limbs_here = args.batch = 1;
  unsigned most = 0;
  for (unsigned m = 0; m < T::kPoints >> kRadix; ++m) {
    for (unsigned k = 0; k < 1u << kRadix; ++k) {
      most =
          std::max(most, words_in_a_bank<T>([&](unsigned thread) {
                     const PassTile<T> tile(Place{0, 0, thread}, args);
                     const unsigned index = position_of<T, kRound>(tile, m).index;
                     return T::template place<kExchange>(index) + T::template place<kExchange>(k << kStride);
                   }));
    }
  }
  return most;
}

template <class T, unsigned kExchange = 0>
unsigned conflicts_of_exchanges() {
  if constexpr (kExchange + 1 < T::kRounds.count) {
    return std::max({conflicts_of<T, kExchange, kExchange>(), conflicts_of<T, kExchange, kExchange + 1>(),
                     conflicts_of_exchanges<T, kExchange + 1>()});
  } else {
    return 1;
  }
}

template <class Row>
void check_passes() {
  Row::template each_pass<false>([]<unsigned kPass>() {
    using T = typename Row::template Kernel<kPass, false>::T;
    if constexpr (T::kArranged) {
      NTTF_CHECK_EQ(conflicts_of_exchanges<T>(), 1u);
    } else {
      NTTF_CHECK(T::kOneRound);
    }
  });
}

NTTF_TEST("exchanges of the fast rows meet every bank once") {
  const auto check = []<class Row>(Row) { check_passes<Row>(); };
  Rows60::each(check);
  Rows30::each(check);
}

}  // namespace
}  // namespace nttforge::cuda
