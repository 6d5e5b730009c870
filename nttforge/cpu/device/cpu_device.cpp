// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/device/cpu_device.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/cpu/conversion/cpu_step.hpp"
#include "nttforge/cpu/device/cpu_queue.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/ntt/candidates.hpp"

namespace nttforge {

std::shared_ptr<const Device> make_cpu_device(unsigned threads) {
  return make_cpu_device(threads, active_target());
}

std::shared_ptr<const Device> make_cpu_device(unsigned threads, Target target) {
  return std::make_shared<const cpu::CpuDevice>(threads, target);
}

namespace cpu {
namespace {

Target required(Target target) {
  require_target(target);
  return target;
}

constexpr std::size_t kCopied = 64;

}  // namespace

CpuLimb::CpuLimb(std::uint64_t q_value, std::shared_ptr<const NttPlan> transform,
                 std::shared_ptr<const NttPlan> transform32, Target target)
    : q(q_value),
      plan(std::move(transform)),
      plan32(std::move(transform32)),
      modulus(q_value),
      row_modulus(make_row_modulus(modulus)),
      row(&row_ops(target, q_value)),
      row32(plan32 == nullptr ? nullptr : &row_ops32(target, q_value)),
      kernels(&conversion_kernels_of(target, q_value)),
      chunk(longest_sum(kernels->sum_bits, modulus.bits(), modulus.bits())) {}

// Both rows may begin at one address: words are copied in blocks, upwards to become shorter, else downwards.
void CpuLimb::narrow(const std::uint64_t* in, std::uint32_t* out, std::size_t n) {
  std::uint32_t block[kCopied];
  for (std::size_t i = 0; i < n; i += kCopied) {
    const std::size_t count = std::min(kCopied, n - i);
    for (std::size_t j = 0; j < count; ++j) block[j] = static_cast<std::uint32_t>(in[i + j]);
    std::memcpy(out + i, block, count * sizeof(std::uint32_t));
  }
  secure_zero(block, sizeof block);
}

void CpuLimb::widen(const std::uint32_t* in, std::uint64_t* out, std::size_t n) {
  std::uint32_t block[kCopied];
  for (std::size_t i = (n - 1) / kCopied * kCopied + kCopied; i != 0;) {
    i -= kCopied;
    const std::size_t count = std::min(kCopied, n - i);
    std::memcpy(block, in + i, count * sizeof(std::uint32_t));
    for (std::size_t j = 0; j < count; ++j) out[i + j] = block[j];
  }
  secure_zero(block, sizeof block);
}

CpuDevice::CpuDevice(unsigned threads, Target target) : target_(required(target)), pool_(threads) {}

std::string CpuDevice::description() const {
  return "cpu, target " + std::string(target_name(target_)) + ", " + std::to_string(pool_.threads()) +
         (pool_.threads() == 1 ? " thread, " : " threads, ") + describe_cpu().brand;
}

std::shared_ptr<const NttPlan> CpuDevice::shared_plan(const NttSpec& spec, std::size_t limb,
                                                      unsigned word_bits) const {
  NttSpec single = spec;
  single.moduli = {spec.moduli[limb]};
  single.roots = {spec.roots[limb]};
  single.word_bits = word_bits;
  const PlanKey key{spec.n, spec.moduli[limb], spec.roots[limb], spec.output_order, word_bits};
  const auto known = [&] {
    const std::lock_guard lock(plans_mutex_);
    return plans_[key].lock();
  };
  if (auto plan = known()) return plan;
  auto made = std::make_shared<const NttPlan>(single, choose_recipe(single, target_));
  const std::lock_guard lock(plans_mutex_);
  std::weak_ptr<const NttPlan>& entry = plans_[key];
  if (auto plan = entry.lock()) return plan;  // another thread was faster
  entry = made;
  return made;
}

std::shared_ptr<const RingTables> CpuDevice::make_ring(const NttSpec& spec) const {
  NttSpec full = checked_ring_spec(spec);
  std::vector<CpuLimb> limbs;
  for (std::size_t i = 0; i < full.moduli.size(); ++i) {
    const bool alone = target_ == Target::wasm && is_short(full.moduli[i]);
    limbs.emplace_back(full.moduli[i], alone ? nullptr : shared_plan(full, i, 64),
                       alone || full.word_bits == 32 ? shared_plan(full, i, 32) : nullptr, target_);
  }
  return std::make_shared<const CpuRing>(std::move(full), std::move(limbs));
}

std::shared_ptr<const Queue> CpuDevice::make_queue() const {
  return std::make_shared<const CpuQueue>(shared_from_this());
}

std::shared_ptr<const StepTables> CpuDevice::make_step(std::span<const RnsStep> chain, std::size_t n) const {
  return std::make_shared<const CpuStep>(chain, n, target_);
}

std::shared_ptr<const PermutationTables> CpuDevice::make_permutation(
    std::span<const std::uint32_t> index) const {
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] >= index.size())
      throw ParameterError("index[" + std::to_string(i) + "] = " + std::to_string(index[i]) +
                           " is out of range [0, n = " + std::to_string(index.size()) + ")");
  return std::make_shared<const CpuPermutation>(index);
}

std::string CpuDevice::recipe_json(const RingTables& ring) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  const bool short_words = ring.spec().word_bits == 32;
  const auto recipe_of = [&](const CpuLimb& limb) {
    return (short_words || limb.plan == nullptr ? limb.plan32 : limb.plan)->recipe();
  };
  NttRecipe recipe = recipe_of(own_ring.limb.front());
  recipe.arithmetic.clear();
  for (const CpuLimb& limb : own_ring.limb) recipe.arithmetic.push_back(recipe_of(limb).arithmetic.front());
  recipe.threads = pool_.threads();
  return recipe.to_json();
}

}  // namespace cpu
}  // namespace nttforge
