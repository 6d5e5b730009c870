// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string_view>

#include "nttforge/bfv/products.hpp"

namespace nttforge::bfv {
namespace {

/// What bench/results/2026-11-23-bfv-products says: the least time of a product of fresh operands, a square,
/// and products with half and with a tenth of the budget left, multiplied with each other. Sets that are not
/// there, and devices, have BEHZ.
struct Measured {
  std::string_view device;
  std::size_t n;
  unsigned word_bits;
  ProductForm fastest;
};

constexpr Measured kMeasured[] = {
    {"cpu", 4096, 64, ProductForm::hps_levelled},  {"cpu", 4096, 32, ProductForm::hps_levelled},
    {"cpu", 8192, 64, ProductForm::hps_levelled},  {"cpu", 8192, 32, ProductForm::hps_levelled},
    {"cpu", 16384, 64, ProductForm::hps_levelled}, {"cpu", 16384, 32, ProductForm::hps_levelled},
    {"cpu", 32768, 64, ProductForm::hps_levelled}, {"cpu", 32768, 32, ProductForm::hps_levelled},
};

}  // namespace

ProductForm fastest_product(const RlweParameters& parameters, const Device& device) {
  for (const Measured& row : kMeasured)
    if (row.device == device.name() && row.n == parameters.n && row.word_bits == parameters.word_bits)
      return row.fastest;
  return ProductForm::behz;
}

}  // namespace nttforge::bfv
