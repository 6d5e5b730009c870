// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/plain.hpp"

#include "nttforge/rns/scale.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::residues_of;
using testing::Rng;
using testing::Signed;
using testing::value_of;

std::uint64_t below(const Modulus& t, const Signed& x) {
  const std::uint64_t value = x.magnitude.mod(t.value());
  return x.negative ? t.negate(value) : value;
}

NTTF_TEST("plaintexts at the bottom of a chain: there and back, up to Q/2") {
  Rng rng;
  const unsigned mixed[] = {30, 50, 60, 62};
  for (const RnsBase& q : {RnsBase(ntt_primes(1024, 30, 1)), RnsBase(ntt_primes(4096, 36, 5)),
                           RnsBase(testing::mixed_primes(1024, mixed))})
    for (const std::uint64_t t :
         {std::uint64_t{2}, std::uint64_t{256}, std::uint64_t{65537}, (std::uint64_t{1} << 59) - 55}) {
      const Modulus plain(t);
      const std::uint64_t gamma = redundant_modulus(q, t);
      for (const std::uint64_t factor : {std::uint64_t{1}, t - 1, rng.next() | 1}) {
        const RnsStep lift = lift_centred(q, t, factor), back = reduce_centred(q, t, gamma, factor);
        for (std::uint64_t m : {std::uint64_t{0}, std::uint64_t{1}, t / 2, t - 1, rng.below(t)}) {
          const std::uint64_t value = plain.mul(m, plain.reduce(factor));
          const bool negative = value >= t - value;
          const Signed expected{negative, BigUint(negative ? t - value : value)};
          NTTF_CHECK(value_of(lift, std::span(&m, 1)) == residues_of(q, expected));
        }
        // The ends of the exact interval, and the limit of half a bit.
        const BigUint reach = (q.product() * (gamma - 2 * q.size())).divided_by(gamma).shifted_right(1);
        for (const bool negative : {false, true})
          for (const BigUint& x : {BigUint(0), BigUint(1), reach - BigUint(1), reach}) {
            const Signed value{negative, x};
            std::uint64_t out = 0;
            const bool exhausted = StepValue(back).apply(residues_of(q, value), {}, std::span(&out, 1));
            NTTF_CHECK_EQ(out, plain.mul(below(plain, value), plain.reduce(factor)));
            NTTF_CHECK_EQ(exhausted, x > BigUint(1));
          }
        // |x| = Q / 2^1.5 is between these two.
        const BigUint some = q.product() * 35, more = q.product() * 36;
        std::uint64_t out = 0;
        const auto passes = [&](const BigUint& x) {
          return StepValue(back).apply(q.decompose(x.divided_by(100)), {}, std::span(&out, 1));
        };
        NTTF_CHECK(!passes(some) && passes(more));
      }
    }
}

}  // namespace
}  // namespace nttforge
