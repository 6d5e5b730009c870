// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <random>
#include <vector>

namespace nttforge::bench {

using Numbers = std::vector<std::complex<double>>;

/// What every library encrypts, in [-1/2, 1/2] and on a grid.
inline Numbers message(std::size_t slots) {
  Numbers values(slots);
  for (std::size_t i = 0; i < slots; ++i)
    values[i] = {static_cast<double>(i % 17) / 17 - 0.5, static_cast<double>(i % 5) / 5 - 0.4};
  return values;
}

/// What every library bootstraps: parts uniform in [-1, 1], from a generator that is the same everywhere.
inline Numbers uniform_numbers(std::size_t slots) {
  std::mt19937_64 random(1);
  const auto part = [&] { return std::ldexp(static_cast<double>(random() >> 11), -52) - 1; };
  Numbers values(slots);
  for (auto& value : values) {
    value.real(part());
    value.imag(part());
  }
  return values;
}

/// -log2 of the errors of all parts; imaginary parts of real numbers do not count.
struct Bits {
  double mean, median, worst;
};

inline Bits bits_of(const Numbers& found, const Numbers& wanted, bool real) {
  std::vector<double> errors;
  double sum = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    errors.push_back(std::abs(found[i].real() - wanted[i].real()));
    if (!real) errors.push_back(std::abs(found[i].imag() - wanted[i].imag()));
  }
  for (const double error : errors) sum += error;
  std::sort(errors.begin(), errors.end());
  return {-std::log2(sum / static_cast<double>(errors.size())), -std::log2(errors[errors.size() / 2]),
          -std::log2(errors.back())};
}

}  // namespace nttforge::bench
