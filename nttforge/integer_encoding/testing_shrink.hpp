// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ciphertexts in as few bytes as their noise allows: what they decrypt to, budgets, bytes, and the definition
// of rounding. Not installed.

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "nttforge/device/testing.hpp"
#include "nttforge/integer_encoding/testing.hpp"
#include "nttforge/integer_encoding/testing_bytes.hpp"
#include "nttforge/rlwe/levels/rounding.hpp"
#include "nttforge/rns/base.hpp"

namespace nttforge::integer_encoding::testing {

template <class Scheme>
class Shrinking {
 public:
  Shrinking(const typename Scheme::Parameters& parameters, std::shared_ptr<const Device> device)
      : party_(parameters, std::move(device), 5), rng_(11) {}

  void run() {
    const auto& e = party_.evaluator;
    const Ciphertext x = fresh(), y = fresh();
    check(x);
    check(e.add(x, y));
    const Ciphertext product = e.multiply(x, y);
    if (*predicted_noise_budget_bits(product) > 2) check(product);
    if (party_.context->has_evaluation_keys()) {
      const Ciphertext two = e.relinearize(product, party_.generator.relinearization_key());
      if (*predicted_noise_budget_bits(two) > 2) check(two);
    }
    const Ciphertext* terms[] = {&x, &y, &x};
    check(Ciphertext::stack(terms));
  }

 private:
  Ciphertext fresh() {
    const IntegerContext& c = *party_.context;
    return party_.encryptor.encrypt(Plaintext(party_.context, random_values(rng_, c.n(), c.t())));
  }

  void check(const Ciphertext& x) {
    const Plaintext expected = party_.decryptor.decrypt(x);
    for (const NoiseBound bound : {NoiseBound::heuristic, NoiseBound::proved})
      for (const double least : {0.5, 3.0, 10.0, 40.0}) {
        const bool proved = bound == NoiseBound::proved;
        const double before = proved ? *proved_noise_budget_bits(x) : *predicted_noise_budget_bits(x);
        if (before < least) {
          NTTF_CHECK_THROWS(party_.evaluator.shrink(x, least, bound), NoiseError, "noise budget is");
          continue;
        }
        const Ciphertext small = party_.evaluator.shrink(x, least, bound);
        const double predicted = *predicted_noise_budget_bits(small), sure = *proved_noise_budget_bits(small);
        NTTF_CHECK((proved ? sure : predicted) >= least);
        const double measured = party_.decryptor.noise_budget_bits(small);
        NTTF_CHECK(measured >= predicted && measured >= sure);
        NTTF_CHECK(party_.decryptor.decrypt(small) == expected);
        NTTF_CHECK_EQ(small.factor(), factor_at(x, small.level()));
        same_bytes(x, small);
        same_values(x, small);
      }
  }

  std::uint64_t factor_at(const Ciphertext& x, std::size_t level) const {
    return party_.evaluator.mod_switch_to(x, level).factor();
  }

  /// Bytes hold what there is, and their size follows from the bits.
  void same_bytes(const Ciphertext& x, const Ciphertext& small) {
    const Bytes bytes = to_bytes(small);
    NTTF_CHECK(bytes.size() <= to_bytes(x).size());
    const Ciphertext read = ciphertext_from_bytes(party_.context, bytes);
    NTTF_CHECK(read == small && read.meta().stored_bits == small.meta().stored_bits);
    NTTF_CHECK(*predicted_noise_budget_bits(read) > 0);
    NTTF_CHECK(to_bytes(read).size() == bytes.size());
    if (!small.meta().rounded()) return;
    const std::size_t n = party_.context->n();
    std::size_t size = 32 + 24 + 8 + 8;
    for (std::size_t i = 0; i < small.size(); ++i)
      size += small.batch() * ((n * small.meta().stored_bits[i] + 7) / 8);
    NTTF_CHECK_EQ(bytes.size(), size);
    // Whoever computes with a rounded ciphertext has one that is not.
    NTTF_CHECK(!party_.evaluator.negate(small).meta().rounded());
    NTTF_CHECK(!party_.evaluator.add(small, small).meta().rounded());
    NTTF_CHECK(small.element(0).meta().rounded() && Ciphertext(small).meta().rounded());
  }

  /// Every coefficient, over t where the message sits below its multiples, is within half a unit and 1.
  void same_values(const Ciphertext& x, const Ciphertext& small) {
    if (!small.meta().rounded()) return;
    const Ciphertext lower = party_.evaluator.mod_switch_to(x, small.level());
    const RnsBase base(party_.context->ring_q(small.level()).spec().moduli);
    const Values from = lower.residues(), to = small.residues();
    const std::size_t n = party_.context->n(), k = small.level();
    for (std::size_t i = 0; i < small.polynomials(); ++i) {
      const unsigned bits = small.meta().stored_bits[i % small.size()];
      const BigUint half = base.product().shifted_right(bits + 1) + BigUint(2);
      for (std::size_t j = 0; j < n; ++j) {
        Values difference(k);
        for (std::size_t l = 0; l < k; ++l) {
          const Modulus& q = base.modulus(l);
          const std::size_t at = (i * k + l) * n + j;
          difference[l] = q.mul(q.sub(to[at], from[at]), q.inverse(q.reduce(party_.context->error_factor())));
        }
        const BigUint value = base.compose(difference);
        NTTF_CHECK(value <= half || base.product() - value <= half);
      }
    }
  }

  PartyOf<Scheme> party_;
  Rng rng_;
};

template <class Scheme>
void check_shrink(std::initializer_list<typename Scheme::Parameters> sets) {
  for (const auto& parameters : sets) Shrinking<Scheme>(parameters, make_cpu_device(2)).run();
  for (const auto& device : nttforge::testing::gpu_devices()) Shrinking<Scheme>(*sets.begin(), device).run();
}

/// Parts of two bits are refused before there is memory for their words, unless they are expected.
template <class Scheme>
void check_expansion(const PartyOf<Scheme>& party) {
  const RlweContext& context = *party.context;
  Meta meta{{.level = context.limbs()}};
  meta.stored_bits = {2, 2, 0};
  Ciphertext x(party.context, 2, meta, 64);
  context.queue().fill_zero(x.data(), x.words());
  const Bytes bytes = to_bytes(x);
  const std::uint64_t memory = 8 * x.words();
  NTTF_CHECK(memory > kMostExpansion * bytes.size());
  NTTF_CHECK_THROWS(ciphertext_from_bytes(party.context, bytes), FormatError,
                    "would take " + std::to_string(memory) + " bytes in memory, more than " +
                        std::to_string(kMostExpansion * bytes.size()));
  NTTF_CHECK_THROWS(ciphertext_from_bytes(party.context, bytes, memory - 1), FormatError, "most_bytes");
  NTTF_CHECK(ciphertext_from_bytes(party.context, bytes, memory) == x);
  // What shrink makes of the same is read.
  const Ciphertext* terms[] = {&x, &x};
  Ciphertext sound = Ciphertext::stack(terms);
  sound.set_noise(context.noise_model().fresh_public());
  NTTF_CHECK(ciphertext_from_bytes(party.context, to_bytes(party.evaluator.shrink(sound, 0.5))).batch() ==
             128);
}

/// Each field of a rounded ciphertext's bytes that is wrong, by name, and what shrink refuses.
template <class Scheme>
void check_shrink_errors(const typename Scheme::Parameters& parameters) {
  const PartyOf<Scheme> party(parameters, make_cpu_device(1));
  const auto& e = party.evaluator;
  const Ciphertext x = party.encryptor.encrypt_zero(Encoding::coefficients), small = e.shrink(x);
  NTTF_CHECK(small.meta().rounded() && small.level() < x.level());
  const Bytes bytes = to_bytes(small);
  const auto load = [&](std::size_t at, std::uint8_t value) {
    Bytes changed = bytes;
    changed[at] = value;
    ciphertext_from_bytes(party.context, resealed(changed));
  };
  NTTF_CHECK_THROWS(load(40, 1), FormatError, "or 2 (rounded) in coefficients");
  NTTF_CHECK_THROWS(load(42, 3), FormatError,
                    "ciphertext.flags = 3 must be 0, 1 (seeded) with two parts, or 2");
  NTTF_CHECK_THROWS(load(42, 0), FormatError, "the payload has");
  NTTF_CHECK_THROWS(load(43, 1), FormatError, "a fresh ciphertext has");
  NTTF_CHECK_THROWS(load(56, 1), FormatError, "ciphertext.bits of part 0 = 1 is out of range [2, 59]");
  NTTF_CHECK_THROWS(load(57, 60), FormatError, "ciphertext.bits of part 1 = 60 is out of range");
  NTTF_CHECK_THROWS(load(57, 46), FormatError, "2^bits is not below half of the modulus");
  NTTF_CHECK_THROWS(load(58, 4), FormatError, "ciphertext.bits of part 2 = 4 must be 0");
  NTTF_CHECK_THROWS(load(60, 4), FormatError, "ciphertext.zero = 4 must be 0");
  NTTF_CHECK_THROWS(load(56, static_cast<std::uint8_t>(bytes[56] + 1)), FormatError, "the payload has");
  check_expansion<Scheme>(party);
  NTTF_CHECK_THROWS(e.shrink(x, -1), ParameterError, "min_budget = -1.0 is out of range [0, 1000]");
  NTTF_CHECK_THROWS(e.shrink(x, 900), NoiseError, "is less than min_budget = 900.0 already; ask for less");
  NTTF_CHECK_THROWS(e.shrink(Ciphertext()), ContextError, "a is empty");
  const Ciphertext unknown(party.context, 2, x.residues(), party.context->top(Encoding::coefficients));
  NTTF_CHECK_THROWS(e.shrink(unknown), NoiseError, "nothing is known of its noise");
  const Ciphertext read = ciphertext_from_bytes(party.context, to_bytes(e.add(x, x)));
  NTTF_CHECK_THROWS(e.shrink(read, 10, NoiseBound::proved), NoiseError, "nothing is proved of its noise");
  NTTF_CHECK(e.shrink(read).level() == small.level());
}

}  // namespace nttforge::integer_encoding::testing
