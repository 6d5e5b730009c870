// SPDX-License-Identifier: Apache-2.0
// Steps between bases and key switching.
#include <algorithm>

#include "nttforge/cuda/device/gpu_launch.hpp"

namespace nttforge::cuda {

void GpuQueue::apply(const StepTables& step, BatchRows sources, BatchRows own_words, WordPtr out,
                     std::size_t batch, WordPtr exceeded) const {
  const std::span<const ConvertTables> steps = own<GpuStep>(step).steps();
  const std::size_t n = step.n();
  if (exceeded != nullptr) fill_zero(exceeded, 1);
  StridedRows from{read(sources.words), sources.stride}, own{read(own_words.words), own_words.stride};
  DeviceArray between;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ConvertTables& tables = steps[i];
    const bool last = i + 1 == steps.size();
    DeviceArray next;
    if (!last) next = allocate_secret(batch * tables.target_count * n);
    const WordPtr to = last ? out : next.data();
    const std::size_t rows = batch * ConvertBase::groups(tables.target_count);
    run("step between bases", ConvertBase{grid_of(rows, n), tables, from, own, write(to), write(exceeded)});
    from = {read(to), tables.target_count * n};
    own = {};
    between = std::move(next);
  }
}

void GpuQueue::decompose(const SwitchTables& level, BatchRows c, WordPtr out, std::size_t batch) const {
  const RingTables& ring = *level.key_ring;
  const std::size_t count = level.digits.size(), limbs = ring.limbs();
  const auto one_prime = [](const auto& digit) { return digit->sources() == 1; };
  if (!std::all_of(level.digits.begin(), level.digits.end(), one_prime))
    return Queue::decompose(level, c, out, batch);
  run("digits", LiftDigits{grid_of(batch * count * limbs, ring.n()), own<GpuRing>(ring).rows(), read(c.words),
                           c.stride, static_cast<std::uint32_t>(count), write(out)});
  forward(ring, out, batch * count);
}

void GpuQueue::inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key, WordPtr out,
                             std::size_t batch) const {
  const RingTables& ring = *level.key_ring;
  run("inner product",
      InnerProduct{grid_of(batch * 2 * ring.limbs(), ring.n()), own<GpuRing>(ring).rows(), read(digits),
                   read(key.words), static_cast<std::uint32_t>(level.digits.size()),
                   static_cast<std::uint32_t>(key.limbs), static_cast<std::uint32_t>(key.special),
                   write(out)});
}

}  // namespace nttforge::cuda
