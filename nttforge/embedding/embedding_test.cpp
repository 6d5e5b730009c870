// SPDX-License-Identifier: Apache-2.0
// Roots of unity, encoding and decoding against the oracle's embedding.json, to the last bit.

#include "nttforge/embedding/embedding.hpp"

#include <bit>
#include <limits>

#include "nttforge/arith/complex_roots.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_vectors.hpp"

using namespace nttforge;

using nttforge::testing::load_vectors;

namespace {

double number(const Json& bits) { return std::bit_cast<double>(bits.as_u64()); }

bool same_bits(const DoubleDouble& x, const Json& hi, const Json& lo) {
  // Zeros may differ in sign.
  return x == DoubleDouble{number(hi), number(lo)};
}

Coefficient coefficient(const std::string& decimal) {
  const bool negative = decimal[0] == '-';
  Coefficient value = 0;
  for (const char digit : decimal.substr(negative ? 1 : 0)) value = 10 * value + (digit - '0');
  return negative ? -value : value;
}

std::vector<std::complex<double>> message(const Json& pairs) {
  std::vector<std::complex<double>> values;
  for (const Json& pair : pairs.elements()) values.emplace_back(number(pair[0]), number(pair[1]));
  return values;
}

}  // namespace

NTTF_TEST("vectors: roots of unity are correctly rounded") {
  const Json vectors = load_vectors("embedding.json");
  std::vector<std::uint64_t> exponents;
  for (std::uint64_t e = 0; e < 64; ++e) exponents.push_back(e);
  const auto small = complex_roots(exponents, 6);
  for (std::size_t e = 0; e < 64; ++e) {
    const Json& row = vectors.at("roots_of_order_64")[e];
    NTTF_CHECK(same_bits(small[e].re, row[0], row[1]) && same_bits(small[e].im, row[2], row[3]));
  }
  exponents.clear();
  const Json& rows = vectors.at("roots_of_order_2^18");
  for (const Json& row : rows.elements()) exponents.push_back(row[0].as_u64());
  NTTF_CHECK_EQ(exponents.size(), 40U);
  const auto large = complex_roots(exponents, 18);
  for (std::size_t i = 0; i < large.size(); ++i)
    NTTF_CHECK(same_bits(large[i].re, rows[i][1], rows[i][2]) &&
               same_bits(large[i].im, rows[i][3], rows[i][4]));
}

NTTF_TEST("vectors: messages are encoded and decoded to the last bit") {
  const Json vectors = load_vectors("embedding.json");
  NTTF_CHECK(vectors.at("encodings").size() > 20);
  for (const Json& row : vectors.at("encodings").elements()) {
    const auto values = message(row.at("message"));
    const std::size_t slots = values.size(), n = row.at("n").as_u64(), gap = n / (2 * slots);
    const DoubleDouble scale{number(row.at("scale")[0]), number(row.at("scale")[1])};
    const Embedding embedding(slots);
    std::vector<Coefficient> coefficients(2 * slots);
    embedding.encode(values, scale, coefficients);
    for (std::size_t j = 0; j < n; ++j) {
      const Coefficient wanted = coefficient(row.at("coefficients")[j].as_string());
      NTTF_CHECK(wanted == (j % gap == 0 ? coefficients[j / gap] : 0));
    }
    std::vector<std::complex<double>> decoded(slots);
    embedding.decode(coefficients, scale, decoded);
    NTTF_CHECK(decoded == message(row.at("decoded")));
  }
}

NTTF_TEST("large messages come back: every size, both arithmetics") {
  for (std::size_t slots = 1; slots <= std::size_t{1} << 16; slots *= 16)
    for (const double scale : {0x1p45, 0x1p90}) {
      const Embedding embedding(slots);
      std::vector<std::complex<double>> values(slots), decoded(slots);
      for (std::size_t i = 0; i < slots; ++i)
        values[i] = {static_cast<double>(i % 1000) / 1000 - 0.5, static_cast<double>(i % 77) / 77};
      std::vector<Coefficient> coefficients(2 * slots);
      embedding.encode(values, {scale, 0}, coefficients);
      embedding.decode(coefficients, {scale, 0}, decoded);
      double worst = 0;
      for (std::size_t i = 0; i < slots; ++i) worst = std::max(worst, std::abs(decoded[i] - values[i]));
      NTTF_CHECK(worst < (scale == 0x1p45 ? 0x1p-34 : 0x1p-50));
    }
}

NTTF_TEST("what cannot be encoded is refused") {
  const Embedding embedding(2);
  std::vector<Coefficient> out(4);
  std::vector<std::complex<double>> values(2);
  NTTF_CHECK_THROWS(Embedding(3), ParameterError, "slots = 3 must be a power of two");
  NTTF_CHECK_THROWS(embedding.encode(std::span(values).first(1), {1, 0}, out), SizeError,
                    "values has 1 elements, need 2");
  NTTF_CHECK_THROWS(embedding.encode(values, {0, 0}, out), ParameterError, "scale = 0");
  values[1] = {0, std::numeric_limits<double>::quiet_NaN()};
  NTTF_CHECK_THROWS(embedding.encode(values, {1, 0}, out), ParameterError, "NaN or infinity");
  values[1] = std::numeric_limits<double>::infinity();
  NTTF_CHECK_THROWS(embedding.encode(values, {1, 0}, out), ParameterError, "NaN or infinity");
  values[1] = 0x1p90;
  NTTF_CHECK_THROWS(embedding.encode(values, {0x1p60, 0}, out), ParameterError, "reach 2^126");
  NTTF_CHECK_THROWS(embedding.encode(values, {0x1p40, 0}, out), ParameterError, "reach 2^126");
}
