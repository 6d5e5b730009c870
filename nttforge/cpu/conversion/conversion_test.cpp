// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "nttforge/cpu/conversion/conversion_testing.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge {
namespace {

using testing::Rng;

void say_skipped(Target target) {
  static unsigned said = 0;  // once per target
  if ((said >> static_cast<unsigned>(target) & 1) == 0)
    std::printf("        skipped: target %s cannot run here (its kernels run on emulated lanes)\n",
                std::string(target_name(target)).c_str());
  said |= 1u << static_cast<unsigned>(target);
}

// Calls body(name, kernels, narrow) for every table that can run here, and the emulated vector ones.
template <class Body>
void for_tables(const Body& body) {
  for (const Target target : kAllTargets) {
    if (!target_available(target)) {
      say_skipped(target);
      continue;
    }
    for (const bool narrow : {false, true})
      body(std::string(target_name(target)) + (narrow ? ", narrow" : ", wide"),
           conversion_kernels(target, narrow), narrow);
  }
  for (const testing::NamedKernels& table : testing::kEmulatedConversion)
    body(std::string(table.name), table.kernels, table.narrow);
}

// Moduli of a class: next to its limit, small, tiny, even.
std::vector<std::uint64_t> moduli(bool narrow) {
  const unsigned top = narrow ? kNarrowBits : kMaxModulusBits;
  return {(std::uint64_t{1} << top) - 1,
          ntt_primes(1024, top, 1)[0],
          ntt_primes(1024, 30, 1)[0],
          (std::uint64_t{1} << (top - 1)) + 1,
          3,
          2};
}

std::uint64_t value_limit(bool narrow) {
  return std::uint64_t{1} << (narrow ? kNarrowBits : kMaxModulusBits);
}

// Values below `bound`: the largest, zero, or random.
std::vector<std::uint64_t> values(Rng& rng, std::size_t count, std::uint64_t bound, int kind) {
  std::vector<std::uint64_t> result(count);
  for (std::uint64_t& v : result) v = kind == 0 ? bound - 1 : kind == 1 ? 0 : rng.below(bound);
  return result;
}

constexpr std::size_t kCounts[] = {1, 2, 7, 8, 9, 31, 67};
constexpr std::size_t kStride = 71;  // rows neither adjacent nor aligned

NTTF_TEST("conversion: scale is a product modulo q, for any input of the class") {
  Rng rng;
  for_tables([&](const std::string& name, const ConversionKernels& kernels, bool narrow) {
    for (const std::uint64_t q : moduli(narrow))
      for (const std::size_t count : kCounts)
        for (int kind = 0; kind < 3; ++kind) {
          std::vector<ScaleRow> rows;
          for (const std::uint64_t w : {q - 1, rng.below(q)})
            rows.push_back({make_shoup(w, q), make_row_modulus(q)});
          const std::vector<std::uint64_t> in = values(rng, 2 * kStride, q, kind);
          std::vector<std::uint64_t> out(2 * kStride, 7);
          kernels.scale(rows.data(), 2, in.data(), kStride, out.data(), kStride, count);
          bool right = true;
          for (std::size_t r = 0; r < 2; ++r) {
            for (std::size_t c = 0; c < count; ++c)
              right = right && out[r * kStride + c] ==
                                   Modulus(rows[r].modulus.q).mul(in[r * kStride + c], rows[r].w.value);
            for (std::size_t c = count; c < kStride; ++c) right = right && out[r * kStride + c] == 7;
          }
          if (!right) testing::fail(__FILE__, __LINE__, name + ": scale, q = " + std::to_string(q));
        }
  });
}

// What affine must give, by BigUint.
std::uint64_t affine_value(const AffineMap& map, std::size_t terms, const std::uint64_t* in,
                           const std::uint64_t* extra) {
  BigUint sum(map.offset);
  for (std::size_t i = 0; i < terms; ++i) sum += BigUint(in[i * kStride]) * map.coefficients[i];
  if (extra != nullptr) sum += BigUint(*extra) * map.coefficients[terms];
  return sum.mod(map.modulus.q);
}

void check_affine(const std::string& name, const ConversionKernels& kernels, bool narrow, std::uint64_t m,
                  std::size_t terms, std::size_t chunk, int kind, std::size_t count, Rng& rng) {
  for (const std::size_t map_count : {1, 2, 3, 5}) {
    std::vector<std::vector<std::uint64_t>> coefficients;
    std::vector<AffineMap> maps;
    for (std::size_t j = 0; j < map_count; ++j) {
      coefficients.push_back(values(rng, terms + 1, m, kind));
      maps.push_back({make_row_modulus(m), kind == 0 ? m - 1 : rng.below(m), coefficients[j].data()});
    }
    const std::vector<std::uint64_t> in = values(rng, (terms + 1) * kStride, value_limit(narrow), kind);
    const std::vector<std::uint64_t> extra = values(rng, map_count * kStride, value_limit(narrow), kind);
    for (const bool use_extra : {false, true}) {
      std::vector<std::uint64_t> out(map_count * kStride);
      kernels.affine(maps.data(), map_count, terms, chunk, in.data(), kStride,
                     use_extra ? extra.data() : nullptr, kStride, out.data(), kStride, count);
      bool right = true;
      for (std::size_t j = 0; j < map_count; ++j)
        for (std::size_t c = 0; c < count; c += std::max<std::size_t>(1, count / 9))
          right = right &&
                  out[j * kStride + c] == affine_value(maps[j], terms, in.data() + c,
                                                       use_extra ? extra.data() + j * kStride + c : nullptr);
      if (!right)
        testing::fail(__FILE__, __LINE__,
                      name + ": affine, m = " + std::to_string(m) + ", terms = " + std::to_string(terms) +
                          ", maps = " + std::to_string(map_count) + ", count = " + std::to_string(count));
    }
  }
}

NTTF_TEST("conversion: affine is the sum, at and around the longest sum without reduction") {
  Rng rng;
  for_tables([&](const std::string& name, const ConversionKernels& kernels, bool narrow) {
    const unsigned bits = narrow ? kNarrowBits : kMaxModulusBits;
    const std::size_t limit = longest_sum(kernels.sum_bits, bits, bits);
    NTTF_CHECK(limit >= 7);
    for (const std::uint64_t m : moduli(narrow))
      for (const std::size_t terms : {std::size_t{0}, std::size_t{1}, limit - 1, limit, limit + 1, 3 * limit})
        for (int kind = 0; kind < 3; ++kind)
          check_affine(name, kernels, narrow, m, terms, limit, kind, 67, rng);
    for (const std::size_t count : kCounts)
      check_affine(name, kernels, narrow, moduli(narrow)[1], 9, limit, 2, count, rng);
  });
}

// Sums of 4000 products need 2^112 (narrow) and 2^136, and a column of 52 bits 2^65: more than any of the
// sums or their reductions hold.
NTTF_TEST("conversion: sums of largest operands are right up to longest_sum and wrong far past it") {
  Rng rng;
  for_tables([&](const std::string& name, const ConversionKernels& kernels, bool narrow) {
    if (narrow && kernels.affine == conversion_kernels(Target::scalar, false).affine) return;  // 128-bit sums
    const unsigned bits = narrow ? kNarrowBits : kMaxModulusBits;
    const std::uint64_t m = value_limit(narrow) / 4 * 3 - 1;  // 2^52 mod m is large
    const std::size_t limit = longest_sum(kernels.sum_bits, bits, bits);
    const std::size_t terms = 4000;
    const std::vector<std::uint64_t> coefficients(terms, m - 1);
    std::vector<std::uint64_t> in(terms * kStride);
    for (std::uint64_t& v : in) v = value_limit(narrow) - 1 - rng.below(1000);
    const AffineMap map{make_row_modulus(m), m - 1, coefficients.data()};
    for (const std::size_t chunk : {limit - 1, limit, terms}) {
      std::vector<std::uint64_t> out(kStride);
      kernels.affine(&map, 1, terms, chunk, in.data(), kStride, nullptr, 0, out.data(), kStride, 16);
      bool right = true;
      for (std::size_t c = 0; c < 16; ++c)
        right = right && out[c] == affine_value(map, terms, in.data() + c, nullptr);
      if (right != (chunk <= limit))
        testing::fail(__FILE__, __LINE__,
                      name + ": chunk = " + std::to_string(chunk) + (right ? " right" : " wrong"));
    }
  });
  NTTF_CHECK_EQ(longest_sum(104, 49, 50), std::size_t{31});
  NTTF_CHECK_EQ(longest_sum(103, 50, 50), std::size_t{7});
  NTTF_CHECK_EQ(longest_sum(128, 62, 62), std::size_t{15});
  NTTF_CHECK_EQ(longest_sum(128, 50, 50), std::size_t{1023});
}

NTTF_TEST("conversion: affine modulo 2^32") {
  Rng rng;
  for_tables([&](const std::string& name, const ConversionKernels& kernels, bool narrow) {
    for (const std::size_t terms : {1, 2, 9, 20})
      for (const std::size_t count : kCounts)
        for (int kind = 0; kind < 3; ++kind) {
          std::vector<std::uint32_t> coefficients(terms);
          for (std::uint32_t& c : coefficients) c = kind == 0 ? ~0u : static_cast<std::uint32_t>(rng.next());
          const std::uint32_t offset = static_cast<std::uint32_t>(rng.next());
          const std::vector<std::uint64_t> in = values(rng, terms * kStride, value_limit(narrow), kind);
          std::vector<std::uint64_t> out(kStride, 7);
          kernels.affine_mod_2_32(coefficients.data(), offset, terms, in.data(), kStride, out.data(), count);
          bool right = true;
          for (std::size_t c = 0; c < count; ++c) {
            std::uint32_t expected = offset;
            for (std::size_t i = 0; i < terms; ++i)
              expected += coefficients[i] * static_cast<std::uint32_t>(in[i * kStride + c]);
            right = right && out[c] == expected;
          }
          right = right && out[count] == 7;
          if (!right)
            testing::fail(__FILE__, __LINE__, name + ": modulo 2^32, terms = " + std::to_string(terms));
        }
  });
}

/// What fixed_point must give.
std::uint64_t fixed_point_value(const std::vector<std::uint64_t>& fractions, unsigned bits, bool nearest,
                                const std::uint64_t* in) {
  BigUint sum;
  for (std::size_t i = 0; i < fractions.size(); ++i) sum += BigUint(in[i * kStride]) * fractions[i];
  if (nearest)
    sum += BigUint::from_words(std::vector<std::uint64_t>{bits > 64 ? 0 : std::uint64_t{1} << (bits - 1),
                                                          bits > 64 ? std::uint64_t{1} << (bits - 65) : 0});
  const BigUint result = sum.shifted_right(bits);
  return result.is_zero() ? 0 : result.words()[0];
}

NTTF_TEST("conversion: fixed point is the floor of the whole sum, also next to an integer") {
  Rng rng;
  for_tables([&](const std::string& name, const ConversionKernels& kernels, bool narrow) {
    const unsigned word = narrow ? kNarrowBits : kMaxModulusBits;
    for (const std::size_t terms : {1, 2, 15, 40})
      for (const std::size_t count : kCounts)
        for (int kind = 0; kind < 3; ++kind)
          for (const bool nearest : {false, true}) {
            // Sums stay below 2^127, and results below the limit of the class.
            const unsigned value_bits = narrow ? word : 60, most = 2 * value_bits + 6;
            const unsigned bits = std::max(kernels.fixed_point_bits + 1, most - value_bits + 2);
            const auto below = std::uint64_t{1} << value_bits;
            std::vector<std::uint64_t> fractions = values(rng, terms, below, kind);
            std::vector<std::uint64_t> in = values(rng, terms * kStride, below, kind);
            if (kind == 2) {  // an integer plus a half, and one unit below it
              fractions.assign(terms, std::uint64_t{1} << (value_bits - 1));
              for (std::size_t c = 0; c < count; ++c) in[c] = c % 2 == 0 ? below / 2 : below / 2 - 1;
            }
            std::vector<std::uint64_t> out(kStride, 7);
            kernels.fixed_point(fractions.data(), bits, nearest, terms, in.data(), kStride, out.data(),
                                count);
            bool right = out[count] == 7;
            for (std::size_t c = 0; c < count; ++c)
              right = right && out[c] == fixed_point_value(fractions, bits, nearest, in.data() + c);
            if (!right)
              testing::fail(__FILE__, __LINE__,
                            name + ": fixed point, terms = " + std::to_string(terms) +
                                ", bits = " + std::to_string(bits) + ", count = " + std::to_string(count));
          }
  });
}

NTTF_TEST("conversion: dot_pair, tensor and reduce") {
  Rng rng;
  for_tables([&](const std::string& name, const ConversionKernels& kernels, bool narrow) {
    const unsigned bits = narrow ? kNarrowBits : kMaxModulusBits;
    const std::size_t limit = longest_sum(kernels.sum_bits, bits, bits);
    for (const std::uint64_t q : moduli(narrow))
      for (const std::size_t count : kCounts)
        for (int kind = 0; kind < 3; ++kind) {
          const RowModulus m = make_row_modulus(q);
          bool right = true;
          for (const std::size_t terms : {std::size_t{1}, std::size_t{9}, limit, limit + 1, 2 * limit + 3}) {
            const std::vector<std::uint64_t> a = values(rng, terms * kStride, q, kind);
            const std::vector<std::uint64_t> b = values(rng, 2 * terms * kStride, q, kind);
            // The sum that stands in out counts as the one summand below m beside the longest sum.
            const bool accumulate = (terms + count) % 2 == 0;
            std::vector<std::uint64_t> out(2 * kStride, accumulate ? q - 1 : q);
            std::vector<std::uint64_t> of_short = out;
            kernels.dot_pair(m, terms, limit, a.data(), kStride, b.data(), 2 * kStride, kStride, out.data(),
                             kStride, accumulate, count);
            if (q >> 32 == 0) {
              const std::vector<std::uint32_t> short_b(b.begin(), b.end());
              kernels.dot_pair32(m, terms, limit, a.data(), kStride, short_b.data(), 2 * kStride, kStride,
                                 of_short.data(), kStride, accumulate, count);
              right = right && of_short == out;
            }
            for (std::size_t p = 0; p < 2; ++p)
              for (std::size_t c = 0; c < count; c += std::max<std::size_t>(1, count / 5)) {
                BigUint sum(accumulate ? q - 1 : 0);
                for (std::size_t i = 0; i < terms; ++i)
                  sum += BigUint(a[i * kStride + c]) * b[(2 * i + p) * kStride + c];
                right = right && out[p * kStride + c] == sum.mod(q);
              }
            right = right && out[count] == (accumulate ? q - 1 : q);
          }
          const std::vector<std::uint64_t> a = values(rng, 2 * kStride, q, kind),
                                           b = values(rng, 2 * kStride, q, kind);
          const std::vector<std::uint64_t> before = values(rng, 3 * kStride, q, kind);
          for (const bool accumulate : {false, true}) {
            std::vector<std::uint64_t> out = before;
            kernels.tensor(m, a.data(), kStride, b.data(), kStride, out.data(), kStride, accumulate, count);
            for (std::size_t c = 0; c < count; ++c) {
              const Modulus f(m.q);
              const std::uint64_t a0 = a[c], a1 = a[kStride + c], b0 = b[c], b1 = b[kStride + c];
              const std::uint64_t expected[] = {f.mul(a0, b0), f.add(f.mul(a0, b1), f.mul(a1, b0)),
                                                f.mul(a1, b1)};
              for (std::size_t p = 0; p < 3; ++p)
                right = right && out[p * kStride + c] ==
                                     (accumulate ? f.add(expected[p], before[p * kStride + c]) : expected[p]);
            }
          }
          const std::uint64_t bound = narrow ? std::uint64_t{1} << 52 : value_limit(false);
          std::vector<std::uint64_t> x = values(rng, count, bound, kind);
          std::vector<std::uint64_t> out = x;
          kernels.reduce(m, out.data(), out.data(), count);
          for (std::size_t c = 0; c < count; ++c) right = right && out[c] == x[c] % q;
          if (!right)
            testing::fail(__FILE__, __LINE__,
                          name + ": q = " + std::to_string(q) + ", count = " + std::to_string(count));
        }
  });
}

NTTF_TEST("conversion: add_signed over its whole range, with and without addend, in place") {
  Rng rng;
  for_tables([&](const std::string& name, const ConversionKernels& kernels, bool narrow) {
    for (const std::uint64_t q : moduli(narrow))
      for (const std::size_t count : kCounts) {
        const auto magnitude = values(rng, count, q, 0), addend = values(rng, count, q, 0);
        std::vector<std::int64_t> small(count);
        for (std::size_t c = 0; c < count; ++c) {
          const std::int64_t edges[] = {static_cast<std::int64_t>(q - 1), -static_cast<std::int64_t>(q - 1),
                                        0, static_cast<std::int64_t>(magnitude[c]),
                                        -static_cast<std::int64_t>(magnitude[c])};
          small[c] = edges[c % 5];
        }
        std::vector<std::uint64_t> lifted(count), sum = addend;
        kernels.add_signed(q, small.data(), nullptr, lifted.data(), count);
        kernels.add_signed(q, small.data(), sum.data(), sum.data(), count);
        bool right = true;
        for (std::size_t c = 0; c < count; ++c) {
          const std::uint64_t expected =
              static_cast<std::uint64_t>(small[c] < 0 ? small[c] + static_cast<std::int64_t>(q) : small[c]);
          right = right && lifted[c] == expected && sum[c] == Modulus(q).add(addend[c], expected);
        }
        if (!right)
          testing::fail(__FILE__, __LINE__,
                        name + ": q = " + std::to_string(q) + ", count = " + std::to_string(count));
      }
  });
}

/// A permutation of words within and between blocks, as automorphisms of transformed rows are.
std::vector<std::uint32_t> block_index(std::size_t blocks) {
  std::vector<std::uint32_t> index(blocks * kGatherBlock);
  for (std::uint32_t i = 0; i < index.size(); ++i) {
    const std::size_t block = (i / kGatherBlock * 3 + 1) % blocks;
    index[i] = static_cast<std::uint32_t>(block * kGatherBlock + (i * 5 + i / kGatherBlock) % kGatherBlock);
  }
  return index;
}

NTTF_TEST("conversion: gather_blocks moves words between and within blocks") {
  Rng rng;
  for_tables([&](const std::string& name, const ConversionKernels& kernels, bool) {
    for (const std::size_t blocks : {1, 2, 5, 64}) {
      const std::vector<std::uint32_t> index = block_index(blocks);
      const std::size_t n = index.size();
      std::vector<std::uint64_t> in(n), out(n, 7), expected(n);
      for (std::uint64_t& x : in) x = rng.next();
      for (std::size_t i = 0; i < n; ++i) expected[i] = in[index[i]];
      kernels.gather_blocks(index.data(), in.data(), out.data(), n);
      if (out != expected)
        testing::fail(__FILE__, __LINE__, name + ": gather_blocks, n = " + std::to_string(n));
    }
  });
}

NTTF_TEST("conversion: dot_pair_picked is dot_pair of gathered rows") {
  Rng rng;
  for_tables([&](const std::string& name, const ConversionKernels& kernels, bool narrow) {
    if (kernels.dot_pair_picked == nullptr) return;
    const unsigned bits = narrow ? kNarrowBits : kMaxModulusBits;
    const std::size_t limit = longest_sum(kernels.sum_bits, bits, bits);
    for (const std::uint64_t q : moduli(narrow))
      for (const std::size_t blocks : {1, 5, 17, 64})
        for (const std::size_t terms : {std::size_t{1}, std::size_t{9}, limit + 1}) {
          const auto index = block_index(blocks);
          const std::size_t n = index.size();
          const auto m = make_row_modulus(q);
          const auto a = values(rng, terms * n, q, 0), b = values(rng, 2 * terms * n, q, 0);
          std::vector<std::uint64_t> gathered(terms * n), expected(2 * n, q), out(2 * n, q);
          for (std::size_t i = 0; i < terms; ++i)
            kernels.gather_blocks(index.data(), a.data() + i * n, gathered.data() + i * n, n);
          const std::uint64_t* y = b.data();
          kernels.dot_pair(m, terms, limit, gathered.data(), n, y, 2 * n, n, expected.data(), n, false, n);
          kernels.dot_pair_picked(m, terms, limit, a.data(), n, index.data(), y, 2 * n, n, out.data(), n, n);
          if (out != expected)
            testing::fail(__FILE__, __LINE__, name + ": dot_pair_picked, q = " + std::to_string(q));
          if (q >> 32 != 0) continue;
          const std::vector<std::uint32_t> short_b(b.begin(), b.end());
          out.assign(2 * n, q);
          kernels.dot_pair_picked32(m, terms, limit, a.data(), n, index.data(), short_b.data(), 2 * n, n,
                                    out.data(), n, n);
          if (out != expected)
            testing::fail(__FILE__, __LINE__, name + ": dot_pair_picked32, q = " + std::to_string(q));
        }
  });
}

NTTF_TEST("conversion: automorphism by definition, from n = 1 on") {
  Rng rng;
  for_tables([&](const std::string& name, const ConversionKernels& kernels, bool narrow) {
    for (const std::uint64_t q : moduli(narrow))
      for (const std::size_t n : {1, 2, 4, 8, 16, 1024}) {
        const Modulus modulus(q);
        const auto in = values(rng, n, q, 2);
        const std::uint64_t mask = 2 * n - 1, element = (2 * rng.below(n) + 1) & mask;
        std::uint64_t inverse = 1;
        while ((inverse * element & mask) != (1 & mask)) inverse += 2;
        std::vector<std::uint64_t> expected(n), out(n);
        for (std::size_t i = 0; i < n; ++i) {
          const std::uint64_t power = i * element & mask;
          expected[power & (n - 1)] = power < n ? in[i] : modulus.negate(in[i]);
        }
        kernels.automorphism(q, n, inverse, in.data(), out.data());
        if (out != expected)
          testing::fail(__FILE__, __LINE__,
                        name + ": automorphism, q = " + std::to_string(q) + ", n = " + std::to_string(n));
      }
  });
}

}  // namespace
}  // namespace nttforge
