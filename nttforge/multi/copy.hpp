// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "nttforge/device/queue.hpp"

namespace nttforge::multi {

/// out = in, words of the same size in the memories of two queues' devices, which may be one; after what was
/// given to `from` so far, and before what is given to `to` from now on. Within one memory nothing waits.
/// Between two GPUs the words go from card to card; else over the host, in memory that is wiped. throws
/// ParameterError if the words differ in size.
void copy_between(const Queue& from, ConstWordPtr in, const Queue& to, WordPtr out, std::size_t words);

}  // namespace nttforge::multi
