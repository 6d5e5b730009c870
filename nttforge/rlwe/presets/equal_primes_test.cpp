// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/presets/equal_primes.hpp"

#include <algorithm>
#include <bit>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/rns/big_uint.hpp"

namespace nttforge::rlwe {
namespace {

using Sizes = std::vector<unsigned>;

NTTF_TEST("equal sizes: all bits, at most one apart, the smaller ones first") {
  NTTF_CHECK(equal_sizes(106, 4) == (Sizes{26, 26, 27, 27}) && equal_sizes(54, 2) == (Sizes{27, 27}));
  NTTF_CHECK(equal_sizes(26, 1) == Sizes{26} && equal_sizes(7, 3) == (Sizes{2, 2, 3}));
}

NTTF_TEST("primes of sizes: distinct, of their sizes, none of the excluded ones, from the top") {
  const std::uint64_t top = ntt_primes(4096, 27, 1)[0];
  const auto primes = primes_of_sizes(4096, equal_sizes(106, 4), {{top}});
  NTTF_CHECK(primes.has_value() && primes->size() == 4);
  const unsigned sizes[] = {26, 26, 27, 27};
  for (std::size_t i = 0; i < primes->size(); ++i) {
    const std::uint64_t prime = (*primes)[i];
    NTTF_CHECK(static_cast<unsigned>(std::bit_width(prime)) == sizes[i] && prime % 8192 == 1);
    NTTF_CHECK(prime != top && std::count(primes->begin(), primes->end(), prime) == 1);
  }
  NTTF_CHECK_EQ((*primes)[2], ntt_primes(4096, 27, 2)[1]);
  NTTF_CHECK_EQ(BigUint::product(*primes).bits(), 106u);
  NTTF_CHECK(!primes_of_sizes(32768, equal_sizes(200, 10), {}).has_value());  // few of 20 bits
}

}  // namespace
}  // namespace nttforge::rlwe
