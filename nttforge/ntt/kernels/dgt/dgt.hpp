// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "nttforge/ntt/kernels.hpp"

namespace nttforge {

/// Kernels of the DGT (NttSpec): as transform_kernels(), over tables made by DgtTables; butterfly_ns is that
/// of one butterfly in GF(q)[i], of which a transform has n/4 log2(n/2).
template <class Word>
std::span<const TransformKernel<Word>> dgt_kernels();
template <>
std::span<const TransformKernel<std::uint64_t>> dgt_kernels<std::uint64_t>();
template <>
std::span<const TransformKernel<std::uint32_t>> dgt_kernels<std::uint32_t>();

}  // namespace nttforge
