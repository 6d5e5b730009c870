// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bgv/context.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/bgv/correction.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/rns/plain.hpp"
#include "nttforge/rns/scale.hpp"

namespace nttforge::bgv {

ContextPtr Context::create(Parameters parameters, std::shared_ptr<const Device> device) {
  if (device == nullptr) throw ParameterError("device is null: pass make_cpu_device()");
  parameters.validate();
  return ContextPtr(
      new Context(std::make_shared<const Parameters>(std::move(parameters)), std::move(device)));
}

ContextPtr Context::create(Parameters parameters) { return create(std::move(parameters), make_cpu_device()); }

Context::Context(const std::shared_ptr<const Parameters>& parameters, std::shared_ptr<const Device> device)
    : IntegerContext(parameters, std::move(device), parameters->t, 1, 0), noise_model_(*parameters) {
  const MemoryPurpose purpose("the tables of a context");
  const std::uint64_t gamma = redundant_modulus(RnsBase(parameters->q), t());
  for (std::size_t level = 1; level <= limbs(); ++level) {
    const RnsBase base(ring_q(level).spec().moduli);
    recover_steps_.push_back(reduce_centred(base, t(), gamma, 1));
    recover_.push_back(this->device().make_step(recover_steps_.back(), n()));
  }
}

void Context::embed(ConstWordPtr plain, std::size_t level, std::uint64_t factor, WordPtr out,
                    std::size_t batch) const {
  if (factor == 1) {
    queue().lift_plain(ring_q(level), t(), plain, out, batch);
    return;
  }
  const auto lift = device().make_step(lift_centred(RnsBase(ring_q(level).spec().moduli), t(), factor), n());
  queue().apply(*lift, plain, nullptr, out, batch);
}

std::shared_ptr<const StepTables> Context::recover(std::size_t level, std::uint64_t factor) const {
  if (factor == 1) return recover_[level - 1];
  RnsStep step = recover_steps_[level - 1];
  const Modulus plain(t());
  const std::uint64_t inverse = inverse_unit(factor, t());
  for (std::uint64_t& value : step.factors) value = plain.mul(value, inverse);
  for (std::uint64_t& value : step.excess) value = plain.mul(value, inverse);
  return device().make_step(step, n());
}

CiphertextKind Context::below(CiphertextKind kind) const {
  const Modulus plain(t());
  --kind.level;
  kind.factor = plain.mul(kind.factor, inverse_unit(plain.reduce(parameters().q[kind.level]), t()));
  return kind;
}

void Context::require_message(const Meta& meta) const {
  const std::uint64_t factor = meta.factor;
  if (factor >= 1 && factor < t() && std::gcd(factor, t()) == 1) return;
  throw ParameterError("correction factor = " + std::to_string(factor) +
                       " is not allowed: a unit modulo t = " + std::to_string(t()) +
                       ", in [1, t), is needed");
}

}  // namespace nttforge::bgv
