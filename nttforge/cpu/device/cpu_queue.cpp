// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/device/cpu_queue.hpp"

#include <cstring>

namespace nttforge::cpu {

void CpuQueue::upload(std::span<const std::uint64_t> host, std::uint64_t* device) const {
  copy(host.data(), device, host.size());
}

void CpuQueue::download(const std::uint64_t* device, std::span<std::uint64_t> host) const {
  copy(device, host.data(), host.size());
}

void CpuQueue::copy(const std::uint64_t* in, std::uint64_t* out, std::size_t words) const {
  if (words != 0 && in != out) std::memcpy(out, in, words * sizeof(std::uint64_t));
}

void CpuQueue::fill_zero(std::uint64_t* out, std::size_t words) const {
  if (words != 0) std::memset(out, 0, words * sizeof(std::uint64_t));
}

void CpuQueue::forward(const RingTables& ring, std::uint64_t* x, std::size_t batch) const {
  for_rows(own<CpuRing>(ring), batch,
           [&](const CpuLimb& limb, std::size_t at) { limb.forward(x + at, x + at, ring.n()); });
}

void CpuQueue::inverse(const RingTables& ring, std::uint64_t* x, std::size_t batch) const {
  for_rows(own<CpuRing>(ring), batch,
           [&](const CpuLimb& limb, std::size_t at) { limb.inverse(x + at, x + at, ring.n()); });
}

}  // namespace nttforge::cpu
