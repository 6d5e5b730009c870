// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/base/macros.hpp"
#include "nttforge/cuda/block/block.hpp"

// p = 2^64 - 2^32 + 1 on the device as [Bad18a] uses it: 8 is a 64th root of unity, so transforms of up to 64
// points multiply by powers of two. Residues in [0, p).

namespace nttforge::cuda::bad18a {

inline constexpr std::uint64_t kP = kGoldilocks;
inline constexpr std::uint64_t kEpsilon = 0xFFFFFFFFu;  ///< 2^64 mod p

NTTF_HD std::uint64_t sub(std::uint64_t a, std::uint64_t b) { return a - b - (a < b ? kEpsilon : 0); }
NTTF_HD std::uint64_t add(std::uint64_t a, std::uint64_t b) { return sub(a, kP - b); }

/// low + 2^64 high, any two words.
NTTF_HD std::uint64_t reduce(std::uint64_t high, std::uint64_t low) {
  const std::uint64_t top = high >> 32, middle = high & kEpsilon;
  std::uint64_t r = low - top;
  if (low < top) r -= kEpsilon;  // cannot borrow again
  const std::uint64_t t = (middle << 32) - middle;
  r += t;
  if (r < t) r += kEpsilon;  // cannot carry again
  return r >= kP ? r - kP : r;
}
NTTF_HD std::uint64_t mul(std::uint64_t a, std::uint64_t b) {
#ifdef __CUDA_ARCH__
  return reduce(__umul64hi(a, b), a * b);
#else
  const u128 product = static_cast<u128>(a) * b;
  return reduce(static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product));
#endif
}

/// x 2^kBits mod p.
template <unsigned kBits>
NTTF_HD std::uint64_t shifted(std::uint64_t x) {
  if constexpr (kBits % 192 >= 96) {  // 2^96 = -1
    const std::uint64_t y = shifted<kBits % 96>(x);
    return y == 0 ? 0 : kP - y;
  } else if constexpr (kBits % 96 == 0) {
    return x;
  } else if constexpr (kBits % 96 < 64) {
    return reduce(x >> (64 - kBits % 96), x << kBits % 96);
  } else {  // low words of x 2^(kBits - 64) count 2^64 and 2^96, the high one 2^128 = -2^32
    constexpr unsigned kRest = kBits % 96 - 64;
    const std::uint64_t low = x << kRest, high = kRest == 0 ? 0 : x >> (64 - kRest % 64);
    const std::uint64_t middle = low & kEpsilon, minus = high << 32 | low >> 32;
    return sub((middle << 32) - middle, minus >= kP ? minus - kP : minus);
  }
}

/// x 8^exponent, 0 <= exponent < 50, by a case for each exponent: threads of a warp with different exponents
/// take different ways.
template <unsigned kCase = 0>
NTTF_HD std::uint64_t shifted_by_switch(std::uint64_t x, unsigned exponent) {
  if constexpr (kCase < 50) {
    if (exponent == kCase) return shifted<3 * kCase>(x);
    return shifted_by_switch<kCase + 1>(x, exponent);
  } else {
    return x;
  }
}

/// A transform of 4 or 8 points in registers, natural order in and out, root 8^(64 / points).
template <unsigned kLogSize, unsigned kSpan = 1u << kLogSize, unsigned kFirst = 0>
NTTF_HD void stages(std::uint64_t* x) {
  constexpr unsigned kSize = 1u << kLogSize, kHalf = kSpan / 2;
  if constexpr (kSpan > 1) {
    const auto butterfly = [&]<unsigned kAt>() {
      std::uint64_t &a = x[kFirst + kAt], &b = x[kFirst + kAt + kHalf];
      const std::uint64_t sum = add(a, b);
      b = shifted<3 * (64 / kSpan) * kAt>(sub(a, b));
      a = sum;
    };
    butterfly.template operator()<0>();
    if constexpr (kHalf > 1) butterfly.template operator()<1>();
    if constexpr (kHalf > 2) {
      butterfly.template operator()<2>();
      butterfly.template operator()<3>();
    }
    stages<kLogSize, kHalf, kFirst>(x);
    stages<kLogSize, kHalf, kFirst + kHalf>(x);
  } else if constexpr (kFirst + 1 == kSize && kLogSize == 3) {  // bit-reversed -> natural
    const std::uint64_t one = x[1], three = x[3];
    x[1] = x[4], x[4] = one, x[3] = x[6], x[6] = three;
  } else if constexpr (kFirst + 1 == kSize && kLogSize == 2) {
    const std::uint64_t one = x[1];
    x[1] = x[2], x[2] = one;
  }
}

}  // namespace nttforge::cuda::bad18a
