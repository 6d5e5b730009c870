// SPDX-License-Identifier: Apache-2.0
#include "nttforge/hexl/allocator.hpp"

namespace intel::hexl {

AllocatorStrategyPtr mallocStrategy = DefaultStrategy();

AllocatorStrategyPtr DefaultStrategy() {
  static const AllocatorStrategyPtr first = std::make_shared<MallocStrategy>();
  return mallocStrategy != nullptr ? mallocStrategy : first;
}

}  // namespace intel::hexl
