// SPDX-License-Identifier: Apache-2.0
#pragma once

// The implementations of Device that a build has. Who works with one that is given does not need this.

#include <memory>

#include "nttforge/base/target.hpp"
#include "nttforge/device/device.hpp"

namespace nttforge {

/// This machine's cores. threads 0: all this process may use. throws UnsupportedError if the target cannot
/// run here.
std::shared_ptr<const Device> make_cpu_device(unsigned threads = 1);
std::shared_ptr<const Device> make_cpu_device(unsigned threads, Target target);
/// A GPU by CUDA's number; -1: the host's run of the GPU's kernels, slow, for tests. throws ParameterError,
/// UnsupportedError if there is no such device or this build has no code for it.
std::shared_ptr<const Device> make_cuda_device(int ordinal = 0);

}  // namespace nttforge
