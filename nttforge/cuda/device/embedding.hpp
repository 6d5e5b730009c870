// SPDX-License-Identifier: Apache-2.0
#pragma once

// Messages of real numbers to integers and back (embedding/embedding.hpp), bit for bit: up to kMostLayers
// layers of butterflies in the registers of a thread.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "nttforge/arith/double_double.hpp"
#include "nttforge/cuda/device/operations.hpp"

namespace nttforge::cuda {

__extension__ using i128 = __int128;

template <class Real>
struct alignas(2 * sizeof(Real)) EmbeddedNumber {
  Real re, im;
};

template <class Real>
inline constexpr unsigned kMostLayers = std::is_same_v<Real, double> ? 4 : 3;

NTTF_HD double real_of(const DoubleDouble& x, double) { return x.hi; }
NTTF_HD DoubleDouble real_of(const DoubleDouble& x, const DoubleDouble&) { return x; }
NTTF_HD double upper_of(double x) { return x; }
NTTF_HD double upper_of(const DoubleDouble& x) { return x.hi; }

NTTF_HD std::uint64_t bits_of(double x) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}
NTTF_HD double double_of(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
#endif
}
inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
NTTF_HD double magnitude_of(double x) { return double_of(bits_of(x) & ~kSignBit); }

/// The nearest integer, ties to even.
NTTF_HD double whole_of(double x) {
  const double offset = double_of(bits_of(0x1p52) | (bits_of(x) & kSignBit));
  const double rounded = exact_add(exact_add(x, offset), -offset);
  return magnitude_of(x) < 0x1p52 ? rounded : x;
}

/// A whole number below 2^127.
NTTF_HD i128 integer_of(double x) {
  const std::uint64_t bits = bits_of(x), fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1075;
  u128 size = exponent == -1075 ? fraction : fraction | std::uint64_t{1} << 52;
  size = exponent >= 0 ? size << exponent : exponent > -64 ? size >> -exponent : 0;
  return static_cast<i128>(bits >> 63 != 0 ? u128{0} - size : size);
}

/// Below 2^126, which `inside` says; else 0.
NTTF_HD i128 rounded_integer(double x, bool inside) { return integer_of(whole_of(inside ? x : 0.0)); }
NTTF_HD i128 rounded_integer(const DoubleDouble& x, bool inside) {
  const double hi = whole_of(inside ? x.hi : 0.0);
  return integer_of(hi) + integer_of(whole_of(inside ? exact_add(exact_add(x.hi, -hi), x.lo) : 0.0));
}

/// To nearest, ties to even.
NTTF_HD double nearest_double(i128 x) {
  const u128 size = x < 0 ? u128{0} - static_cast<u128>(x) : static_cast<u128>(x);
  const auto high = static_cast<std::uint64_t>(size >> 64);
  double result;
  if (high == 0) {
    result = static_cast<double>(static_cast<std::uint64_t>(size));
  } else {
    unsigned shift = 0;
    while ((high << shift & kSignBit) == 0) ++shift;
    // What is behind 64 bits is one bit behind the 53 that stay.
    const u128 shifted = size << shift;
    const std::uint64_t sticky = static_cast<std::uint64_t>(shifted) != 0;
    result = exact_multiply(static_cast<double>(static_cast<std::uint64_t>(shifted >> 64) | sticky),
                            double_of(std::uint64_t{1023 + 64 - shift} << 52));
  }
  return x < 0 ? -result : result;
}
NTTF_HD void nearest_number(i128 x, double& to) { to = nearest_double(x); }
NTTF_HD void nearest_number(i128 x, DoubleDouble& to) {
  to.hi = nearest_double(x);
  to.lo = nearest_double(x - integer_of(to.hi));
}

template <bool kForward, class Real>
NTTF_HD void butterfly(EmbeddedNumber<Real>& a, EmbeddedNumber<Real>& b, const EmbeddedNumber<Real>& w) {
  using nttforge::add;
  using nttforge::multiply;
  if constexpr (kForward) {
    const Real x = add(multiply(b.re, w.re), -multiply(b.im, w.im));
    const Real y = add(multiply(b.re, w.im), multiply(b.im, w.re));
    b = {add(a.re, -x), add(a.im, -y)};
    a = {add(a.re, x), add(a.im, y)};
  } else {
    const Real x = add(a.re, -b.re), y = add(a.im, -b.im);
    a = {add(a.re, b.re), add(a.im, b.im)};
    b = {add(multiply(x, w.re), multiply(y, w.im)), add(multiply(y, w.re), -multiply(x, w.im))};
  }
}

/// Where the numbers of a thread are: 2^kLog of a message of 2^log_slots, 2^log_distance apart.
template <class Real, unsigned kLog, bool kForward>
struct EmbeddingLayers {
  using Number = EmbeddedNumber<Real>;
  static constexpr std::uint32_t kCount = std::uint32_t{1} << kLog;
  std::uint32_t log_slots, log_distance;
  const Number* roots;  ///< in the order of butterflies: those below node i are 2 i and 2 i + 1
  Number* numbers;      ///< [batch][slots]

  NTTF_HD std::uint32_t place(std::uint32_t column, std::uint32_t i) const {
    const std::uint32_t group = column >> log_distance;
    return (group << (log_distance + kLog)) + (column & ((1u << log_distance) - 1)) + (i << log_distance);
  }
  NTTF_HD void run(std::uint32_t column, Number* x) const {
    if constexpr (kLog != 0) run_layers(column, x);
  }

  NTTF_HD void run_layers(std::uint32_t column, Number* x) const {
    const std::uint32_t first = ((1u << log_slots) >> (log_distance + kLog)) + (column >> log_distance);
    NTTF_GPU_UNROLL
    for (unsigned step = 0; step < kLog; ++step) {
      const unsigned log_half = kForward ? kLog - 1 - step : step;
      const std::uint32_t half = 1u << log_half, nodes = kCount >> (log_half + 1);
      NTTF_GPU_UNROLL
      for (std::uint32_t i = 0; i < nodes; ++i) {
        const Number w = roots[first * nodes + i];
        NTTF_GPU_UNROLL
        for (std::uint32_t j = 2 * half * i; j < 2 * half * i + half; ++j)
          butterfly<kForward>(x[j], x[j + half], w);
      }
    }
  }
};

/// *at = max(*at, value).
NTTF_HD void raise_to(std::uint64_t* at, std::uint64_t value) {
#ifdef __CUDA_ARCH__
  auto most = static_cast<unsigned long long>(value);
  if (__activemask() == 0xFFFFFFFFu) {
    for (int distance = 16; distance > 0; distance /= 2) {
      const unsigned long long other = __shfl_xor_sync(0xFFFFFFFFu, most, distance);
      most = other > most ? other : most;
    }
    if (threadIdx.x % 32 != 0) return;
  }
  if (most != 0) atomicMax(reinterpret_cast<unsigned long long*>(at), most);
#else
  if (value > *at) *at = value;
#endif
}

/// A pass of an encoding. Rows: the batch; columns: slots / 2^kLog.
template <class Real, unsigned kLog>
struct EncodePass {
  using Layers = EmbeddingLayers<Real, kLog, false>;
  static constexpr unsigned kThreads = 64;
  Grid shape;
  Layers layers;
  bool first;
  // What the first pass reads.
  const double* values;
  const std::uint32_t* slot;  ///< of each place
  std::uint32_t length, parts;
  /// Bits of the largest absolute values of both parts, and whether a coefficient is not below 2^126.
  std::uint64_t* seen;

  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    typename Layers::Number x[Layers::kCount];
    typename Layers::Number* const numbers = layers.numbers + (std::size_t{row} << layers.log_slots);
    if (first) {
      read(row, column, x);
    } else {
      NTTF_GPU_UNROLL
      for (std::uint32_t i = 0; i < Layers::kCount; ++i) x[i] = numbers[layers.place(column, i)];
    }
    layers.run(column, x);
    NTTF_GPU_UNROLL
    for (std::uint32_t i = 0; i < Layers::kCount; ++i) numbers[layers.place(column, i)] = x[i];
  }

  NTTF_HD void read(std::uint32_t row, std::uint32_t column, typename Layers::Number* x) const {
    const double* const from = values + std::size_t{row} * length * parts;
    std::uint64_t real = 0, imaginary = 0;
    NTTF_GPU_UNROLL
    for (std::uint32_t i = 0; i < Layers::kCount; ++i) {
      const std::size_t at = slot[layers.place(column, i)];
      const double re = at < length ? from[at * parts] : 0,
                   im = at < length && parts == 2 ? from[2 * at + 1] : 0;
      x[i] = {real_of({re, 0}, Real{}), real_of({im, 0}, Real{})};
      const std::uint64_t size = bits_of(re) & ~kSignBit, other = bits_of(im) & ~kSignBit;
      real = size > real ? size : real;
      imaginary = other > imaginary ? other : imaginary;
    }
    raise_to(seen, real);
    raise_to(seen + 1, imaginary);
  }
};

/// Transformed numbers times a factor, rounded, to [batch][limbs][n]. Rows: batch.
template <class Word, class Real>
struct LiftNumbers {
  static constexpr unsigned kThreads = 64;
  Grid shape;
  RingRows ring;
  const EmbeddedNumber<Real>* numbers;
  Real factor;
  std::uint32_t log_slots;
  std::uint64_t* seen;
  Word* out;

  NTTF_HD void operator()(std::uint32_t member, std::uint32_t column) const {
    const std::uint32_t log_stride = shape.log_n - log_slots - 1, coefficient = column >> log_stride;
    Word* const to = out + (std::size_t{member} * ring.limbs << shape.log_n) + column;
    if (coefficient << log_stride != column) {
      for (std::uint32_t j = 0; j < ring.limbs; ++j) to[std::size_t{j} << shape.log_n] = 0;
      return;
    }
    const std::uint32_t place = coefficient & ((1u << log_slots) - 1);
    const EmbeddedNumber<Real>& number = numbers[(std::size_t{member} << log_slots) + place];
    const Real x = nttforge::multiply(coefficient == place ? number.re : number.im, factor);
    const bool inside = magnitude_of(upper_of(x)) < 0x1p126;
    if (!inside) seen[2] = 1;
    const i128 integer = rounded_integer(x, inside);
    const bool negative = integer < 0;
    const u128 size = negative ? u128{0} - static_cast<u128>(integer) : static_cast<u128>(integer);
    const auto low = static_cast<std::uint64_t>(size);
    const bool is_word = low == size;
    for (std::uint32_t j = 0; j < ring.limbs; ++j) {
      const Wide m = ring.of(j);
      const Word residue =
          is_word ? reduced_word(low, modulus_of<Word>(m)) : static_cast<Word>(reduce_wide(size, m));
      to[std::size_t{j} << shape.log_n] = negative ? opposite_mod(residue, static_cast<Word>(m.q)) : residue;
    }
  }
};

/// What SmallIntegers has, for primes that are not too many.
struct SmallIntegerConstants {
  static constexpr std::uint32_t kMost = 8;
  std::uint32_t count;
  Wide moduli[kMost];
  std::uint64_t inverses[kMost], products[kMost * (kMost - 1) / 2];
  u128 weights[kMost], product;

  template <class Load>
  NTTF_HD i128 centred(const Load& load) const {
    std::uint64_t digits[kMost];
    u128 value = 0;
    bool above = false;
    std::uint32_t at = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Wide& m = moduli[i];
      std::uint64_t known = 0;
      for (std::uint32_t j = 0; j < i; ++j) {
        known += wide_product(digits[j], products[at++], m);
        known = known >= m.q ? known - m.q : known;
      }
      const std::uint64_t residue = load(i);
      digits[i] = wide_product(residue >= known ? residue - known : residue + m.q - known, inverses[i], m);
      value += weights[i] * digits[i];
      const std::uint64_t half = (m.q - 1) / 2;
      above = digits[i] > half || (digits[i] == half && above);
    }
    return static_cast<i128>(above ? value - product : value);
  }
};

/// Phases [batch][limbs][n] as numbers that are to be transformed. Rows: batch; columns: 2 slots.
template <class Real>
struct ReadNumbers {
  static constexpr unsigned kThreads = 64;
  Grid shape;
  SmallIntegerConstants integers;
  ReadWords phase;
  std::size_t apart;  ///< words of an element
  std::uint32_t log_n;
  EmbeddedNumber<Real>* numbers;

  NTTF_HD void operator()(std::uint32_t row, std::uint32_t coefficient) const {
    const std::size_t at = row * apart + (std::size_t{coefficient} << (log_n - shape.log_n));
    const i128 integer =
        integers.centred([&](std::uint32_t j) { return phase[at + (std::size_t{j} << log_n)]; });
    const std::uint32_t slots = 1u << (shape.log_n - 1), place = coefficient & (slots - 1);
    EmbeddedNumber<Real>& number = numbers[(std::size_t{row} << (shape.log_n - 1)) + place];
    nearest_number(integer, coefficient == place ? number.re : number.im);
  }
};

/// A pass of a decoding. Rows: the batch; columns: slots / 2^kLog.
template <class Real, unsigned kLog>
struct DecodePass {
  using Layers = EmbeddingLayers<Real, kLog, true>;
  static constexpr unsigned kThreads = 64;
  Grid shape;
  Layers layers;
  // What the last pass writes: [batch][slots][2]; out is null in others.
  Real factor;
  bool real;
  const std::uint32_t* slot;
  double* out;

  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    typename Layers::Number x[Layers::kCount];
    typename Layers::Number* const numbers = layers.numbers + (std::size_t{row} << layers.log_slots);
    NTTF_GPU_UNROLL
    for (std::uint32_t i = 0; i < Layers::kCount; ++i) x[i] = numbers[layers.place(column, i)];
    layers.run(column, x);
    NTTF_GPU_UNROLL
    for (std::uint32_t i = 0; i < Layers::kCount; ++i) {
      const std::uint32_t place = layers.place(column, i);
      if (out == nullptr) {
        numbers[place] = x[i];
        continue;
      }
      double* const to = out + 2 * ((std::size_t{row} << layers.log_slots) + slot[place]);
      to[0] = upper_of(nttforge::multiply(x[i].re, factor));
      to[1] = real ? 0 : upper_of(nttforge::multiply(x[i].im, factor));
    }
  }
};

/// What is instantiated for cards.
#define NTTF_EMBEDDING_PASSES_OF(apply, Pass)                                                 \
  apply(Pass<double, 0>) apply(Pass<double, 1>) apply(Pass<double, 2>) apply(Pass<double, 3>) \
      apply(Pass<double, 4>) apply(Pass<DoubleDouble, 0>) apply(Pass<DoubleDouble, 1>)        \
          apply(Pass<DoubleDouble, 2>) apply(Pass<DoubleDouble, 3>)
#define NTTF_EMBEDDINGS(apply)                                                                          \
  NTTF_EMBEDDING_PASSES_OF(apply, EncodePass)                                                           \
  NTTF_EMBEDDING_PASSES_OF(apply, DecodePass)                                                           \
  apply(ReadNumbers<double>) apply(ReadNumbers<DoubleDouble>) apply(LiftNumbers<std::uint64_t, double>) \
      apply(LiftNumbers<std::uint32_t, double>) apply(LiftNumbers<std::uint64_t, DoubleDouble>)         \
          apply(LiftNumbers<std::uint32_t, DoubleDouble>)

}  // namespace nttforge::cuda
