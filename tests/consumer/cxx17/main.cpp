// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>

#include "nttforge/cxx17.hpp"

static_assert(__cplusplus == 201703L, "this program tests that C++17 is enough");

int main() {
  namespace ntt = nttforge::cxx17;
  const ntt::Plan plan(ntt::Spec{4, {17}});
  const std::array<std::uint64_t, 4> a{1, 2, 3, 4}, b{5, 6, 7, 8};
  std::vector<std::uint64_t> product(4), workspace(4);
  plan.polynomial_product(a, b, product, workspace);
  for (const std::uint64_t value : product) std::printf("%d ", static_cast<int>(value));
  try {
    plan.forward(a, std::vector<std::uint64_t>(5));
  } catch (const ntt::Error& error) {
    std::printf("\n%s\n", error.what());
  }
  return 0;
}
