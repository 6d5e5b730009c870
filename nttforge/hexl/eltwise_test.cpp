// SPDX-License-Identifier: Apache-2.0
#include "nttforge/hexl/eltwise.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/macros.hpp"
#include "nttforge/hexl/allocator.hpp"
#include "nttforge/ntt/testing.hpp"

using namespace nttforge;
using namespace nttforge::testing;
using namespace intel::hexl;

namespace {

constexpr std::size_t kCount = 37;
constexpr std::uint64_t kMost = ~std::uint64_t{0};

Words words_below(u128 end, Rng& rng) {
  Words x = {0, static_cast<std::uint64_t>(end - 1), static_cast<std::uint64_t>(end / 2)};
  while (x.size() < kCount)
    x.push_back(end >> 64 != 0 ? rng.next() : rng.below(static_cast<std::uint64_t>(end)));
  return x;
}

/// The call, out of place and over its first operand, against a definition word by word.
void expect(const std::string& what, const Words& a,
            const std::function<void(std::uint64_t*, const std::uint64_t*)>& run,
            const std::function<u128(std::size_t)>& definition) {
  Words in = a, out(a.size());
  run(out.data(), in.data());
  run(in.data(), in.data());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto expected = static_cast<std::uint64_t>(definition(i));
    if (out[i] != expected || in[i] != expected) {
      return fail(__FILE__, __LINE__,
                  what + ", word " + std::to_string(i) + ": " + std::to_string(out[i]) +
                      " != " + std::to_string(expected));
    }
  }
}

bool compares(CMPINT cmp, std::uint64_t x, std::uint64_t bound) {
  switch (cmp) {
    case CMPINT::EQ:
      return x == bound;
    case CMPINT::LT:
      return x < bound;
    case CMPINT::LE:
      return x <= bound;
    case CMPINT::FALSE:
      return false;
    case CMPINT::NE:
      return x != bound;
    case CMPINT::NLT:
      return x >= bound;
    case CMPINT::NLE:
      return x > bound;
    default:
      return true;
  }
}

const CMPINT kComparisons[] = {CMPINT::EQ, CMPINT::LT,  CMPINT::LE,  CMPINT::FALSE,
                               CMPINT::NE, CMPINT::NLT, CMPINT::NLE, CMPINT::TRUE};

}  // namespace

NTTF_TEST("hexl: sums, differences and products of any modulus, up to their limits") {
  Rng rng;
  for (const std::uint64_t q :
       {std::uint64_t{2}, std::uint64_t{10}, std::uint64_t{1} << 50, (std::uint64_t{1} << 61) - 2,
        (std::uint64_t{1} << 62) - 1, (std::uint64_t{1} << 63) - 1}) {
    const std::string at = ", q = " + std::to_string(q);
    const Words a = words_below(q, rng), b = words_below(q, rng);
    const auto n = a.size();
    expect(
        "EltwiseAddMod" + at, a, [&](auto* r, auto* x) { EltwiseAddMod(r, x, b.data(), n, q); },
        [&](std::size_t i) { return (u128{a[i]} + b[i]) % q; });
    expect(
        "EltwiseSubMod" + at, a, [&](auto* r, auto* x) { EltwiseSubMod(r, x, b.data(), n, q); },
        [&](std::size_t i) { return (u128{a[i]} + q - b[i]) % q; });
    for (const std::uint64_t s : {std::uint64_t{0}, q - 1, b[5]}) {
      expect(
          "EltwiseAddMod of a scalar" + at, a, [&](auto* r, auto* x) { EltwiseAddMod(r, x, s, n, q); },
          [&](std::size_t i) { return (u128{a[i]} + s) % q; });
      expect(
          "EltwiseSubMod of a scalar" + at, a, [&](auto* r, auto* x) { EltwiseSubMod(r, x, s, n, q); },
          [&](std::size_t i) { return (u128{a[i]} + q - s) % q; });
    }
    for (const std::uint64_t factor : {1u, 2u, 4u, 8u}) {
      const Words x = words_below(u128{factor} * q, rng), y = words_below(u128{factor} * q, rng);
      if (factor <= 4 && q >> 62 == 0) {
        expect(
            "EltwiseMultMod" + at, x, [&](auto* r, auto* v) { EltwiseMultMod(r, v, y.data(), n, q, factor); },
            [&](std::size_t i) { return u128{x[i] % q} * (y[i] % q) % q; });
      }
      if (q >> 61 != 0) continue;
      expect(
          "EltwiseFMAMod" + at, x,
          [&](auto* r, auto* v) { EltwiseFMAMod(r, v, y[7], y.data(), n, q, factor); },
          [&](std::size_t i) { return (u128{x[i] % q} * (y[7] % q) + y[i]) % q; });
      expect(
          "EltwiseFMAMod without arg3" + at, x,
          [&](auto* r, auto* v) { EltwiseFMAMod(r, v, y[8], nullptr, n, q, factor); },
          [&](std::size_t i) { return u128{x[i] % q} * (y[8] % q) % q; });
    }
  }
}

NTTF_TEST("hexl: reductions, every pair of factors and every size of modulus") {
  Rng rng;
  for (const std::uint64_t q :
       {std::uint64_t{2}, std::uint64_t{4}, std::uint64_t{12289}, (std::uint64_t{1} << 61) - 1,
        (std::uint64_t{1} << 62) - 57, (std::uint64_t{1} << 63) + 29, kMost}) {
    const std::string at = "EltwiseReduceMod, q = " + std::to_string(q);
    for (const std::uint64_t out : {1u, 2u}) {
      const Words any = words_below(u128{1} << 64, rng);
      expect(
          at, any, [&](auto* r, auto* x) { EltwiseReduceMod(r, x, any.size(), q, q, out); },
          [&](std::size_t i) { return any[i] % q; });
      for (const std::uint64_t in : {1u, 2u, 4u}) {
        if (in == q) continue;
        const Words x = words_below(std::min(u128{in} * q, u128{1} << 64), rng);
        expect(
            at, x, [&](auto* r, auto* v) { EltwiseReduceMod(r, v, x.size(), q, in, out); },
            [&](std::size_t i) {
              if (in <= out) return u128{x[i]};
              return u128{x[i]} % (u128{in} * q >> 64 != 0 ? q : u128{out} * q);
            });
      }
    }
  }
}

NTTF_TEST("hexl: conditional additions and subtractions, every comparison, bounds at the ends") {
  Rng rng;
  Words x = {0, 1, 2, 5, kMost, kMost - 1, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1};
  while (x.size() < kCount) x.push_back(rng.next());
  const Words bounds = {0, 1, 5, std::uint64_t{1} << 63, kMost - 1, kMost, x.back()};
  for (const CMPINT cmp : kComparisons) {
    NTTF_CHECK(Not(Not(cmp)) == cmp);
    for (const std::uint64_t bound : bounds) {
      for (const std::uint64_t v : x) NTTF_CHECK(compares(Not(cmp), v, bound) != compares(cmp, v, bound));
      const std::uint64_t diff = rng.next();
      expect(
          "EltwiseCmpAdd", x, [&](auto* r, auto* v) { EltwiseCmpAdd(r, v, x.size(), cmp, bound, diff); },
          [&](std::size_t i) { return u128{x[i]} + (compares(cmp, x[i], bound) ? diff : 0); });
      for (const std::uint64_t q :
           {std::uint64_t{2}, std::uint64_t{12289}, (std::uint64_t{1} << 60) - 93, kMost}) {
        expect(
            "EltwiseCmpSubMod, q = " + std::to_string(q), x,
            [&](auto* r, auto* v) { EltwiseCmpSubMod(r, v, x.size(), q, cmp, bound, diff % q); },
            [&](std::size_t i) {
              return (u128{x[i]} % q + q - (compares(cmp, x[i], bound) ? diff % q : 0)) % q;
            });
      }
    }
  }
}

NTTF_TEST("hexl: moduli and factors outside their ranges are refused, empty rows are not") {
  std::uint64_t x = 7;
  EltwiseAddMod(&x, &x, &x, 0, 17);
  EltwiseMultMod(&x, &x, &x, 0, 17, 1);
  NTTF_CHECK_THROWS(EltwiseAddMod(&x, &x, &x, 1, 1), ParameterError, "modulus = 1");
  NTTF_CHECK_THROWS(EltwiseSubMod(&x, &x, &x, 1, std::uint64_t{1} << 63), ParameterError, "2^63");
  NTTF_CHECK_THROWS(EltwiseMultMod(&x, &x, &x, 1, std::uint64_t{1} << 62, 1), ParameterError, "2^62");
  NTTF_CHECK_THROWS(EltwiseMultMod(&x, &x, &x, 1, 17, 8), ParameterError, "input_mod_factor = 8");
  NTTF_CHECK_THROWS(EltwiseFMAMod(&x, &x, 1, nullptr, 1, std::uint64_t{1} << 61, 1), ParameterError, "2^61");
  NTTF_CHECK_THROWS(EltwiseFMAMod(&x, &x, 1, nullptr, 1, 17, 3), ParameterError, "input_mod_factor = 3");
  NTTF_CHECK_THROWS(EltwiseReduceMod(&x, &x, 1, 0, 0, 1), ParameterError, "modulus = 0");
  NTTF_CHECK_THROWS(EltwiseReduceMod(&x, &x, 1, 17, 17, 4), ParameterError, "output_mod_factor = 4");
  NTTF_CHECK_THROWS(EltwiseReduceMod(&x, &x, 1, 17, 8, 1), ParameterError, "input_mod_factor = 8");
  NTTF_CHECK_THROWS(EltwiseCmpSubMod(&x, &x, 1, 1, CMPINT::EQ, 0, 0), ParameterError, "modulus = 1");
  NTTF_CHECK_EQ(x, std::uint64_t{7});
}

NTTF_TEST("hexl: aligned vectors, their allocators and what those have no memory for") {
  const AlignedVector64<std::uint64_t> x(5, 9);
  AlignedVector64<std::uint64_t> y = x, z = std::move(y);
  NTTF_CHECK(z == x);
  NTTF_CHECK_EQ(reinterpret_cast<std::uintptr_t>(z.data()) % 64, std::uintptr_t{0});
  struct Empty : AllocatorBase {
    void* allocate(std::size_t) override { return nullptr; }
    void deallocate(void*, std::size_t) override {}
  };
  const AlignedAllocator<std::uint64_t, 64> none(std::make_shared<Empty>()), malloc;
  NTTF_CHECK(none != malloc && malloc == (AlignedAllocator<std::uint64_t, 64>()));
  NTTF_CHECK_THROWS((AlignedVector64<std::uint64_t>(3, 0, none)), std::bad_alloc, "");
  AlignedAllocator<std::uint64_t, 64> copy = malloc;
  NTTF_CHECK_THROWS(copy.allocate(~std::size_t{0} / 8), std::bad_alloc, "");
}
