// SPDX-License-Identifier: Apache-2.0
// Steps between bases and key switching.
#include <algorithm>
#include <optional>

#include "nttforge/cuda/device/gpu_launch.hpp"
#include "nttforge/cuda/device/tile_call.hpp"
#include "nttforge/cuda/device/tile_shapes.hpp"

namespace nttforge::cuda {
namespace {

/// Size of the words that hold the outputs of a step.
unsigned bits_between(const RnsStep& step) {
  const std::uint64_t largest = *std::max_element(step.targets.begin(), step.targets.end());
  return largest >> 32 == 0 ? 32 : 64;
}

ConvertBase general_call(const ConvertTables& step, const Conversion& rows, std::size_t n,
                         std::size_t batch) {
  return {.shape = grid_of(batch * ConvertBase::groups(step.target_count), n),
          .step = step,
          .sources = {read(rows.sources.words), rows.sources.stride},
          .own = {read(rows.own.words), rows.own.stride},
          .out = {write(rows.out.words), rows.out.stride},
          .copies = {write(rows.copies.words), rows.copies.stride},
          .addend = {read(rows.addend.words), rows.addend.stride},
          .addend_parts = static_cast<std::uint32_t>(rows.addend_parts),
          .parts = static_cast<std::uint32_t>(rows.parts),
          .exceeded = write(rows.exceeded)};
}

}  // namespace

template <class Call>
void GpuQueue::run_tiles(const Call& call, TileShape shape, Correction correction) const {
  runtime_.launch(ordinal_, "step between bases", [&] {
    if (ordinal_ >= 0) return enqueue_tiles(call, shape, correction, stream());
    return with_tile_kernel(call, shape, correction,
                            [](const auto& kernel) { return tiles_on_host(kernel); });
  });
}

void GpuQueue::convert_once(const GpuStepTables& step, const Conversion& rows, std::size_t n,
                            std::size_t batch) const {
  const auto taken_by = [&]<class Arith>(const std::optional<TileStep<Arith>>& tables) {
    const auto call = tile_call(tables, rows, n, batch);
    if (!call) return false;
    const TileShape shape = choose_tile_shape<Arith>(batch * n, width_of(rows, n), tables->target_count);
    run_tiles(*call, shape, step.correction);
    return true;
  };
  if (taken_by(step.narrow) || taken_by(step.split) || taken_by(step.whole)) return;
  if (rows.second == nullptr) return run("step between bases", general_call(step.general, rows, n, batch));
  Conversion first = rows, rest = rows;
  first.second = rest.second = nullptr;
  rest.sources.words = rows.second;
  rest.out.words += rows.split * rows.out.stride;
  if (rows.copies.words != nullptr) rest.copies.words += rows.split * rows.copies.stride;
  run("step between bases", general_call(step.general, first, n, rows.split));
  run("step between bases", general_call(step.general, rest, n, batch - rows.split));
}

void GpuQueue::apply(const StepTables& step, BatchRows sources, BatchRows own_words, WordPtr out,
                     std::size_t batch, WordPtr exceeded) const {
  convert(
      step,
      {.sources = sources, .own = own_words, .out = {out, step.targets() * step.n()}, .exceeded = exceeded},
      batch);
}

void GpuQueue::convert(const StepTables& step, const Conversion& rows, std::size_t batch) const {
  const std::span<const GpuStepTables> steps = own<GpuStep>(step).steps();
  const std::size_t n = step.n();
  if (rows.exceeded != nullptr) fill_zero(rows.exceeded, 1);
  Conversion now = rows;
  DeviceArray between;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    DeviceArray next;
    now.out = rows.out;
    now.addend_parts = rows.addend_parts;
    if (i + 1 < steps.size()) {
      const std::size_t stride = step.chain()[i].targets.size() * n;
      const unsigned bits = bits_between(step.chain()[i]);
      next = rows.secret ? allocate_secret(batch * stride, bits) : allocate(batch * stride, bits);
      now.out = {next.data(), stride};
      now.addend_parts = 0;
    }
    convert_once(steps[i], now, n, batch);
    now.sources = {now.out.words, now.out.stride};
    now.second = nullptr;
    now.own = {};
    now.copies = {};
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

void GpuQueue::mod_down(const SwitchTables& level, WordPtr x, BatchRows addend, std::size_t addend_parts,
                        WordPtr out, std::size_t batch) const {
  if (level.division == nullptr) return Queue::mod_down(level, x, addend, addend_parts, out, batch);
  inverse(*level.key_ring, x, 2 * batch);
  divide(level, x, addend, addend_parts, out, batch);
}

void GpuQueue::divide(const SwitchTables& level, ConstWordPtr x, BatchRows addend, std::size_t addend_parts,
                      WordPtr out, std::size_t batch) const {
  const std::size_t words = level.ring->words(), stride = level.key_ring->words();
  convert(*level.division,
          {.sources = {x + words, stride},
           .own = {x, stride},
           .out = {out, words},
           .addend = addend,
           .addend_parts = addend_parts,
           .parts = 2},
          2 * batch);
}

}  // namespace nttforge::cuda
