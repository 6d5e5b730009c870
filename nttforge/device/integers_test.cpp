// SPDX-License-Identifier: Apache-2.0
// Integers modulo t and back, on every device: every sign and word size, rows shorter than n, the range.

#include "nttforge/device/testing.hpp"

namespace nttforge::testing {
namespace {

__extension__ using Wide = __int128;

struct Case {
  std::uint64_t t;
  std::int64_t low;
  bool is_signed;
  unsigned word_bits;
};

Wide integer(std::uint64_t word, const Case& c) {
  if (c.word_bits == 32) return c.is_signed ? Wide{static_cast<std::int32_t>(word)} : Wide{word};
  return c.is_signed ? Wide{static_cast<std::int64_t>(word)} : Wide{word};
}

void check(const Queue& queue, const Case& c, std::size_t n, std::size_t width, const Words& words) {
  const std::size_t rows = words.size() / width;
  DeviceArray in = queue.allocate(words.size(), c.word_bits), out = queue.allocate(rows * n);
  DeviceArray flag = queue.allocate(1);
  queue.upload(words, in.data());
  queue.reduce_integers(c.t, {in.data(), c.is_signed, width}, c.low, out.data(), n, rows, flag.data());
  Words got(rows * n), any(1);
  queue.download(out.data(), got);
  queue.download(flag.data(), any);
  bool outside = false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::size_t column = i % n;
    if (column >= width) {
      NTTF_CHECK_EQ(got[i], 0u);
      continue;
    }
    const Wide value = integer(words[i / n * width + column], c);
    NTTF_CHECK_EQ(got[i], static_cast<std::uint64_t>((value % Wide{c.t} + Wide{c.t}) % Wide{c.t}));
    outside |= value < Wide{c.low} || value >= Wide{c.low} + Wide{c.t};
  }
  NTTF_CHECK_EQ(any[0], outside ? 1u : 0u);
  queue.reduce_integers(c.t, {in.data(), c.is_signed, width}, c.low, out.data(), n, rows, nullptr);
  Words again(rows * n);
  queue.download(out.data(), again);
  NTTF_CHECK(again == got);

  // The way back, into words of both sizes where they hold the values.
  for (const unsigned bits : {64u, 32u}) {
    if (bits == 32 && c.t > std::uint64_t{1} << 32) continue;
    DeviceArray centred = queue.allocate(got.size(), bits);
    queue.centre(c.t, out.data(), centred.data(), got.size());
    queue.download(centred.data(), again);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Wide value = integer(again[i], {c.t, 0, true, bits});
      if (c.t == 2)
        NTTF_CHECK(value == 0 || value == 1);
      else
        NTTF_CHECK(2 * value >= -Wide{c.t} && 2 * value < Wide{c.t});
      NTTF_CHECK_EQ(static_cast<std::uint64_t>((value + Wide{c.t}) % Wide{c.t}), got[i]);
    }
  }
}

NTTF_TEST("integers that others wrote, modulo t and back") {
  Rng rng;
  for (const auto& queue : all_queues())
    for (const std::uint64_t t :
         {std::uint64_t{2}, std::uint64_t{257}, std::uint64_t{65537}, (std::uint64_t{1} << 60) - 93})
      for (const unsigned word_bits : {64u, 32u})
        for (const bool is_signed : {false, true})
          for (const bool centred : {false, true}) {
            const Case c{t, centred ? -static_cast<std::int64_t>(t / 2) : 0, is_signed, word_bits};
            const std::uint64_t mask = word_bits == 32 ? 0xFFFFFFFFu : ~std::uint64_t{0};
            Words all, inside;
            for (std::size_t i = 0; i < 3 * 13; ++i) {
              all.push_back((i % 3 == 0 ? rng.below(~std::uint64_t{0}) : c.low + rng.below(t)) & mask);
              inside.push_back(rng.below(is_signed || !centred ? t : (t + 1) / 2) & (mask >> 1));
              if (is_signed) inside.back() = (inside.back() % t + static_cast<std::uint64_t>(c.low)) & mask;
            }
            check(*queue, c, 16, 13, all);
            check(*queue, c, 64, 39, inside);
          }
  // None at all: rows of zeros.
  const Queue& queue = *all_queues().front();
  DeviceArray out = queue.allocate(8);
  queue.reduce_integers(257, {out.data(), false, 0}, 0, out.data(), 8, 1, nullptr);
  Words got(8, 1);
  queue.download(out.data(), got);
  NTTF_CHECK(got == Words(8, 0));
}

}  // namespace
}  // namespace nttforge::testing
