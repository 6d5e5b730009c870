// SPDX-License-Identifier: Apache-2.0
// Compares every queue's fused operations with the compositions that define them (Queue::... by name).

#include <algorithm>
#include <array>

#include "nttforge/device/testing.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Rng;
using testing::Words;

RingCase without_last(const RingCase& ring) { return {ring.n, {ring.moduli.begin(), ring.moduli.end() - 1}}; }

NTTF_TEST("device: multiply_transformed is its composition, with and without addend, in place") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const Words a = testing::random_polynomials(rng, ring, 2), b = testing::random_polynomials(rng, ring, 1),
                addend = testing::random_polynomials(rng, ring, 2);
    for (const auto& queue : testing::all_queues()) {
      const auto tables = queue->device().make_ring(testing::spec_of(ring));
      OnDevice x(*queue, a), y(*queue, b), z(*queue, addend), out(*queue, a.size()),
          expected(*queue, a.size());
      for (const ConstWordPtr extra : {ConstWordPtr(nullptr), ConstWordPtr(z.data())}) {
        queue->Queue::multiply_transformed(*tables, x.data(), y.data(), extra, expected.data(), 2);
        queue->multiply_transformed(*tables, x.data(), y.data(), extra, out.data(), 2);
        check_same(out.host(), expected.host(), *queue, ring, "multiply_transformed");
      }
      queue->multiply_transformed(*tables, x.data(), y.data(), z.data(), x.data(), 2);
      check_same(x.host(), expected.host(), *queue, ring, "multiply_transformed in place");
    }
  }
}

constexpr std::size_t kBatch = 3;

NTTF_TEST("device: tensor_product is its composition: sums, both ends, squares") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const Words a = testing::random_polynomials(rng, ring, 2 * kBatch),
                b = testing::random_polynomials(rng, ring, 2 * kBatch),
                before = testing::random_polynomials(rng, ring, 3 * kBatch);
    for (const auto& queue : testing::all_queues()) {
      const auto tables = queue->device().make_ring(testing::spec_of(ring));
      OnDevice x(*queue, a), y(*queue, b);
      for (const bool square : {false, true})
        for (const bool accumulate : {false, true})
          for (const bool finish : {false, true}) {
            OnDevice out(*queue, before), expected(*queue, before);
            const ConstWordPtr other = square ? x.data() : y.data();
            queue->Queue::tensor_product(*tables, x.data(), other, expected.data(), accumulate, finish,
                                         kBatch);
            queue->tensor_product(*tables, x.data(), other, out.data(), accumulate, finish, kBatch);
            check_same(out.host(), expected.host(), *queue, ring, "tensor_product");
          }
    }
  }
}

NTTF_TEST("device: encrypt is its composition, with and without division and message") {
  Rng rng;
  const StreamName name{{{7, 1}}, Domain::user, 3};
  using Kind = SmallPolynomial::Kind;
  const StreamName first{name.seed, Domain::user, 4}, second{name.seed, Domain::user, 5};
  constexpr std::uint64_t kT = (std::uint64_t{1} << 60) - 93;
  for (const std::uint64_t factor : {std::uint64_t{1}, kT})
    for (const RingCase& ring : testing::ring_cases()) {
      for (const bool divided : {false, true}) {
        if (divided && ring.moduli.size() < 2) continue;
        const RingCase q = divided ? without_last(ring) : ring;
        const std::array<SmallPolynomial, 2> errors{
            SmallPolynomial{Kind::error, first, ErrorDistribution::sigma_3_2, factor},
            SmallPolynomial{Kind::error, second, ErrorDistribution::sigma_8_bound_48, kT}};
        const Words key = testing::random_polynomials(rng, ring, 2),
                    message = testing::random_polynomials(rng, q, 1);
        for (const auto& queue : testing::all_queues()) {
          const auto ring_key = queue->device().make_ring(testing::spec_of(ring)),
                     ring_q = queue->device().make_ring(testing::spec_of(q));
          const auto tables =
              divided ? queue->device().make_step(mod_down(RnsBase(ring.moduli)), ring.n) : nullptr;
          OnDevice keys(*queue, key), extra(*queue, message), out(*queue, 2 * message.size()),
              expected(*queue, 2 * message.size());
          for (const Kind kind : {Kind::ternary, Kind::binary})
            for (const ConstWordPtr m : {ConstWordPtr(nullptr), ConstWordPtr(extra.data())}) {
              const SmallPolynomial u{kind, name, {}, factor};
              queue->Queue::encrypt(*ring_key, *ring_q, tables.get(), keys.data(), u, errors, m,
                                    Form::coefficients, expected.data());
              queue->encrypt(*ring_key, *ring_q, tables.get(), keys.data(), u, errors, m, Form::coefficients,
                             out.data());
              check_same(out.host(), expected.host(), *queue, ring, "encrypt");
            }
        }
      }
    }
}

NTTF_TEST("device: masked_pair is its composition, with a message on any limbs and without") {
  Rng rng;
  const StreamName uniform{{{9, 2}}, Domain::user, 1};
  const StreamName error_name{{{9, 3}}, Domain::user, 2};
  for (const RingCase& ring : testing::ring_cases()) {
    const Words secret = testing::random_polynomials(rng, ring, 1),
                message = testing::random_polynomials(rng, ring, 1);
    for (const auto& queue : testing::all_queues()) {
      const auto tables = queue->device().make_ring(testing::spec_of(ring));
      OnDevice s(*queue, secret), m(*queue, message), out(*queue, 2 * secret.size()),
          expected(*queue, 2 * secret.size());
      for (std::size_t limb = 0; limb <= ring.moduli.size(); ++limb) {
        const std::size_t left = ring.moduli.size() - limb, count = std::min<std::size_t>(limb % 3 + 1, left);
        const LimbRows rows = left == 0 ? LimbRows{} : LimbRows{m.data() + limb * ring.n, limb, count};
        const SmallPolynomial error{SmallPolynomial::Kind::error, error_name, ErrorDistribution::sigma_3_2,
                                    limb % 2 == 0 ? 1 : (std::uint64_t{1} << 60) - 93};
        queue->Queue::masked_pair(*tables, s.data(), uniform, error, rows, expected.data());
        queue->masked_pair(*tables, s.data(), uniform, error, rows, out.data());
        check_same(out.host(), expected.host(), *queue, ring, "masked_pair");
      }
    }
  }
}

}  // namespace
}  // namespace nttforge
