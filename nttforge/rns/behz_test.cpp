// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/behz.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::centred;
using testing::residues_of;
using testing::Rng;
using testing::Signed;
using testing::value_of;

struct Case {
  std::vector<std::uint64_t> q;
  std::uint64_t t;
  std::size_t n;
  unsigned prime_bits = Behz::kPrimeBits;
};

std::vector<Case> cases() {
  const unsigned mixed[] = {30, 50, 60, 62};
  return {{ntt_primes(1024, 30, 1), 257, 1024},
          {ntt_primes(4096, 36, 2), 786433, 4096},
          {ntt_primes(16384, 49, 8), 786433, 16384},
          {ntt_primes(2048, 62, 3), 2, 2048},
          {testing::mixed_primes(1024, mixed), 65537, 1024},
          {ntt_primes(32768, 49, 17), (std::uint64_t{1} << 59) + 1, 32768},
          {ntt_primes(4096, 27, 3), 65537, 4096, 30},
          {ntt_primes(1024, 30, 1), 2, 1024, 30},
          {ntt_primes(32768, 30, 22), 65537, 32768, 30},
          {testing::mixed_primes(1024, mixed), (std::uint64_t{1} << 59) + 1, 1024, 30}};
}

// 2 m_tilde^2 F and 2 m_tilde^2 M (m_sk/2 - |B| - 1), the two sides of the base's condition.
bool base_suffices(const Behz& behz, std::span<const std::uint64_t> bsk) {
  const BigUint m_tilde(std::uint64_t{1} << 32);
  const std::uint64_t k = behz.q().size();
  const BigUint wide = m_tilde + BigUint(2 * k);
  const BigUint bound =
      behz.q().product() * behz.t() * behz.n() * behz.max_terms() * wide * wide + m_tilde * m_tilde * (2 * k);
  const std::uint64_t b_size = bsk.size() - 1;
  return BigUint::product(bsk.first(b_size)) * (bsk.back() - 2 * b_size - 2) * m_tilde * m_tilde >= bound;
}

NTTF_TEST("Behz: B_sk is the smallest base that is large enough, of its bits, apart from Q and avoid") {
  for (const Case& c : cases()) {
    const std::vector<std::uint64_t> avoid = ntt_primes(c.n, c.prime_bits, 2, c.q);
    const Behz behz(RnsBase(c.q), c.t, c.n, avoid, 16, c.prime_bits);
    const std::span<const std::uint64_t> bsk = behz.bsk().values();
    NTTF_CHECK(base_suffices(behz, bsk));
    if (bsk.size() > 2) NTTF_CHECK(!base_suffices(behz, bsk.first(bsk.size() - 1)));
    for (const std::uint64_t m : bsk) {
      NTTF_CHECK(m >> (c.prime_bits - 1) == 1);
      NTTF_CHECK_EQ(m % (2 * c.n), std::uint64_t{1});
      for (const std::uint64_t other : c.q) NTTF_CHECK(m != other);
      for (const std::uint64_t other : avoid) NTTF_CHECK(m != other);
    }
  }
}

NTTF_TEST("Behz: extend gives x' = x (mod Q) with -Q/2 <= x' <= Q/2 + k Q / m_tilde") {
  Rng rng;
  for (const Case& c : cases()) {
    const Behz behz(RnsBase(c.q), c.t, c.n, {}, 16, c.prime_bits);
    const RnsBase& q = behz.q();
    std::vector<BigUint> values = {BigUint(0), BigUint(1), q.product() - BigUint(1),
                                   q.product().shifted_right(1), q.product().shifted_right(1) + BigUint(1)};
    for (int trial = 0; trial < 60; ++trial) values.push_back(testing::random_below(rng, q.product()));
    for (const BigUint& x : values) {
      const Signed lifted = centred(behz.bsk(), value_of(behz.extend(), q.decompose(x)));
      NTTF_CHECK(residues_of(q, lifted) == q.decompose(x));
      const BigUint twice = lifted.magnitude * 2;
      if (lifted.negative)
        NTTF_CHECK(twice <= q.product());
      else  // 2^32 (2 x' - Q) <= 2 k Q
        NTTF_CHECK(twice <= q.product() ||
                   (twice - q.product()) * (std::uint64_t{1} << 32) <= q.product() * (2 * q.size()));
    }
  }
}

NTTF_TEST("Behz: floor is floor(t x / Q) - u with 0 <= u < k, and Shenoy-Kumaresan brings it to Q exactly") {
  Rng rng;
  for (const Case& c : cases()) {
    const Behz behz(RnsBase(c.q), c.t, c.n, {}, 16, c.prime_bits);
    const RnsBase& q = behz.q();
    const RnsBase& bsk = behz.bsk();
    // |x| <= terms n Q^2 / 2: what a sum of tensor products can reach.
    const BigUint limit = q.product() * q.product() * c.n * (behz.max_terms() / 2);
    for (int trial = 0; trial < 60; ++trial) {
      Signed x{trial % 2 == 1, trial < 2 ? limit : testing::random_below(rng, limit)};
      if (trial >= 30) x.magnitude = testing::random_below(rng, q.product());
      const auto floored = value_of(behz.floor(), residues_of(q, x), residues_of(bsk, x));
      const Signed got = centred(bsk, floored);
      const Signed exact = testing::floor_divide({x.negative, x.magnitude * c.t}, q.values());
      // exact - got = u
      std::size_t u = 0;
      for (; u < q.size(); ++u) {
        Signed shifted = got;
        if (!got.negative)
          shifted.magnitude += BigUint(u);
        else if (got.magnitude >= BigUint(u))
          shifted.magnitude -= BigUint(u);
        else
          shifted = {false, BigUint(u) - got.magnitude};
        if (shifted.magnitude == exact.magnitude &&
            (shifted.negative == exact.negative || exact.magnitude.is_zero()))
          break;
      }
      NTTF_CHECK(u < q.size());
      NTTF_CHECK(value_of(behz.to_q(), floored) == residues_of(q, got));
    }
  }
}

NTTF_TEST("Behz: Shenoy-Kumaresan is exact to the last alpha, and not beyond") {
  Rng rng;
  for (const Case& c : cases()) {
    const Behz behz(RnsBase(c.q), c.t, c.n, {}, 16, c.prime_bits);
    const RnsBase& bsk = behz.bsk();
    const std::uint64_t m_sk = bsk.values().back();
    const std::size_t b_size = bsk.size() - 1;
    const RnsBase b(std::vector<std::uint64_t>(bsk.values().begin(), bsk.values().end() - 1));
    const RnsStep to_q = behz.to_q();
    const auto exact = [&](const Signed& x) {
      return value_of(to_q, residues_of(bsk, x)) == residues_of(behz.q(), x);
    };
    // x = floor part * M + rest, alpha = u - floor(x / M), representable while |alpha| <= (m_sk - 1) / 2.
    const std::uint64_t half = (m_sk - 1) / 2;
    for (int trial = 0; trial < 12; ++trial) {
      const BigUint rest = trial == 0   ? BigUint(0)
                           : trial == 1 ? b.product() - BigUint(1)
                                        : testing::random_below(rng, b.product());
      BigUint digits;  // rest + u M by the definition of fast base conversion
      const std::vector<std::uint64_t> residues = b.decompose(rest);
      for (std::size_t j = 0; j < b_size; ++j)
        digits += b.product().divided_by(b.values()[j]) *
                  mul_shoup(residues[j], b.inverse_punctured(j), b.values()[j]);
      std::uint64_t u = 0;
      while (rest + b.product() * u < digits) ++u;
      NTTF_CHECK(u == 0 || u < b_size);
      // Upwards: floor(x / M) = half + u is the last; downwards -floor(x / M) = half - u.
      for (const std::uint64_t step : {half + u - 1, half + u, half + u + 1}) {
        const Signed x{false, b.product() * step + rest};
        NTTF_CHECK_EQ(exact(x), step <= half + u);
      }
      for (const std::uint64_t step : {half - u - 1, half - u, half - u + 1}) {
        const Signed x{true, b.product() * step - rest};
        NTTF_CHECK_EQ(exact(x), step <= half - u);
      }
    }
    // The documented bound M (m_sk/2 - |B| - 1) lies inside.
    const BigUint bound = (b.product() * (m_sk - 2 * b_size - 2)).shifted_right(1);
    for (const bool negative : {false, true})
      for (const BigUint& magnitude : {bound - BigUint(1), bound}) NTTF_CHECK(exact({negative, magnitude}));
  }
}

NTTF_TEST("Behz: products rounded through another auxiliary base are the same words") {
  Rng rng;
  for (const Case& c : cases()) {
    const RnsBase q(c.q);
    const Behz wide(q, c.t, c.n), narrow(q, c.t, c.n, {}, 16, 30), middle(q, c.t, c.n, {}, 16, 41);
    const BigUint limit = q.product() * q.product() * c.n * (wide.max_terms() / 2);
    for (int trial = 0; trial < 20; ++trial) {
      const Signed x{trial % 2 == 1, trial < 2 ? limit : testing::random_below(rng, limit)};
      const auto through = [&](const Behz& behz) {
        return value_of(behz.to_q(), value_of(behz.floor(), residues_of(q, x), residues_of(behz.bsk(), x)));
      };
      NTTF_CHECK(through(narrow) == through(wide) && through(middle) == through(wide));
      const std::vector<std::uint64_t> y = q.decompose(testing::random_below(rng, q.product()));
      const Signed lifted = centred(wide.bsk(), value_of(wide.extend(), y));
      NTTF_CHECK(value_of(narrow.extend(), y) == residues_of(narrow.bsk(), lifted));
    }
  }
}

NTTF_TEST("Behz: bad input is named") {
  const RnsBase q(ntt_primes(1024, 30, 2));
  NTTF_CHECK_THROWS(Behz(q, 1, 1024), ParameterError, "t = 1 is out of range: need 2 <= t < 2^62");
  NTTF_CHECK_THROWS(Behz(q, std::uint64_t{1} << 62, 1024), ParameterError, "t = 4611686018427387904");
  NTTF_CHECK_THROWS(Behz(q, 17, 1000), ParameterError, "n = 1000 is not supported: need a power of two");
  NTTF_CHECK_THROWS(Behz(q, 17, 0), ParameterError, "n = 0 is not supported: need a power of two");
  NTTF_CHECK_THROWS(Behz(q, 17, 1024, {}, 0), ParameterError, "terms = 0 is out of range");
  NTTF_CHECK_THROWS(Behz(q, 17, 1024, {}, 16, 19), ParameterError, "prime_bits = 19 is out of range");
  NTTF_CHECK_THROWS(Behz(q, 17, 1024, {}, 16, 63), ParameterError, "need 20 ... 62");
  NTTF_CHECK_THROWS(Behz(RnsBase({16, 97}), 17, 8), ParameterError, "even modulus 16");
  NTTF_CHECK_THROWS(Behz(q, 17, std::size_t{1} << 25), UnsupportedError,
                    "need a power of two, 1 ... 2^24 on CPUs");
}

}  // namespace
}  // namespace nttforge
