// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/device.hpp"
#include "nttforge/ntt/plan.hpp"

int main() {
  const nttforge::NttPlan plan({.n = 4, .moduli = {17}});
  std::vector<std::uint64_t> a{1, 2, 3, 4}, b{5, 6, 7, 8}, product(4), workspace(4);
  plan.polynomial_product(a, b, product, workspace);
  for (const std::uint64_t c : product) std::printf("%llu ", static_cast<unsigned long long>(c));
  try {
    std::printf("\n%s\n", nttforge::cuda::describe_device(nttforge::cuda::kHost).name.c_str());
  } catch (const nttforge::UnsupportedError& error) {
    std::printf("\n%s\n", error.what());
  }
}
