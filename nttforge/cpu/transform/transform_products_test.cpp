// SPDX-License-Identifier: Apache-2.0
// The bounds of docs/bounds/butterfly64.md, butterfly32.md, ifma52.md and fp64.md, product by product, on one
// emulated lane.

#include <algorithm>
#include <bit>
#include <cmath>

#include "nttforge/cpu/lanes/lanes_emulated.hpp"
#include "nttforge/cpu/transform/transform_lanes_scalar.hpp"
#include "nttforge/ntt/kernels/fp64_butterfly.hpp"
#include "nttforge/ntt/kernels/products/products.hpp"
#include "nttforge/ntt/kernels/sixteen/short_products.hpp"
#include "nttforge/ntt/kernels/sixteen/sparse_butterflies.hpp"
#include "nttforge/ntt/kernels/sixteen/sparse_fp64.hpp"
#include "nttforge/ntt/testing.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

using One = cpu::LanesEmulated<1>;

template <class Product>
std::uint64_t product(std::uint64_t y, std::uint64_t w, std::uint64_t q, unsigned quotient_bits) {
  const auto quotient = static_cast<std::uint64_t>((static_cast<u128>(w) << quotient_bits) / q);
  const typename Product::Twiddle twiddle[1] = {Product::twiddle({w}, {quotient})};
  const typename Product::V in[1] = {{y}};
  typename Product::V out[1];
  Product::multiply(out, in, twiddle, Product::constants(q));
  return out[0][0];
}

/// Results are right and in [0, bound q); returns the largest result in units of q, rounded down.
template <class Product>
std::uint64_t check_product(std::uint64_t q, unsigned quotient_bits, std::uint64_t largest_y,
                            std::uint64_t bound) {
  Rng rng;
  std::uint64_t largest = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t w = i % 4 == 0 ? q - 1 - rng.below(4) : rng.below(q);
    const std::uint64_t y = i % 3 == 0   ? largest_y - rng.below(5)
                            : i % 3 == 1 ? rng.next() & largest_y
                                         : rng.below(q);
    const std::uint64_t t = product<Product>(y, w, q, quotient_bits);
    NTTF_CHECK_EQ(t % q, static_cast<std::uint64_t>(static_cast<u128>(y) * w % q));
    largest = std::max(largest, t / q);
  }
  NTTF_CHECK(largest < bound);
  return largest;
}

struct OneRotating : One {
  template <unsigned kCount>
  static Vec rotate_left(const Vec& v) {
    return {std::rotl(v[0], static_cast<int>(kCount))};
  }
};

using IfmaShoup = IfmaShoupProduct<OneRotating>;
using Exact = ShoupProduct<One>;
using Rough = RoughShoupProduct<One>;
using Swapped = SwappedShoupProduct<One>;
using Halves = HalvesProduct<One>;
using Ifma = IfmaProduct<One>;
using Real = Fp64Product<One>;

double real_product(double y, double w, double q) {
  const Real::Twiddle twiddle[1] = {{{w}, {w / q}}};
  const Real::V in[1] = {{y}};
  Real::V out[1];
  Real::multiply(out, in, twiddle, Real::constants(static_cast<std::uint64_t>(q)));
  return out[0][0];
}

/// The product y w in doubles, with its quotient computed from the product.
double real_product_of_values(double y, double w, double q) {
  const Real::ValueTwiddle twiddle[1] = {{{w}}};
  const Real::V in[1] = {{y}};
  Real::V out[1];
  Real::multiply(out, in, twiddle, Real::constants(static_cast<std::uint64_t>(q)));
  return out[0][0];
}

}  // namespace

NTTF_TEST("64-bit Shoup product: [0, 2q), and q is exceeded") {
  for (const unsigned bits : {30u, 50u, 61u, 62u}) {
    NTTF_CHECK_EQ(check_product<Exact>(largest_prime(1024, bits), 64, ~std::uint64_t{0}, 2),
                  std::uint64_t{1});
  }
}

NTTF_TEST(
    "products of halves: y < 2^62 -> (-q, q), right at the ends of y, of the quarters and below the limit of "
    "q") {
  Rng rng;
  const std::uint64_t limit = std::uint64_t{1} << 62;
  for (const unsigned bits : {20u, 30u, 33u, 50u, 59u, 60u}) {
    const std::uint64_t q = largest_prime(1024, bits);
    const Halves::Constants c = Halves::constants(q);
    double smallest = 0, largest = 0;
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t w = i % 4 == 0 ? q - 1 - rng.below(4) : rng.below(q);
      const std::uint64_t ends[] = {limit - 1, limit - (std::uint64_t{1} << 31), (std::uint64_t{1} << 31) - 1,
                                    0};
      const std::uint64_t y = i % 2 == 0 ? ends[i / 2 % 4] : rng.below(limit);
      const TwiddleEntry entry = Halves::entry(w, q);
      const Halves::Twiddle twiddle[1] = {Halves::twiddle({entry.value}, {entry.quotient})};
      const Halves::V in[1] = {{y}};
      Halves::V out[1], moved[1];
      Halves::multiply_centred(out, in, twiddle, c);
      Halves::multiply(moved, in, twiddle, c);
      NTTF_CHECK_EQ(moved[0][0], out[0][0] + q);
      NTTF_CHECK(moved[0][0] > 0 && moved[0][0] < 2 * q);
      NTTF_CHECK_EQ(moved[0][0] % q, static_cast<std::uint64_t>(static_cast<u128>(y) * w % q));
      smallest = std::min(smallest,
                          static_cast<double>(static_cast<std::int64_t>(out[0][0])) / static_cast<double>(q));
      largest = std::max(largest,
                         static_cast<double>(static_cast<std::int64_t>(out[0][0])) / static_cast<double>(q));
    }
    NTTF_CHECK(smallest < -0.5 && largest > 0.5);  // both signs occur: one bit less would not do
  }
}

NTTF_TEST("rough and swapped 64-bit Shoup products: [0, 4q), and 3q is exceeded") {
  std::uint64_t largest = 0, largest_swapped = 0;
  for (const unsigned bits : {30u, 50u, 60u, 61u}) {
    const std::uint64_t q = largest_prime(1024, bits);
    largest = std::max(largest, check_product<Rough>(q, 64, ~std::uint64_t{0}, 4));
    largest_swapped = std::max(largest_swapped, check_product<Swapped>(q, 64, ~std::uint64_t{0}, 4));
  }
  NTTF_CHECK_EQ(largest, std::uint64_t{3});
  NTTF_CHECK_EQ(largest_swapped, std::uint64_t{3});
}

NTTF_TEST("product by the fractional part: the residue itself for every q < 2^32") {
  using Fraction = FractionProduct<cpu::LanesFraction32>;
  const auto check = [](std::uint64_t y, std::uint64_t w, std::uint64_t q) {
    const auto fraction = static_cast<std::uint64_t>((static_cast<u128>(w) << 64) / q) + (w != 0 ? 1 : 0);
    const Fraction::Twiddle twiddle[1] = {Fraction::twiddle(fraction & 0xFFFFFFFFu, fraction >> 32)};
    const std::uint64_t in[1] = {y};
    std::uint64_t out[1];
    Fraction::multiply(out, in, twiddle, Fraction::constants(static_cast<std::uint32_t>(q)));
    NTTF_CHECK_EQ(out[0], y * w % q);
  };
  Rng rng;
  for (const std::uint64_t q : {2u, 3u, 97u, 1073741789u, 2147483647u, 4294967291u, 4294967295u}) {
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t w = i % 3 == 0 ? q - 1 : rng.below(q);
      const std::uint64_t y = i % 4 == 0   ? 0xFFFFFFFFu - rng.below(4)
                              : i % 4 == 1 ? q - 1
                                           : rng.below(0xFFFFFFFFu);
      check(y, w, q);
    }
  }
}

NTTF_TEST("64-bit Shoup product by 52-bit multiply-adds: [0, 4q), and 2q is exceeded") {
  Rng rng;
  std::uint64_t largest = 0;
  for (const unsigned bits : {10u, 30u, 50u, 60u, 61u}) {
    const std::uint64_t q = bits == 10 ? 769 : largest_prime(1024, bits);
    const auto c = IfmaShoup::constants(q);
    for (int i = 0; i < 100000; ++i) {
      // Small, large, any; and those whose quotient loses nearly one, or next to nothing, to rounding.
      const std::uint64_t kind = rng.below(3), any = 1 + rng.below(q - 1);
      const std::uint64_t w = kind == 0 ? 1 + rng.below(8) : kind == 1 ? q - 1 - rng.below(8) : any;
      const std::uint64_t y =
          i % 2 == 0 ? ~std::uint64_t{0} - rng.below(9) - (rng.below(3) << 32) : rng.next();
      const TwiddleEntry entry = IfmaShoup::entry(w, q);
      const IfmaShoup::Twiddle twiddle[1] = {IfmaShoup::twiddle({w}, {entry.quotient})};
      const IfmaShoup::V in[1] = {{y}};
      IfmaShoup::V out[1];
      IfmaShoup::multiply(out, in, twiddle, c);
      NTTF_CHECK(out[0][0] % q == static_cast<std::uint64_t>(u128{y} * w % q));
      largest = std::max(largest, out[0][0] / q);
    }
  }
  NTTF_CHECK(largest >= 2 && largest < 4);
}

NTTF_TEST("52-bit product: [0, 2q) for y < 2^52, wrong from y = 2^52 on") {
  constexpr std::uint64_t kTwo52 = std::uint64_t{1} << 52;
  for (const unsigned bits : {20u, 49u, 50u}) {
    const std::uint64_t q = largest_prime(64, bits);
    NTTF_CHECK_EQ(check_product<Ifma>(q, 52, kTwo52 - 1, 2), std::uint64_t{1});
    const std::uint64_t w = q / 3;
    NTTF_CHECK_EQ(product<Ifma>(kTwo52 - 1, w, q, 52) % q,
                  static_cast<std::uint64_t>(static_cast<u128>(kTwo52 - 1) * w % q));
    NTTF_CHECK(product<Ifma>(kTwo52, w, q, 52) % q !=
               static_cast<std::uint64_t>(static_cast<u128>(kTwo52) * w % q));
  }
}

NTTF_TEST("products in doubles: right, and within P(C) q for |y| <= C q, or P'(C) q by values alone") {
  Rng rng;
  for (const unsigned bits : {20u, 40u, 49u, 50u}) {
    const std::uint64_t q = largest_prime(64, bits);
    const double real_q = static_cast<double>(q);
    for (const double c : {1.0, 2.0, 2.8, 4.0, 4.2, 6.0, 8.0}) {
      const auto limit = static_cast<std::uint64_t>(c * real_q) - 8;
      for (int i = 0; i < 10000; ++i) {
        const std::uint64_t y = i % 2 == 0 ? limit - rng.below(7) : rng.below(limit);
        const std::uint64_t w = i % 3 == 0 ? q / 2 - rng.below(3) : rng.below(q / 2 + 1);
        const bool negative = rng.below(2) == 1;
        const double factor = negative ? -static_cast<double>(y) : static_cast<double>(y);
        const double r = real_product(factor, static_cast<double>(w), real_q);
        const double by_values = real_product_of_values(factor, static_cast<double>(w), real_q);
        const double rounding = c <= 1 ? 0x1p-5 : c <= 2 ? 0x1p-4 : c <= 4 ? 0x1p-3 : 0x1p-2;
        NTTF_CHECK(std::abs(r) <= (0.5 + c / 32 + rounding) * real_q);
        NTTF_CHECK(std::abs(by_values) <= (0.5 + c / 8 + rounding) * real_q);
        const auto residue = static_cast<std::uint64_t>(static_cast<u128>(y) * w % q);
        for (const double result : {r, by_values}) {
          const auto shifted = static_cast<std::int64_t>(result) + 2 * static_cast<std::int64_t>(q);
          NTTF_CHECK_EQ(static_cast<std::uint64_t>(shifted) % q, negative ? sub_any(0, residue, q) : residue);
        }
      }
    }
  }
}

NTTF_TEST("products of two values in doubles: right and small up to 2.23 q each, wrong at 8q each") {
  Rng rng;
  bool wrong_beyond = false;
  for (const unsigned bits : {20u, 49u, 50u}) {
    const std::uint64_t q = largest_prime(64, bits);
    const double real_q = static_cast<double>(q);
    const auto check = [&](double times) {
      const auto limit = static_cast<std::uint64_t>(times * real_q);
      const auto pick = [&] { return rng.below(2) == 0 ? limit - rng.below(3) : rng.below(limit); };
      const std::uint64_t a = pick(), b = pick();
      const double r = real_product_of_values(static_cast<double>(a), -static_cast<double>(b), real_q);
      const auto shifted = static_cast<std::int64_t>(r) + 4 * static_cast<std::int64_t>(q);
      return std::abs(r) <= 2.25 * real_q && static_cast<std::uint64_t>(shifted) % q ==
                                                 sub_any(0, static_cast<std::uint64_t>(u128{a} * b % q), q);
    };
    for (int i = 0; i < 10000; ++i) {
      NTTF_CHECK(check(2.23));
      wrong_beyond |= !check(8);
    }
  }
  NTTF_CHECK(wrong_beyond);
}

NTTF_TEST("words enter as factors: right modulo q, below 2^53, at both ends and for small q") {
  using Sparse = SparseFp64<One, Rounding::instruction>;
  for (const std::uint64_t q :
       {std::uint64_t{97}, largest_prime(64, 20), largest_prime(64, 49), largest_prime(64, 50)}) {
    const auto c = Sparse::Product::constants(q);
    for (const std::uint64_t word : {std::uint64_t{0}, std::uint64_t{1}, q / 2, q - 2, q - 1}) {
      const double v = Sparse::enter_factor({std::bit_cast<double>(word)}, c)[0];
      NTTF_CHECK(v >= 0x1p52 && v < 0x1p52 + 2 * static_cast<double>(q) && v < 0x1p53);
      NTTF_CHECK_EQ(static_cast<std::uint64_t>(v) % q, word);
      for (const double w : {1.0, -1.0, (static_cast<double>(q) - 1) / 2}) {
        const double t = real_product(v, w, static_cast<double>(q));
        NTTF_CHECK(std::abs(t) <= static_cast<double>(q));
        const auto residue = static_cast<std::uint64_t>(
            static_cast<u128>(word) * static_cast<std::uint64_t>(w < 0 ? static_cast<double>(q) + w : w) % q);
        NTTF_CHECK_EQ(
            static_cast<std::uint64_t>(static_cast<std::int64_t>(t) + static_cast<std::int64_t>(q)) % q,
            residue);
      }
    }
  }
}

NTTF_TEST("final reduction in doubles: right below 2q in size, not beyond") {
  using Sparse = SparseFp64<One, Rounding::instruction>;
  bool wrong_beyond = false;
  for (const unsigned bits : {20u, 40u, 49u, 50u}) {
    const std::uint64_t q = largest_prime(64, bits);
    const auto constants = Sparse::Product::constants(q);
    const auto signed_q = static_cast<std::int64_t>(q);
    for (std::int64_t multiple = -7; multiple <= 7; ++multiple) {
      for (std::int64_t near = -40; near <= 40; ++near) {
        const std::int64_t v = multiple * signed_q + near;
        const Sparse::V word = Sparse::reduce_forward({static_cast<double>(v)}, constants);
        const std::int64_t residue = (v % signed_q + signed_q) % signed_q;
        const bool right = std::bit_cast<std::uint64_t>(word[0]) == static_cast<std::uint64_t>(residue);
        if (std::abs(v) <= 2 * signed_q - 1) NTTF_CHECK(right);
        wrong_beyond |= !right;
      }
    }
  }
  NTTF_CHECK(wrong_beyond);
  const Sparse::V zero = Sparse::reduce_forward({-0.0}, Sparse::Product::constants(97));
  NTTF_CHECK_EQ(std::bit_cast<std::uint64_t>(zero[0]), std::uint64_t{0});
}

NTTF_TEST(
    "reduction of products in doubles: right below q in size, not beyond, and products are never -0.0") {
  using Sparse = SparseFp64<One, Rounding::instruction>;
  const auto word = [](double t, const Sparse::Constants& c) {
    return std::bit_cast<std::uint64_t>(Sparse::reduce_product({t}, c)[0]);
  };
  for (const unsigned bits : {20u, 40u, 49u, 50u}) {
    const std::uint64_t q = largest_prime(64, bits);
    const auto c = Sparse::Product::constants(q);
    const double real_q = static_cast<double>(q);
    for (std::uint64_t near = 0; near < 40; ++near) {
      for (const std::uint64_t v : {near, q - 1 - near, q / 2 + near}) {
        NTTF_CHECK_EQ(word(static_cast<double>(v), c), v);
        if (v != 0) NTTF_CHECK_EQ(word(-static_cast<double>(v), c), q - v);
      }
    }
    NTTF_CHECK_EQ(word(0.0, c), std::uint64_t{0});
    NTTF_CHECK(word(real_q, c) != 0 && word(-real_q - 1, c) != q - 1);
    for (const double y : {0.0, -0.0, real_q, -real_q, 2 * real_q, -2 * real_q, 6 * real_q, -6 * real_q}) {
      for (const double w : {1.0, -1.0, 3.0, -3.0, (real_q - 1) / 2, -(real_q - 1) / 2}) {
        const double t = real_product(y, w, real_q);
        NTTF_CHECK(t == 0 && !std::signbit(t));
      }
    }
  }
}

NTTF_TEST("last inverse butterflies in doubles: words in [0, q) from sums of 6q, the scale included") {
  using Sparse = SparseFp64<One, Rounding::instruction>;
  using Added = SparseFp64<One, Rounding::addition>;
  Rng rng;
  for (const unsigned bits : {20u, 49u, 50u}) {
    const std::uint64_t q = largest_prime(64, bits);
    const auto c = Sparse::Product::constants(q);
    const double real_q = static_cast<double>(q);
    for (int i = 0; i < 20000; ++i) {
      const auto entry = [&](std::uint64_t w) {
        const TwiddleEntry e = Sparse::Product::entry(w, q);
        return Sparse::Product::twiddle({std::bit_cast<double>(e.value)},
                                        {std::bit_cast<double>(e.quotient)});
      };
      const std::uint64_t w = rng.below(q), s = i % 3 == 0 ? q / 2 + rng.below(2) : rng.below(q);
      const auto value = [&](std::uint64_t kind) {  // |v| <= 3q, many at the ends
        const double size = kind == 0   ? 3 * real_q - 1
                            : kind == 1 ? real_q
                                        : static_cast<double>(rng.below(3 * q));
        return rng.below(2) == 0 ? size : -size;
      };
      const double a = value(rng.below(3)), b = value(rng.below(3));
      const auto residue = [&](double v) {
        const auto r = static_cast<std::int64_t>(v) % static_cast<std::int64_t>(q);
        return static_cast<std::uint64_t>(r < 0 ? r + static_cast<std::int64_t>(q) : r);
      };
      const auto check = [&](auto butterfly) {
        using Butterfly = decltype(butterfly);
        Sparse::V x[1] = {{a}}, y[1] = {{b}};
        const Sparse::Twiddle twiddle[1] = {entry(w)}, scale[1] = {entry(s)};
        Butterfly::inverse_last(x, y, twiddle, scale, c);
        NTTF_CHECK_EQ(std::bit_cast<std::uint64_t>(x[0][0]), mul_any(residue(a + b), s, q));
        NTTF_CHECK_EQ(std::bit_cast<std::uint64_t>(y[0][0]), mul_any(residue(a - b), w, q));
      };
      check(Sparse{});
      check(Added{});
    }
  }
}

NTTF_TEST("60-bit butterflies of halves keep [0, 4q) forward and [0, 2q) inverse, from the ends of both") {
  using Butterfly = HalvesButterfly<One>;
  Rng rng;
  for (const std::uint64_t q : {largest_prime(1024, 20), largest_prime(1024, 45), largest_prime(1024, 60)}) {
    const auto c = Butterfly::Product::constants(q);
    const auto pick = [&](std::uint64_t size) {
      const std::uint64_t near = rng.below(3), kind = rng.below(3);
      return kind == 0 ? near : kind == 1 ? size - 1 - near : rng.below(size);
    };
    const bool reduce[1] = {true};
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t w = pick(q), a = pick(4 * q), b = pick(4 * q), s = a / 2, t = b / 2;
      const TwiddleEntry entry = Butterfly::Product::entry(w, q);
      const Butterfly::Twiddle twiddle[1] = {Butterfly::Product::twiddle({entry.value}, {entry.quotient})};
      Butterfly::V x[1] = {{a}}, y[1] = {{b}};
      Butterfly::forward(x, y, twiddle, c, reduce);
      const std::uint64_t wb = mul_any(b % q, w, q);
      NTTF_CHECK(x[0][0] < 4 * q && y[0][0] < 4 * q);
      NTTF_CHECK_EQ(x[0][0] % q, add_any(a % q, wb, q));
      NTTF_CHECK_EQ(y[0][0] % q, sub_any(a % q, wb, q));
      NTTF_CHECK_EQ(Butterfly::reduce_forward(x[0], c)[0], x[0][0] % q);
      Butterfly::V u[1] = {{s}}, v[1] = {{t}};
      Butterfly::inverse(u, v, twiddle, c, reduce);
      NTTF_CHECK(u[0][0] < 2 * q && v[0][0] < 2 * q);
      NTTF_CHECK_EQ(u[0][0] % q, add_any(s % q, t % q, q));
      NTTF_CHECK_EQ(v[0][0] % q, mul_any(sub_any(s % q, t % q, q), w, q));
    }
  }
}
