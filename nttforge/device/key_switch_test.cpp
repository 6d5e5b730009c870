// SPDX-License-Identifier: Apache-2.0
// Key switching at every level of a chain, in three operations and in one, against its definition; rotations
// of digits; and that keys switch.

#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/rns/digits.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Rng;
using testing::Words;

constexpr std::size_t kBatch = 3;

/// A chain of primes of which the last are special, one level of it, some primes from `first` on, and digits
/// of some primes.
struct Level {
  RingCase chain;
  std::size_t special, level, primes, first = 0;

  std::size_t top() const { return chain.moduli.size() - special; }
  std::vector<std::size_t> ends() const { return equal_digits(top(), primes); }
  std::size_t first_digit() const { return first / primes; }
  std::size_t digits() const { return (first + level + primes - 1) / primes - first_digit(); }
  RingCase ring() const {
    const auto begin = chain.moduli.begin() + std::ptrdiff_t(first);
    return {chain.n, {begin, begin + std::ptrdiff_t(level)}};
  }
  /// A key of the whole chain as the level reads it.
  KeyRows rows(ConstWordPtr key) const {
    return {key + first_digit() * 2 * chain.moduli.size() * chain.n, chain.moduli.size(), special, first};
  }
  RingCase key_ring() const {
    RingCase result = ring();
    result.moduli.insert(result.moduli.end(), chain.moduli.end() - std::ptrdiff_t(special),
                         chain.moduli.end());
    return result;
  }
  std::vector<std::uint64_t> special_primes() const {
    return {chain.moduli.end() - std::ptrdiff_t(special), chain.moduli.end()};
  }
  RnsStep division() const {
    return special == 1 ? mod_down(RnsBase(key_ring().moduli))
                        : mod_down_fast(RnsBase(ring().moduli), RnsBase(special_primes()));
  }
  SwitchTables tables(const Device& device) const {
    const RnsStep step = special == 0 ? RnsStep{} : division();
    return device.make_switch(device.make_ring(testing::spec_of(ring())),
                              device.make_ring(testing::spec_of(key_ring())), ends(),
                              special == 0 ? nullptr : &step, first);
  }
};

std::vector<Level> levels_of(const RingCase& chain, std::size_t special, std::size_t primes) {
  std::vector<Level> result;
  for (std::size_t level = 1; level + special <= chain.moduli.size(); ++level)
    result.push_back({chain, special, level, primes});
  return result;
}

/// Small and larger rings, narrow and wide primes, digits of 1, 2 and 3 primes, 0 to 3 special primes; keys
/// at the top of the chain and below.
std::vector<Level> levels() {
  const unsigned mixed[] = {50, 60, 30, 62, 50, 60};
  std::vector<Level> result;
  const auto add = [&](const std::vector<Level>& more) {
    result.insert(result.end(), more.begin(), more.end());
  };
  for (std::size_t special = 0; special < 4; ++special)
    for (std::size_t primes = 1; primes < 4; ++primes) {
      add(levels_of({64, testing::mixed_primes(64, mixed)}, special, primes));
      add(levels_of({16, ntt_primes(16, 49, 7)}, special, primes));
    }
  // Windows, which begin and end within digits.
  for (const std::size_t first : {1, 2, 3})
    for (const std::size_t level : {1, 2, 3})
      result.push_back({{32, ntt_primes(32, 49, 9)}, 2, level, 2, first});
  result.push_back({{4096, ntt_primes(4096, 49, 8)}, 2, 4, 3, 2});
  result.push_back({{32, ntt_primes(32, 30, 30)}, 24, 4, 6, 1});  // as many special primes as CKKS takes
  result.push_back({{4096, ntt_primes(4096, 60, 6)}, 1, 4, 1});
  result.push_back({{4096, ntt_primes(4096, 49, 6)}, 2, 4, 2});
  result.push_back({{4096, ntt_primes(4096, 49, 6)}, 2, 3, 2});
  // More digits than are transformed at once.
  if (testing::full_tests()) result.push_back({{32768, ntt_primes(32768, 49, 6)}, 1, 5, 1});
  result.push_back({{1, ntt_primes(1, 40, 3)}, 1, 2, 1});
  return result;
}

std::vector<std::shared_ptr<const Queue>> queues_and_reference() {
  std::vector<std::shared_ptr<const Queue>> queues = testing::all_queues();
  queues.push_back(testing::make_reference_device()->make_queue());
  return queues;
}

/// The transformed digits of c [l][n]: [digits][K][n].
Words digits_value(const Level& level, std::span<const std::uint64_t> c) {
  const std::size_t n = level.chain.n;
  const std::vector<std::uint64_t> q = level.ring().moduli, all = level.key_ring().moduli;
  Words result;
  std::size_t first = 0;
  for (const RnsStep& step : digit_steps(q, all, level.ends(), level.first)) {
    const std::size_t at = result.size(), sources = step.sources.size();
    result.resize(at + all.size() * n);
    const StepValue value(step);
    std::vector<std::uint64_t> x(sources), y(all.size());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t s = 0; s < sources; ++s) x[s] = c[(first + s) * n + i];
      value.apply(x, {}, y);
      for (std::size_t j = 0; j < all.size(); ++j) result[at + j * n + i] = y[j];
    }
    first += sources;
  }
  NttSpec spec = testing::spec_of(level.key_ring());
  NttPlan(spec).forward(result, result);
  return result;
}

/// sum_i digits_i key_i for digits [digits][K][n] and the key of the whole chain: [2][K][n].
Words inner_product_value(const Level& level, const Words& digits, const Words& key) {
  const std::size_t n = level.chain.n, limbs = level.level + level.special, all = level.chain.moduli.size();
  Words out(2 * limbs * n);
  for (std::size_t i = 0; i < level.digits(); ++i)
    for (std::size_t part = 0; part < 2; ++part)
      for (std::size_t j = 0; j < limbs; ++j) {
        const std::size_t row = j < level.level ? level.first + j : all - level.special + j - level.level;
        const Modulus m(level.chain.moduli[row]);
        for (std::size_t x = 0; x < n; ++x) {
          std::uint64_t& sum = out[(part * limbs + j) * n + x];
          sum = m.add(sum, m.mul(digits[(i * limbs + j) * n + x],
                                 key[((2 * (level.first_digit() + i) + part) * all + row) * n + x]));
        }
      }
  return out;
}

NTTF_TEST("device: key switching is its definition at every level, with digits of one prime and of several") {
  Rng rng;
  for (const Level& level : levels()) {
    const RingCase ring = level.ring(), key_ring = level.key_ring();
    const std::size_t words = ring.n * ring.moduli.size(), batch = ring.n > 4096 ? 1 : kBatch;
    // The polynomials to switch are the last of three parts, so their stride is three polynomials.
    const Words c = testing::random_polynomials(rng, ring, 3 * batch),
                key = testing::random_polynomials(rng, level.chain,
                                                  2 * ((level.top() + level.primes - 1) / level.primes));
    Words digits, sums;
    for (std::size_t b = 0; b < batch; ++b) {
      const Words one = digits_value(level, std::span(c).subspan((3 * b + 2) * words, words));
      const Words sum = inner_product_value(level, one, key);
      digits.insert(digits.end(), one.begin(), one.end());
      sums.insert(sums.end(), sum.begin(), sum.end());
    }
    for (const auto& queue : queues_and_reference()) {
      const SwitchTables tables = level.tables(queue->device());
      OnDevice in(*queue, c), keys(*queue, key), out(*queue, digits.size()), sum(*queue, sums.size());
      const BatchRows parts{in.data() + 2 * words, 3 * words};
      const KeyRows rows = level.rows(keys.data());
      queue->decompose(tables, parts, Form::coefficients, out.data(), batch);
      check_same(out.host(), digits, *queue, key_ring, "decompose");
      queue->inner_product(tables, out.data(), rows, sum.data(), batch, false);
      check_same(sum.host(), sums, *queue, key_ring, "inner_product");
      OnDevice whole(*queue, sums.size());
      queue->key_switch(tables, parts, Form::coefficients, rows, whole.data(), batch);
      check_same(whole.host(), sums, *queue, key_ring, "key_switch");
    }
  }
}

NTTF_TEST(
    "device: mod_down, switch_key and switch_digits are their compositions for 0, 1 and 2 parts added") {
  Rng rng;
  for (const Level& level : levels()) {
    const RingCase ring = level.ring(), key_ring = level.key_ring();
    const std::size_t words = ring.n * ring.moduli.size(), batch = ring.n > 4096 ? 1 : kBatch;
    const Words c = testing::random_polynomials(rng, ring, 3 * batch),
                key = testing::random_polynomials(rng, level.chain,
                                                  2 * ((level.top() + level.primes - 1) / level.primes)),
                sums = testing::random_polynomials(rng, key_ring, 2 * batch);
    const bool few = ring.n > testing::largest_of_every_case();
    for (const auto& queue : testing::all_queues()) {
      const SwitchTables tables = level.tables(queue->device());
      OnDevice in(*queue, c), keys(*queue, key), out(*queue, 2 * batch * words),
          expected(*queue, 2 * batch * words);
      const KeyRows rows = level.rows(keys.data());
      const BatchRows addend{in.data(), 3 * words}, parts{in.data() + 2 * words, 3 * words};
      OnDevice digits(*queue, batch * level.digits() * tables.key_ring->words());
      queue->decompose(tables, parts, Form::coefficients, digits.data(), batch);
      const auto image = queue->device().make_permutation(automorphism_index(ring.n, 2 * ring.n - 1));
      // Not an automorphism of this order: neighbouring words come from anywhere.
      const auto scattered =
          queue->device().make_permutation(automorphism_index(ring.n, 2 * ring.n - 1, Order::natural));
      for (std::size_t added = few ? 2 : 0; added <= 2; ++added) {
        const auto switched = [&](const auto& by, WordPtr to) {
          return SwitchedImage{.image = by, .key = rows, .addend = addend, .addend_parts = added, .out = to};
        };
        OnDevice x(*queue, sums), y(*queue, sums);
        queue->Queue::mod_down(tables, x.data(), addend, added, Form::coefficients, expected.data(), batch);
        queue->mod_down(tables, y.data(), addend, added, Form::coefficients, out.data(), batch);
        check_same(out.host(), expected.host(), *queue, ring, "mod_down");
        queue->Queue::switch_key(tables, parts, rows, addend, added, Form::coefficients, expected.data(),
                                 batch);
        queue->switch_key(tables, parts, rows, addend, added, Form::coefficients, out.data(), batch);
        check_same(out.host(), expected.host(), *queue, ring, "switch_key");
        queue->Queue::switch_digits(tables, digits.data(), switched(image, expected.data()),
                                    Form::coefficients, batch);
        queue->switch_digits(tables, digits.data(), switched(image, out.data()), Form::coefficients, batch);
        check_same(out.host(), expected.host(), *queue, ring, "switch_digits");
        queue->Queue::switch_digits(tables, digits.data(), switched(scattered, expected.data()),
                                    Form::coefficients, batch);
        queue->switch_digits(tables, digits.data(), switched(scattered, out.data()), Form::coefficients,
                             batch);
        check_same(out.host(), expected.host(), *queue, ring, "switch_digits of any permutation");
      }
    }
  }
}

NTTF_TEST("device: switch_images is switch_digits of each of many images") {
  Rng rng;
  for (const Level& level : levels()) {
    const RingCase ring = level.ring();
    const std::size_t words = ring.n * ring.moduli.size(), batch = ring.n > 4096 ? 1 : kBatch,
                      images = ring.n > testing::largest_of_every_case() ? 2 : 9;
    const Words c = testing::random_polynomials(rng, ring, 3 * batch),
                key = testing::random_polynomials(
                    rng, level.chain, 2 * images * ((level.top() + level.primes - 1) / level.primes));
    for (const auto& queue : testing::all_queues()) {
      const SwitchTables tables = level.tables(queue->device());
      OnDevice in(*queue, c), keys(*queue, key), out(*queue, images * 2 * batch * words),
          expected(*queue, images * 2 * batch * words);
      OnDevice digits(*queue, batch * level.digits() * tables.key_ring->words());
      const BatchRows addend{in.data(), 3 * words}, parts{in.data() + 2 * words, 3 * words};
      queue->decompose(tables, parts, Form::coefficients, digits.data(), batch);
      const auto image = [&](std::size_t i, WordPtr to) {
        const std::uint64_t element = (2 * i + 3) % (2 * ring.n);
        return SwitchedImage{.image = queue->device().make_permutation(automorphism_index(ring.n, element)),
                             .key = level.rows(keys.data() + i * (key.size() / images)),
                             .addend = addend,
                             .addend_parts = i % 3,
                             .out = to + i * 2 * batch * words};
      };
      for (std::size_t i = 0; i < images; ++i) {
        queue->Queue::switch_digits(tables, digits.data(), image(i, expected.data()), Form::coefficients,
                                    batch);
      }
      queue->switch_images(
          tables, parts, Form::coefficients, images, [&](std::size_t i) { return image(i, out.data()); },
          batch);
      check_same(out.host(), expected.host(), *queue, ring, "switch_images");
    }
  }
}

NTTF_TEST("device: an automorphism of transformed rows is a gather by automorphism_index") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases())
    for (const Order order : {Order::bit_reversed, Order::natural})
      for (const std::uint64_t element :
           {std::uint64_t{1}, 3 % (2 * ring.n), 2 * ring.n - 1, 2 * rng.below(ring.n) + 1}) {
        const Words a = testing::random_polynomials(rng, ring, 2);
        NttSpec spec = testing::spec_of(ring);
        spec.output_order = order;
        for (const auto& queue : queues_and_reference()) {
          if (queue->device().name() == "reference" && order == Order::natural) continue;
          const auto tables = queue->device().make_ring(spec);
          const auto permutation =
              queue->device().make_permutation(automorphism_index(ring.n, element, order));
          OnDevice x(*queue, a), image(*queue, a.size()), gathered(*queue, a.size());
          queue->automorphism(*tables, x.data(), element, image.data(), 2);
          queue->forward(*tables, image.data(), 2);
          queue->forward(*tables, x.data(), 2);
          queue->gather(*permutation, x.data(), gathered.data(), 2 * ring.moduli.size());
          check_same(gathered.host(), image.host(), *queue, ring, "automorphism_index");
        }
      }
  NTTF_CHECK_THROWS(automorphism_index(12, 1), ParameterError, "power of two");
  NTTF_CHECK_THROWS(automorphism_index(8, 2), ParameterError, "must be odd and below 2n = 16");
  NTTF_CHECK_THROWS(automorphism_index(8, 17), ParameterError, "must be odd and below 2n = 16");
}

/// A key from `from` to `secret`, both transformed modulo the whole chain: [digits][2][K][n]. Errors are
/// times `factor`.
DeviceArray make_key(const Queue& queue, const Level& level, ConstWordPtr from, ConstWordPtr secret,
                     std::uint64_t factor) {
  const auto ring = queue.device().make_ring(testing::spec_of(level.chain));
  std::vector<std::uint64_t> product(level.chain.moduli.size());
  for (std::size_t j = 0; j < product.size(); ++j)
    product[j] = BigUint::product(level.special_primes()).mod(level.chain.moduli[j]);
  DeviceArray scaled = queue.allocate(ring->words());
  queue.multiply_scalar(*ring, from, product, scaled.data(), 1);
  const std::size_t digits = (level.top() + level.primes - 1) / level.primes;
  DeviceArray key = queue.allocate(digits * 2 * ring->words());
  for (std::size_t i = 0; i < digits; ++i) {
    const std::size_t first = i * level.primes, count = std::min(level.primes, level.top() - first);
    const auto index = static_cast<std::uint32_t>(i);
    const SmallPolynomial error{
        SmallPolynomial::Kind::error, {{{4, 1}}, Domain::user, index}, ErrorDistribution::sigma_3_2, factor};
    queue.masked_pair(*ring, secret, {{{5, 9}}, Domain::user, index}, error,
                      {scaled.data() + first * ring->n(), first, count}, key.data() + i * 2 * ring->words());
  }
  return key;
}

/// The largest centred coefficient of x [l][n], as bits; t: of x modulo t if it is not 0.
double largest_bits(const RingCase& ring, const Words& x) {
  const RnsBase base(ring.moduli);
  std::vector<std::uint64_t> residues(ring.moduli.size());
  double bits = 0;
  for (std::size_t i = 0; i < ring.n; ++i) {
    for (std::size_t j = 0; j < residues.size(); ++j) residues[j] = x[j * ring.n + i];
    const BigUint value = base.compose(residues);
    bits = std::max(bits, std::min(value, base.product() - value).log2());
  }
  return bits;
}

NTTF_TEST("device: hybrid key switching switches keys at every level, also of rotated digits") {
  constexpr std::size_t kN = 256;
  Rng rng;
  const auto queue = make_cpu_device(1)->make_queue();
  const RingCase chain{kN, ntt_primes(kN, 50, 8)};
  for (std::size_t primes = 1; primes <= 3; ++primes)
    for (Level level : levels_of(chain, primes, primes)) {
      // Above the lowest levels, windows that lack the first prime.
      if (level.level > 2) --level.level, ++level.first;
      const RingCase ring = level.ring();
      const auto whole = queue->device().make_ring(testing::spec_of(chain));
      const SwitchTables tables = level.tables(queue->device());
      DeviceArray secret = queue->allocate(whole->words()), other = queue->allocate(whole->words());
      queue->sample_ternary(*whole, {{{1, 1}}, Domain::user, 0}, secret.data());
      // The other secret is the first one's image, so that its key also serves a rotation.
      constexpr std::uint64_t kElement = 3;
      queue->automorphism(*whole, secret.data(), kElement, other.data(), 1);
      queue->forward(*whole, secret.data(), 1);
      queue->forward(*whole, other.data(), 1);
      const DeviceArray key = make_key(*queue, level, other.data(), secret.data(), 1);
      const KeyRows rows = level.rows(key.data());
      const std::size_t skipped = level.first * kN;  // words of a secret before the level's limbs
      const std::size_t words = tables.ring->words();
      OnDevice c(*queue, testing::random_polynomials(rng, ring, 1)), image(*queue, words),
          switched(*queue, 2 * words);
      queue->automorphism(*tables.ring, c.data(), kElement, image.data(), 1);
      // switched_0 + switched_1 s - image s' is small.
      const auto error_bits = [&] {
        OnDevice left(*queue, words), right(*queue, words);
        queue->multiply_transformed(*tables.ring, switched.data() + words, secret.data() + skipped,
                                    switched.data(), left.data(), 1);
        queue->multiply_transformed(*tables.ring, image.data(), other.data() + skipped, nullptr, right.data(),
                                    1);
        queue->sub(*tables.ring, left.data(), right.data(), left.data(), 1);
        return largest_bits(ring, left.host());
      };
      queue->switch_key(tables, {image.data()}, rows, {}, 0, Form::coefficients, switched.data(), 1);
      NTTF_CHECK(error_bits() < 16);  // n digits sigma D / P, and half the secret's norm
      const std::size_t key_words = tables.key_ring->words(), digits = tables.digits.size();
      OnDevice hoisted(*queue, digits * key_words), turned(*queue, digits * key_words),
          sums(*queue, 2 * key_words);
      queue->decompose(tables, {c.data()}, Form::coefficients, hoisted.data(), 1);
      const auto permutation = queue->device().make_permutation(automorphism_index(kN, kElement));
      queue->gather(*permutation, hoisted.data(), turned.data(), digits * tables.key_ring->limbs());
      queue->inner_product(tables, turned.data(), rows, sums.data(), 1, false);
      queue->mod_down(tables, sums.data(), {}, 0, Form::coefficients, switched.data(), 1);
      NTTF_CHECK(error_bits() < 16);
    }
}

NTTF_TEST("device: switching tables that do not fit are refused") {
  const auto device = make_cpu_device(1);
  const std::vector<std::uint64_t> primes = ntt_primes(16, 40, 4);
  const auto ring = [&](std::vector<std::uint64_t> moduli) {
    return device->make_ring({.n = 16, .moduli = std::move(moduli)});
  };
  const RnsStep down = mod_down(RnsBase({primes[0], primes[1], primes[2]}));
  const auto q = ring({primes[0], primes[1]}), key = ring({primes[0], primes[1], primes[2]});
  NTTF_CHECK_EQ(device->make_switch(q, key, 2, &down).digits.size(), std::size_t{1});
  NTTF_CHECK_THROWS(device->make_switch(q, ring({primes[1], primes[0], primes[2]}), 1, &down), ParameterError,
                    "does not begin with the 2 primes");
  NTTF_CHECK_THROWS(device->make_switch(key, q, 1, nullptr), ParameterError,
                    "does not begin with the 3 primes");
  NTTF_CHECK_THROWS(device->make_switch(q, key, 1, nullptr), ParameterError, "1 special primes");
  NTTF_CHECK_THROWS(device->make_switch(q, ring({primes[0], primes[1], primes[3]}), 1, &down), ParameterError,
                    "division does not take");
  NTTF_CHECK_THROWS(device->make_switch(q, key, 0, &down), ParameterError, "primes = 0");
}

}  // namespace
}  // namespace nttforge
