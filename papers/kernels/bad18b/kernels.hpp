// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "papers/kernels/bad18b/reduce.hpp"
#include "papers/kernels/bad18b/samplers.hpp"

// Every kernel of [Bad18b] that is compiled for cards (kernels.cu).

#define NTTF_BAD18B_MIXED_RADIX(apply)                                                    \
  apply(bad18b::MixedRadix<2>) apply(bad18b::MixedRadix<6>) apply(bad18b::MixedRadix<12>) \
      apply(bad18b::MixedRadix<24>)
#define NTTF_BAD18B_CRT(apply)                                                    \
  apply(bad18b::Crt<bad18b::kPrimes>) apply(bad18b::CrtLazy<bad18b::kPrimes>)     \
      apply(bad18b::Garner<bad18b::kPrimes>)                                      \
          apply(bad18b::Classic<bad18b::kPrimes, bad18b::Reducing::subtractions>) \
              apply(bad18b::Classic<bad18b::kPrimes, bad18b::Reducing::division>) \
                  NTTF_BAD18B_MIXED_RADIX(apply)
#define NTTF_BAD18B_SCHEME(apply)                                                                        \
  apply(bad18b::ApplyStep) apply(bad18b::ResidueDigits) apply(bad18b::Positional)                        \
      apply(bad18b::BinaryDigits) apply(bad18b::SumOfProducts<false>) apply(bad18b::SumOfProducts<true>) \
          apply(bad18b::AddRows<false>) apply(bad18b::AddRows<true>) apply(bad18b::Mask)                 \
              apply(bad18b::AddMessage) apply(bad18b::SampleUniform) apply(bad18b::SampleBinary)         \
                  apply(bad18b::SampleError)
#define NTTF_BAD18B(apply)                                                                          \
  apply(bad18b::Reduce<bad18b::Reduction::native>) apply(bad18b::Reduce<bad18b::Reduction::nfllib>) \
      apply(bad18b::Reduce<bad18b::Reduction::barrett>) NTTF_BAD18B_CRT(apply) NTTF_BAD18B_SCHEME(apply)
