// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/ntt/kernels/products/products.hpp"

namespace nttforge {

/// Exact product modulo 2^64 - 2^32 + 1 for StrictButterfly; no quotients in the table.
template <class LanesType>
struct GoldilocksProduct {
  static_assert(LanesType::kWidth == 1);
  using Lanes = LanesType;
  using Word = std::uint64_t;
  using V = std::uint64_t;
  struct Twiddle {
    V value;
  };
  struct Constants {};

  static NTTF_KERNEL Constants constants(Word) { return {}; }
  static TwiddleEntry entry(std::uint64_t w, std::uint64_t) { return {w, 0}; }
  static NTTF_KERNEL Twiddle twiddle(V value, V) { return {value}; }
  static NTTF_KERNEL V add(V a, V b, const Constants&) { return goldilocks::add(a, b); }
  static NTTF_KERNEL V sub(V a, V b, const Constants&) { return goldilocks::sub(a, b); }

  template <int K>
  static NTTF_KERNEL void multiply(V (&t)[K], const V (&y)[K], const Twiddle (&w)[K], const Constants&) {
    NTTF_UNROLL for (int i = 0; i < K; ++i) t[i] = goldilocks::mul(y[i], w[i].value);
  }
};

}  // namespace nttforge
