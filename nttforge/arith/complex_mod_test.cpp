// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/complex_mod.hpp"

#include <algorithm>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/roots.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_vectors.hpp"

using namespace nttforge;
using namespace nttforge::testing;

NTTF_TEST("complex numbers modulo q: products, powers and inverses of all small ones") {
  for (const std::uint64_t q : {3u, 5u, 7u, 13u}) {
    for (std::uint64_t x = 0; x < q; ++x) {
      for (std::uint64_t y = 0; y < q; ++y) {
        const ComplexMod a{x, y};
        NTTF_CHECK((complex_mul(a, {0, 1}, q) == ComplexMod{(q - y) % q, x}));
        ComplexMod power{1, 0};
        for (unsigned e = 0; e < 9; ++e, power = complex_mul(power, a, q))
          NTTF_CHECK(complex_pow(a, e, q) == power);
        if ((x * x + y * y) % q != 0) {
          NTTF_CHECK((complex_mul(a, complex_inverse(a, q), q) == ComplexMod{1, 0}));
        } else {
          NTTF_CHECK_THROWS(complex_inverse(a, q), ParameterError, "has no inverse");
        }
      }
    }
  }
}

NTTF_TEST("twist roots of the oracle, and the smallest of all for a small prime") {
  const Json vectors = load_vectors("dgt.json");
  for (const Json& c : vectors.at("cases").elements()) {
    const ComplexMod h = twist_root(c.at("n").as_u64(), c.at("q").as_u64());
    NTTF_CHECK_EQ(h.re, c.at("h")[0].as_u64());
    NTTF_CHECK_EQ(h.im, c.at("h")[1].as_u64());
  }
  const std::uint64_t q = 127, n = 64;
  ComplexMod smallest{q, q};
  for (std::uint64_t x = 0; x < q; ++x) {
    for (std::uint64_t y = 0; y < q; ++y) {
      if (complex_pow({x, y}, n / 2, q) == ComplexMod{0, 1}) smallest = std::min(smallest, ComplexMod{x, y});
    }
  }
  NTTF_CHECK(twist_root(n, q) == smallest);
}

NTTF_TEST("twist roots have h^(n/2) = i at every size a modulus carries, up to 2^20") {
  for (const std::uint64_t q : {(std::uint64_t{1} << 61) - 1, (std::uint64_t{1} << 31) - 1,
                                ntt_primes(1u << 20, 62, 1)[0], kGoldilocks}) {
    for (std::uint64_t n = 2; n <= 1u << 20; n *= n < 64 ? 2 : 16)
      NTTF_CHECK((complex_pow(twist_root(n, q), n / 2, q) == ComplexMod{0, 1}));
  }
}

NTTF_TEST("twist roots: errors say what the modulus carries") {
  NTTF_CHECK_THROWS(twist_root(1024, 1073741311), ParameterError, "powers of two, 2 ... 512");
  NTTF_CHECK_THROWS(twist_root(1, 17), ParameterError, "2 ... 8");
  NTTF_CHECK_THROWS(twist_root(6, 17), ParameterError, "n = 6 has no DGT modulo q = 17");
  NTTF_CHECK_THROWS(twist_root(2, 15), ParameterError, "none for this q; q = 15 is not prime");
  NTTF_CHECK_THROWS(twist_root(2, 2), ParameterError, "none for this q");
}
