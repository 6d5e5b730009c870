// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/order.hpp"

#include <vector>

#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("bit_reverse equals the bit by bit definition") {
  for (unsigned bits = 0; bits <= 12; ++bits) {
    for (std::uint64_t i = 0; i < std::uint64_t{1} << bits; ++i) {
      std::uint64_t expected = 0;
      for (unsigned b = 0; b < bits; ++b) expected |= (i >> b & 1) << (bits - 1 - b);
      NTTF_CHECK_EQ(bit_reverse(i, bits), expected);
    }
  }
  NTTF_CHECK_EQ(bit_reverse(1, 63), std::uint64_t{1} << 62);
}

template <class Word>
static void check_permutation() {
  for (unsigned log_n = 0; log_n <= 13; ++log_n) {
    const std::size_t n = std::size_t{1} << log_n;
    std::vector<Word> in(n), out(n + 1, 77), expected(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<Word>(3 * i + 1);
    for (std::size_t i = 0; i < n; ++i) expected[bit_reverse(i, log_n)] = in[i];
    permute_bit_reversed(in.data(), out.data(), log_n);
    NTTF_CHECK(std::vector<Word>(out.begin(), out.end() - 1) == expected);
    NTTF_CHECK_EQ(out[n], Word{77});
    permute_bit_reversed(in.data(), in.data(), log_n);
    NTTF_CHECK(in == expected);
  }
}
NTTF_TEST("permute_bit_reversed in place and out of place, 64-bit words") {
  check_permutation<std::uint64_t>();
}
NTTF_TEST("permute_bit_reversed in place and out of place, 32-bit words") {
  check_permutation<std::uint32_t>();
}
