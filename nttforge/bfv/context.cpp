// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/context.hpp"

#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/device/make_device.hpp"

namespace nttforge::bfv {

ContextPtr Context::create(Parameters parameters, std::shared_ptr<const Device> device, ProductForm product) {
  if (device == nullptr) throw ParameterError("device is null: pass make_cpu_device()");
  parameters.validate();
  return ContextPtr(new Context(std::move(parameters), std::move(device), product));
}

ContextPtr Context::create(Parameters parameters) { return create(std::move(parameters), make_cpu_device()); }

Context::Context(Parameters parameters, std::shared_ptr<const Device> device, ProductForm product)
    : IntegerContext(parameters, std::move(device), 1, parameters.lowest_level(), parameters.limbs() + 4),
      parameters_(std::move(parameters)),
      noise_model_(parameters_),
      top_(make_level(limbs())),
      products_(*this, product) {}

std::unique_ptr<const Context::Level> Context::make_level(std::size_t level) const {
  const MemoryPurpose purpose("the tables of a context");
  const RnsBase base(ring_q(level).spec().moduli);
  auto result = std::make_unique<Level>(Level{DecryptScale(base, t()), nullptr, nullptr});
  result->round_phase = device().make_step(result->decrypt_scale.decrypt(), n());
  result->scale_plain = device().make_step(result->decrypt_scale.encrypt(), n());
  return result;
}

const Context::Level& Context::at(std::size_t level) const {
  if (level == limbs()) return *top_;
  const std::lock_guard<std::mutex> lock(lower_mutex_);
  std::unique_ptr<const Level>& found = lower_[level];
  if (found == nullptr) found = make_level(level);
  return *found;
}

void Context::embed(ConstWordPtr plain, std::size_t level, std::uint64_t, WordPtr out,
                    std::size_t batch) const {
  queue().apply(*at(level).scale_plain, plain, nullptr, out, batch);
}

std::shared_ptr<const StepTables> Context::recover(std::size_t level, std::uint64_t) const {
  return at(level).round_phase;
}

}  // namespace nttforge::bfv
