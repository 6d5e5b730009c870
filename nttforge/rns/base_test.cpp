// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/base.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::Rng;

void check_round_trips(const RnsBase& base, Rng& rng) {
  std::vector<BigUint> cases = {BigUint(0), BigUint(1), base.product() - BigUint(1),
                                base.product().shifted_right(1)};
  for (int trial = 0; trial < 40; ++trial) cases.push_back(testing::random_below(rng, base.product()));
  for (const BigUint& x : cases) {
    const std::vector<std::uint64_t> residues = base.decompose(x);
    for (std::size_t i = 0; i < base.size(); ++i) NTTF_CHECK_EQ(residues[i], x.mod(base.values()[i]));
    NTTF_CHECK(base.compose(residues) == x);
    NTTF_CHECK(base.compose_garner(residues) == x);
  }
}

NTTF_TEST("RnsBase: CRT and Garner undo decompose, sizes 1 ... 18, 30 ... 62-bit primes") {
  Rng rng;
  const unsigned mixes[][6] = {{30, 50, 60, 62, 62, 20}, {62, 62, 62, 62, 62, 62}, {30, 30, 30, 30, 30, 30}};
  for (const auto& bits : mixes)
    for (std::size_t size = 1; size <= 6; ++size)
      check_round_trips(RnsBase(testing::mixed_primes(8, std::span(bits, size))), rng);
  check_round_trips(RnsBase(ntt_primes(1024, 49, 18)), rng);
}

NTTF_TEST("RnsBase: small and composite coprime moduli, exhaustively") {
  const RnsBase base({4, 9, 5, 7});
  NTTF_CHECK(base.product() == BigUint(1260));
  for (std::uint64_t x = 0; x < 1260; ++x) {
    const std::uint64_t residues[] = {x % 4, x % 9, x % 5, x % 7};
    NTTF_CHECK(base.compose(residues) == BigUint(x));
    NTTF_CHECK(base.compose_garner(residues) == BigUint(x));
  }
  NTTF_CHECK(base.decompose(BigUint(1260 + 11)) == (std::vector<std::uint64_t>{3, 2, 1, 4}));
}

NTTF_TEST("RnsBase: punctured products and their inverses") {
  const RnsBase base({5, 7, 11});
  const Modulus m(13);
  NTTF_CHECK_EQ(base.punctured_mod(0, m), std::uint64_t{77 % 13});
  NTTF_CHECK_EQ(base.punctured_mod(2, m), std::uint64_t{35 % 13});
  NTTF_CHECK_EQ(base.inverse_punctured(1).value, std::uint64_t{6});  // 55 = 6 (mod 7), 6 * 6 = 36 = 1
}

NTTF_TEST("RnsBase: bad input is named") {
  NTTF_CHECK_THROWS(RnsBase(std::vector<std::uint64_t>{}), ParameterError, "empty");
  NTTF_CHECK_THROWS(RnsBase({17, 97, 17}), ParameterError, "repeats a modulus: q[0] = 17 and q[2] = 17");
  NTTF_CHECK_THROWS(RnsBase({15, 97, 21}), ParameterError, "q[0] = 15 and q[2] = 21 share the factor 3");
  NTTF_CHECK_THROWS(RnsBase({97, 1}), ParameterError, "q[1] = 1 is out of range: need 2 <= q < 2^62");
  NTTF_CHECK_THROWS(RnsBase({0}), ParameterError, "q[0] = 0 is out of range");
  NTTF_CHECK_THROWS(RnsBase({std::uint64_t{1} << 62}), ParameterError,
                    "q[0] = 4611686018427387904 is out of range");
  const RnsBase base({17, 97});
  NTTF_CHECK_THROWS(base.compose(std::vector<std::uint64_t>{1}), SizeError, "1 words: this RNS base needs 2");
  NTTF_CHECK_THROWS(base.compose_garner(std::vector<std::uint64_t>(3)), SizeError,
                    "3 words: this RNS base needs 2");
}

}  // namespace
}  // namespace nttforge
