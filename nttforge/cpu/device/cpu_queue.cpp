// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/device/cpu_queue.hpp"

#include <cstring>

#include "nttforge/cpu/device/word_views.hpp"

namespace nttforge::cpu {
namespace {

/// Every operation has run when its call returns.
struct PastEvent final : Event {
  void wait() const override {}
};

}  // namespace

void CpuQueue::upload(std::span<const std::uint64_t> host, WordPtr device) const {
  copy(host.data(), device, host.size());
}

void CpuQueue::download(ConstWordPtr device, std::span<std::uint64_t> host) const {
  copy(device, host.data(), host.size());
}

void CpuQueue::copy(ConstWordPtr in, WordPtr out, std::size_t words) const {
  if (words == 0 || in == out) return;
  if (in.word_bits() == out.word_bits()) {
    std::memcpy(out.address(), in.address(), words * (in.word_bits() / 8));
  } else if (in.word_bits() == 32) {
    std::copy_n(in.as<std::uint32_t>(), words, out.as<std::uint64_t>());
  } else {
    const auto* values = in.as<std::uint64_t>();
    for (std::size_t i = 0; i < words; ++i)
      out.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(values[i]);
  }
}

void CpuQueue::fill_zero(WordPtr out, std::size_t words) const {
  if (words != 0) std::memset(out.address(), 0, words * (out.word_bits() / 8));
}

std::shared_ptr<const Event> CpuQueue::record() const {
  static const auto event = std::make_shared<const PastEvent>();
  return event;
}

void CpuQueue::forward(const RingTables& ring, WordPtr x, std::size_t batch) const {
  with_word(x, [&](auto zero) {
    auto* const words = x.as<decltype(zero)>();
    for_rows(own<CpuRing>(ring), batch,
             [&](const CpuLimb& limb, std::size_t at) { limb.forward(words + at, words + at); });
  });
}

void CpuQueue::inverse(const RingTables& ring, WordPtr x, std::size_t batch) const {
  with_word(x, [&](auto zero) {
    auto* const words = x.as<decltype(zero)>();
    for_rows(own<CpuRing>(ring), batch,
             [&](const CpuLimb& limb, std::size_t at) { limb.inverse(words + at, words + at); });
  });
}

}  // namespace nttforge::cpu
