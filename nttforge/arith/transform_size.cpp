// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/transform_size.hpp"

#include <bit>

#include "nttforge/base/error.hpp"

namespace nttforge {
namespace {

std::string power(std::size_t n) { return "2^" + std::to_string(std::bit_width(n) - 1); }

}  // namespace

std::string transform_sizes() {
  return "a power of two, 1 ... " + power(kMaxCpuTransformSize) + " on CPUs, 1 ... " +
         power(kMaxTransformSize) + " on GPUs";
}

void require_transform_size(std::size_t n) {
  if (std::has_single_bit(n) && n <= kMaxTransformSize) return;
  throw ParameterError("n = " + std::to_string(n) + " is not supported: need " + transform_sizes() +
                       (n < kMaxTransformSize ? "; pad the polynomial to the next power of two" : ""));
}

void require_cpu_transform_size(std::size_t n) {
  require_transform_size(n);
  if (n <= kMaxCpuTransformSize) return;
  throw UnsupportedError("n = " + std::to_string(n) + " is too large for the CPU engine: need " +
                         transform_sizes() + " (device = \"cuda\")");
}

}  // namespace nttforge
