// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lanes whose doubles are worst cases, in units of q: what SparseFp64 and Fp64Product do to them says how
// large values can become, by the bounds of docs/bounds/fp64.md ("Sparse centring"). Tests only.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "nttforge/cpu/lanes/testing_lanes.hpp"
#include "nttforge/ntt/testing.hpp"

namespace nttforge::testing {
namespace {

const std::uint64_t kPrime = largest_prime(std::size_t{1} << 20, 50);
const double kReal = static_cast<double>(kPrime);

// clang-format off
/// What a double stands for. Words are integers of the same lanes.
enum class Kind : std::uint8_t {
  unknown,
  // In memory, and 2^52 and a multiple of q, beside which a word becomes a factor.
  word, word_offset, twiddle, quotient,
  // Constants; either 2^52 or 2^52 + q.
  q, inverse, half_inverse, two52, middle, choice,
  // |v| <= size q; 0 <= v <= size q; one that is only multiplied.
  value, natural, factor,
  // Steps of a product: y w, its quotient with an error of `size`, that quotient with 1.5 2^52 added, k with
  // |y w - k q| <= size q, y w - k q, the error of y w.
  product, estimate, added, whole, rest, low,
  // Steps of the final reduction: (v + 1/2) / q, its floor, v + 2^52, the word + 2^52.
  ratio, floored, raised, lowered
};
// clang-format on
struct Bound {
  Kind kind = Kind::unknown;
  double size = 0;
};

/// The largest of each kind that a transform met, in units of q.
struct Met {
  double value = 0;    ///< any sum or difference
  double factor = 0;   ///< y of a product
  double values = 0;   ///< twice the product of two values, as if one were a twiddle
  double added = 0;    ///< y of a product whose quotient is rounded by an addition
  double final = 0;    ///< what reduce_forward takes
  double product = 0;  ///< what reduce_product takes
  bool strange = false;
  bool within() const {
    return value <= 8 && factor <= 8 && values <= 10 && added <= 4 && final < 2 && product < 1 && !strange;
  }
};
Met met;

/// Up, by more than what doubles lose.
double up(double size) { return size + 0x1p-44; }
/// What the rounding of y v, |v| <= 1/2, moves it by.
double rounding(double size) { return std::bit_ceil(static_cast<unsigned>(std::ceil(size))) * 0x1p-5; }
Bound strange() {
  met.strange = true;
  return {};
}
bool is_value(Bound v) { return v.kind == Kind::value || v.kind == Kind::natural; }
Bound value(double size, Kind kind = Kind::value) {
  met.value = std::max(met.value, size);
  return {kind, up(size)};
}
/// A word in memory: kind, then the size in units of 2^-48, below 2^8.
std::uint64_t encode(Bound v) {
  return static_cast<std::uint64_t>(v.kind) << 56 |
         static_cast<std::uint64_t>(std::ceil(std::min(v.size, 200.0) * 0x1p48));
}
Bound decode(std::uint64_t word) {
  return {static_cast<Kind>(word >> 56),
          static_cast<double>(word & ((std::uint64_t{1} << 56) - 1)) * 0x1p-48};
}

struct BoundLanes : Emulated64<4> {
  using Real = Vec;  ///< encoded
  template <class Function, class... Vecs>
  static Vec each(const Function& function, const Vecs&... v) {
    return map([&](std::size_t i) { return encode(function(decode(v[i])...)); });
  }
  static Bound when(bool right, Kind kind, double size = 0) { return right ? Bound{kind, size} : strange(); }
  static Vec bits_to_real(Vec v) { return v; }
  static Vec real_to_bits(Vec v) { return v; }

  /// A word of the tables, q, or 2^52 and a multiple of q beside it.
  [[gnu::noinline]] static Vec broadcast(Word w) {
    const bool offset = w >> 52 == std::bit_cast<Word>(0x1p52) >> 52;
    const Word v = offset ? encode({Kind::word_offset, 0}) : w;
    return map([&](std::size_t) { return v; });
  }
  [[gnu::noinline]] static Vec real_broadcast(double v) {
    const Kind kind = v == kReal         ? Kind::q
                      : v == 1 / kReal   ? Kind::inverse
                      : v == 0.5 / kReal ? Kind::half_inverse
                      : v == 0x1p52      ? Kind::two52
                      : v == 0x1.8p52    ? Kind::middle
                                         : Kind::unknown;
    return map([&](std::size_t) { return encode({kind, 0}); });
  }

  [[gnu::noinline]] static Vec to_real(Vec v) {
    return each([](Bound w) { return w.kind == Kind::word ? value(1, Kind::natural) : strange(); }, v);
  }
  [[gnu::noinline]] static Vec add(Vec a, Vec b) {
    return each(
        [](Bound w, Bound o) {
          return when(w.kind == Kind::word && o.kind == Kind::word_offset, Kind::factor);
        },
        a, b);
  }
  [[gnu::noinline]] static Vec select_by_sign(Vec sign, Vec x, Vec y) {
    return each(
        [](Bound t, Bound if_negative, Bound otherwise) {
          met.product = std::max(met.product, t.size);
          return when(is_value(t) && if_negative.kind == Kind::choice && otherwise.kind == Kind::two52,
                      Kind::choice);
        },
        sign, x, y);
  }
  [[gnu::noinline]] static Vec bit_xor(Vec a, Vec b) {
    return each(
        [](Bound v, Bound bits) {
          return when(v.kind == Kind::lowered && bits.kind == Kind::two52, Kind::word);
        },
        a, b);
  }
  [[gnu::noinline]] static Vec real_add(Vec a, Vec b) { return each(sum, a, b); }
  [[gnu::noinline]] static Vec real_sub(Vec a, Vec b) { return each(difference, a, b); }
  [[gnu::noinline]] static Vec real_mul(Vec a, Vec b) { return each(times, a, b); }
  [[gnu::noinline]] static Vec real_fma(Vec a, Vec b, Vec c) { return each(times_plus, a, b, c); }
  [[gnu::noinline]] static Vec real_fms(Vec a, Vec b, Vec c) {
    return each(
        [](Bound y, Bound w, Bound high) {
          return when(times(y, w).kind == Kind::product && high.kind == Kind::product, Kind::low);
        },
        a, b, c);
  }
  [[gnu::noinline]] static Vec real_fnma(Vec a, Vec b, Vec c) {
    return each([](Bound k, Bound m, Bound v) { return m.kind == Kind::q ? less_multiple(k, v) : strange(); },
                a, b, c);
  }
  [[gnu::noinline]] static Vec real_round(Vec a) {
    return each([](Bound v) { return when(v.kind == Kind::estimate, Kind::whole, 0.5 + v.size); }, a);
  }
  [[gnu::noinline]] static Vec real_floor(Vec a) {
    return each([](Bound v) { return when(v.kind == Kind::ratio, Kind::floored); }, a);
  }

 private:
  static Bound sum(Bound a, Bound b) {
    if (a.kind == Kind::natural && b.kind == Kind::natural) return value(a.size + b.size, Kind::natural);
    if (is_value(a) && is_value(b)) return value(a.size + b.size);
    if (a.kind == Kind::rest && b.kind == Kind::low) return {Kind::value, a.size};
    if (a.kind == Kind::two52 && b.kind == Kind::q) return {Kind::choice, 0};
    if (is_value(a) && b.kind == Kind::two52) return {Kind::raised, 0};
    if (is_value(a) && b.kind == Kind::choice) return {Kind::lowered, 0};
    return strange();
  }
  static Bound difference(Bound a, Bound b) {
    if (a.kind == Kind::natural && b.kind == Kind::natural) return value(std::max(a.size, b.size));
    if (is_value(a) && is_value(b)) return value(a.size + b.size);
    if (a.kind == Kind::added && b.kind == Kind::middle) return {Kind::whole, 0.5 + a.size};
    return strange();
  }
  static Bound times(Bound a, Bound b) {
    if (a.kind == Kind::factor && b.kind == Kind::twiddle) return {Kind::product, 0};
    if (a.kind == Kind::factor && b.kind == Kind::quotient) return {Kind::estimate, 0.5};
    if (is_value(a) && is_value(b)) {
      met.values = std::max(met.values, 2 * a.size * b.size);
      return {Kind::product, 2 * a.size * b.size};
    }
    if (is_value(a) && b.kind == Kind::twiddle) {
      met.factor = std::max(met.factor, a.size);
      return {Kind::product, a.size};
    }
    if (is_value(a) && b.kind == Kind::quotient) {
      return {Kind::estimate, a.size / 32 + rounding(a.size)};
    }
    if (is_value(a) && b.kind == Kind::inverse) return {Kind::estimate, 0x1p-48};
    if (a.kind == Kind::product && b.kind == Kind::inverse) {
      return {Kind::estimate, a.size / 8 + rounding(a.size)};
    }
    return strange();
  }
  static Bound times_plus(Bound a, Bound b, Bound c) {
    if (!is_value(a)) return strange();
    if (b.kind == Kind::quotient && c.kind == Kind::middle) {
      met.added = std::max(met.added, a.size);
      return {Kind::added, a.size / 32};
    }
    if (b.kind == Kind::inverse && c.kind == Kind::middle) return {Kind::added, 0x1p-48};
    if (b.kind == Kind::inverse && c.kind == Kind::half_inverse) {
      met.final = std::max(met.final, a.size);
      return {Kind::ratio, 0};
    }
    return strange();
  }
  /// c - k q.
  static Bound less_multiple(Bound k, Bound c) {
    if (k.kind == Kind::whole && c.kind == Kind::product) return {Kind::rest, up(k.size)};
    if (k.kind == Kind::whole && is_value(c)) return value(k.size);
    if (k.kind == Kind::floored && c.kind == Kind::raised) return {Kind::lowered, 0};
    return strange();
  }
};

}  // namespace
}  // namespace nttforge::testing
