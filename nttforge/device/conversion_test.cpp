// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/rns/mod_down.hpp"

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
        queue->key_switch(*tables, in.data(), k, {keys.data(), ring.moduli.size(), 0}, out.data());
        check_same(out.host(), expected, *queue, ring, "key_switch");
      }
    }
}

// The rows of a key for the whole chain that a level takes, next to each other.
Words key_at_level(const RingCase& chain, std::size_t special, const Words& key, std::size_t level,
                   std::size_t digits) {
  const std::size_t n = chain.n, limbs = chain.moduli.size();
  Words result;
  for (std::size_t polynomial = 0; polynomial < 2 * digits; ++polynomial)
    for (std::size_t j = 0; j < limbs; ++j)
      if (j < level || j >= limbs - special) {
        const auto row = key.begin() + static_cast<std::ptrdiff_t>((polynomial * limbs + j) * n);
        result.insert(result.end(), row, row + static_cast<std::ptrdiff_t>(n));
      }
  return result;
}

NTTF_TEST("device: a key for the whole chain switches at every level as a copy of the level's rows does") {
  Rng rng;
  std::vector<std::shared_ptr<const Queue>> queues = testing::all_queues();
  queues.push_back(testing::make_reference_device()->make_queue());
  for (const RingCase& chain : {RingCase{64, ntt_primes(64, 50, 5)}, RingCase{4096, ntt_primes(4096, 60, 4)}})
    for (const std::size_t special : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
      const std::size_t top = chain.moduli.size() - special;
      const Words key = testing::random_polynomials(rng, chain, 2 * top);
      for (std::size_t level = 1; level <= top; ++level) {
        RingCase ring{chain.n, {}}, q{chain.n, {}};
        for (std::size_t j = 0; j < chain.moduli.size(); ++j) {
          if (j < level) q.moduli.push_back(chain.moduli[j]);
          if (j < level || j >= top) ring.moduli.push_back(chain.moduli[j]);
        }
        const Words c = testing::random_polynomials(rng, q, 1),
                    addend = testing::random_polynomials(rng, q, 2),
                    copied = key_at_level(chain, special, key, level, level);
        const Words expected = key_switch_value(ring, c, level, copied);
        for (const auto& queue : queues) {
          const auto tables = queue->device().make_ring(testing::spec_of(ring));
          OnDevice in(*queue, c), keys(*queue, key), copies(*queue, copied), out(*queue, expected.size());
          const KeyRows rows{keys.data(), chain.moduli.size(), special};
          queue->key_switch(*tables, in.data(), level, rows, out.data());
          check_same(out.host(), expected, *queue, ring, "key_switch at a level");
          if (special != 1) continue;
          const auto ring_q = queue->device().make_ring(testing::spec_of(q));
          const auto division = queue->device().make_step(mod_down(RnsBase(ring.moduli)), ring.n);
          OnDevice extra(*queue, addend), switched(*queue, addend.size()), whole(*queue, addend.size());
          queue->switch_key(*tables, *ring_q, *division, in.data(), rows, extra.data(), 2, switched.data());
          queue->Queue::switch_key(*tables, *ring_q, *division, in.data(), {copies.data(), level + 1, 1},
                                   extra.data(), 2, whole.data());
          check_same(switched.host(), whole.host(), *queue, ring, "switch_key at a level");
        }
      }
    }
}

}  // namespace
}  // namespace nttforge
