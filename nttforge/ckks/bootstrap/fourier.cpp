// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/bootstrap/fourier.hpp"

#include <bit>
#include <numeric>
#include <string>
#include <utility>

#include "nttforge/arith/complex_roots.hpp"
#include "nttforge/base/error.hpp"

namespace nttforge::ckks {
namespace {

using Complex = std::complex<double>;

/// zeta_j = exp(2 pi i 5^j / (8 half)), j < half.
std::vector<Complex> roots(std::size_t half) {
  const std::uint64_t order = 8 * half;
  std::vector<std::uint64_t> exponents(half);
  for (std::uint64_t j = 0, power = 1; j < half; ++j, power = 5 * power % order) exponents[j] = power;
  std::vector<Complex> result;
  for (const ComplexRoot& root : complex_roots(exponents, static_cast<unsigned>(std::countr_zero(order))))
    result.emplace_back(root.re.hi, root.im.hi);
  return result;
}

/// Blocks of 2 half slots: (e, o) -> (e + zeta o, e - zeta o).
Diagonals layer(std::size_t slots, std::size_t half) {
  const std::vector<Complex> zeta = roots(half);
  Diagonals result{slots, {}};
  for (const std::size_t d : {std::size_t{0}, half, slots - half}) result.of_step[d].resize(slots);
  for (std::size_t i = 0; i < slots; ++i) {
    const bool second = i % (2 * half) >= half;
    const Complex root = zeta[i % half];
    result.of_step[0][i] = second ? -root : Complex(1);
    result.of_step[second ? slots - half : half][i] = second ? Complex(1) : root;
  }
  return result;
}

/// (x, y) -> ((x + y) / 2, (x - y) / (2 zeta)).
Diagonals inverse_layer(std::size_t slots, std::size_t half) {
  const std::vector<Complex> zeta = roots(half);
  Diagonals result{slots, {}};
  for (const std::size_t d : {std::size_t{0}, half, slots - half}) result.of_step[d].resize(slots);
  for (std::size_t i = 0; i < slots; ++i) {
    const bool second = i % (2 * half) >= half;
    const Complex root = std::conj(zeta[i % half]) * 0.5;
    result.of_step[0][i] = second ? -root : Complex(0.5);
    result.of_step[second ? slots - half : half][i] = second ? root : Complex(0.5);
  }
  return result;
}

std::vector<Diagonals> merged(std::vector<Diagonals> all, std::span<const std::size_t> layers) {
  if (std::accumulate(layers.begin(), layers.end(), std::size_t{0}) != all.size())
    throw ParameterError("layers: they must add up to " + std::to_string(all.size()) +
                         ", the logarithm of the slots");
  std::vector<Diagonals> result;
  std::size_t next = 0;
  for (const std::size_t count : layers) {
    if (count == 0) throw ParameterError("layers: every matrix has one at least");
    Diagonals matrix = std::move(all[next]);
    for (std::size_t i = 1; i < count; ++i) matrix = all[next + i].after(matrix);
    next += count;
    result.push_back(std::move(matrix));
  }
  return result;
}

void require_slots(std::size_t slots) {
  if (slots < 2 || !std::has_single_bit(slots))
    throw ParameterError("slots = " + std::to_string(slots) + " must be a power of two, 2 at least");
}

}  // namespace

std::vector<Diagonals> coefficients_to_slots(std::size_t slots, std::span<const std::size_t> layers) {
  require_slots(slots);
  std::vector<Diagonals> all;
  for (std::size_t half = slots / 2; half > 0; half /= 2) all.push_back(inverse_layer(slots, half));
  return merged(std::move(all), layers);
}

std::vector<Diagonals> slots_to_coefficients(std::size_t slots, std::span<const std::size_t> layers) {
  require_slots(slots);
  std::vector<Diagonals> all;
  for (std::size_t half = 1; half < slots; half *= 2) all.push_back(layer(slots, half));
  return merged(std::move(all), layers);
}

std::vector<std::size_t> split_layers(std::size_t total, std::size_t count) {
  std::vector<std::size_t> result;
  for (std::size_t left = total; count > 0; --count) {
    result.push_back((left + count - 1) / count);
    left -= result.back();
  }
  return result;
}

}  // namespace nttforge::ckks
