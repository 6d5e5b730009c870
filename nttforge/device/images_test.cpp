// SPDX-License-Identifier: Apache-2.0
// Key switching of images in values, and what linear maps are made of: the words are those of the
// compositions, on every queue and in words of both sizes.

#include <map>
#include <utility>

#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Rng;
using testing::Words;

/// The first primes of a chain, of which the last `special` are special, in digits of two.
struct Level {
  RingCase chain;
  std::size_t special, level;

  RingCase first(std::size_t count) const {
    return {chain.n, {chain.moduli.begin(), chain.moduli.begin() + std::ptrdiff_t(count)}};
  }
  RingCase ring() const { return first(level); }
  RingCase key_ring() const {
    RingCase result = ring();
    result.moduli.insert(result.moduli.end(), chain.moduli.end() - std::ptrdiff_t(special),
                         chain.moduli.end());
    return result;
  }
  std::size_t digits() const { return (level + 1) / 2; }
  SwitchTables tables(const Device& device, unsigned word_bits) const {
    const auto made = [&](const RingCase& ring_case) {
      NttSpec spec = testing::spec_of(ring_case);
      spec.word_bits = word_bits;
      return device.make_ring(spec);
    };
    const RnsBase leave({chain.moduli.end() - std::ptrdiff_t(special), chain.moduli.end()});
    const RnsStep division = mod_down_fast(RnsBase(ring().moduli), leave);
    return device.make_switch(made(ring()), made(key_ring()), 2, &division);
  }
};

NTTF_TEST("device: images of digits are switched, added and summed as their compositions say") {
  Rng rng;
  constexpr std::size_t kTerms = 5, kMostGroups = 7;
  // One level below the key's; an odd number of digits; more digits than are on their way at once.
  for (const Level& level :
       {Level{{32, ntt_primes(32, 30, 8)}, 2, 5}, Level{{64, ntt_primes(64, 49, 5)}, 2, 3},
        Level{{16, ntt_primes(16, 30, 12)}, 2, 10}, Level{{1, ntt_primes(1, 30, 4)}, 1, 2}}) {
    const std::size_t n = level.chain.n, words = n * level.level,
                      key_words = n * level.key_ring().moduli.size();
    const std::size_t rows_of_key = 2 * level.digits() * level.chain.moduli.size() * n;
    const Words c = testing::random_polynomials(rng, level.ring(), 4),
                digits = testing::random_polynomials(rng, level.key_ring(), level.digits()),
                keys = testing::random_polynomials(rng, level.chain, 2 * level.digits() * kTerms),
                factors = testing::random_polynomials(rng, level.key_ring(), kMostGroups * kTerms),
                sums = testing::random_polynomials(rng, level.key_ring(), 2);
    std::map<std::pair<std::size_t, std::size_t>, Words> known_maps;
    Words known_sum;
    for (const auto& queue : testing::all_queues())
      for (const unsigned bits : {64u, 32u}) {
        if (bits == 32 && level.chain.moduli[0] >> 31 != 0) continue;
        const SwitchTables tables = level.tables(queue->device(), bits);
        OnDevice x(*queue, c, bits), d(*queue, digits, bits), k(*queue, keys, bits), f(*queue, factors, bits);
        const auto image = [&](std::size_t j) {
          if (j == 2) return SwitchedImage{};
          const std::uint64_t element = (2 * j + 3) % (2 * n);
          return SwitchedImage{.image = queue->device().make_permutation(automorphism_index(n, element)),
                               .key = {k.data() + j * rows_of_key, level.chain.moduli.size(), level.special}};
        };
        for (std::size_t groups = 1; groups <= kMostGroups; groups += 2)
          for (std::size_t repeat = 1; repeat <= n; repeat *= 2) {
            // The first words of each row of the factors, and the rows that they stand for.
            Words few, whole;
            for (std::size_t i = 0; i < groups * kTerms * key_words; ++i) {
              whole.push_back(factors[i / n * n + i % n / repeat]);
              if (i % n < n / repeat) few.push_back(factors[i]);
            }
            OnDevice y(*queue, few, bits), w(*queue, whole, bits), out(*queue, groups * 2 * key_words, bits);
            queue->sums_of_images(tables, d.data(), {x.data(), 0}, {y.data(), groups, kTerms, repeat}, image,
                                  out.data(), 1);
            Words& known = known_maps[{groups, repeat}];
            if (known.empty()) {
              OnDevice expected(*queue, groups * 2 * key_words, bits);
              queue->Queue::sums_of_images(tables, d.data(), {x.data(), 0}, {w.data(), groups, kTerms}, image,
                                           expected.data(), 1);
              known = expected.host();
            }
            check_same(out.host(), known, *queue, level.key_ring(), "sums_of_images");
          }
        for (const bool adds : {false, true}) {
          OnDevice out(*queue, sums, bits), expected(*queue, sums, bits);
          const BatchRows addend{adds ? ConstWordPtr(f.data()) : ConstWordPtr(), key_words};
          queue->add_image(tables, d.data(), image(1), addend, out.data(), 1);
          queue->Queue::add_image(tables, d.data(), image(1), addend, expected.data(), 1);
          check_same(out.host(), expected.host(), *queue, level.key_ring(), "add_image");
          if (known_sum.empty() && adds) known_sum = out.host();
          if (adds) check_same(out.host(), known_sum, *queue, level.key_ring(), "add_image of every queue");
        }
        for (const std::size_t batch : {1, 2})
          for (const std::size_t added : {0, 1, 2}) {
            OnDevice out(*queue, batch * 2 * words, bits), expected(*queue, batch * 2 * words, bits);
            SwitchedImage moved = image(3);
            moved.addend = {x.data(), 2 * words};
            moved.addend_parts = added;
            moved.moves_addend = true;
            moved.out = out.data();
            queue->switch_image(tables, {x.data() + words, 2 * words}, moved, batch);
            moved.out = expected.data();
            queue->Queue::switch_image(tables, {x.data() + words, 2 * words}, moved, batch);
            check_same(out.host(), expected.host(), *queue, level.ring(), "switch_image");
          }
      }
  }
}

NTTF_TEST("device: images of several elements are those of each") {
  Rng rng;
  constexpr std::size_t kTerms = 3, kGroups = 7, kBatch = 7;
  // Rows that are too short for elements to share what they read, and rows that are not.
  for (const std::size_t n : {64, 256}) {
    const Level level{{n, ntt_primes(n, 30, 7)}, 2, 5};
    const std::size_t key_words = n * level.key_ring().moduli.size(), one = level.digits() * key_words,
                      rows_of_key = 2 * level.digits() * level.chain.moduli.size() * n;
    const Words c = testing::random_polynomials(rng, level.ring(), 2 * kBatch),
                digits = testing::random_polynomials(rng, level.key_ring(), level.digits() * kBatch),
                keys = testing::random_polynomials(rng, level.chain, 2 * level.digits() * kTerms),
                factors = testing::random_polynomials(rng, level.key_ring(), kGroups * kTerms);
    Words known;
    for (const auto& queue : testing::all_queues())
      for (const unsigned bits : {64u, 32u})
        for (const std::size_t repeat : {std::size_t{1}, n / 8}) {
          const SwitchTables tables = level.tables(queue->device(), bits);
          const std::size_t stride = 2 * n * level.level;
          OnDevice x(*queue, c, bits), d(*queue, digits, bits), k(*queue, keys, bits),
              f(*queue, factors, bits);
          const auto image = [&](std::size_t j) {
            if (j == 1) return SwitchedImage{};
            return SwitchedImage{
                .image = queue->device().make_permutation(automorphism_index(n, 2 * j + 3)),
                .key = {k.data() + j * rows_of_key, level.chain.moduli.size(), level.special}};
          };
          for (std::size_t batch = 1; batch <= kBatch; batch += 3) {
            OnDevice out(*queue, kGroups * batch * 2 * key_words, bits),
                own(*queue, kGroups * 2 * key_words, bits);
            const MapFactors shape{f.data(), kGroups, kTerms, repeat};
            queue->sums_of_images(tables, d.data(), {x.data(), stride}, shape, image, out.data(), batch);
            const Words found = out.host();
            for (std::size_t b = 0; b < batch; ++b) {
              queue->sums_of_images(tables, d.data() + b * one, {x.data() + b * stride, stride}, shape, image,
                                    own.data(), 1);
              const Words expected = own.host();
              for (std::size_t g = 0; g < kGroups; ++g) {
                const auto of = [&](const Words& words, std::size_t at) {
                  const auto begin = words.begin() + std::ptrdiff_t(at * 2 * key_words);
                  return Words(begin, begin + std::ptrdiff_t(2 * key_words));
                };
                check_same(of(found, g * batch + b), of(expected, g), *queue, level.key_ring(),
                           "sums_of_images");
              }
            }
            OnDevice sum(*queue, Words(found.begin(), found.begin() + std::ptrdiff_t(batch * 2 * key_words)),
                         bits),
                same(*queue, Words(found.begin(), found.begin() + std::ptrdiff_t(batch * 2 * key_words)),
                     bits);
            const BatchRows addend{out.data() + key_words, 2 * key_words};
            queue->add_image(tables, d.data(), image(2), addend, sum.data(), batch);
            queue->Queue::add_image(tables, d.data(), image(2), addend, same.data(), batch);
            check_same(sum.host(), same.host(), *queue, level.key_ring(), "add_image");
            if (batch == kBatch && repeat == 1) {
              if (known.empty()) known = sum.host();
              check_same(sum.host(), known, *queue, level.key_ring(), "add_image of every queue");
            }
          }
        }
  }
}

NTTF_TEST("device: digits of many primes of a large ring, which are converted in columns") {
  Rng rng;
  const std::size_t n = std::size_t{1} << 14, repeat = n / 2;
  const Level level{{n, ntt_primes(n, 30, 8)}, 1, 7};
  const Words c = testing::random_polynomials(rng, level.ring(), 2),
              keys = testing::random_polynomials(rng, level.chain, 4),
              factors = testing::random_polynomials(rng, {2, level.key_ring().moduli}, 2);
  Words known_digits, known_sum, known_map;
  std::vector<std::shared_ptr<const Queue>> queues{testing::make_reference_device()->make_queue()};
  queues.insert(queues.end(), testing::all_queues().begin(), testing::all_queues().end());
  for (const auto& queue : queues) {
    const RnsBase leave({level.chain.moduli.back()});
    const RnsStep division = mod_down_fast(RnsBase(level.ring().moduli), leave);
    const SwitchTables tables = queue->device().make_switch(
        queue->device().make_ring(testing::spec_of(level.ring())),
        queue->device().make_ring(testing::spec_of(level.key_ring())), 6, &division);
    const std::size_t words = tables.key_ring->words();
    OnDevice x(*queue, c, 64), k(*queue, keys, 64), f(*queue, factors, 64), digits(*queue, 2 * words, 64),
        sum(*queue, 2 * words, 64), map(*queue, 2 * words, 64);
    const KeyRows key{k.data(), level.chain.moduli.size(), level.special};
    queue->decompose(tables, {x.data(), tables.ring->words()}, Form::values, digits.data(), 1);
    queue->key_switch(tables, {x.data(), tables.ring->words()}, Form::values, key, sum.data(), 1);
    const auto image = [&](std::size_t j) {
      if (j == 0) return SwitchedImage{};
      return SwitchedImage{.image = queue->device().make_permutation(automorphism_index(n, 5)), .key = key};
    };
    queue->sums_of_images(tables, digits.data(), {x.data(), 0}, {f.data(), 1, 2, repeat}, image, map.data(),
                          1);
    const auto check = [&](Words& known, const Words& found, const char* what) {
      if (known.empty()) known = found;
      check_same(found, known, *queue, level.key_ring(), what);
    };
    check(known_digits, digits.host(), "decompose");
    check(known_sum, sum.host(), "key_switch");
    check(known_map, map.host(), "sums_of_images");
  }
}

}  // namespace
}  // namespace nttforge
