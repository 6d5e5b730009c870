// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "nttforge/backend/testing.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ntt/plan.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnBackend;
using testing::RingCase;
using testing::Rng;
using testing::Words;

/// Applies f(residues in, residues out) to every coefficient of [batch][in_limbs][n].
template <class F>
Words each_coefficient(const Words& in, std::size_t n, std::size_t in_limbs, std::size_t out_limbs,
                       const F& f) {
  const std::size_t batch = in.size() / (n * in_limbs);
  Words out(batch * out_limbs * n);
  Words x(in_limbs), y(out_limbs);
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t i = 0; i < in_limbs; ++i) x[i] = in[(b * in_limbs + i) * n + c];
      f(x, y);
      for (std::size_t j = 0; j < out_limbs; ++j) out[(b * out_limbs + j) * n + c] = y[j];
    }
  return out;
}

/// Noise a sixteenth below the limit of DecryptScale::exhausted in one coefficient is taken, a sixteenth
/// above it is noticed, with either sign. x [k][n] has next to no noise.
void check_exhausted_one_by_one(const Backend& backend, const DecryptScale& constants,
                                const DecryptTables& tables, const Words& x, std::size_t n) {
  const RnsBase& q = constants.q();
  const std::uint64_t t = constants.t().value(), gamma = constants.gamma().value();
  const BigUint limit = (q.product() * constants.noise_limit()).divided_by(gamma).divided_by(t);
  if (limit < BigUint(64)) return;  // too few steps on either side
  const BigUint step = limit.shifted_right(4) + BigUint(1);
  OnBackend out(backend, n), flag(backend, Words{7});
  for (const std::size_t at : {std::size_t{0}, n / 2, n - 1})
    for (const bool over : {false, true})
      for (const bool negative : {false, true}) {
        const Words noise = q.decompose(over ? limit + step : limit - step);
        Words shifted = x;
        for (std::size_t j = 0; j < q.size(); ++j) {
          std::uint64_t& word = shifted[j * n + at];
          word = negative ? q.modulus(j).sub(word, noise[j]) : q.modulus(j).add(word, noise[j]);
        }
        OnBackend in(backend, shifted);
        backend.decrypt_scale(tables, in.data(), out.data(), flag.data());
        NTTF_CHECK_EQ(flag.host()[0], std::uint64_t{over});
      }
}

NTTF_TEST("backend: behz_extend and behz_floor give the words of rns/behz.hpp") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{786433}}) {
      const auto behz = std::make_shared<const Behz>(RnsBase(ring.moduli), t, ring.n);
      const std::size_t k = ring.moduli.size(), l = behz->bsk().size(), n = ring.n;
      const RingCase bsk{n, {behz->bsk().values().begin(), behz->bsk().values().end()}};
      const Words x = testing::random_polynomials(rng, ring, 2),
                  x_bsk = testing::random_polynomials(rng, bsk, 2);
      const Words extended =
          each_coefficient(x, n, k, l, [&](const Words& in, Words& out) { behz->extend(in, out); });
      Words both;  // [batch][k + l][n]
      for (std::size_t b = 0; b < 2; ++b) {
        both.insert(both.end(), x.begin() + b * k * n, x.begin() + (b + 1) * k * n);
        both.insert(both.end(), x_bsk.begin() + b * l * n, x_bsk.begin() + (b + 1) * l * n);
      }
      const Words floored = each_coefficient(both, n, k + l, k, [&](const Words& in, Words& out) {
        Words middle(l);
        behz->floor(std::span(in).first(k), std::span(in).subspan(k), middle);
        behz->to_q(middle, out);
      });
      for (const auto& backend : testing::all_backends()) {
        const auto tables = backend->make_behz(behz);
        OnBackend in(*backend, x), in_bsk(*backend, x_bsk), out(*backend, 2 * l * n),
            out_q(*backend, x.size());
        backend->behz_extend(*tables, in.data(), out.data(), 2);
        check_same(out.host(), extended, *backend, ring, "behz_extend");
        backend->behz_floor(*tables, in.data(), in_bsk.data(), out_q.data(), 2);
        check_same(out_q.host(), floored, *backend, ring, "behz_floor");
      }
    }
  }
}

NTTF_TEST("backend: mod_down gives the words of rns/mod_down.hpp") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const std::size_t limbs = ring.moduli.size(), n = ring.n;
    if (limbs < 2) continue;
    const auto constants = std::make_shared<const ModDown>(RnsBase(ring.moduli));
    const Words x = testing::random_polynomials(rng, ring, 2);
    const Words expected = each_coefficient(x, n, limbs, limbs - 1,
                                            [&](const Words& in, Words& out) { constants->apply(in, out); });
    for (const auto& backend : testing::all_backends()) {
      const auto tables = backend->make_mod_down(constants, n);
      OnBackend in(*backend, x), out(*backend, expected.size());
      backend->mod_down(*tables, in.data(), out.data(), 2);
      check_same(out.host(), expected, *backend, ring, "mod_down");
    }
  }
}

NTTF_TEST("backend: decrypt_scale and scale_plain give the words of rns/scale.hpp") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const std::size_t k = ring.moduli.size(), n = ring.n;
    for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{786433}, (std::uint64_t{1} << 50) + 7}) {
      if (BigUint(t) >= BigUint::product(ring.moduli)) continue;
      const auto constants = std::make_shared<const DecryptScale>(RnsBase(ring.moduli), t);
      const Words x = testing::random_polynomials(rng, ring, 1);
      std::uint64_t exhausted = 0;  // random phases are, but for the smallest rings
      const Words decrypted = each_coefficient(x, n, k, 1, [&](const Words& in, Words& out) {
        out[0] = constants->decrypt(in);
        exhausted |= static_cast<std::uint64_t>(constants->exhausted(in));
      });
      Words plain = testing::random_polynomials(rng, {n, {t}}, 1);
      const Words scaled = each_coefficient(
          plain, n, 1, k, [&](const Words& in, Words& out) { constants->encrypt(in[0], out); });
      for (const auto& backend : testing::all_backends()) {
        const auto tables = backend->make_decrypt(constants, n);
        OnBackend in(*backend, x), out(*backend, n), message(*backend, plain), out_q(*backend, x.size());
        OnBackend flag(*backend, Words{7});
        backend->decrypt_scale(*tables, in.data(), out.data(), flag.data());
        check_same(out.host(), decrypted, *backend, ring, "decrypt_scale");
        NTTF_CHECK_EQ(flag.host()[0], exhausted);
        backend->scale_plain(*tables, message.data(), out_q.data());
        check_same(out_q.host(), scaled, *backend, ring, "scale_plain");
        // A phase without noise but the rounding's: then one coefficient is pushed over the limit.
        backend->decrypt_scale(*tables, out_q.data(), out.data(), flag.data());
        NTTF_CHECK(out.host() == plain);
        check_exhausted_one_by_one(*backend, *constants, *tables, out_q.host(), n);
      }
    }
  }
}

NTTF_TEST("backend: lift_plain reads [0, t) as [-t/2, t/2)") {
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
      for (const auto& backend : testing::all_backends()) {
        const auto tables = backend->make_ring(testing::spec_of(ring));
        OnBackend in(*backend, plain), out(*backend, expected.size());
        backend->lift_plain(*tables, t, in.data(), out.data());
        check_same(out.host(), expected, *backend, ring, "lift_plain");
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

NTTF_TEST("backend: key_switch is the sum over digits, with and without a special prime") {
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
      for (const auto& backend : testing::all_backends()) {
        const auto tables = backend->make_ring(testing::spec_of(ring));
        OnBackend in(*backend, c), keys(*backend, key), out(*backend, expected.size());
        backend->key_switch(*tables, in.data(), k, keys.data(), out.data());
        check_same(out.host(), expected, *backend, ring, "key_switch");
      }
    }
}

}  // namespace
}  // namespace nttforge
