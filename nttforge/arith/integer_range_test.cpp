// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/integer_range.hpp"

#include <vector>

#include "nttforge/base/testing.hpp"

namespace nttforge {
namespace {

__extension__ using Wide = __int128;

void check_word(std::uint64_t word, std::uint64_t t, bool is_signed, std::int64_t low) {
  const Wide value = is_signed ? Wide{static_cast<std::int64_t>(word)} : Wide{word};
  const Wide want = (value % Wide{t} + Wide{t}) % Wide{t};
  std::uint64_t outside = 0;
  NTTF_CHECK_EQ(reduce_integer(word, IntegerRange(t, is_signed, low), outside),
                static_cast<std::uint64_t>(want));
  NTTF_CHECK_EQ(outside, value < Wide{low} || value >= Wide{low} + Wide{t} ? 1u : 0u);
}

NTTF_TEST("integers modulo t, and which are out of range") {
  testing::Rng rng;
  constexpr std::uint64_t kMax = ~std::uint64_t{0}, kSign = std::uint64_t{1} << 63;
  const std::uint64_t moduli[] = {2,
                                  3,
                                  257,
                                  65537,
                                  1u << 31,
                                  (std::uint64_t{1} << 32) + 1,
                                  (std::uint64_t{1} << 60) - 1,
                                  (std::uint64_t{1} << 62) - 1};
  for (const std::uint64_t t : moduli) {
    const std::int64_t half = -static_cast<std::int64_t>(t / 2);
    std::vector<std::uint64_t> words{0,     1,           t - 1, t,     t + 1,    2 * t,
                                     t / 2, (t - 1) / 2, kMax,  kSign, kSign - 1};
    for (const std::uint64_t word : std::vector(words)) words.push_back(std::uint64_t{0} - word);
    for (int i = 0; i < 200; ++i) words.push_back(rng.below(i % 2 == 0 ? kMax : t));
    for (const std::uint64_t word : words)
      for (const bool is_signed : {false, true})
        for (const std::int64_t low : {std::int64_t{0}, half, half / 2}) check_word(word, t, is_signed, low);
  }
}

NTTF_TEST("residues as centred integers") {
  for (const std::uint64_t t : {2u, 3u, 8u, 257u})
    for (std::uint64_t residue = 0; residue < t; ++residue) {
      const auto value = static_cast<std::int64_t>(centred_integer(residue, t));
      NTTF_CHECK(value >= (t == 2 ? 0 : -static_cast<std::int64_t>(t / 2)));
      NTTF_CHECK(value <= (t == 2 ? 1 : static_cast<std::int64_t>((t - 1) / 2)));
      NTTF_CHECK_EQ(static_cast<std::uint64_t>(value + static_cast<std::int64_t>(t)) % t, residue);
    }
}

}  // namespace
}  // namespace nttforge
