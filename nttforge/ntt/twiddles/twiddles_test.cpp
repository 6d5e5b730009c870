// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/twiddles/twiddles.hpp"

#include "nttforge/ntt/testing.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

template <unsigned bits>
TwiddleEntry shoup_bits(std::uint64_t w, std::uint64_t q) {
  return shoup_entry(w, q, bits);
}

}  // namespace

NTTF_TEST("tree twiddles equal their definition") {
  for (const Ring ring : {Ring::negacyclic, Ring::cyclic}) {
    for (unsigned log_n = 0; log_n <= 7; ++log_n) {
      const std::size_t n = std::size_t{1} << log_n;
      const NttSpec spec = validated({n, {largest_prime(n, 45)}, ring});
      const std::uint64_t q = spec.moduli[0];
      const auto w = tree_twiddles(ring, log_n, q, spec.roots[0]);
      const Words powers = powers_of(spec.roots[0], 2 * n, q);
      unsigned log_m = 0;
      for (std::size_t m = 1; m < n; m *= 2, ++log_m) {
        for (std::size_t j = 0; j < m; ++j) {
          const std::size_t exponent =
              ring == Ring::negacyclic ? bit_reverse(m + j, log_n) : bit_reverse(j, log_m) * (n / (2 * m));
          NTTF_CHECK_EQ(w[m + j], powers[exponent]);
        }
      }
    }
  }
}

NTTF_TEST("tables hold every twiddle once, with its quotient, and vectors first") {
  const unsigned log_n = 7;
  const NttSpec spec = validated({128, {largest_prime(128, 40)}});
  const std::uint64_t q = spec.moduli[0];
  const auto w = tree_twiddles(Ring::negacyclic, log_n, q, spec.roots[0]);
  for (const unsigned log_lanes : {0u, 1u, 2u, 3u}) {
    for (const unsigned radix_log : {1u, 2u}) {
      for (const unsigned quotient_bits : {52u, 64u}) {
        const TwiddleLayout layout{.entry = quotient_bits == 52 ? &shoup_bits<52> : &shoup_bits<64>,
                                   .log_lanes = log_lanes,
                                   .tail_log = 2 * log_lanes,
                                   .radix_log = radix_log};
        const TransformTables<std::uint64_t> tables(Ring::negacyclic, log_n, q, spec.roots[0], layout);
        const std::uint64_t* p = tables.view().forward;
        std::size_t sum = 0, expected = 0;
        const std::size_t lanes = std::size_t{1} << log_lanes,
                          vectors = log_lanes == 0 ? 0 : 128 - 128 / lanes;
        for (std::size_t i = 1; i < 128; ++i) expected += w[i] % 1000003 * (w[i] % 1009);
        for (std::size_t i = 0; i < 127; ++i) {
          const std::uint64_t* entry = i < vectors ? p + i / lanes * 2 * lanes + i % lanes : p + 2 * i;
          const std::uint64_t value = entry[0], quotient = entry[i < vectors ? lanes : 1];
          sum += value % 1000003 * (value % 1009);
          NTTF_CHECK_EQ(quotient,
                        static_cast<std::uint64_t>((static_cast<u128>(value) << quotient_bits) / q));
        }
        NTTF_CHECK_EQ(sum, expected);
        NTTF_CHECK_EQ(p[2 * vectors], w[1]);
        const Modulus modulus(q);
        NTTF_CHECK_EQ(modulus.mul(tables.view().scale, 128), std::uint64_t{1});
        NTTF_CHECK_EQ(modulus.mul(tables.view().inverse[2 * vectors], modulus.mul(w[1], 128)),
                      std::uint64_t{1});
      }
    }
  }
}

NTTF_TEST("tables of vectors without quotients hold the same values, and the same entries of passes") {
  constexpr unsigned kLogN = 7, kLanes = 4, kVectors = 128 - 128 / kLanes;
  const NttSpec spec = validated({128, {largest_prime(128, 40)}});
  TwiddleLayout layout{.entry = real_entry, .log_lanes = 2, .tail_log = 2, .radix_log = 2};
  const auto tables = [&] {
    return TransformTables<std::uint64_t>(Ring::cyclic, kLogN, spec.moduli[0], spec.roots[0], layout);
  };
  const auto full = tables();
  layout.lanes = LaneTwiddles::vectors_of_values;
  const auto bare = tables();
  for (const auto side : {&KernelTables<std::uint64_t>::forward, &KernelTables<std::uint64_t>::inverse}) {
    const std::uint64_t *const p = full.view().*side, *const v = bare.view().*side;
    for (std::size_t i = 0; i < kVectors; ++i) NTTF_CHECK_EQ(v[i], p[i / kLanes * 2 * kLanes + i % kLanes]);
    for (std::size_t i = 0; i < 2 * (127 - kVectors); ++i)
      NTTF_CHECK_EQ(v[kVectors + i], p[2 * kVectors + i]);
  }
}
