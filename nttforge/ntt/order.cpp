// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/order.hpp"

#include <utility>

namespace nttforge {

std::uint64_t bit_reverse(std::uint64_t i, unsigned bits) {
  i = ((i >> 1) & 0x5555555555555555u) | ((i & 0x5555555555555555u) << 1);
  i = ((i >> 2) & 0x3333333333333333u) | ((i & 0x3333333333333333u) << 2);
  i = ((i >> 4) & 0x0F0F0F0F0F0F0F0Fu) | ((i & 0x0F0F0F0F0F0F0F0Fu) << 4);
  return bits == 0 ? 0 : __builtin_bswap64(i) >> (64 - bits);
}

namespace {

// Position = a * 2^(log_n - B) + middle * 2^B + b with B-bit a and b. Its reversal has a and b reversed and
// swapped, so a tile (all a and b of one middle) goes to one other tile: both are read and written a whole
// cache line at a time.
constexpr unsigned kTileLog = 3;
constexpr std::size_t kTile = std::size_t{1} << kTileLog;
constexpr std::size_t kReversed[kTile] = {0, 4, 2, 6, 1, 5, 3, 7};

template <class Word>
void load_tile(const Word* p, std::size_t row, Word (&tile)[kTile][kTile]) {
  for (std::size_t a = 0; a < kTile; ++a) {
    for (std::size_t b = 0; b < kTile; ++b) tile[kReversed[b]][kReversed[a]] = p[a * row + b];
  }
}

template <class Word>
void store_tile(const Word (&tile)[kTile][kTile], std::size_t row, Word* p) {
  for (std::size_t a = 0; a < kTile; ++a) {
    for (std::size_t b = 0; b < kTile; ++b) p[a * row + b] = tile[a][b];
  }
}

}  // namespace

template <class Word>
void permute_bit_reversed(const Word* in, Word* out, unsigned log_n) {
  permute_bit_reversed_part(in, out, log_n, 0, 1);
}

template <class Word>
void permute_bit_reversed_part(const Word* in, Word* out, unsigned log_n, std::size_t part,
                               std::size_t parts) {
  const std::size_t n = std::size_t{1} << log_n;
  if (log_n < 2 * kTileLog) {
    for (std::size_t i = n * part / parts; i < n * (part + 1) / parts; ++i) {
      const std::size_t j = bit_reverse(i, log_n);
      if (i > j) continue;
      const Word low = in[i], high = in[j];
      out[i] = high;
      out[j] = low;
    }
    return;
  }
  const std::size_t row = n >> kTileLog;
  const unsigned middle_bits = log_n - 2 * kTileLog;
  const std::size_t middles = std::size_t{1} << middle_bits;
  Word tile[kTile][kTile], other[kTile][kTile];
  for (std::size_t middle = middles * part / parts; middle < middles * (part + 1) / parts; ++middle) {
    const std::size_t target = bit_reverse(middle, middle_bits);
    if (middle > target) continue;
    load_tile(in + middle * kTile, row, tile);
    load_tile(in + target * kTile, row, other);
    store_tile(tile, row, out + target * kTile);
    store_tile(other, row, out + middle * kTile);
  }
}

template void permute_bit_reversed(const std::uint64_t*, std::uint64_t*, unsigned);
template void permute_bit_reversed(const std::uint32_t*, std::uint32_t*, unsigned);
template void permute_bit_reversed_part(const std::uint64_t*, std::uint64_t*, unsigned, std::size_t,
                                        std::size_t);
template void permute_bit_reversed_part(const std::uint32_t*, std::uint32_t*, unsigned, std::size_t,
                                        std::size_t);

}  // namespace nttforge
