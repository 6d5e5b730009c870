// SPDX-License-Identifier: Apache-2.0
// Operations on polynomials in values: the words are the transforms of those in coefficients, and those are
// what rns/ says; on every queue, in words of both sizes.

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/rns/mod_down.hpp"
#include "nttforge/rns/scale.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Rng;
using testing::Words;

constexpr std::size_t kBatch = 2;

NttSpec spec_of(const RingCase& ring, unsigned word_bits) {
  NttSpec spec = testing::spec_of(ring);
  spec.word_bits = word_bits;
  return spec;
}

Words transformed(const RingCase& ring, Words x, bool inverse = false) {
  const NttPlan plan(testing::spec_of(ring));
  inverse ? plan.inverse(x, x) : plan.forward(x, x);
  return x;
}

/// The sizes of words that the primes of a case fit.
std::vector<unsigned> word_sizes(const RingCase& ring) {
  const auto narrow = [](std::uint64_t q) { return q >> 31 == 0; };
  if (std::all_of(ring.moduli.begin(), ring.moduli.end(), narrow)) return {64, 32};
  return {64};
}

std::vector<std::shared_ptr<const Queue>> queues_and_reference() {
  std::vector<std::shared_ptr<const Queue>> queues = testing::all_queues();
  queues.push_back(testing::make_reference_device()->make_queue());
  return queues;
}

RingCase part(const RingCase& ring, std::size_t first, std::size_t last) {
  return {ring.n, {ring.moduli.begin() + std::ptrdiff_t(first), ring.moduli.begin() + std::ptrdiff_t(last)}};
}

/// A division from one ring to another.
struct Division {
  RingCase from, to;
  RnsStep step;
};

std::vector<Division> divisions() {
  std::vector<Division> result;
  for (const auto& [n, bits] : {std::pair<std::size_t, unsigned>{16, 30}, {64, 49}, {4096, 60}, {1, 40}}) {
    const RingCase chain{n, ntt_primes(n, bits, 6)};
    for (std::size_t dropped = 1; dropped <= 3; ++dropped) {
      const RingCase to = part(chain, 0, 6 - dropped);
      const RnsBase stay(to.moduli), leave(part(chain, 6 - dropped, 6).moduli);
      result.push_back({chain, to, mod_down_fast(stay, leave)});
      result.push_back({chain, to, mod_down_nearest(stay, leave)});
      result.push_back({chain, to, switch_modulus_fast(stay, leave, 257)});
      if (dropped == 1) result.push_back({chain, to, mod_down(RnsBase(chain.moduli))});
    }
    // The first primes go, and primes at both ends.
    const RnsBase inner(part(chain, 2, 6).moduli), middle(part(chain, 1, 5).moduli);
    result.push_back({chain, part(chain, 2, 6), mod_down_nearest(inner, RnsBase(part(chain, 0, 2).moduli))});
    result.push_back(
        {chain, part(chain, 1, 5), mod_down_nearest(middle, RnsBase({chain.moduli[0], chain.moduli[5]}))});
  }
  return result;
}

/// The division's value at polynomials in coefficients.
Words divided(const Division& d, const Words& x) {
  const std::size_t n = d.from.n, from = d.from.moduli.size(), to = d.to.moduli.size();
  const auto row = [&](std::uint64_t q) {
    return static_cast<std::size_t>(std::find(d.from.moduli.begin(), d.from.moduli.end(), q) -
                                    d.from.moduli.begin());
  };
  const StepValue value(d.step);
  Words result(x.size() / from * to), sources(d.step.sources.size()), own(to), out(to);
  for (std::size_t b = 0; b < x.size() / (from * n); ++b)
    for (std::size_t i = 0; i < n; ++i) {
      const auto word = [&](std::uint64_t q) { return row(q) == from ? 0 : x[(b * from + row(q)) * n + i]; };
      std::transform(d.step.sources.begin(), d.step.sources.end(), sources.begin(), word);
      std::transform(d.to.moduli.begin(), d.to.moduli.end(), own.begin(), word);
      value.apply(sources, own, out);
      for (std::size_t j = 0; j < to; ++j) result[(b * to + j) * n + i] = out[j];
    }
  return result;
}

NTTF_TEST("device: rescale is its step in both forms, by one prime and several, at any end of the ring") {
  Rng rng;
  for (const Division& d : divisions()) {
    const Words x = testing::random_polynomials(rng, d.from, kBatch), expected = divided(d, x),
                values = transformed(d.from, x), expected_values = transformed(d.to, expected);
    for (const auto& queue : queues_and_reference())
      for (const unsigned bits : word_sizes(d.from)) {
        const auto from = queue->device().make_ring(spec_of(d.from, bits)),
                   to = queue->device().make_ring(spec_of(d.to, bits));
        const auto step = queue->device().make_step(d.step, d.from.n);
        OnDevice a(*queue, x, bits), b(*queue, values, bits), out(*queue, expected.size(), bits);
        queue->rescale(*step, *from, *to, a.data(), Form::coefficients, out.data(), kBatch);
        check_same(out.host(), expected, *queue, d.from, "rescale of coefficients");
        queue->rescale(*step, *from, *to, b.data(), Form::values, out.data(), kBatch);
        check_same(out.host(), expected_values, *queue, d.from, "rescale of values");
        check_same(b.host(), values, *queue, d.from, "what rescale reads");
      }
  }
}

/// A level of a chain whose last primes are special, with digits of some primes.
struct Level {
  RingCase chain;
  std::size_t special, level, primes;

  std::size_t digits() const { return (level + primes - 1) / primes; }
  RingCase ring() const { return part(chain, 0, level); }
  RingCase key_ring() const {
    RingCase result = ring();
    result.moduli.insert(result.moduli.end(), chain.moduli.end() - std::ptrdiff_t(special),
                         chain.moduli.end());
    return result;
  }
  SwitchTables tables(const Device& device, unsigned word_bits) const {
    const auto specials = [&] {
      return RnsBase(part(chain, chain.moduli.size() - special, chain.moduli.size()).moduli);
    };
    const RnsStep step = special == 0   ? RnsStep{}
                         : special == 1 ? switch_modulus(RnsBase(key_ring().moduli), 257)
                                        : mod_down_fast(RnsBase(ring().moduli), specials());
    return device.make_switch(device.make_ring(spec_of(ring(), word_bits)),
                              device.make_ring(spec_of(key_ring(), word_bits)), primes,
                              special == 0 ? nullptr : &step);
  }
  /// To the primes of the level but the last.
  RescaleTables rescaling(const Device& device, const SwitchTables& tables, unsigned word_bits) const {
    const RingCase lower = part(chain, 0, level - 1), key = key_ring();
    return device.make_rescale(
        tables, device.make_ring(spec_of(lower, word_bits)),
        switch_modulus_fast(RnsBase(lower.moduli), RnsBase(part(key, level - 1, key.moduli.size()).moduli),
                            257));
  }
  /// What a rational step leads to: the first prime leaves, and the one behind the level's joins, if it is
  /// not special.
  RingCase turned() const {
    RingCase result = part(chain, 1, level);
    if (level + special < chain.moduli.size()) result.moduli.push_back(chain.moduli[level]);
    return result;
  }
  RescaleTables turning(const Device& device, const SwitchTables& tables, unsigned word_bits) const {
    return device.make_rescale(tables, device.make_ring(spec_of(turned(), word_bits)),
                               rescale(RnsBase(key_ring().moduli), RnsBase(turned().moduli)));
  }
};

std::vector<Level> levels() {
  const unsigned mixed[] = {50, 60, 30, 62, 50, 60};
  std::vector<Level> result;
  for (std::size_t special = 0; special < 3; ++special)
    for (std::size_t primes = 1; primes < 3; ++primes) {
      result.push_back({{64, testing::mixed_primes(64, mixed)}, special, 3, primes});
      result.push_back({{32, ntt_primes(32, 30, 7)}, special, 4, primes});
    }
  result.push_back({{16, ntt_primes(16, 30, 4)}, 2, 1, 2});
  // Transforms in two passes of 32-bit words, whose last pass multiplies by keys.
  result.push_back({{8192, ntt_primes(8192, 30, 4)}, 1, 3, 2});
  if (testing::full_tests()) result.push_back({{65536, ntt_primes(65536, 30, 5)}, 2, 3, 2});
  result.push_back({{4096, ntt_primes(4096, 49, 6)}, 1, 5, 1});
  result.push_back({{4096, ntt_primes(4096, 60, 6)}, 2, 4, 2});
  result.push_back({{1, ntt_primes(1, 40, 3)}, 1, 2, 1});
  return result;
}

NTTF_TEST("device: key switching of values gives the transforms of key switching of coefficients") {
  Rng rng;
  for (const Level& level : levels()) {
    const RingCase ring = level.ring(), key_ring = level.key_ring();
    const std::size_t n = ring.n, words = n * ring.moduli.size(), key_words = n * key_ring.moduli.size();
    // Three parts an element: the first two are added, the third is switched.
    const Words x = testing::random_polynomials(rng, ring, 3 * kBatch), values = transformed(ring, x),
                key = testing::random_polynomials(rng, level.chain, 2 * level.chain.moduli.size()),
                sums = testing::random_polynomials(rng, key_ring, 2 * kBatch);
    std::map<std::string, std::array<Words, 2>>
        known;  // what every queue gives, in coefficients and in values
    const RingCase lower = part(ring, 0, level.level - 1), turned_ring = level.turned();
    const bool divides = level.level > 1 && level.special != 0;
    // The reference's transforms take n^2 products.
    const bool few = n > testing::largest_of_every_case();
    for (const auto& queue : few ? testing::all_queues() : queues_and_reference())
      for (const unsigned bits : word_sizes(level.chain)) {
        const SwitchTables tables = level.tables(queue->device(), bits);
        const auto image = queue->device().make_permutation(automorphism_index(n, 2 * n - 1));
        const RescaleTables rescaling =
            divides ? level.rescaling(queue->device(), tables, bits) : RescaleTables{};
        const RescaleTables turning =
            divides ? level.turning(queue->device(), tables, bits) : RescaleTables{};
        OnDevice a(*queue, x, bits), b(*queue, values, bits), keys(*queue, key, bits),
            digits(*queue, kBatch * level.digits() * key_words, bits),
            digits_of_values(*queue, kBatch * level.digits() * key_words, bits);
        const KeyRows rows{keys.data(), level.chain.moduli.size(), level.special};
        const std::array<BatchRows, 2> switched{BatchRows{a.data() + 2 * words, 3 * words},
                                                BatchRows{b.data() + 2 * words, 3 * words}};
        queue->decompose(tables, switched[0], Form::coefficients, digits.data(), kBatch);
        queue->decompose(tables, switched[1], Form::values, digits_of_values.data(), kBatch);
        check_same(digits_of_values.host(), digits.host(), *queue, key_ring, "decompose of values");
        OnDevice turned(*queue, values.size(), bits);
        queue->gather(*image, b.data(), turned.data(), 3 * kBatch * ring.moduli.size());
        for (const std::size_t added :
             few ? std::vector<std::size_t>{1} : std::vector<std::size_t>{0, 1, 2}) {
          /// What `run(form, c, addend, out)` gives in both forms, modulo the primes of `to`.
          const auto compare_in = [&](const RingCase& to, const std::string& what, const auto& run) {
            const std::size_t size = kBatch * 2 * n * to.moduli.size();
            OnDevice out(*queue, size, bits), out_of_values(*queue, size, bits);
            run(Form::coefficients, switched[0], BatchRows{a.data(), 3 * words}, out.data());
            run(Form::values, switched[1], BatchRows{b.data(), 3 * words}, out_of_values.data());
            auto& [first, first_values] = known[what + std::to_string(added)];
            if (first.empty()) {
              first = out.host();
              first_values = transformed(to, first);
            }
            check_same(out.host(), first, *queue, to, what.c_str());
            check_same(out_of_values.host(), first_values, *queue, to, what.c_str());
          };
          const auto compare = [&](const std::string& what, const auto& run) { compare_in(ring, what, run); };
          compare("mod_down", [&](Form form, BatchRows, BatchRows addend, WordPtr out) {
            OnDevice sum(*queue, sums, bits);
            queue->mod_down(tables, sum.data(), addend, added, form, out, kBatch);
          });
          compare("switch_key", [&](Form form, BatchRows c, BatchRows addend, WordPtr out) {
            queue->switch_key(tables, c, rows, addend, added, form, out, kBatch);
          });
          compare("key_switch", [&](Form form, BatchRows c, BatchRows addend, WordPtr out) {
            OnDevice sum(*queue, kBatch * 2 * key_words, bits);
            queue->key_switch(tables, c, form, rows, sum.data(), kBatch);
            queue->mod_down(tables, sum.data(), addend, added, form, out, kBatch);
          });
          const auto compare_rescaled = [&](const RingCase& to, const std::string& what,
                                            const RescaleTables& division) {
            compare_in(to, what, [&](Form form, BatchRows c, BatchRows addend, WordPtr out) {
              queue->switch_key_rescaled(tables, division, c, rows, addend, added, form, out, kBatch);
            });
          };
          if (divides) {
            compare_rescaled(lower, "switch_key_rescaled", rescaling);
            compare_rescaled(turned_ring, "switch_key_rescaled by a rational step", turning);
          }
          compare("switch_digits", [&](Form form, BatchRows, BatchRows addend, WordPtr out) {
            queue->switch_digits(
                tables, digits.data(),
                {.image = image, .key = rows, .addend = addend, .addend_parts = added, .out = out}, form,
                kBatch);
          });
          for (const std::size_t which : {0, 1})
            compare("switch_images", [&](Form form, BatchRows c, BatchRows addend, WordPtr out) {
              OnDevice other(*queue, kBatch * 2 * words, bits);
              const auto images = [&](std::size_t i) {
                SwitchedImage result;
                // The image of the image is the polynomial itself.
                result.moves_addend = form == Form::values && which == 1;
                if (result.moves_addend) addend.words = turned.data();
                result.image = image;
                result.key = rows;
                result.addend = addend;
                result.addend_parts = i == which ? added : 0;
                result.out = i == which ? out : other.data();
                return result;
              };
              queue->switch_images(tables, c, form, 2, images, kBatch);
            });
        }
      }
  }
}

NTTF_TEST("device: inner_product accumulates; sums_of_products are sums of products, with 1, 2 and 3 parts") {
  Rng rng;
  for (const RingCase& ring : {RingCase{16, ntt_primes(16, 30, 3)},
                               {64, ntt_primes(64, 49, 2)},
                               {4096, ntt_primes(4096, 62, 2)},
                               {1, ntt_primes(1, 40, 2)}})
    for (const auto& [groups, terms] : {std::pair<std::size_t, std::size_t>{1, 1}, {3, 2}, {2, 33}})
      for (std::size_t parts = 1; parts <= 3; ++parts) {
        if (ring.n > 64 && terms > 2 && parts != 2) continue;
        const std::size_t limbs = ring.moduli.size(), words = ring.n * limbs;
        const Words factors = testing::random_polynomials(rng, ring, groups * terms),
                    x = testing::random_polynomials(rng, ring, terms * parts),
                    before = testing::random_polynomials(rng, ring, groups * parts);
        Words sums(groups * parts * words), more = before;
        for (std::size_t g = 0; g < groups; ++g)
          for (std::size_t part_of = 0; part_of < parts; ++part_of)
            for (std::size_t w = 0; w < words; ++w) {
              const Modulus m(ring.moduli[w / ring.n]);
              std::uint64_t sum = 0;
              for (std::size_t i = 0; i < terms; ++i)
                sum = m.add(
                    sum, m.mul(factors[(g * terms + i) * words + w], x[(i * parts + part_of) * words + w]));
              const std::size_t at = (g * parts + part_of) * words + w;
              sums[at] = sum;
              more[at] = m.add(before[at], sum);
            }
        for (const auto& queue : queues_and_reference())
          for (const unsigned bits : word_sizes(ring)) {
            const auto tables = queue->device().make_ring(spec_of(ring, bits));
            OnDevice f(*queue, factors, bits), y(*queue, x, bits), out(*queue, sums.size(), bits);
            queue->sums_of_products(*tables, f.data(), y.data(), out.data(), groups, terms, parts);
            check_same(out.host(), sums, *queue, ring, "sums_of_products");
            if (parts != 2) continue;
            const SwitchTables level{
                tables, tables, std::vector<std::shared_ptr<const StepTables>>(terms), nullptr, {}};
            OnDevice total(*queue, before, bits);
            queue->inner_product(level, f.data(), {y.data(), limbs, 0}, total.data(), groups, true);
            check_same(total.host(), more, *queue, ring, "inner_product that accumulates");
          }
      }
}

NTTF_TEST("device: phases and plaintexts are the same of ciphertexts in both forms") {
  Rng rng;
  constexpr std::uint64_t kT = 257;
  for (const RingCase& ring : {RingCase{16, ntt_primes(16, 30, 3)},
                               {64, ntt_primes(64, 49, 2)},
                               {4096, ntt_primes(4096, 62, 2)},
                               {2, ntt_primes(2, 40, 2)}})
    for (const std::size_t parts : {2, 3}) {
      const Words x = testing::random_polynomials(rng, ring, kBatch * parts), values = transformed(ring, x),
                  secrets = testing::random_polynomials(rng, ring, 2);
      const std::size_t words = ring.n * ring.moduli.size();
      for (const auto& queue : queues_and_reference())
        for (const unsigned bits : word_sizes(ring)) {
          const auto tables = queue->device().make_ring(spec_of(ring, bits));
          const auto recover =
              queue->device().make_step(DecryptScale(RnsBase(ring.moduli), kT).decrypt(), ring.n);
          OnDevice a(*queue, x, bits), b(*queue, values, bits), s(*queue, secrets, bits),
              out(*queue, kBatch * words, bits), out_of_values(*queue, kBatch * words, bits),
              plain(*queue, kBatch * ring.n), plain_of_values(*queue, kBatch * ring.n), exceeded(*queue, 1),
              exceeded_of_values(*queue, 1);
          const ConstWordPtr secret = s.data(), square = s.data() + words;
          queue->phase(*tables, a.data(), parts, Form::coefficients, secret, square, out.data(), kBatch);
          queue->phase(*tables, b.data(), parts, Form::values, secret, square, out_of_values.data(), kBatch);
          check_same(out_of_values.host(), out.host(), *queue, ring, "phase");
          queue->decrypt(*tables, *recover, a.data(), parts, Form::coefficients, secret, square, plain.data(),
                         kBatch, exceeded.data());
          queue->decrypt(*tables, *recover, b.data(), parts, Form::values, secret, square,
                         plain_of_values.data(), kBatch, exceeded_of_values.data());
          check_same(plain_of_values.host(), plain.host(), *queue, ring, "decrypt");
          NTTF_CHECK(exceeded_of_values.host() == exceeded.host());
          const bool checked = queue->decrypt_checked(*tables, *recover, b.data(), parts, Form::values,
                                                      secret, square, plain_of_values.data(), kBatch);
          NTTF_CHECK(checked == (exceeded.host()[0] != 0));
        }
    }
}

NTTF_TEST("device: encryptions in values are the transforms of those in coefficients") {
  Rng rng;
  using Kind = SmallPolynomial::Kind;
  const StreamName name{{{7, 1}}, Domain::user, 3}, other{{{7, 2}}, Domain::user, 9};
  for (const RingCase& all :
       {RingCase{16, ntt_primes(16, 30, 4)}, {64, ntt_primes(64, 49, 4)}, {4096, ntt_primes(4096, 62, 3)}})
    for (std::size_t special = 0; special <= 2; ++special) {
      const std::size_t limbs = all.moduli.size() - special;
      const RingCase ring = part(all, 0, limbs);
      const Words key = testing::random_polynomials(rng, all, 2),
                  message = testing::random_polynomials(rng, ring, kBatch);
      const std::array<SmallPolynomial, 2> errors{SmallPolynomial{Kind::error, name, {}, 257},
                                                  SmallPolynomial{Kind::error, other, {}, 1}};
      for (const auto& queue : queues_and_reference())
        for (const unsigned bits : word_sizes(all)) {
          const auto ring_key = queue->device().make_ring(spec_of(all, bits)),
                     ring_q = queue->device().make_ring(spec_of(ring, bits));
          const auto division =
              special == 0 ? nullptr
                           : queue->device().make_step(
                                 mod_down_nearest(RnsBase(ring.moduli),
                                                  RnsBase(part(all, limbs, all.moduli.size()).moduli)),
                                 all.n);
          OnDevice keys(*queue, key, bits), m(*queue, message, bits);
          for (const ConstWordPtr words : {ConstWordPtr(m.data()), ConstWordPtr()}) {
            const auto compare = [&](const char* what, const auto& run) {
              OnDevice out(*queue, 2 * message.size(), bits), values(*queue, 2 * message.size(), bits);
              run(Form::coefficients, out.data());
              run(Form::values, values.data());
              check_same(values.host(), transformed(ring, out.host()), *queue, ring, what);
            };
            compare("encrypt_batch", [&](Form form, WordPtr out) {
              queue->encrypt_batch(*ring_key, *ring_q, division.get(), keys.data(), {Kind::ternary, name, {}},
                                   errors, words, form, out, kBatch);
            });
            compare("encrypt", [&](Form form, WordPtr out) {
              for (std::size_t b = 0; b < kBatch; ++b)
                queue->encrypt(*ring_key, *ring_q, division.get(), keys.data(), {Kind::binary, other, {}},
                               errors, words, form, out + b * 2 * ring_q->words());
            });
            compare("encrypt_by_secret", [&](Form form, WordPtr out) {
              queue->encrypt_by_secret(*ring_q, keys.data(), name, errors[0], words, form, out, kBatch);
            });
          }
        }
    }
}

}  // namespace
}  // namespace nttforge
