// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/ntt/plan.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Rng;
using testing::Words;

NTTF_TEST("device: lift_plain reads [0, t) as [-t/2, t/2)") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const std::size_t n = ring.n;
    for (const std::uint64_t t :
         {std::uint64_t{2}, std::uint64_t{7}, std::uint64_t{786433}, std::uint64_t{1} << 59}) {
      Words plain(n);
      for (std::size_t i = 0; i < n; ++i) plain[i] = i < 4 ? (t / 2 + t - 1 + i) % t : rng.below(t);
      Words expected;
      for (const std::uint64_t q : ring.moduli)
        for (const std::uint64_t v : plain)
          expected.push_back(2 * v >= t ? Modulus(q).negate((t - v) % q) : v % q);
      for (const auto& queue : testing::all_queues()) {
        const auto tables = queue->device().make_ring(testing::spec_of(ring));
        OnDevice in(*queue, plain), out(*queue, expected.size());
        queue->lift_plain(*tables, t, in.data(), out.data());
        check_same(out.host(), expected, *queue, ring, "lift_plain");
      }
    }
  }
}

// out[p][j] = sum_i NTT([c]_{q_i} mod q_j) key[i][p][j], composed from plans and single products.
Words key_switch_value(const RingCase& ring, const Words& c, std::size_t k, const Words& key) {
  const std::size_t n = ring.n, limbs = ring.moduli.size(), words = n * limbs;
  Words out(2 * words);
  for (std::size_t j = 0; j < limbs; ++j) {
    const Modulus m(ring.moduli[j]);
    NttSpec spec;
    spec.n = n;
    spec.moduli = {ring.moduli[j]};
    const NttPlan plan(spec);
    for (std::size_t i = 0; i < k; ++i) {
      Words digit(c.begin() + i * n, c.begin() + (i + 1) * n);
      for (std::uint64_t& v : digit) v %= m.value();
      plan.forward(digit, digit);
      for (std::size_t p = 0; p < 2; ++p)
        for (std::size_t x = 0; x < n; ++x) {
          std::uint64_t& sum = out[p * words + j * n + x];
          sum = m.add(sum, m.mul(digit[x], key[(2 * i + p) * words + j * n + x]));
        }
    }
  }
  return out;
}

NTTF_TEST("device: key_switch is the sum over digits, with and without a special prime") {
  Rng rng;
  std::vector<RingCase> rings = testing::ring_cases();
  rings.push_back({32768, ntt_primes(32768, 49, 5)});  // more digits than are transformed at once
  for (const RingCase& ring : rings)
    for (const std::size_t k : {std::size_t{1}, ring.moduli.size() - 1, ring.moduli.size()}) {
      if (k == 0) continue;
      const RingCase q{ring.n, {ring.moduli.begin(), ring.moduli.begin() + static_cast<std::ptrdiff_t>(k)}};
      const Words c = testing::random_polynomials(rng, q, 1),
                  key = testing::random_polynomials(rng, ring, 2 * k);
      const Words expected = key_switch_value(ring, c, k, key);
      for (const auto& queue : testing::all_queues()) {
        const auto tables = queue->device().make_ring(testing::spec_of(ring));
        OnDevice in(*queue, c), keys(*queue, key), out(*queue, expected.size());
        queue->key_switch(*tables, in.data(), k, keys.data(), out.data());
        check_same(out.host(), expected, *queue, ring, "key_switch");
      }
    }
}

}  // namespace
}  // namespace nttforge
