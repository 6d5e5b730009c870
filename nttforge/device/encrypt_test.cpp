// SPDX-License-Identifier: Apache-2.0
// Encryption, decryption and what keys are made of, in words of both sizes and in batches, against the
// compositions that define them (Queue::... by name) in words of 64 bits.

#include <array>

#include "nttforge/device/testing.hpp"
#include "nttforge/rns/digits.hpp"
#include "nttforge/rns/mod_down.hpp"
#include "nttforge/rns/plain.hpp"
#include "nttforge/rns/scale.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Rng;
using testing::Words;
using Kind = SmallPolynomial::Kind;

constexpr std::size_t kBatch = 3;
constexpr std::uint64_t kT = 65537;

struct Case {
  const char* name;
  std::size_t special;
  RnsStep (*division)(const RnsBase& all, const RnsBase& q, const RnsBase& special);
};

// More special primes than a kernel has registers for digits come last.
constexpr Case kCases[] = {
    {"mod_down", 1, [](const RnsBase& all, const RnsBase&, const RnsBase&) { return mod_down(all); }},
    {"switch_modulus", 1,
     [](const RnsBase& all, const RnsBase&, const RnsBase&) { return switch_modulus(all, kT); }},
    {"mod_down_fast", 2,
     [](const RnsBase&, const RnsBase& q, const RnsBase& p) { return mod_down_fast(q, p); }},
    {"mod_down_nearest", 3,
     [](const RnsBase&, const RnsBase& q, const RnsBase& p) { return mod_down_nearest(q, p); }},
    {"switch_modulus_fast", 8,
     [](const RnsBase&, const RnsBase& q, const RnsBase& p) { return switch_modulus_fast(q, p, kT); }},
    {"mod_down_fast, many", 9,
     [](const RnsBase&, const RnsBase& q, const RnsBase& p) { return mod_down_fast(q, p); }},
};

NttSpec spec_of(const RingCase& ring, unsigned word_bits) {
  NttSpec spec = testing::spec_of(ring);
  spec.word_bits = word_bits;
  return spec;
}

/// One queue's tables of a case, and encryption with them.
struct Side {
  Side(const Queue& q, const Case& c, const RingCase& all, unsigned bits) : queue(q), word_bits(bits) {
    using Values = std::vector<std::uint64_t>;
    const auto split = all.moduli.end() - static_cast<std::ptrdiff_t>(c.special);
    const Values q_values(all.moduli.begin(), split), p_values(split, all.moduli.end());
    key_ring = q.device().make_ring(spec_of(all, bits));
    ring = q.device().make_ring(spec_of({all.n, q_values}, bits));
    division =
        q.device().make_step(c.division(RnsBase(all.moduli), RnsBase(q_values), RnsBase(p_values)), all.n);
  }
  std::array<SmallPolynomial, 3> polynomials(const StreamName& name, std::uint64_t factor) const {
    const auto with = [&](Domain domain) { return StreamName{name.seed, domain, name.index}; };
    return {SmallPolynomial{Kind::ternary, with(Domain::encrypt_u), {}},
            SmallPolynomial{Kind::error, with(Domain::encrypt_error_0), {}, factor},
            SmallPolynomial{Kind::error, with(Domain::encrypt_error_1), ErrorDistribution::sigma_8_bound_48,
                            factor}};
  }
  /// By the composition, one after the other.
  Words one_by_one(const Words& key, const Words* message, StreamName name, std::uint64_t factor) const {
    OnDevice keys(queue, key, word_bits), m(queue, message == nullptr ? Words(1) : *message, word_bits),
        out(queue, kBatch * 2 * ring->words(), word_bits);
    for (std::size_t b = 0; b < kBatch; ++b, ++name.index) {
      const auto p = polynomials(name, factor);
      queue.Queue::encrypt(*key_ring, *ring, division.get(), keys.data(), p[0], std::span(p).last<2>(),
                           message == nullptr ? ConstWordPtr() : m.data() + b * ring->words(),
                           Form::coefficients, out.data() + b * 2 * ring->words());
    }
    return out.host();
  }
  Words at_once(const Words& key, const Words* message, const StreamName& name, std::uint64_t factor) const {
    OnDevice keys(queue, key, word_bits), m(queue, message == nullptr ? Words(1) : *message, word_bits),
        out(queue, kBatch * 2 * ring->words(), word_bits);
    const auto p = polynomials(name, factor);
    queue.encrypt_batch(*key_ring, *ring, division.get(), keys.data(), p[0], std::span(p).last<2>(),
                        message == nullptr ? ConstWordPtr() : m.data(), Form::coefficients, out.data(),
                        kBatch);
    return out.host();
  }

  const Queue& queue;
  unsigned word_bits;
  std::shared_ptr<const RingTables> key_ring, ring;
  std::shared_ptr<const StepTables> division;
};

NTTF_TEST("device: batches are encrypted as one by one, by every division, in both words") {
  Rng rng;
  const auto reference = make_cpu_device(1)->make_queue();
  const StreamName name{{{5, 1}}, Domain::user, 70};
  for (const Case& c : kCases)
    for (const std::size_t n : {1, 2, 32, 1024})
      for (const unsigned bits : {30u, 32u, 49u, 62u}) {
        const std::size_t limbs = c.special + (n == 32 ? 7 : 2);
        const RingCase all{n, ntt_primes(n, bits, limbs)};
        const Side expected(*reference, c, all, 64);
        const Words key = testing::random_polynomials(rng, all, 2),
                    message = testing::random_polynomials(rng, {n, expected.ring->spec().moduli}, kBatch);
        for (const Words* m : {&message, static_cast<const Words*>(nullptr)}) {
          const std::uint64_t factor = m == nullptr ? kT : 1;
          const Words words = expected.one_by_one(key, m, name, factor);
          for (const auto& queue : testing::all_queues())
            for (const unsigned word_bits : {64u, 32u})
              if (bits <= word_bits)
                check_same(Side(*queue, c, all, word_bits).at_once(key, m, name, factor), words, *queue, all,
                           c.name);
        }
      }
}

using Operation = Words (*)(const Queue&, const RingTables&, const Words& a, const Words& b, bool composed);

struct Named {
  const char* name;
  Operation run;
};

OnDevice array(const Queue& queue, const RingTables& ring, const Words& words) {
  return {queue, words, static_cast<unsigned>(ring.spec().word_bits)};
}
OnDevice room(const Queue& queue, const RingTables& ring, std::size_t polynomials) {
  return array(queue, ring, Words(polynomials * ring.words()));
}

Words joined(const OnDevice& a, const OnDevice& b) {
  Words result = a.host(), more = b.host();
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

const StreamName kUniform{{{5, 2}}, Domain::user, 9};
const SmallPolynomial kError{Kind::error, {{{5, 3}}, Domain::user, 4}, ErrorDistribution::sigma_3_2, kT};

/// Phases of two and of three parts, of one ciphertext and of several.
Words phases(const Queue& queue, const RingTables& ring, const Words& a, const Words& b, bool composed) {
  OnDevice x = array(queue, ring, a), keys = array(queue, ring, b), out = room(queue, ring, 2 * kBatch + 2);
  WordPtr to = out.data();
  for (const std::size_t parts : {2u, 3u})
    for (const std::size_t batch : {std::size_t{1}, kBatch}) {
      const ConstWordPtr secret = keys.data(), square = parts == 3 ? secret + ring.words() : ConstWordPtr();
      composed ? queue.Queue::phase(ring, x.data(), parts, Form::coefficients, secret, square, to, batch)
               : queue.phase(ring, x.data(), parts, Form::coefficients, secret, square, to, batch);
      to += batch * ring.words();
    }
  return out.host();
}

/// The same down to plaintexts, whether or not noise exceeds the limit: it does for random ciphertexts, and
/// not for those that are zero.
Words plaintexts(const Queue& queue, const RingTables& ring, const Words& a, const Words& b, bool composed) {
  const RnsBase base(ring.spec().moduli);
  const std::size_t n = ring.n();
  const std::uint64_t t = 257;
  const RnsStep steps[] = {DecryptScale(base, t).decrypt(),
                           reduce_centred(base, t, redundant_modulus(base, t), 3)};
  OnDevice zero = array(queue, ring, Words(a.size())), x = array(queue, ring, a),
           keys = array(queue, ring, b);
  Words result;
  for (const RnsStep& step : steps)
    for (OnDevice* ciphertexts : {&zero, &x})
      for (const std::size_t parts : {2u, 3u})
        for (const std::size_t batch : {std::size_t{1}, kBatch}) {
          const auto recover = queue.device().make_step(step, n);
          const ConstWordPtr secret = keys.data(), square = secret + ring.words();
          OnDevice out(queue, batch * n), exceeded(queue, 1);
          composed ? queue.Queue::decrypt(ring, *recover, ciphertexts->data(), parts, Form::coefficients,
                                          secret, square, out.data(), batch, exceeded.data())
                   : queue.decrypt(ring, *recover, ciphertexts->data(), parts, Form::coefficients, secret,
                                   square, out.data(), batch, exceeded.data());
          const Words words = joined(out, exceeded);
          if (ciphertexts == &zero) NTTF_CHECK_EQ(words.back(), 0u);
          result.insert(result.end(), words.begin(), words.end());
        }
  return result;
}

constexpr Named kOperations[] = {
    {"phase", phases},
    {"decrypt", plaintexts},
    {"encrypt_by_secret",
     [](const Queue& queue, const RingTables& ring, const Words& a, const Words& b, bool composed) {
       OnDevice message = array(queue, ring, a), secret = array(queue, ring, b),
                out = room(queue, ring, 2 * kBatch), zero = room(queue, ring, 2 * kBatch);
       const auto run = [&](ConstWordPtr m, WordPtr to) {
         composed ? queue.Queue::encrypt_by_secret(ring, secret.data(), kUniform, kError, m,
                                                   Form::coefficients, to, kBatch)
                  : queue.encrypt_by_secret(ring, secret.data(), kUniform, kError, m, Form::coefficients, to,
                                            kBatch);
       };
       run(message.data(), out.data());
       run(nullptr, zero.data());
       return joined(out, zero);
     }},
    {"encrypt_by_secret, plaintexts by a step",
     [](const Queue& queue, const RingTables& ring, const Words& a, const Words& b, bool composed) {
       const std::uint64_t t = 257;
       const RnsBase base(ring.spec().moduli);
       Words values;
       for (std::size_t i = 0; i < kBatch * ring.n(); ++i) values.push_back(a[i] % t);
       OnDevice plain(queue, values), secret = array(queue, ring, b), out = room(queue, ring, 2 * kBatch),
                                      other = room(queue, ring, 2 * kBatch);
       const auto run = [&](const RnsStep& step, WordPtr to) {
         const auto tables = queue.device().make_step(step, ring.n());
         const MessageRows m{ConstWordPtr(plain.data()), tables.get()};
         composed ? queue.Queue::encrypt_by_secret(ring, secret.data(), kUniform, kError, m,
                                                   Form::coefficients, to, kBatch)
                  : queue.encrypt_by_secret(ring, secret.data(), kUniform, kError, m, Form::coefficients, to,
                                            kBatch);
       };
       RnsStep shifted = DecryptScale(base, t).encrypt();  // has no kernel beside other work
       shifted.offset.assign(ring.limbs(), 1);
       run(DecryptScale(base, t).encrypt(), out.data());
       run(shifted, other.data());
       return joined(out, other);
     }},
    {"encrypt_batch, plaintexts by a step",
     [](const Queue& queue, const RingTables& ring, const Words& a, const Words& b, bool composed) {
       const std::uint64_t t = 257;
       Words values;
       for (std::size_t i = 0; i < kBatch * ring.n(); ++i) values.push_back(a[i] % t);
       OnDevice plain(queue, values), key = array(queue, ring, b), out = room(queue, ring, 2 * kBatch);
       const auto step =
           queue.device().make_step(DecryptScale(RnsBase(ring.spec().moduli), t).encrypt(), ring.n());
       const MessageRows m{ConstWordPtr(plain.data()), step.get()};
       const SmallPolynomial u{Kind::binary, {{{5, 6}}, Domain::user, 8}, {}};
       const SmallPolynomial errors[] = {kError, kError};
       composed ? queue.Queue::encrypt_batch(ring, ring, nullptr, key.data(), u, errors, m,
                                             Form::coefficients, out.data(), kBatch)
                : queue.encrypt_batch(ring, ring, nullptr, key.data(), u, errors, m, Form::coefficients,
                                      out.data(), kBatch);
       return out.host();
     }},
    {"key_switch_pairs",
     [](const Queue& queue, const RingTables& ring, const Words& a, const Words& b, bool composed) {
       const std::vector<std::size_t> ends = equal_digits(ring.limbs() - 1, 2);
       Words scalars;
       for (const std::uint64_t q : ring.spec().moduli) scalars.push_back(q - 3);
       OnDevice from = array(queue, ring, a), secret = array(queue, ring, b),
                out = room(queue, ring, 2 * ends.size());
       composed ? queue.Queue::key_switch_pairs(ring, secret.data(), kUniform, kError, from.data(), scalars,
                                                ends, out.data())
                : queue.key_switch_pairs(ring, secret.data(), kUniform, kError, from.data(), scalars, ends,
                                         out.data());
       return out.host();
     }},
    {"automorphism_transformed",
     [](const Queue& queue, const RingTables& ring, const Words& a, const Words&, bool composed) {
       const std::uint64_t element = 2 * ring.n() - 1;
       OnDevice x = array(queue, ring, a), out = room(queue, ring, 3 * kBatch);
       composed ? queue.Queue::automorphism_transformed(ring, x.data(), element, out.data(), 3 * kBatch)
                : queue.automorphism_transformed(ring, x.data(), element, out.data(), 3 * kBatch);
       return out.host();
     }},
};

NTTF_TEST("device: decryption and what keys are made of, each as its composition, in both words") {
  Rng rng;
  const auto reference = make_cpu_device(1)->make_queue();
  // In large rings products are no part of inverse transforms.
  for (const std::size_t n : {1, 2, 16, 1024, 32768})
    for (const unsigned bits : {30u, 32u, 49u, 62u}) {
      if (n == 32768 && bits != 30 && bits != 49) continue;
      const RingCase ring{n, ntt_primes(n, bits, n == 16 ? 18 : n == 32768 ? 2 : 4)};
      const Words a = testing::random_polynomials(rng, ring, 3 * kBatch),
                  b = testing::random_polynomials(rng, ring, 2);
      for (const Named& operation : kOperations) {
        const auto expected_ring = reference->device().make_ring(spec_of(ring, 64));
        const Words expected = operation.run(*reference, *expected_ring, a, b, true);
        for (const auto& queue : testing::all_queues())
          for (const unsigned word_bits : {64u, 32u})
            if (bits <= word_bits)
              check_same(
                  operation.run(*queue, *queue->device().make_ring(spec_of(ring, word_bits)), a, b, false),
                  expected, *queue, ring, operation.name);
      }
    }
}

}  // namespace
}  // namespace nttforge
