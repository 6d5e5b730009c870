// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/device/gpu_step_constants.hpp"

#include <algorithm>
#include <vector>

namespace nttforge::cuda {

GpuStepConstants::GpuStepConstants(std::span<const RnsStep> chain, int device) {
  if (chain.size() != 1) return;
  const RnsStep& step = chain.front();
  is_division_ = !step.own.empty() && step.sources.size() <= kMostDivisors && step.limit == 0;
  is_recovery_ =
      step.own.empty() && step.targets.size() == 1 && !step.factors.empty() && step.fractions.empty();
  is_embedding_ = step.sources.size() == 1 && step.own.empty() && step.scale.empty() &&
                  step.factors.empty() && step.offset.empty() && step.modulus != 0 && step.limit == 0;
  if (!is_division_ && !is_recovery_ && !is_embedding_) return;
  const auto is_short = [](std::uint64_t word) { return word >> 32 == 0; };
  short_words_ = std::all_of(step.sources.begin(), step.sources.end(), is_short) &&
                 std::all_of(step.targets.begin(), step.targets.end(), is_short) && is_short(step.modulus);

  using List = std::vector<std::uint64_t> RnsStep::*;
  constexpr List kLists[] = {&RnsStep::own,   &RnsStep::offset,  &RnsStep::excess,   &RnsStep::factors,
                             &RnsStep::scale, &RnsStep::weights, &RnsStep::fractions};
  const std::uint64_t* StepConstants::* const kPlaces[] = {
      &StepConstants::own,   &StepConstants::offset,  &StepConstants::excess,   &StepConstants::factors,
      &StepConstants::scale, &StepConstants::weights, &StepConstants::fractions};
  std::vector<std::uint64_t> all;
  for (const List list : kLists) all.insert(all.end(), (step.*list).begin(), (step.*list).end());
  memory_ = CudaBuffer(device, all.size() * sizeof(std::uint64_t));
  memory_.from_host(all.data());
  const auto* at = static_cast<const std::uint64_t*>(memory_.data());
  for (std::size_t i = 0; i < std::size(kLists); ++i) {
    const std::size_t size = (step.*kLists[i]).size();
    if (size != 0) constants_.*kPlaces[i] = at;
    at += size;
  }
  constants_.sources = static_cast<std::uint32_t>(step.sources.size());
  constants_.targets = static_cast<std::uint32_t>(step.targets.size());
  constants_.fraction_bits = step.fraction_bits;
  constants_.nearest = step.nearest;
  constants_.is_short = short_words_;
  constants_.limit = step.limit;
  if (step.modulus != 0) constants_.correction = wide_modulus(step.modulus);
  if (is_recovery_) constants_.target = wide_modulus(step.targets.front());
}

}  // namespace nttforge::cuda
