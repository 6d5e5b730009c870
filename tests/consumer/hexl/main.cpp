// SPDX-License-Identifier: Apache-2.0
// (1 + 2X + 3X^2 + 4X^3)(5 + 6X + 7X^2 + 8X^3) mod (X^4 + 1, 17) as programs for HEXL write it.
#include <cstdint>
#include <cstdio>

#include "hexl/hexl.hpp"
#include "hexl/ntt/ntt.hpp"

static_assert(__cplusplus == 201703L, "C++17 must be enough");

int main() {
  intel::hexl::NTT ntt(4, 17);
  intel::hexl::AlignedVector64<std::uint64_t> a{1, 2, 3, 4}, b{5, 6, 7, 8};
  ntt.ComputeForward(a.data(), a.data(), 1, 4);
  ntt.ComputeForward(b.data(), b.data(), 4, 4);
  intel::hexl::EltwiseMultMod(a.data(), a.data(), b.data(), 4, 17, 4);
  ntt.ComputeInverse(a.data(), a.data(), 2, 1);
  for (const std::uint64_t c : a) std::printf("%llu ", static_cast<unsigned long long>(c));
  std::printf("\n");
}
