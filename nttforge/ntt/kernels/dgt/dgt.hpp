// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "nttforge/ntt/kernels.hpp"

namespace nttforge {

/// Kernels of the DGT (NttSpec): as kernel_rows(), over tables made by DgtTables; butterfly_ns is that of one
/// butterfly in GF(q)[i], of which a transform has n/4 log2(n/2).
template <class Word>
std::span<const KernelRow<Word>> dgt_rows();
template <>
std::span<const KernelRow<std::uint64_t>> dgt_rows<std::uint64_t>();
template <>
std::span<const KernelRow<std::uint32_t>> dgt_rows<std::uint32_t>();

}  // namespace nttforge
