// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/row_ops.hpp"

#include <bit>
#include <cstdio>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cpu/lanes/lanes_emulated.hpp"
#include "nttforge/cpu/rows/row_ops_kernels32.hpp"

using namespace nttforge;

namespace {

using Wide = cpu::LanesEmulated<8>;
using Narrow = cpu::Lanes32Emulated<16>;
constexpr RowOps kEmulated64 = cpu::RowKernels<Wide, cpu::Barrett64<Wide>, cpu::ShoupFactor<Wide>,
                                               cpu::SumsOf<LanesWide<Wide, Columns32<Wide>>>>::table();
constexpr RowOps kEmulated52 = cpu::RowKernels<Wide, cpu::Barrett52<Wide>, cpu::ShoupFactor52<Wide>,
                                               cpu::SumsOf<Lanes52<Wide>>>::table();
constexpr RowOps kEmulatedFp64 =
    cpu::RowKernels<Wide, cpu::Fp64<Wide>, cpu::PlainFactor<Wide, cpu::Fp64<Wide>>,
                    cpu::SumsFp64<Wide>>::table();
constexpr RowOps32 kEmulated30 = cpu::Kernels30<Narrow>::table();
constexpr RowOps32 kEmulated32 = cpu::Kernels32Full<Narrow>::table();

/// What is tested: an instruction set, or a kernel class on emulated lanes.
struct Subject {
  std::string name;
  std::function<const RowOps&(std::uint64_t q)> ops64;
  std::function<const RowOps32&(std::uint64_t q)> ops32;
};

template <class Word>
const RowOpsTable<Word>& table(const Subject& subject, std::uint64_t q) {
  if constexpr (std::is_same_v<Word, std::uint32_t>) {
    return subject.ops32(q);
  } else {
    return subject.ops64(q);
  }
}

/// Every target this machine runs, and the AVX-512 kernels emulated; says aloud what it leaves out.
template <class Body>
void for_each_subject(const Body& body) {
  for (const Target target : kAllTargets) {
    const std::string name(target_name(target));
    if (!target_available(target)) {
      std::printf("  skipped: target %s cannot run here (its kernels run on emulated lanes below)\n",
                  name.c_str());
      continue;
    }
    body(Subject{name, [target](std::uint64_t q) -> const RowOps& { return row_ops(target, q); },
                 [target](std::uint64_t q) -> const RowOps32& { return row_ops32(target, q); }});
  }
  const auto pick64 = [](const RowOps& below_2_50) {
    return [&below_2_50](std::uint64_t q) -> const RowOps& {
      return q == kGoldilocks ? row_ops(Target::scalar, q) : q >> 50 == 0 ? below_2_50 : kEmulated64;
    };
  };
  const auto pick32 = [](std::uint64_t q) -> const RowOps32& {
    return q >> 30 == 0 ? kEmulated30 : kEmulated32;
  };
  body(Subject{"emulated AVX-512", pick64(kEmulatedFp64), pick32});
  body(Subject{"emulated AVX-512-IFMA", pick64(kEmulated52), pick32});
}

template <class Word>
using Row = std::vector<Word>;

/// All six operations against plain wide arithmetic. Offset shifts the rows off alignment.
template <class Word>
void check_rows(const Subject& subject, std::uint64_t q, const Row<Word>& a, const Row<Word>& b,
                std::size_t offset) {
  const auto& ops = table<Word>(subject, q);
  const RowModulus m = make_row_modulus(q);
  const std::size_t count = a.size();
  constexpr Word kGuard = static_cast<Word>(0xABABABABABABABABu);
  Row<Word> x(offset + count, 0), y(offset + count, 0);
  std::copy(a.begin(), a.end(), x.begin() + static_cast<std::ptrdiff_t>(offset));
  std::copy(b.begin(), b.end(), y.begin() + static_cast<std::ptrdiff_t>(offset));
  const Word scalar = count == 0 ? Word{0} : b[count / 2];
  using Run = std::function<void(Word * out)>;
  using Definition = std::function<u128(u128 a, u128 b)>;
  const auto expect = [&](const char* name, const Run& run, const Definition& definition) {
    Row<Word> out(offset + count + 1, kGuard);
    if (std::string(name) == "multiply_accumulate") std::copy(y.begin(), y.end(), out.begin());
    run(out.data() + offset);
    for (std::size_t i = 0; i < count; ++i) {
      const u128 wide_a = a[i], wide_b = b[i];
      const Word expected = static_cast<Word>(definition(wide_a, wide_b) % q);
      if (out[offset + i] != expected) {
        testing::fail(__FILE__, __LINE__,
                      std::string(name) + " on " + subject.name + ", q = " + std::to_string(q) +
                          ", a = " + std::to_string(a[i]) + ", b = " + std::to_string(b[i]) + ": " +
                          std::to_string(out[offset + i]) + " != " + std::to_string(expected));
        return;
      }
    }
    NTTF_CHECK_EQ(out[offset + count], kGuard);
  };
  const Word* pa = x.data() + offset;
  const Word* pb = y.data() + offset;
  expect("add", [&](Word* out) { ops.add(m, pa, pb, out, count); }, [](u128 s, u128 t) { return s + t; });
  expect(
      "sub", [&](Word* out) { ops.sub(m, pa, pb, out, count); }, [q](u128 s, u128 t) { return s + q - t; });
  expect("negate", [&](Word* out) { ops.negate(m, pa, out, count); }, [q](u128 s, u128) { return q - s; });
  expect(
      "multiply", [&](Word* out) { ops.multiply(m, pa, pb, out, count); },
      [](u128 s, u128 t) { return s * t; });
  expect(
      "multiply_scalar", [&](Word* out) { ops.multiply_scalar(m, pa, scalar, out, count); },
      [scalar](u128 s, u128) { return s * scalar; });
  expect(
      "multiply_accumulate", [&](Word* out) { ops.multiply_accumulate(m, pa, pb, out, count); },
      [q](u128 s, u128 t) { return s * t % q + t; });
  expect(
      "multiply in place",
      [&](Word* out) {
        std::copy(pa, pa + count, out);
        ops.multiply(m, out, pb, out, count);
      },
      [](u128 s, u128 t) { return s * t; });
}

/// Sums of any number of products, terms apart by more than a row, with and without what was there, against
/// one product after the other; then of complex numbers.
template <class Word>
void check_sums(const Subject& subject, std::uint64_t q, testing::Rng& rng) {
  const auto& ops = table<Word>(subject, q);
  const RowModulus m = make_row_modulus(q);
  for (const std::size_t count : {1u, 7u, 8u, 34u}) {
    for (const std::size_t terms : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 9u}) {
      for (const bool largest : {true, false}) {
        const std::size_t stride = 2 * count + 3;
        Row<Word> a(terms * stride), b(terms * stride);
        for (Row<Word>* row : {&a, &b})
          for (Word& x : *row) x = static_cast<Word>(largest ? q - 1 : rng.below(q));
        for (const bool accumulate : {false, true}) {
          const Row<Word> before(2 * count, static_cast<Word>(q - 1));
          const auto compare = [&](std::size_t words, auto sum, auto product, auto add) {
            Row<Word> got(before), want(before);
            sum(m, a.data(), b.data(), stride, terms, got.data(), accumulate, words);
            for (std::size_t i = 0; i < terms; ++i)
              (accumulate || i != 0 ? add : product)(m, a.data() + i * stride, b.data() + i * stride,
                                                     want.data(), words);
            if (got != want)
              testing::fail(__FILE__, __LINE__,
                            subject.name + ": sum of " + std::to_string(terms) + " products modulo " +
                                std::to_string(q));
          };
          compare(count, ops.sum_of_products, ops.multiply, ops.multiply_accumulate);
          compare(2 * count, ops.complex_sum_of_products, ops.complex_multiply,
                  ops.complex_multiply_accumulate);
        }
      }
    }
  }
}

/// Residues at which quotient estimates are hardest: both ends, and pairs whose product is near a multiple of
/// q.
template <class Word>
void hard_pairs(std::uint64_t q, testing::Rng& rng, std::size_t count, Row<Word>& a, Row<Word>& b) {
  const std::uint64_t ends[] = {0, 1, q - 1, q - 2, q / 2, q / 2 + 1};
  for (const std::uint64_t s : ends) {
    for (const std::uint64_t t : ends) {
      a.push_back(static_cast<Word>(s % q));
      b.push_back(static_cast<Word>(t % q));
    }
  }
  // Both factors lie in the top 64th, where quotients that are rounded down lose most.
  for (int i = 0; i < 200; ++i) {
    a.push_back(static_cast<Word>(q - 1 - rng.below(q / 64 + 1)));
    b.push_back(static_cast<Word>(q - 1 - rng.below(q / 64 + 1)));
  }
  while (a.size() < count) {
    const std::uint64_t s = 1 + rng.below(q - 1);
    std::uint64_t t = rng.below(q);
    if (rng.below(2) == 0 && q != kGoldilocks) {
      const std::uint64_t near = rng.below(3);  // wanted product: -1, 0 or 1 modulo q, with s near the top
      const Modulus modulus(q);
      const std::uint64_t high = q - 1 - rng.below(q < 1000 ? q - 1 : 1000);
      if (high != 0 && is_prime(q)) {
        a.push_back(static_cast<Word>(high));
        b.push_back(static_cast<Word>(modulus.mul(modulus.inverse(high), near == 0 ? q - 1 : near - 1)));
        continue;
      }
      t = q - 1 - rng.below(q < 1000 ? q - 1 : 1000);
    }
    a.push_back(static_cast<Word>(s));
    b.push_back(static_cast<Word>(t));
  }
}

/// Moduli around each class limit, prime and composite, and one of every size.
std::vector<std::uint64_t> boundary_moduli(unsigned max_bits) {
  std::vector<std::uint64_t> moduli = {2, 3, 4, 5, 7, 8, 17, 255, 256, 257};
  for (unsigned bits = 5; bits <= max_bits; ++bits) {
    moduli.push_back(ntt_primes(1, bits, 1)[0]);
    moduli.push_back((std::uint64_t{1} << (bits - 1)) + 1);
  }
  for (const unsigned bits : {29u, 30u, 31u, 32u, 49u, 50u, 51u, 60u, 61u, 62u}) {
    if (bits > max_bits) continue;
    moduli.push_back((std::uint64_t{1} << bits) - 1);
    if (bits < max_bits) moduli.push_back(std::uint64_t{1} << bits);
    for (const std::uint64_t q : ntt_primes(1024, bits, 3)) moduli.push_back(q);
  }
  // 2^L - k with k^2 just below q: 2^(2L) / q = 2^L + k + k^2 / q is rounded down by almost one.
  for (const unsigned bits : {30u, 32u, 50u, 62u}) {
    if (bits > max_bits) continue;
    moduli.push_back((std::uint64_t{1} << bits) - (std::uint64_t{1} << (bits / 2)) + 1);
  }
  return moduli;
}

template <class Word>
void check_subject(const Subject& subject, unsigned max_bits) {
  testing::Rng rng;
  for (const std::uint64_t q : boundary_moduli(max_bits)) {
    Row<Word> a, b;
    hard_pairs<Word>(q, rng, 400, a, b);
    check_rows<Word>(subject, q, a, b, rng.below(3));
    check_sums<Word>(subject, q, rng);
  }
  // Every count around the vector widths, unaligned.
  const std::uint64_t q = ntt_primes(8, 30, 1)[0];
  for (std::size_t count = 0; count <= 40; ++count) {
    Row<Word> a, b;
    for (std::size_t i = 0; i < count; ++i) {
      a.push_back(static_cast<Word>(rng.below(q)));
      b.push_back(static_cast<Word>(rng.below(q)));
    }
    check_rows<Word>(subject, q, a, b, count % 4);
  }
}

template <class Word>
void check_exhaustively(const Subject& subject) {
  for (const std::uint64_t q : {2, 3, 4, 5, 7, 11, 13, 16, 17, 31, 32, 61, 64, 97}) {
    Row<Word> a, b;
    for (std::uint64_t s = 0; s < q; ++s) {
      for (std::uint64_t t = 0; t < q; ++t) {
        a.push_back(static_cast<Word>(s));
        b.push_back(static_cast<Word>(t));
      }
    }
    check_rows<Word>(subject, q, a, b, 0);
  }
}

}  // namespace

NTTF_TEST("row ops: every pair of residues for tiny moduli, every target") {
  for_each_subject([](const Subject& subject) {
    check_exhaustively<std::uint64_t>(subject);
    check_exhaustively<std::uint32_t>(subject);
  });
}

NTTF_TEST("row ops: 64-bit words, moduli around each class limit, every target") {
  for_each_subject([](const Subject& subject) { check_subject<std::uint64_t>(subject, 62); });
}

NTTF_TEST("row ops: 32-bit words, moduli around each class limit, every target") {
  for_each_subject([](const Subject& subject) { check_subject<std::uint32_t>(subject, 32); });
}

NTTF_TEST("row ops: Goldilocks") {
  for_each_subject([](const Subject& subject) {
    testing::Rng rng;
    Row<std::uint64_t> a, b;
    hard_pairs<std::uint64_t>(kGoldilocks, rng, 5000, a, b);
    check_rows<std::uint64_t>(subject, kGoldilocks, a, b, 1);
    check_sums<std::uint64_t>(subject, kGoldilocks, rng);
  });
}

NTTF_TEST("row ops: every limit of a class is real: just above it its kernels give wrong products") {
  const auto any_wrong = [](const auto& ops, std::uint64_t q, auto word) {
    using Word = decltype(word);
    testing::Rng rng(1);
    RowModulus m;
    m.q = q;
    const u128 ratio = ~u128{0} / q;
    m.ratio_low = static_cast<std::uint64_t>(ratio);
    m.ratio_high = static_cast<std::uint64_t>(ratio >> 64);
    m.ratio52 = static_cast<std::uint64_t>(ratio >> (78 - std::bit_width(q)));
    Row<Word> a(4096), b(4096), out(4096);
    for (Word& x : a) x = static_cast<Word>(q - 1 - rng.below(q / 8));
    for (Word& x : b) x = static_cast<Word>(q - 1 - rng.below(q / 8));
    a[0] = b[0] = static_cast<Word>(q - 1);
    ops.multiply(m, a.data(), b.data(), out.data(), out.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i] != wide_mul_mod(a[i], b[i], q)) return true;
    }
    return false;
  };
  const auto power = [](unsigned e) { return std::uint64_t{1} << e; };
  NTTF_CHECK(!any_wrong(kEmulated52, power(50) - 1, std::uint64_t{}));
  NTTF_CHECK(any_wrong(kEmulated52, power(50) + 1, std::uint64_t{}));
  NTTF_CHECK(!any_wrong(kEmulated64, power(62) - 1, std::uint64_t{}));
  NTTF_CHECK(any_wrong(kEmulated64, power(62) + 1, std::uint64_t{}));
  NTTF_CHECK(!any_wrong(kEmulated30, power(30) - 1, std::uint32_t{}));
  NTTF_CHECK(any_wrong(kEmulated30, power(31) - 1, std::uint32_t{}));  // sound to 2^30.5
  NTTF_CHECK(!any_wrong(kEmulatedFp64, power(50) - 1, std::uint64_t{}));
  NTTF_CHECK(
      any_wrong(kEmulatedFp64, power(53) + 1, std::uint64_t{}));  // sound to 2^51, see docs/bounds/barrett.md
}

NTTF_TEST("row ops: moduli out of range are refused") {
  NTTF_CHECK_THROWS(row_ops(Target::scalar, std::uint64_t{1} << 62), ParameterError, "need 2 <= q < 2^62");
  NTTF_CHECK_THROWS(row_ops(Target::scalar, 1), ParameterError, "q = 1");
  NTTF_CHECK_THROWS(make_row_modulus(0), ParameterError, "q = 0");
  NTTF_CHECK_THROWS(row_ops32(Target::scalar, std::uint64_t{1} << 32), ParameterError, "2 <= q < 2^32");
  NTTF_CHECK_THROWS(row_ops32(Target::scalar, 1), ParameterError, "2 <= q < 2^32");
  for (const Target target : kAllTargets) {
    if (!target_available(target))
      NTTF_CHECK_THROWS(row_ops(target, 97), UnsupportedError, "cannot run here");
  }
}
