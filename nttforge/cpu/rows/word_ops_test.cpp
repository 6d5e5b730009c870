// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/word_ops.hpp"

#include <bit>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cpu/lanes/lanes_emulated.hpp"
#include "nttforge/cpu/rows/word_ops_kernels.hpp"

using namespace nttforge;

namespace {

using Word = std::uint64_t;
using Words = std::vector<Word>;
using Wide = cpu::LanesEmulated<8>;
constexpr WordOps kEmulated = cpu::WordKernels<Wide, cpu::Barrett64<Wide>, cpu::ShoupFactor<Wide>,
                                               cpu::Fp64<Wide>, cpu::Fp64Factor<Wide>>::table();
constexpr WordOps kEmulatedIfma = cpu::WordKernels<Wide, cpu::Barrett64<Wide>, cpu::ShoupFactor<Wide>,
                                                   cpu::Barrett52<Wide>, cpu::ShoupFactor52<Wide>>::table();

/// body(name, table) for every target this machine runs, and the AVX-512 kernels emulated.
template <class Body>
void for_each_table(const Body& body) {
  for (const Target target : available_targets()) body(std::string(target_name(target)), word_ops(target));
  body("emulated AVX-512", kEmulated);
  body("emulated AVX-512-IFMA", kEmulatedIfma);
}

/// Every modulus of at most `bits` bits that has broken something: powers of two, their neighbours, odd and
/// even ones.
Words moduli(unsigned bits) {
  Words found = {2, 3, 4, 5, 6, 12289, 1000000};
  for (const unsigned k : {20u, 31u, 32u, 48u, 49u, 50u, 51u, 52u, 59u, 60u, 61u, 62u, 63u}) {
    const Word power = Word{1} << k;
    for (const Word q : {power - 1, power, power + 1, power - 59, power / 3 * 2}) {
      if (static_cast<unsigned>(std::bit_width(q)) <= bits) found.push_back(q);
    }
  }
  return found;
}

/// Words below `factor` times q: the ends of every multiple, then random ones.
Words words_below(Word q, unsigned factor, std::size_t count, testing::Rng& rng) {
  Words x;
  for (unsigned i = 0; i <= factor; ++i) {
    for (const u128 v : {u128{i} * q, u128{i} * q + 1, u128{i} * q + q - 1, u128{i} * q + q / 2}) {
      if (v < u128{factor} * q && v >> 64 == 0) x.push_back(static_cast<Word>(v));
    }
  }
  const u128 end = u128{factor} * q;
  const Word last = end >> 64 != 0 ? ~Word{0} : static_cast<Word>(end - 1);
  while (x.size() < count) x.push_back(last == ~Word{0} ? rng.next() : rng.below(last + 1));
  return x;
}

/// Runs an operation off alignment, out of place and in place, and compares it with a definition, word by
/// word.
void expect(const std::string& what, const Words& a, const Words& b,
            const std::function<void(const Word* a, const Word* b, Word* out, std::size_t count)>& run,
            const std::function<u128(u128 a, u128 b)>& definition) {
  constexpr Word kGuard = 0xABABABABABABABABu;
  for (const std::size_t offset : {0u, 1u}) {
    Words x(offset, 0), y(offset, 0), out(offset + a.size() + 1, kGuard);
    x.insert(x.end(), a.begin(), a.end());
    y.insert(y.end(), b.begin(), b.end());
    run(x.data() + offset, y.data() + offset, out.data() + offset, a.size());
    NTTF_CHECK_EQ(out[offset + a.size()], kGuard);
    run(x.data() + offset, y.data() + offset, x.data() + offset, a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto expected = static_cast<Word>(definition(a[i], b[i]));
      if (out[offset + i] != expected || x[offset + i] != expected) {
        return testing::fail(__FILE__, __LINE__,
                             what + ", a = " + std::to_string(a[i]) + ", b = " + std::to_string(b[i]) + ": " +
                                 std::to_string(out[offset + i]) + ", in place " +
                                 std::to_string(x[offset + i]) + " != " + std::to_string(expected));
      }
    }
  }
}

constexpr std::size_t kCount = 67;  // whole vectors of every width, and a part of one

}  // namespace

NTTF_TEST("word operations on residues, any modulus below 2^63") {
  testing::Rng rng;
  for_each_table([&](const std::string& name, const WordOps& ops) {
    for (const Word q : moduli(63)) {
      const std::string at = " on " + name + ", q = " + std::to_string(q);
      const Words a = words_below(q, 1, kCount, rng);
      Words b = words_below(q, 1, kCount, rng);
      std::swap(b[1], b[2]);
      expect(
          "add" + at, a, b, [&](auto x, auto y, auto out, auto n) { ops.add(q, x, y, out, n); },
          [q](u128 x, u128 y) { return (x + y) % q; });
      expect(
          "sub" + at, a, b, [&](auto x, auto y, auto out, auto n) { ops.sub(q, x, y, out, n); },
          [q](u128 x, u128 y) { return (x + q - y) % q; });
      for (const Word s : {Word{0}, Word{1}, q - 1, q / 2}) {
        expect(
            "add_scalar" + at, a, a, [&](auto x, auto, auto out, auto n) { ops.add_scalar(q, x, s, out, n); },
            [q, s](u128 x, u128) { return (x + s) % q; });
      }
    }
  });
}

NTTF_TEST("word operations: products of words below 1, 2 and 4 q, any modulus below 2^62") {
  testing::Rng rng;
  for_each_table([&](const std::string& name, const WordOps& ops) {
    for (const Word q : moduli(62)) {
      for (const unsigned factor : {1u, 2u, 4u}) {
        const Words a = words_below(q, factor, kCount, rng);
        Words reversed(a.rbegin(), a.rend());
        for (const Words& b : {a, reversed, words_below(q, factor, kCount, rng)}) {
          expect(
              "multiply on " + name + ", q = " + std::to_string(q) + ", factor " + std::to_string(factor), a,
              b, [&](auto x, auto y, auto out, auto n) { ops.multiply(q, factor, x, y, out, n); },
              [q](u128 x, u128 y) { return (x % q) * (y % q) % q; });
        }
      }
    }
  });
}

NTTF_TEST("word operations: multiples plus words below 1 to 8 q, any modulus below 2^61") {
  testing::Rng rng;
  for_each_table([&](const std::string& name, const WordOps& ops) {
    for (const Word q : moduli(61)) {
      for (const unsigned factor : {1u, 2u, 4u, 8u}) {
        const std::string at =
            " on " + name + ", q = " + std::to_string(q) + ", factor " + std::to_string(factor);
        const Words a = words_below(q, factor, kCount, rng);
        const Words c(a.rbegin(), a.rend());
        for (const Word s :
             {Word{0}, Word{1}, q - 1, q / 2, q / 2 + 1 < q ? q / 2 + 1 : Word{0}, rng.below(q)}) {
          expect(
              "multiply_add" + at, a, c,
              [&](auto x, auto y, auto out, auto n) { ops.multiply_add(q, factor, x, s, y, out, n); },
              [q, s](u128 x, u128 y) { return ((x % q) * s + y) % q; });
          expect(
              "multiply_add without c" + at, a, a,
              [&](auto x, auto, auto out, auto n) { ops.multiply_add(q, factor, x, s, nullptr, out, n); },
              [q, s](u128 x, u128) { return (x % q) * s % q; });
        }
      }
    }
  });
}

NTTF_TEST("word operations: reductions of any word, and of small multiples") {
  testing::Rng rng;
  for_each_table([&](const std::string& name, const WordOps& ops) {
    for (const Word q : moduli(63)) {
      const std::string at = " on " + name + ", q = " + std::to_string(q);
      Words any = words_below(q, 8, kCount, rng);
      for (const Word most : {~Word{0}, ~Word{0} / q * q, ~Word{0} / q * q - 1, Word{1} << 63})
        any.push_back(most);
      expect(
          "reduce" + at, any, any, [&](auto x, auto, auto out, auto n) { ops.reduce(q, x, out, n); },
          [q](u128 x, u128) { return x % q; });
      for (const unsigned factor : {2u, 4u}) {
        if (u128{factor} * q >> 64 != 0) continue;
        const Words a = words_below(q, factor, kCount, rng);
        expect(
            "take_off" + at, a, a,
            [&](auto x, auto, auto out, auto n) { ops.take_off(q, factor, x, out, n); },
            [q](u128 x, u128) { return x % q; });
      }
    }
  });
}

NTTF_TEST("word operations: additions and subtractions where words are in a range") {
  testing::Rng rng;
  Words any = {0, 1, 2, (Word{1} << 63) - 1, Word{1} << 63, (Word{1} << 63) + 1, ~Word{0} - 1, ~Word{0}};
  while (any.size() < kCount) any.push_back(rng.next());
  const Words ends = any;
  for_each_table([&](const std::string& name, const WordOps& ops) {
    for (const Word first : ends) {
      for (const Word span : {Word{0}, Word{1}, ~Word{0} - first, rng.below(~Word{0} - first)}) {
        if (span > ~Word{0} - first) continue;
        const WordRange range{first, span};
        const auto inside = [=](u128 x) { return x >= first && x - first <= span; };
        const Word in = rng.next(), out_of = rng.next();
        expect(
            "add_where on " + name, any, any,
            [&](auto x, auto, auto out, auto n) { ops.add_where(range, in, out_of, x, out, n); },
            [&](u128 x, u128) { return x + (inside(x) ? in : out_of); });
        for (const Word q : {Word{2}, Word{12289}, Word{1} << 50, (Word{1} << 63) - 1}) {
          const Word u = in % q, v = out_of % q;
          expect(
              "sub_where on " + name + ", q = " + std::to_string(q), any, any,
              [&](auto x, auto, auto out, auto n) { ops.sub_where(q, range, u, v, x, out, n); },
              [&](u128 x, u128) { return (x % q + q - (inside(x) ? u : v)) % q; });
        }
      }
    }
  });
}

NTTF_TEST("word operations: all pairs for tiny moduli, and every short length") {
  for_each_table([&](const std::string& name, const WordOps& ops) {
    for (Word q = 2; q <= 17; ++q) {
      Words a, b;
      for (Word x = 0; x < 4 * q; ++x) {
        for (Word y = 0; y < 4 * q; ++y) {
          a.push_back(x);
          b.push_back(y);
        }
      }
      expect(
          "multiply on " + name + ", q = " + std::to_string(q), a, b,
          [&](auto x, auto y, auto out, auto n) { ops.multiply(q, 4, x, y, out, n); },
          [q](u128 x, u128 y) { return x * y % q; });
    }
    for (std::size_t count = 0; count < 20; ++count) {
      const Words a(count, 12288);
      expect(
          "multiply on " + name, a, a,
          [&](auto x, auto y, auto out, auto n) { ops.multiply(12289, 1, x, y, out, n); },
          [](u128 x, u128 y) { return x * y % 12289; });
    }
  });
}

NTTF_TEST("word operations: a target that cannot run here is refused") {
  for (const Target target : kAllTargets) {
    if (!target_available(target))
      NTTF_CHECK_THROWS(word_ops(target), UnsupportedError, std::string(target_name(target)));
  }
}
