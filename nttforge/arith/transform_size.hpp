// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sizes of transforms: the one place that says which there are, by device.

#include <cstddef>
#include <string>

namespace nttforge {

inline constexpr std::size_t kMaxTransformSize = std::size_t{1} << 28;     ///< on GPUs, and for primes
inline constexpr std::size_t kMaxCpuTransformSize = std::size_t{1} << 24;  ///< of the CPU engine

/// "a power of two, 1 ... 2^24 on CPUs, 1 ... 2^28 on GPUs": what errors say is allowed.
std::string transform_sizes();

/// throws ParameterError unless n is a power of two that some device can transform.
void require_transform_size(std::size_t n);
/// throws also UnsupportedError if the CPU engine cannot.
void require_cpu_transform_size(std::size_t n);

}  // namespace nttforge
