// SPDX-License-Identifier: Apache-2.0
// Compiled without contraction (cmake/targets.cmake).
#include "nttforge/embedding/embedding.hpp"

#include <bit>
#include <cmath>
#include <string>

#include "nttforge/arith/complex_roots.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/ntt/order.hpp"

namespace nttforge {
namespace {

constexpr std::size_t kMaxSlots = std::size_t{1} << 16;
constexpr double kLimit = 0x1p126;

/// Real and imaginary parts: messages are secrets.
template <class T>
struct Parts {
  explicit Parts(std::size_t size) : re(size), im(size) {}
  SecretVector<T> re, im;
};

template <class T>
T number(const DoubleDouble& x) {
  if constexpr (std::is_same_v<T, double>)
    return x.hi;
  else
    return x;
}
double to_double(double x) { return x; }
double to_double(const DoubleDouble& x) { return x.hi; }

/// The roots of a transform modulo X^size - i in the order of its butterflies: at 2^d + k, for node k of
/// depth d, exp(2 pi i (1 + 4 bitrev_d(k)) / 2^(d + 3)); the first is unused. size: a power of two.
std::vector<ComplexRoot> roots_of_butterflies(std::size_t size) {
  const auto depths = static_cast<unsigned>(std::countr_zero(size)), order_bits = depths + 2;
  std::vector<std::uint64_t> exponents(size);
  for (unsigned d = 0; d < depths; ++d)
    for (std::uint64_t k = 0; k < std::uint64_t{1} << d; ++k)
      exponents[(std::size_t{1} << d) + k] = (1 + 4 * bit_reverse(k, d)) << (order_bits - d - 3);
  return complex_roots(exponents, order_bits);
}

/// (x, y) -> (x + w y, x - w y) from depth 0 on: coefficients -> values modulo X^size - i.
template <class T>
void forward(Parts<T>& p, std::span<const DoubleDouble> cosines, std::span<const DoubleDouble> sines) {
  const std::size_t size = p.re.size();
  for (std::size_t nodes = 1; nodes < size; nodes *= 2) {
    const std::size_t half = size / (2 * nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
      const T c = number<T>(cosines[nodes + node]), s = number<T>(sines[nodes + node]);
      T *re = p.re.data() + 2 * half * node, *im = p.im.data() + 2 * half * node;
      for (std::size_t j = 0; j < half; ++j) {
        const T x = add(multiply(re[j + half], c), -multiply(im[j + half], s));
        const T y = add(multiply(re[j + half], s), multiply(im[j + half], c));
        re[j + half] = add(re[j], -x);
        im[j + half] = add(im[j], -y);
        re[j] = add(re[j], x);
        im[j] = add(im[j], y);
      }
    }
  }
}

/// (x, y) -> (x + y, (x - y) conj(w)) up to depth 0: values -> size times the coefficients.
template <class T>
void inverse(Parts<T>& p, std::span<const DoubleDouble> cosines, std::span<const DoubleDouble> sines) {
  const std::size_t size = p.re.size();
  for (std::size_t nodes = size / 2; nodes > 0; nodes /= 2) {
    const std::size_t half = size / (2 * nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
      const T c = number<T>(cosines[nodes + node]), s = number<T>(sines[nodes + node]);
      T *re = p.re.data() + 2 * half * node, *im = p.im.data() + 2 * half * node;
      for (std::size_t j = 0; j < half; ++j) {
        const T x = add(re[j], -re[j + half]), y = add(im[j], -im[j + half]);
        re[j] = add(re[j], re[j + half]);
        im[j] = add(im[j], im[j + half]);
        re[j + half] = add(multiply(x, c), multiply(y, s));
        im[j + half] = add(multiply(y, c), -multiply(x, s));
      }
    }
  }
}

/// The nearest integer, ties to even: behind the point nothing is left of a sum in [2^52, 2^53).
double whole(double x) {
  const double offset = std::copysign(0x1p52, x);
  const double rounded = (x + offset) - offset;
  return std::abs(x) < 0x1p52 ? rounded : x;
}

/// Only the magnitude that was reached is told, as whether it passes the limit.
struct RoundedCoefficient {
  Coefficient value = 0;
  bool inside = false;
};

RoundedCoefficient rounded(double x) {
  const bool inside = std::abs(x) < kLimit;
  return {static_cast<Coefficient>(inside ? whole(x) : 0.0), inside};
}

RoundedCoefficient rounded(const DoubleDouble& x) {
  const bool inside = std::abs(x.hi) < kLimit;
  const double hi = inside ? whole(x.hi) : 0.0;
  return {static_cast<Coefficient>(hi) + static_cast<Coefficient>(whole(inside ? (x.hi - hi) + x.lo : 0.0)),
          inside};
}

/// To nearest, ties to even, as the conversion of the compiler's library rounds; constant time.
DoubleDouble nearest(Coefficient x) {
  const double hi = static_cast<double>(x);
  return {hi, static_cast<double>(x - static_cast<Coefficient>(hi))};
}

bool is_wide(const DoubleDouble& scale) { return scale.hi >= kDoubleDoubleScale; }

void require_size(std::size_t size, std::size_t wanted, const char* what) {
  if (size != wanted)
    throw SizeError(std::string(what) + " has " + std::to_string(size) + " elements, need " +
                    std::to_string(wanted));
}

}  // namespace

void require_scale(const DoubleDouble& scale, double most) {
  if (!(scale.hi > 0 && scale.hi <= most))
    throw ParameterError("scale = " + std::to_string(scale.hi) + " is out of range (0, 2^" +
                         std::to_string(std::ilogb(most)) + "]");
}

void require_encoded(bool finite, bool inside, const DoubleDouble& scale) {
  if (!finite)
    throw ParameterError(
        "values: NaN or infinity cannot be encoded; every part of every value must be finite");
  if (!inside)
    throw ParameterError("values times scale = " + std::to_string(scale.hi) +
                         " reach 2^126: take smaller values or a smaller scale");
}

Coefficient scaled_coefficient(double value, const DoubleDouble& scale) {
  return rounded(multiply(DoubleDouble{value, 0}, scale)).value;
}

double unscaled_coefficient(Coefficient coefficient, const DoubleDouble& scale) {
  return multiply(nearest(coefficient), reciprocal(scale)).hi;
}

Embedding::Embedding(std::size_t slots) {
  if (!std::has_single_bit(slots) || slots > kMaxSlots)
    throw ParameterError("slots = " + std::to_string(slots) + " must be a power of two in [1, " +
                         std::to_string(kMaxSlots) + "]");
  for (const ComplexRoot& root : roots_of_butterflies(slots)) {
    cosines_.push_back(root.re);
    sines_.push_back(root.im);
  }
  const auto bits = static_cast<unsigned>(std::countr_zero(slots));
  for (std::uint64_t i = 0, exponent = 1; i < slots; ++i, exponent = 5 * exponent % (4 * slots))
    places_.push_back(static_cast<std::uint32_t>(bit_reverse((exponent - 1) / 4, bits)));
  if (!has_rows()) return;
  const std::size_t rows = slots / kEmbeddingLanes;
  slot_of_row_.resize(slots);
  for (std::size_t i = 0; i < slots; ++i)
    slot_of_row_[places_[i] % rows * kEmbeddingLanes + places_[i] / rows] = static_cast<std::uint32_t>(i);
  roots_of_rows_ = AlignedBuffer<double>(4 * slots);
  for (std::size_t at = 1; at < slots; ++at) {
    // Row `nodes` + k has node k of a depth of as many nodes in each lane.
    const std::size_t row = at / kEmbeddingLanes, lane = at % kEmbeddingLanes, nodes = std::bit_floor(row);
    const std::size_t root = row == 0 ? lane : kEmbeddingLanes * nodes + lane * nodes + (row - nodes);
    const double parts[] = {cosines_[root].hi, sines_[root].hi, cosines_[root].lo, sines_[root].lo};
    for (std::size_t part = 0; part < 4; ++part) roots_of_rows_[part * slots + at] = parts[part];
  }
}

EmbeddingRows Embedding::rows() const {
  const double* const roots = roots_of_rows_.data();
  return {slots(), slot_of_row_.data(), {roots, roots + slots(), roots + 2 * slots(), roots + 3 * slots()}};
}

// The definition: messages of any size, number by number.

template <class T, class Write>
bool Embedding::encode_in(const NumberSpan& values, const DoubleDouble& scale, const Write& write) const {
  Parts<T> p(slots());
  for (std::size_t i = 0; i < values.length; ++i) {
    p.re[places_[i]] = number<T>({values.values[values.parts * i], 0});
    if (values.parts == 2) p.im[places_[i]] = number<T>({values.values[2 * i + 1], 0});
  }
  inverse(p, cosines_, sines_);
  const T factor = number<T>(factor_of(scale));
  bool inside = true;
  for (std::size_t j = 0; j < slots(); ++j) {
    const RoundedCoefficient re = rounded(multiply(p.re[j], factor)), im = rounded(multiply(p.im[j], factor));
    write(j, re.value);
    write(j + slots(), im.value);
    inside = inside & re.inside & im.inside;
  }
  return inside;
}

template <class T, class Read>
void Embedding::decode_in(const Read& read, const DoubleDouble& scale, bool real, double* out) const {
  Parts<T> p(slots());
  for (std::size_t j = 0; j < slots(); ++j) {
    p.re[j] = number<T>(nearest(read(j)));
    p.im[j] = number<T>(nearest(read(j + slots())));
  }
  forward(p, cosines_, sines_);
  const T factor = number<T>(reciprocal(scale));
  for (std::size_t i = 0; i < slots(); ++i) {
    out[2 * i] = to_double(multiply(p.re[places_[i]], factor));
    out[2 * i + 1] = real ? 0 : to_double(multiply(p.im[places_[i]], factor));
  }
}

template <class Write>
bool Embedding::encode_here(const NumberSpan& values, const DoubleDouble& scale, const Write& write) const {
  return is_wide(scale) ? encode_in<DoubleDouble>(values, scale, write)
                        : encode_in<double>(values, scale, write);
}

template <class Read>
void Embedding::decode_here(const Read& read, const DoubleDouble& scale, bool real, double* out) const {
  if (is_wide(scale))
    decode_in<DoubleDouble>(read, scale, real, out);
  else
    decode_in<double>(read, scale, real, out);
}

DoubleDouble Embedding::factor_of(const DoubleDouble& scale) const {
  const auto size = static_cast<double>(slots());
  return {scale.hi / size, scale.lo / size};
}

void Embedding::encode(std::span<const std::complex<double>> values, const DoubleDouble& scale,
                       std::span<Coefficient> out) const {
  require_scale(scale);
  require_size(values.size(), slots(), "values");
  require_size(out.size(), 2 * slots(), "out");
  double sum = 0;  // not a number once a value is not finite
  for (const std::complex<double>& value : values) sum += value.real() * 0 + value.imag() * 0;
  require_encoded(sum == 0, true, scale);
  const NumberSpan numbers{reinterpret_cast<const double*>(values.data()), values.size(), 2};
  require_encoded(true, encode_here(numbers, scale, [&](std::size_t j, Coefficient x) { out[j] = x; }),
                  scale);
}

void Embedding::decode(std::span<const Coefficient> coefficients, const DoubleDouble& scale,
                       std::span<std::complex<double>> out) const {
  require_scale(scale, kMaxProductScale);
  require_size(coefficients.size(), 2 * slots(), "coefficients");
  require_size(out.size(), slots(), "out");
  decode_here([&](std::size_t j) { return coefficients[j]; }, scale, false,
              reinterpret_cast<double*>(out.data()));
}

bool Embedding::encode(const EmbeddingKernels& kernels, const NumberSpan& values, const DoubleDouble& scale,
                       std::span<Coefficient> out, double* scratch) const {
  if (!has_rows()) return encode_here(values, scale, [&](std::size_t j, Coefficient x) { out[j] = x; });
  double* const real = scratch + 4 * slots();
  const bool inside = kernels.encode[is_wide(scale)]({.rows = rows(),
                                                      .values = values.values,
                                                      .length = values.length,
                                                      .parts = values.parts,
                                                      .factor = factor_of(scale),
                                                      .scratch = scratch,
                                                      .out_real = real});
  for (std::size_t j = 0; j < 2 * slots(); ++j)
    out[j] =
        is_wide(scale) ? rounded(DoubleDouble{real[j], real[j + 2 * slots()]}).value : rounded(real[j]).value;
  return inside;
}

bool Embedding::encode(const EmbeddingKernels& kernels, const NumberSpan& values, const DoubleDouble& scale,
                       std::uint64_t t, std::uint64_t* out, double* scratch) const {
  if (!has_rows())
    return encode_here(values, scale, [&](std::size_t j, Coefficient x) {
      const auto word = static_cast<std::uint64_t>(x);
      out[j] = word + (t & (std::uint64_t{0} - (word >> 63)));
    });
  return kernels.encode[is_wide(scale)]({.rows = rows(),
                                         .values = values.values,
                                         .length = values.length,
                                         .parts = values.parts,
                                         .factor = factor_of(scale),
                                         .scratch = scratch,
                                         .t = t,
                                         .few = t >> 52 == 0,
                                         .out = out});
}

void Embedding::decode(const EmbeddingKernels& kernels, std::span<const Coefficient> coefficients,
                       const DoubleDouble& scale, bool real, double* out, double* scratch) const {
  if (!has_rows()) return decode_here([&](std::size_t j) { return coefficients[j]; }, scale, real, out);
  double* const numbers = scratch + 4 * slots();
  for (std::size_t j = 0; j < 2 * slots(); ++j) {
    const DoubleDouble x = nearest(coefficients[j]);
    numbers[j] = x.hi;
    numbers[j + 2 * slots()] = x.lo;
  }
  kernels.decode[is_wide(scale)]({.rows = rows(),
                                  .real = numbers,
                                  .factor = reciprocal(scale),
                                  .scratch = scratch,
                                  .is_real = real,
                                  .out = out});
}

void Embedding::decode(const EmbeddingKernels& kernels, const std::uint64_t* integers, std::uint64_t q,
                       const DoubleDouble& scale, bool real, double* out, double* scratch) const {
  if (!has_rows())
    return decode_here(
        [&](std::size_t j) {
          const std::uint64_t above = std::uint64_t{0} - ((q - 1) / 2 < integers[j] && q != 0);
          return Coefficient{static_cast<std::int64_t>(integers[j] - (q & above))};
        },
        scale, real, out);
  kernels.decode[is_wide(scale)]({.rows = rows(),
                                  .integers = integers,
                                  .q = q,
                                  .factor = reciprocal(scale),
                                  .scratch = scratch,
                                  .is_real = real,
                                  .out = out});
}

}  // namespace nttforge
