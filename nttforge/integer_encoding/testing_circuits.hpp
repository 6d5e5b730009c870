// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random circuits up to the promised depth: what they decrypt to is what plain integers modulo t give, and no
// budget is below its prediction. Not installed.

#include <algorithm>
#include <memory>

#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/testing.hpp"

namespace nttforge::integer_encoding::testing {

/// Product modulo X^n + 1 and 2 by shifts of bit vectors; n a multiple of 64.
inline Values binary_product(const Values& a, const Values& b) {
  const std::size_t n = a.size(), words = n / 64;
  std::vector<std::vector<std::uint64_t>> shifted(64, std::vector<std::uint64_t>(words + 1, 0));
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t s = 0; s < 64; ++s) shifted[s][(j + s) / 64] |= b[j] << ((j + s) % 64);
  std::vector<std::uint64_t> wide(2 * words + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i] == 0) continue;
    for (std::size_t w = 0; w <= words; ++w) wide[i / 64 + w] ^= shifted[i % 64][w];
  }
  Values out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = ((wide[i / 64] ^ wide[words + i / 64]) >> (i % 64)) & 1u;
  return out;
}

/// Plain arithmetic on what a plaintext means: slots if t allows batching, else (t = 2) coefficients.
class PlainRing {
 public:
  explicit PlainRing(IntegerContextPtr context)
      : context_(std::move(context)), t_(context_->t()), n_(context_->n()) {
    if (context_->has_batching()) batch_ = std::make_unique<BatchEncoder>(context_);
  }
  Plaintext encode(const Values& v) const { return batch_ ? batch_->encode(v) : Plaintext(context_, v); }
  Values decode(const Plaintext& p) const { return batch_ ? batch_->decode(p) : p.coefficients(); }
  Values add(const Values& a, const Values& b) const {
    return each([&](std::size_t i) { return t_.add(a[i], b[i]); });
  }
  Values sub(const Values& a, const Values& b) const {
    return each([&](std::size_t i) { return t_.sub(a[i], b[i]); });
  }
  Values negate(const Values& a) const {
    return each([&](std::size_t i) { return t_.negate(a[i]); });
  }
  Values multiply(const Values& a, const Values& b) const {
    if (!batch_) return binary_product(a, b);
    return each([&](std::size_t i) { return t_.mul(a[i], b[i]); });
  }
  Values rotate(const Values& a, std::size_t step) const {
    if (!batch_) return automorphism(a, rotation_element(n_, static_cast<std::int64_t>(step)));
    return each([&](std::size_t i) { return a[i / (n_ / 2) * (n_ / 2) + (i + step) % (n_ / 2)]; });
  }
  Values swap(const Values& a) const {
    if (!batch_) return automorphism(a, column_swap_element(n_));
    return each([&](std::size_t i) { return a[(i + n_ / 2) % n_]; });
  }

 private:
  template <class F>
  Values each(F f) const {
    Values out(n_);
    for (std::size_t i = 0; i < n_; ++i) out[i] = f(i);
    return out;
  }
  Values automorphism(const Values& a, std::uint64_t element) const {
    Values out(n_);  // signs do not matter modulo 2
    for (std::size_t i = 0; i < n_; ++i) out[i * element % n_] = a[i];
    return out;
  }

  IntegerContextPtr context_;
  Modulus t_;
  std::size_t n_;
  std::unique_ptr<BatchEncoder> batch_;
};

struct Pair {
  Ciphertext cipher;
  Values plain;
};

template <class Scheme>
class Circuits {
 public:
  Circuits(const typename Scheme::Parameters& parameters, unsigned max_depth)
      : party_(parameters, make_cpu_device(2)),
        plain_(party_.context),
        depth_(std::min(max_depth, parameters.promised_depth())) {
    if (!parameters.has_evaluation_keys()) return;
    key_ = party_.generator.relinearization_key();
    rotations_ = party_.generator.rotation_keys(std::vector<std::int64_t>{1, 5}, true);
  }

  void run(Rng& rng, std::size_t count) {
    // The first goes to the full promised depth, the others are shorter with geometric probability.
    const std::uint64_t one_in = party_.context->n() > 8192 ? 5 : 2;
    for (std::size_t i = 0; i < count; ++i) {
      unsigned depth = depth_;
      if (i > 0)
        for (depth = std::min(depth_, 1u); depth < depth_ && rng.below(one_in) == 0;) ++depth;
      circuit(rng, depth, i < 2);
    }
  }

 private:
  Pair fresh(Rng& rng) {
    Values values = random_values(rng, party_.context->n(), party_.context->t());
    const Plaintext plain = plain_.encode(values);
    const Encryptor& encryptor = rng.below(4) == 0 ? party_.secret_encryptor : party_.encryptor;
    return {encryptor.encrypt(plain), std::move(values)};
  }

  Ciphertext rotated(const Ciphertext& x, std::int64_t step) const {
    if (party_.context->has_batching()) return party_.evaluator.rotate_rows(x, step, rotations_);
    return party_.evaluator.apply_galois(x, rotation_element(party_.context->n(), step), rotations_);
  }

  /// What the promise allows between two levels: one addition of equals, a plaintext, a rotation.
  Pair linear(Rng& rng, Pair x, const Pair& other) {
    const auto& e = party_.evaluator;
    const auto choice = rng.below(5);
    beyond_promise_ = beyond_promise_ || (choice < 2 && x.cipher.factor() != other.cipher.factor());
    switch (choice) {
      case 0:
        x = {e.add(x.cipher, other.cipher), plain_.add(x.plain, other.plain)};
        break;
      case 1:
        x = {e.sub(other.cipher, x.cipher), plain_.sub(other.plain, x.plain)};
        break;
      case 2:
        e.add_in_place(x.cipher, x.cipher), x.plain = plain_.add(x.plain, x.plain);
        break;
      case 3:
        x = {e.negate(x.cipher), plain_.negate(x.plain)};
        break;
      default:
        break;
    }
    if (rng.below(2) == 0) {
      const Values values = random_values(rng, party_.context->n(), party_.context->t());
      if (rng.below(2) == 0) {
        x = {e.add_plain(x.cipher, plain_.encode(values)), plain_.add(x.plain, values)};
      } else {
        e.sub_plain_in_place(x.cipher, plain_.encode(values)), x.plain = plain_.sub(x.plain, values);
      }
    }
    if (rotations_.empty()) return x;
    switch (rng.below(party_.context->n() > 16384 ? 12 : 5)) {
      case 0:
        return {rotated(x.cipher, 1), plain_.rotate(x.plain, 1)};
      case 1:
        return {rotated(x.cipher, 5), plain_.rotate(x.plain, 5)};
      case 2:
        return {e.apply_galois(x.cipher, column_swap_element(party_.context->n()), rotations_),
                plain_.swap(x.plain)};
      default:
        return x;
    }
  }

  void circuit(Rng& rng, unsigned depth, bool measure) {
    const auto& e = party_.evaluator;
    Pair x = fresh(rng);
    beyond_promise_ = false;
    for (unsigned level = 0; level < depth; ++level) {
      const Pair other = rng.below(3) == 0 ? fresh(rng) : x;
      const Pair a = linear(rng, x, other);
      if (rng.below(4) == 0) {
        x = {e.square(a.cipher), plain_.multiply(a.plain, a.plain)};
      } else {
        const Pair b = linear(rng, other, x);
        x = {e.multiply(a.cipher, b.cipher), plain_.multiply(a.plain, b.plain)};
      }
      if (!key_.empty()) e.relinearize_in_place(x.cipher, key_);
    }
    if (depth == 0) x = linear(rng, x, fresh(rng));
    if (rng.below(2) == 0) multiply_plain_if_it_fits(rng, x);
    if (beyond_promise_ && x.cipher.predicted_noise_budget_bits() <= 0) return;
    NTTF_CHECK(x.cipher.predicted_noise_budget_bits() > 0);  // the promise follows from the model
    NTTF_CHECK(plain_.decode(party_.decryptor.decrypt(x.cipher)) == x.plain);
    if (measure)
      NTTF_CHECK(party_.decryptor.noise_budget_bits(x.cipher) >= x.cipher.predicted_noise_budget_bits());
  }

  void multiply_plain_if_it_fits(Rng& rng, Pair& x) {
    const Values values = random_values(rng, party_.context->n(), party_.context->t());
    Ciphertext product = party_.evaluator.multiply_plain(x.cipher, PreparedPlaintext(plain_.encode(values)));
    if (product.predicted_noise_budget_bits() <= 0) return;
    x = {std::move(product), plain_.multiply(x.plain, values)};
  }

  PartyOf<Scheme> party_;
  PlainRing plain_;
  unsigned depth_;
  bool beyond_promise_ = false;  // operands with other correction factors were added: that is not promised
  RelinearizationKey key_;
  RotationKeys rotations_;
};

/// `quick` circuits of at most `quick_depth` levels, 200 of any depth if NTTFORGE_TEST_FULL is set to 1.
template <class Scheme>
void run_circuits(const typename Scheme::Parameters& parameters, std::size_t quick,
                  unsigned quick_depth = 1000) {
  Rng rng;
  const bool full = full_tests();
  Circuits<Scheme>(parameters, full ? parameters.promised_depth() : quick_depth).run(rng, full ? 200 : quick);
}

}  // namespace nttforge::integer_encoding::testing
