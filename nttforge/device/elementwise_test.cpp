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

constexpr std::size_t kBatch = 3;

/// out[i] = f(modulus of word i, i).
template <class F>
Words each_word(const RingCase& ring, std::size_t batch, const F& f) {
  Words out;
  for (std::size_t b = 0; b < batch; ++b)
    for (const std::uint64_t q : ring.moduli) {
      const Modulus m(q);
      for (std::size_t i = 0; i < ring.n; ++i) out.push_back(f(m, out.size()));
    }
  return out;
}

template <class Body>
void for_queues(const RingCase& ring, const Body& body) {
  for (const auto& queue : testing::all_queues())
    body(*queue, *queue->device().make_ring(testing::spec_of(ring)));
}

NTTF_TEST("device: add, sub, negate, multiply, multiply_accumulate, also in place") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const Words a = testing::random_polynomials(rng, ring, kBatch),
                b = testing::random_polynomials(rng, ring, kBatch);
    const Words sum =
        each_word(ring, kBatch, [&](const Modulus& m, std::size_t i) { return m.add(a[i], b[i]); });
    const Words difference =
        each_word(ring, kBatch, [&](const Modulus& m, std::size_t i) { return m.sub(a[i], b[i]); });
    const Words opposite =
        each_word(ring, kBatch, [&](const Modulus& m, std::size_t i) { return m.negate(a[i]); });
    const Words product =
        each_word(ring, kBatch, [&](const Modulus& m, std::size_t i) { return m.mul(a[i], b[i]); });
    const Words accumulated = each_word(
        ring, kBatch, [&](const Modulus& m, std::size_t i) { return m.add(b[i], m.mul(a[i], b[i])); });
    for_queues(ring, [&](const Queue& queue, const RingTables& tables) {
      OnDevice x(queue, a), y(queue, b), out(queue, a.size());
      queue.add(tables, x.data(), y.data(), out.data(), kBatch);
      check_same(out.host(), sum, queue, ring, "add");
      queue.sub(tables, x.data(), y.data(), out.data(), kBatch);
      check_same(out.host(), difference, queue, ring, "sub");
      queue.negate(tables, x.data(), out.data(), kBatch);
      check_same(out.host(), opposite, queue, ring, "negate");
      queue.multiply(tables, x.data(), y.data(), out.data(), kBatch);
      check_same(out.host(), product, queue, ring, "multiply");
      queue.copy(y.data(), out.data(), b.size());
      queue.multiply_accumulate(tables, x.data(), y.data(), out.data(), kBatch);
      check_same(out.host(), accumulated, queue, ring, "multiply_accumulate");
      queue.sub(tables, x.data(), y.data(), y.data(), kBatch);
      check_same(y.host(), difference, queue, ring, "sub in place");
      queue.fill_zero(y.data(), b.size());
      check_same(y.host(), Words(b.size()), queue, ring, "fill_zero");
    });
  }
}

NTTF_TEST("device: linear combinations of rows of wider polynomials, with constants, also in place") {
  Rng rng;
  constexpr std::size_t kElements = 2, kParts = 3, kAll = kElements * kParts;
  for (const RingCase& ring : testing::ring_cases()) {
    const std::size_t limbs = ring.moduli.size(), words = ring.n * limbs, stride = words + 2 * ring.n;
    for (const std::size_t terms : {1, 3, 11}) {
      Words scalars, constants, wide(terms * kAll * stride, 0);
      std::vector<Words> polynomials;
      for (std::size_t k = 0; k < terms; ++k) {
        polynomials.push_back(testing::random_polynomials(rng, ring, kAll));
        for (std::size_t b = 0; b < kAll; ++b)
          std::copy_n(polynomials[k].data() + b * words, words,
                      wide.data() + (k * kAll + b) * stride + ring.n);
        for (const std::uint64_t q : ring.moduli) scalars.push_back(k % 4 == 2 ? 1 : rng.below(q));
      }
      for (const std::uint64_t q : ring.moduli) constants.push_back(q - 1);
      const auto parts_of = [](std::size_t k) { return kParts - k % 3; };
      const auto expected = [&](std::size_t first, bool constant) {  // terms before it have no part
        return each_word(ring, kAll, [&](const Modulus& m, std::size_t i) {
          const std::size_t limb = i / ring.n % limbs, b = i / words, part = b % kParts;
          std::uint64_t sum = constant && part == 0 ? constants[limb] : 0;
          for (std::size_t k = first; k < terms; ++k)
            if (part < parts_of(k))
              sum = m.add(sum, m.mul(polynomials[k][(b / kParts * parts_of(k) + part) * words + i % words],
                                     scalars[k * limbs + limb]));
          return sum;
        });
      };
      const Words plain = expected(0, false), shifted = expected(0, true), fewer = expected(1, false);
      for_queues(ring, [&](const Queue& queue, const RingTables& tables) {
        OnDevice x(queue, wide), place(queue, polynomials[0]), out(queue, kAll * words);
        std::vector<CombinedRows> rows;
        for (std::size_t k = 0; k < terms; ++k)
          rows.push_back({x.data() + k * kAll * stride + ring.n, stride, parts_of(k)});
        queue.linear_combination(tables, rows, scalars, {}, kParts, out.data(), kElements);
        check_same(out.host(), plain, queue, ring, "a linear combination");
        queue.linear_combination(tables, rows, scalars, constants, kParts, out.data(), kElements);
        check_same(out.host(), shifted, queue, ring, "a linear combination and constants");
        rows[0] = {place.data(), words, kParts};
        queue.linear_combination(tables, rows, scalars, constants, kParts, place.data(), kElements);
        check_same(place.host(), shifted, queue, ring, "a linear combination in place");
        if (terms > 1) {
          queue.linear_combination(tables, std::span(rows).subspan(1), std::span(scalars).subspan(limbs), {},
                                   kParts, out.data(), kElements);
          check_same(out.host(), fewer, queue, ring, "a linear combination of fewer parts");
        }
        NTTF_CHECK_THROWS(queue.linear_combination(tables, rows, {}, {}, 1, out.data(), 1), SizeError,
                          "scalars has 0 values");
      });
    }
  }
}

NTTF_TEST("device: products with terms beside them are a tensor and a linear combination") {
  Rng rng;
  constexpr std::size_t kPairs = 2;
  for (const RingCase& ring : testing::ring_cases()) {
    const std::size_t words = ring.n * ring.moduli.size(), stride = words + 2 * ring.n;
    const Words a = testing::random_polynomials(rng, ring, 2 * kPairs),
                b = testing::random_polynomials(rng, ring, 2 * kPairs);
    Words constants;
    for (const std::uint64_t q : ring.moduli) constants.push_back(q - 1);
    for (const std::size_t terms : {0, 3, 9}) {
      Words scalars, wide;
      for (std::size_t i = 0; i < terms * 3 * kPairs * stride; ++i)
        wide.push_back(rng.below(*std::min_element(ring.moduli.begin(), ring.moduli.end())));
      for (std::size_t k = 0; k < terms; ++k)
        for (const std::uint64_t q : ring.moduli) scalars.push_back(q - 1 - k);
      for (const std::uint64_t times : {1, 2})
        for (const bool squares : {false, true})
          for_queues(ring, [&](const Queue& queue, const RingTables& tables) {
            OnDevice x(queue, a), y(queue, b), more(queue, wide), out(queue, 3 * kPairs * words),
                expected(queue, 3 * kPairs * words);
            std::vector<CombinedRows> rows{{expected.data(), words, 3}};
            for (std::size_t k = 0; k < terms; ++k)
              rows.push_back({more.data() + k * 3 * kPairs * stride + ring.n, stride, 3 - k % 3});
            Words all(ring.moduli.size(), times);
            all.insert(all.end(), scalars.begin(), scalars.end());
            const WordPtr other = squares ? x.data() : y.data();
            queue.tensor(tables, x.data(), other, expected.data(), false, kPairs);
            queue.linear_combination(tables, rows, all, constants, 3, expected.data(), kPairs);
            queue.tensor_combination(tables, x.data(), other, times, std::span(rows).subspan(1), scalars,
                                     constants, out.data(), kPairs);
            check_same(out.host(), expected.host(), queue, ring, "a tensor and terms");
          });
    }
  }
}

NTTF_TEST("device: multiply_scalar, multiply_broadcast, tensor") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const std::size_t words = ring.n * ring.moduli.size();
    const Words a = testing::random_polynomials(rng, ring, kBatch),
                b = testing::random_polynomials(rng, ring, kBatch);
    Words scalars;
    for (const std::uint64_t q : ring.moduli) scalars.push_back(rng.below(q));
    const Words scaled = each_word(ring, kBatch, [&](const Modulus& m, std::size_t i) {
      return m.mul(a[i], scalars[i / ring.n % scalars.size()]);
    });
    const Words broadcast =
        each_word(ring, kBatch, [&](const Modulus& m, std::size_t i) { return m.mul(a[i], b[i % words]); });
    const Words c = testing::random_polynomials(rng, ring, 4), d = testing::random_polynomials(rng, ring, 4);
    const auto tensor_word = [&](const Modulus& m, std::size_t i) {
      const std::size_t at = i / (3 * words) * 2 * words + i % words, part = i / words % 3;
      if (part == 0) return m.mul(c[at], d[at]);
      if (part == 2) return m.mul(c[at + words], d[at + words]);
      return m.add(m.mul(c[at], d[at + words]), m.mul(c[at + words], d[at]));
    };
    const Words product = each_word(ring, 6, tensor_word);
    const Words twice =
        each_word(ring, 6, [&](const Modulus& m, std::size_t i) { return m.add(product[i], product[i]); });
    for_queues(ring, [&](const Queue& queue, const RingTables& tables) {
      OnDevice x(queue, a), y(queue, b), out(queue, a.size());
      queue.multiply_scalar(tables, x.data(), scalars, out.data(), kBatch);
      check_same(out.host(), scaled, queue, ring, "multiply_scalar");
      queue.multiply_broadcast(tables, x.data(), y.data(), out.data(), kBatch);
      check_same(out.host(), broadcast, queue, ring, "multiply_broadcast");
      OnDevice left(queue, c), right(queue, d), sums(queue, product.size());
      queue.tensor(tables, left.data(), right.data(), sums.data(), false, 2);
      check_same(sums.host(), product, queue, ring, "tensor");
      queue.tensor(tables, left.data(), right.data(), sums.data(), true, 2);
      check_same(sums.host(), twice, queue, ring, "tensor, accumulated");
      NTTF_CHECK_THROWS(queue.multiply_scalar(tables, x.data(), std::span(scalars).first(0), out.data(), 1),
                        SizeError, "scalars has 0 values");
    });
  }
}

NTTF_TEST("device: forward and inverse are the plan's, row by row") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const Words a = testing::random_polynomials(rng, ring, kBatch);
    for (const Order order : {Order::bit_reversed, Order::natural}) {
      NttSpec spec = testing::spec_of(ring);
      spec.output_order = order;
      Words expected(a.size());
      const NttPlan plan(spec);
      plan.forward(a, expected);
      for (const auto& queue : testing::all_queues()) {
        const auto tables = queue->device().make_ring(spec);
        OnDevice x(*queue, a);
        queue->forward(*tables, x.data(), kBatch);
        check_same(x.host(), expected, *queue, ring, "forward");
        queue->inverse(*tables, x.data(), kBatch);
        check_same(x.host(), a, *queue, ring, "inverse");
      }
    }
  }
}

NTTF_TEST("device: automorphism is X -> X^element by definition; gather") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const Words a = testing::random_polynomials(rng, ring, 2);
    const std::size_t n = ring.n;
    for (const std::uint64_t element :
         {std::uint64_t{1}, 3 % (2 * n), 9 % (2 * n), 2 * n - 1, 2 * rng.below(n) + 1}) {
      Words expected(a.size());
      for (std::size_t row = 0; row < a.size() / n; ++row) {
        const Modulus m(ring.moduli[row % ring.moduli.size()]);
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t power = i * element % (2 * n);
          const std::uint64_t v = a[row * n + i];
          expected[row * n + power % n] = power < n ? v : m.negate(v);
        }
      }
      for_queues(ring, [&](const Queue& queue, const RingTables& tables) {
        OnDevice x(queue, a), out(queue, a.size());
        queue.automorphism(tables, x.data(), element, out.data(), 2);
        check_same(out.host(), expected, queue, ring, "automorphism");
        NTTF_CHECK_THROWS(queue.automorphism(tables, x.data(), 2 * n, out.data(), 2), ParameterError,
                          "must be odd and below 2n");
        NTTF_CHECK_THROWS(queue.automorphism(tables, x.data(), 2 * n + 1, out.data(), 2), ParameterError,
                          "below 2n");
      });
    }
    std::vector<std::uint32_t> index(n);
    for (std::uint32_t& i : index) i = static_cast<std::uint32_t>(rng.below(n));
    Words gathered(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) gathered[i] = a[i - i % n + index[i % n]];
    for (const auto& queue : testing::all_queues()) {
      const auto permutation = queue->device().make_permutation(index);
      OnDevice x(*queue, a), out(*queue, a.size());
      queue->gather(*permutation, x.data(), out.data(), a.size() / n);
      check_same(out.host(), gathered, *queue, ring, "gather");
    }
    index.back() = static_cast<std::uint32_t>(n);
    NTTF_CHECK_THROWS(make_cpu_device()->make_permutation(index), ParameterError, "is out of range [0, n = ");
  }
}

NTTF_TEST("device: what it cannot do is named") {
  for (const auto& queue : testing::all_queues()) {
    NttSpec spec{.n = 64, .moduli = ntt_primes(64, 50, 1)};
    spec.ring = Ring::cyclic;
    NTTF_CHECK_THROWS(queue->device().make_ring(spec), ParameterError, "ring = cyclic");
    spec = {.n = 64, .moduli = ntt_primes(64, 40, 1), .word_bits = 32};
    NTTF_CHECK_THROWS(queue->device().make_ring(spec), ParameterError, "word_bits = 32");
    spec = {.n = 64, .moduli = ntt_primes(64, 30, 1), .input_order = Order::bit_reversed};
    NTTF_CHECK_THROWS(queue->device().make_ring(spec), ParameterError, "input_order = bit_reversed");
    spec = {.n = 64, .moduli = {97}};
    NTTF_CHECK_THROWS(queue->device().make_ring(spec), ParameterError, "97");
    class Foreign final : public RingTables {
     public:
      Foreign() : RingTables(NttSpec{.n = 1, .moduli = {17}}) {}
    };
    std::uint64_t x = 5;
    NTTF_CHECK_THROWS(queue->forward(Foreign(), &x, 1), ContextError, "another device");
    NTTF_CHECK_EQ(x, std::uint64_t{5});
    const std::string name = queue->device().name();
    NTTF_CHECK(name == "cpu" || name == "cuda");
    NTTF_CHECK(queue->device().description().find(name == "cpu" ? "thread" : "cuda") != std::string::npos);
    const auto ring = queue->device().make_ring(
        {.n = 64, .moduli = testing::mixed_primes(64, std::vector<unsigned>{30, 60})});
    NTTF_CHECK(queue->device().recipe_json(*ring).find("arithmetic") != std::string::npos);
  }
  for (const Target target : kAllTargets)
    if (!target_available(target))
      NTTF_CHECK_THROWS(make_cpu_device(1, target), UnsupportedError, std::string(target_name(target)));
}

}  // namespace
}  // namespace nttforge
