// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/device/cpu_queue.hpp"

#include <atomic>
#include <cstring>
#include <vector>

#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/text/bits.hpp"
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

/// Words of 64 bits are written where they stay, others by blocks.
void CpuQueue::upload_written(std::size_t words, WordPtr device, const WriteWords& write) const {
  if (device.word_bits() == 64) return write(0, std::span(device.as<std::uint64_t>(), words));
  const std::shared_ptr<std::uint64_t> block = memory_.allocate(std::min(kBlock, words), true);
  for (std::size_t first = 0; first < words; first += kBlock) {
    const std::size_t count = std::min(kBlock, words - first);
    write(first, std::span(block.get(), count));
    copy(block.get(), device + first, count);
  }
}

/// Rows go where they belong, on all threads.
bool CpuQueue::unpack(const RingTables& ring, std::span<const std::uint8_t> packed, WordPtr out,
                      std::size_t stride, std::size_t batch) const {
  poll_interrupt();
  const std::vector<std::uint64_t>& moduli = ring.spec().moduli;
  std::vector<std::size_t> begin{0};  // of each row in the bytes of a polynomial
  for (const std::uint64_t q : moduli) begin.push_back(begin.back() + packed_bytes(ring.n(), q));
  std::atomic<bool> good{true};
  parallel(batch * moduli.size(), batch * ring.words(), [&](std::size_t row) {
    const std::size_t b = row / moduli.size(), j = row % moduli.size();
    const auto bytes = packed.subspan(b * begin.back() + begin[j], begin[j + 1] - begin[j]);
    with_word(out, [&](auto zero) {
      auto* const words = out.as<decltype(zero)>() + b * stride + j * ring.n();
      if (!unpack_residues(bytes, moduli[j], std::span(words, ring.n()))) good = false;
    });
  });
  return good;
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
