// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/base/macros.hpp"

// Before functions that CPU code and kernels share.
#ifdef __CUDACC__
#define NTTF_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define NTTF_HOST_DEVICE NTTF_INLINE
#endif
